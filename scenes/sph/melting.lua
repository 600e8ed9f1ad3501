-- A bunny of wax melts: cold wax is twenty thousand times as thick as hot wax, and hot wax rains on it.
local radius = param("radius", 0.01, "half the distance between particles, m")
local hot = param("hot", 370, "temperature of what is poured on it, K; it melts at about 330")

local bunny = { -- body, haunches, head, ears, tail
  { shape = { sphere = 0.16, offset = {0, 0.16, 0} } }, { shape = { sphere = 0.10, offset = {-0.06, 0.10, 0.10} } }, { shape = { sphere = 0.10, offset = {-0.06, 0.10, -0.10} } },
  { shape = { sphere = 0.10, offset = {0.14, 0.32, 0} } }, { shape = { sphere = 0.06, offset = {-0.18, 0.12, 0} } },
  { shape = { capsule = {0.03, 0.14}, offset = {0.10, 0.46, 0.05}, turn = { axis = {0, 0, 1}, angle = 0.25 } } },
  { shape = { capsule = {0.03, 0.14}, offset = {0.10, 0.46, -0.05}, turn = { axis = {0, 0, 1}, angle = 0.25 } } },
}
return {
  title = "Melting bunny", duration = 2, fps = 30,
  materials = { wax = { color = "#e8cfa8", surface = "glossy", roughness = 0.35 }, table = { color = "#8d8a84" } },
  colliders = { { name = "table", shape = { plane = {0, 1, 0} }, material = "table" } },
  systems = { { type = "sph", name = "wax", radius = radius, max_tick = 0.004,
    phases = { { name = "wax", density = 900, viscosity = 0.4, tension = 0.03, conductivity = 400, heat_capacity = 2000, expansion = 0, material = "wax",
      thickness = { { t = 293, value = 2e4 }, { t = 320, value = 2e4 }, { t = 335, value = 1 } } } },
    blocks = { { shape = { compound = bunny }, position = {0, 0, 0} } },
    inflows = { { position = {0.10, 0.62, 0}, radius = 0.05, speed = 0.8, temperature = hot, ["end"] = 1.2 } },
    look = { paint = "temperature", range = {293, 370}, spray = false } } },
  camera = { eye = {0.55, 0.55, 1.25}, target = {0.05, 0.24, 0}, fov = 0.6, shutter = 0, sun = {0.5, 0.8, 0.4} },
}
