-- Pouring into a glass (H14.4): a stream from above fills a tumbler of a quarter of a litre, turns in it, and comes to rest.
local radius = param("radius", 0.0014, "half the distance between particles, m")
local seconds = param("seconds", 1.6, "how long it is poured, s")

return {
  title = "Pouring into a glass", duration = 2.4, fps = 30, steps_per_frame = 4,
  materials = { table = { color = "#e9e4da", surface = "glossy", roughness = 0.4 }, tea = { preset = "water", absorption = {2, 14, 40} } },
  colliders = {
    { name = "table", shape = { plane = {0, 1, 0} }, material = "table" },
    { name = "glass", shape = { mesh = "glass.obj" }, material = "glass" },
  },
  systems = { { type = "sph", name = "tea", radius = radius,
    phases = { { fluid = "water", viscosity = 0.002, material = "tea" } },
    inflows = { { position = {0.008, 0.17, 0}, radius = 0.009, speed = 0.6, direction = {0, -1, 0}, ["end"] = seconds } },
    sinks = { { region = { plane = {0, 1, 0} }, center = {0, -0.05, 0} } } } },
  camera = { eye = {0.16, 0.16, 0.26}, target = {0, 0.07, 0}, fov = 0.5, shutter = 0, clouds = 0.45, sun = {0.5, 0.9, 0.3} },
}
