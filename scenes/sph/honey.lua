-- Honey: a thread so viscous that it buckles where it lands, and coils.
local radius = param("radius", 0.0008, "half the distance between particles, m")
local viscosity = param("viscosity", 150, "Pa s; water has 0.001")

return {
  title = "Honey", duration = 3, fps = 30, steps_per_frame = 4,
  materials = { honey = { surface = "glass", ior = 1.49, color = {1, 1, 1}, absorption = {7, 55, 280} }, table = { preset = "oak", pattern_size = 0.006 }, plate = { color = "#f2efe8", surface = "glossy", roughness = 0.3 } },
  colliders = {
    { name = "plate", shape = { cylinder = {0.06, 0.01} }, position = {0, -0.005, 0}, material = "plate" },
    { name = "table", shape = { plane = {0, 1, 0} }, position = {0, -0.01, 0}, material = "table" },
  },
  systems = { { type = "sph", name = "honey", radius = radius, max_tick = 0.002,
    phases = { { fluid = "honey", viscosity = viscosity, material = "honey" } },
    inflows = { { position = {0.0005, 0.06, 0}, radius = 0.0045, speed = 0.3 } } } },
  camera = { eye = {0.07, 0.075, 0.13}, target = {0, 0.022, 0}, fov = 0.6, shutter = 0, clouds = 0.45, sun = {-0.4, 0.6, -0.4} },
}
