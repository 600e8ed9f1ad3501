-- A tornado of dust and flame (House & Keyser 5.2.2, figure 5.4): vortex fields carry particles round, faster towards the axis up to a cap; line attractors
-- hold them to the funnel, hot air lifts them, and vortices stacked one on the other widen it with height.
local rate = param("rate", 3000, "flames born a second")
local wind = param("wind", 4.6, "speed of the air round the axis, m/s")

-- A vortex of tightness 1 has the same speed at every radius; a spring to the axis of (wind / r)^2 then keeps on the circle r who goes with the air.
local fields = {
  { gravity = {0, 9.81 + 11, 0}, tags = { "dust", "flame" } }, -- hot air lifts both
  { drag = 0.004 },
  { kicks = 0.55, rate = 30 },
}
local levels = 8
for k = 0, levels - 1 do
  local r = 0.32 + 0.06 * k + 0.045 * k * k
  local x, z = 0.22 * k ^ 0.5 * math.sin(0.9 * k), 0.2 * math.cos(0.8 * k)
  fields[#fields + 1] = { vortex = wind / (2 * math.pi * 4 * r), max_rate = 3, tightness = 1, base = {x, k, z}, length = 1.0, radius = 4 * r, acts = "air" }
  fields[#fields + 1] = { line_attractor = (wind / r) ^ 2, exponent = -1, from = {x, k, z}, to = {x, k + 1, z}, ends = "ignore", extent = 2 * r }
  if k == 0 then fields[#fields + 1] = { line_attractor = 9, exponent = 0, from = {x, 0, z}, to = {x, 1, z}, ends = "ignore" } end -- the ground's air comes in
end

return {
  title = "Tornado", duration = 6, seed = 8,
  materials = { dust = { color = "#8a7357" }, flame = { surface = "emissive", glow = 3.2, color = "#ffffff" }, plain = { color = "#6a5f4b" } },
  fields = fields,
  colliders = { { name = "plain", shape = { plane = {0, 1, 0} }, material = "plain" } },
  systems = { { type = "particles", name = "tornado", max_particles = 40000,
    kinds = {
      { name = "dust", material = "dust", radius = {0.22, 0.08}, mass = 0.001, life = {3.4, 0.6}, relative = true, draw = "sprite", meets_solids = false,
        size = { { t = 0, value = 0.6 }, { t = 1, value = 2.6 } }, color = { { t = 0, value = "#6b5138" }, { t = 1, value = "#a89c8c" } },
        opacity = { { t = 0, value = 0 }, { t = 0.08, value = 0.42 }, { t = 0.6, value = 0.3 }, { t = 1, value = 0 } } },
      { name = "flame", material = "flame", radius = {0.022, 0.008}, mass = 0.001, life = {2.3, 0.9}, relative = true, streak = 0.09, meets_solids = false,
        color = { { t = 0, value = "#fff0b0" }, { t = 0.25, value = "#ffae35" }, { t = 0.7, value = "#ff4a12" }, { t = 1, value = "#5a0a00" } },
        opacity = { { t = 0, value = 1 }, { t = 0.6, value = 0.9 }, { t = 1, value = 0 } } },
    },
    emitters = {
      { kind = "dust", shape = { disk = 2.2 }, position = {0, 0.05, 0}, speed = {0.6, 0.4}, aperture = 1.2, rate = rate * 0.4, jitter = true },
      { kind = "flame", shape = { disk = 0.5 }, position = {0, 0.05, 0}, speed = {1.4, 0.6}, aperture = 0.7, rate = rate, jitter = true },
    } } },
  camera = { eye = {1, 1.8, 12.4}, target = {0.1, 4.1, 0}, fov = 0.78, exposure = -0.2, sun = {-0.6, 0.35, 0.4}, sun_color = {1.3, 1.0, 0.75},
    sky_color = {0.08, 0.1, 0.15}, horizon_color = {0.42, 0.36, 0.33} },
}
