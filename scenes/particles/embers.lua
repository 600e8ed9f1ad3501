-- Embers over a fire at night (House & Keyser 4.1): a spark's parameters change with its age: bright and hot, then dull red, and at last a grey ash that no
-- longer rises. Kicks and a slow vortex make them dance.
local rate = param("rate", 420, "embers a second")

local colliders = { { name = "ground", shape = { plane = {0, 1, 0} }, material = "earth" } }
for k = 0, 5 do
  local a = math.pi * k / 3 + 0.3
  colliders[#colliders + 1] = { name = "log" .. k, shape = { capsule = {0.08, 0.8} }, position = {0.26 * math.cos(a), 0.22, 0.26 * math.sin(a)},
    orientation = { axis = {math.sin(a), 0, -math.cos(a)}, angle = -0.85 }, material = "bark" }
end
for k = 0, 11 do
  local a = math.pi * k / 6
  colliders[#colliders + 1] = { name = "stone" .. k, shape = { sphere = 0.13 + 0.03 * (k % 3) }, position = {0.95 * math.cos(a), 0.06, 0.95 * math.sin(a)},
    material = "stone" }
end

return {
  title = "Embers", duration = 6, seed = 17,
  materials = { ember = { surface = "emissive", glow = 9, color = "#ffffff" }, flame = { surface = "emissive", glow = 1.5, color = "#ffffff" },
    bark = { color = "#4a3524" }, earth = { color = "#6b5a48" }, stone = { color = "#8b857d" } },
  fields = {
    { gravity = {0, 9.81 + 3.6, 0}, age = {0, 2.8}, fade = 0.8, tags = { "ember" } }, { gravity = {0, 9.81 + 4, 0}, tags = { "flame" } },
      -- hot air lifts what is young
    { drag = 0.0018 }, { kicks = 0.22, rate = 18 }, { vortex = 0.1, max_rate = 0.4, tightness = 1, base = {0, 0, 0}, length = 6, radius = 2.5, acts = "air" },
    { line_attractor = 1.5, exponent = 0, from = {0, 0, 0}, to = {0, 1.5, 0}, ends = "ignore", tags = { "flame" } },
  },
  colliders = colliders,
  systems = { { type = "particles", name = "embers",
    kinds = {
      { name = "ember", material = "ember", radius = {0.009, 0.004}, mass = 0.001, life = {3.2, 0.8}, relative = true, streak = 0.06, meets_solids = false,
        color = { { t = 0, value = "#fff0b8" }, { t = 0.2, value = "#ffab3d" }, { t = 0.6, value = "#f0400c" }, { t = 0.85, value = "#5a1408" },
          { t = 1, value = "#2a2624" } },
        opacity = { { t = 0, value = 1 }, { t = 0.8, value = 0.9 }, { t = 1, value = 0 } } },
      { name = "flame", material = "flame", radius = {0.14, 0.05}, mass = 0.001, life = {0.8, 0.25}, relative = true, draw = "sprite", meets_solids = false,
        size = { { t = 0, value = 0.8 }, { t = 0.3, value = 1.1 }, { t = 1, value = 0.3 } },
          color = { { t = 0, value = "#ffe27a" }, { t = 0.4, value = "#ff8c1f" }, { t = 1, value = "#c22d08" } },
        opacity = { { t = 0, value = 0 }, { t = 0.15, value = 0.5 }, { t = 1, value = 0 } } },
    },
    emitters = {
      { kind = "ember", shape = { disk = 0.25 }, position = {0, 0.3, 0}, aperture = 0.5, speed = {1.6, 0.8}, rate = rate, jitter = true },
      { kind = "flame", shape = { disk = 0.26 }, position = {0, 0.12, 0}, aperture = 0.25, speed = {0.6, 0.3}, rate = 300, jitter = true },
    } } },
  camera = { eye = {0.5, 0.9, 4.6}, target = {0, 1.15, 0}, fov = 0.72, sun_color = {0.02, 0.025, 0.04}, sky_color = {0.006, 0.01, 0.025},
    horizon_color = {0.02, 0.026, 0.045} },
}
