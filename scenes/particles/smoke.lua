-- Smoke of a fire (Coutinho 3.7.3): flames go from yellow over orange to dark red, then grey; their smoke, dark grey to black, is density in a volume. No
-- gravity, a lift against drag, small deviations: the plume is a cone, which the wind leans.
local rate = param("rate", 420, "flames a second")
local wind = param("wind", 0.35, "wind along x, m/s")

local colliders = { { name = "ground", shape = { plane = {0, 1, 0} }, material = "ash" } }
for k = 0, 5 do
  local a = math.pi * k / 3
  colliders[#colliders + 1] = { name = "log" .. k, shape = { capsule = {0.09, 0.75} }, position = {0.24 * math.cos(a), 0.2, 0.24 * math.sin(a)},
    orientation = { axis = {math.sin(a), 0, -math.cos(a)}, angle = -0.9 }, material = "bark" }
end

return {
  title = "Fire and smoke", duration = 5, seed = 21, gravity = {0, 0, 0},
  materials = { flame = { surface = "emissive", glow = 1.6, color = "#ffffff" }, bark = { color = "#3b2a1e" }, ash = { color = "#6b665e" } },
  fields = {
    { gravity = {0, 5, 0}, tags = { "flame" } }, { gravity = {0, 3.4, 0}, tags = { "smoke" } }, { drag = 0.0025 }, { wind = {wind, 0, 0.05} },
      { kicks = 0.22, rate = 20 },
    { line_attractor = 1.6, exponent = 0, from = {0, 0, 0}, to = {0.1, 2, 0}, ends = "ignore", tags = { "flame" } },
  },
  colliders = colliders,
  systems = { { type = "particles", name = "fire",
    kinds = {
      { name = "flame", material = "flame", radius = {0.15, 0.05}, mass = 0.001, life = {1.0, 0.3}, relative = true, draw = "sprite", meets_solids = false,
        size = { { t = 0, value = 0.8 }, { t = 0.3, value = 1.1 }, { t = 1, value = 0.35 } },
        color = { { t = 0, value = "#ffe27a" }, { t = 0.35, value = "#ff9a2a" }, { t = 0.7, value = "#d8450f" }, { t = 1, value = "#3a1710" } },
        opacity = { { t = 0, value = 0 }, { t = 0.12, value = 0.55 }, { t = 0.7, value = 0.4 }, { t = 1, value = 0 } },
        splits = { { when = "death", into = "smoke", number = {0.5, 0.4}, speed = 0.8, kick = {0.15, 0.1}, direction = 0.4, size = 0.5 } } },
      { name = "smoke", material = "bark", radius = 0.05, mass = 0.001, life = {2.6, 0.5}, draw = "none", deposit = 0.0012, meets_solids = false },
    },
    volume = { center = {0.5, 2.4, 0}, box = {3, 3.6, 2.2}, resolution = 72, fade = 1.6, disperse = 0.012, flow = {wind, 0.5, 0}, noise = 0.8,
      noise_size = 0.35, density = 90, color = "#6e6863" },
    emitters = { { kind = "flame", shape = { disk = 0.3 }, position = {0, 0.15, 0}, aperture = 0.25, speed = {0.7, 0.3}, rate = rate, jitter = true } } } },
  camera = { eye = {0.6, 1.3, 5.2}, target = {0.35, 1.6, 0}, fov = 0.74, sun = {-0.6, 0.5, 0.4}, sun_color = {1.6, 1.4, 1.2}, sky_color = {0.2, 0.28, 0.4},
    horizon_color = {0.55, 0.55, 0.56} },
}
