-- The exhaust of a rocket (Coutinho 3.7.3; House & Keyser 4.5.4): an emitter rides on the rocket, which keys lift off. The flame is glowing streaks and soft
-- sprites, the smoke is density that its particles leave in a volume along their way, and that billows where they meet the ground.
local thrust = param("thrust", 2.8, "acceleration of the rocket, m/s^2")
local speed = param("speed", 9, "speed of the exhaust, m/s")
local ignition = 0.8

local keys = {}
for k = 0, 20 do
  local t = 0.2 * k
  keys[k + 1] = { t = t, position = {0, 1.2 + 0.5 * thrust * math.max(0, t - ignition) ^ 2, 0} }
end
local function nozzle(kind, radius, rate, aperture)
  return { kind = kind, collider = "rocket", shape = { disk = radius }, position = {0, -0.55, 0}, direction = {0, -1, 0}, aperture = aperture,
    speed = {speed, 1.2}, rate = rate, jitter = true, start = 0.15 }
end

return {
  title = "Rocket exhaust", duration = 4, seed = 5,
  materials = {
    flame = { surface = "emissive", glow = 5, color = "#ffffff" }, hull = { color = "#e8e6e1", surface = "glossy", roughness = 0.2 },
      pad = { color = "#777b80", restitution = 0.15, friction = 0.05 },
    tower = { color = "#9b3b2c" }, gas = { restitution = 0.1, friction = 0 },
  },
  fields = { { gravity = {0, 10.6, 0}, tags = { "gas", "flame" } }, { drag = 0.0022, tags = { "gas" } }, { kicks = 0.5, rate = 20, tags = { "gas" } } },
  colliders = {
    { name = "pad", shape = { plane = {0, 1, 0} }, material = "pad" },
    { name = "rocket", shape = { mesh = "rocket.obj" }, position = {0, 1.2, 0}, keys = keys, material = "hull" },
    { name = "tower", shape = { box = {0.3, 4, 0.3} }, position = {-1.5, 2, -0.6}, material = "tower" },
    { name = "arm", shape = { box = {1, 0.12, 0.12} }, position = {-0.95, 2.6, -0.6}, material = "tower" },
  },
  systems = { { type = "particles", name = "exhaust", hits = "approximate", max_particles = 30000,
    kinds = {
      { name = "flame", material = "flame", radius = {0.05, 0.02}, mass = 0.001, life = {0.16, 0.06}, relative = true, streak = 0.03, meets_solids = false,
        color = { { t = 0, value = "#fffbe6" }, { t = 0.4, value = "#ffc04a" }, { t = 1, value = "#ff5a14" } },
          opacity = { { t = 0, value = 0.9 }, { t = 1, value = 0.1 } } },
      { name = "gas", material = "gas", radius = 0.02, mass = 0.001, life = {2.4, 0.6}, draw = "none", deposit = 0.006 },
    },
    volume = { center = {0, 2.5, 0}, box = {6.6, 5, 5}, resolution = 84, fade = 3, disperse = 0.02, flow = {0.1, 0.12, 0}, noise = 0.8, noise_size = 0.5,
      density = 55, color = "#d9d6d2" },
    emitters = { nozzle("flame", 0.1, 3500, 0.09), nozzle("gas", 0.12, 420, 0.16) } } },
  camera = { eye = {1.4, 1.6, 7.6}, target = {0, 2.15, 0}, fov = 0.74, sun = {-0.6, 0.5, 0.45}, sun_color = {2.2, 1.9, 1.6}, sky_color = {0.14, 0.22, 0.4},
    horizon_color = {0.5, 0.52, 0.58} },
}
