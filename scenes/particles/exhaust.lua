-- A rocket lifts off: sparks of flame from its nozzle, and smoke that fast grains leave in a volume as they strike the pad and turn aside (Coutinho, ch. 3.7.3; House, ch. 4.5.4;
-- C3.7.3, H4.5e).
local rate = param("rate", 2200, "grains of smoke a second")
local thrust = param("thrust", 22, "speed of the exhaust, m/s")

-- The rocket: 2.6 m/s^2 upwards from 0.5 s on; the nozzle is at its foot.
local keys = {}
for k = 0, 50 do
  local t = 0.1 * k
  keys[#keys + 1] = { t = t, position = {0, 3.1 + (t > 0.5 and 1.3 * (t - 0.5) ^ 2 or 0), 0} }
end

return {
  title = "Rocket exhaust", duration = 4, fps = 24, steps_per_frame = 3, seed = 14,
  materials = {
    pad = { color = "#8d8f94", restitution = 0.25, friction = 0.1 }, hull = { color = "#eef0f2", surface = "glossy", roughness = 0.25 }, tower = { color = "#b0392b" },
    flame = { surface = "emissive", color = "#ffb04a", glow = 6 }, smoke = { color = "#dddddd", restitution = 0.1, friction = 0.05 },
  },
  fields = { { drag = 0.03, tags = {"smoke"} }, { gravity = {0, 9.4, 0}, tags = {"smoke", "flame"} }, { kicks = 0.35, rate = 30, tags = {"smoke"} } },
  colliders = {
    { name = "ground", shape = { plane = {0, 1, 0} }, material = "pad" },
    { name = "rocket", shape = { mesh = "rocket.obj" }, keys = keys, material = "hull" },
    { name = "mast", shape = { box = {0.35, 6.6, 0.35} }, position = {-1.5, 3.3, -0.4}, material = "tower" },
    { name = "arm", shape = { box = {0.9, 0.15, 0.2} }, position = {-1.0, 4.6, -0.3}, material = "tower" },
  },
  systems = {
    { type = "particles", name = "exhaust", hits = "approximate",
      kinds = {
        { name = "smoke", material = "smoke", draw = "none", radius = 0.03, mass = 0.02, life = {2.2, 0.6}, deposit = 0.9 },
        { name = "flame", material = "flame", draw = "sprite", radius = {0.16, 0.05}, mass = 0.01, life = {0.2, 0.07}, relative = true, meets_solids = false,
          size = { { t = 0, value = 1 }, { t = 1, value = 0.35 } }, color = { { t = 0, value = "#fff3c4" }, { t = 0.35, value = "#ffb13b" }, { t = 1, value = "#d8421a" } },
          opacity = { { t = 0, value = 0.45 }, { t = 1, value = 0 } } },
      },
      emitters = {
        { kind = "smoke", collider = "rocket", position = {0, -1.95, 0}, shape = { disk = 0.16 }, direction = {0, -1, 0}, aperture = 0.16, speed = {thrust, 3}, rate = rate, inherit = 0.5, start = 0.2, jitter = true },
        { kind = "flame", collider = "rocket", position = {0, -1.85, 0}, shape = { disk = 0.14 }, direction = {0, -1, 0}, aperture = 0.07, speed = {9, 2}, rate = 1500, start = 0.2, jitter = true },
      },
      volume = { center = {0, 3.2, 0}, box = {15, 6.6, 12}, resolution = 80, fade = 3, disperse = 0.06, flow = {0.5, 0.25, 0}, noise = 1.0, noise_size = 0.8, noise_rate = 0.8, density = 1.3,
        color = {0.93, 0.92, 0.9} } },
  },
  camera = { fov = 0.8, eye = {3.5, 2.4, 12.5}, target = {0.1, 4.1, 0}, sun = {0.7, 0.45, 0.4}, sun_color = {3.2, 2.7, 2.1} },
}
