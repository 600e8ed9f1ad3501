-- A fountain: a jet straight up from the middle of a round basin, which drains as fast as it is fed.
local radius = param("radius", 0.012, "half the distance between particles, m")
local speed = param("speed", 3.6, "of the jet, m/s: it rises speed^2 / 2 g")

local basin = {}
for i = 0, 15 do -- the rim, of sixteen stones
  local a = 2 * math.pi * i / 16
  basin[#basin + 1] = { shape = { box = {0.1, 0.22, 0.32}, offset = {0.75 * math.cos(a), 0.11, -0.75 * math.sin(a)}, turn = { axis = {0, 1, 0}, angle = a } } }
end
return {
  title = "Fountain", duration = 4, fps = 30,
  materials = { water = { preset = "water", absorption = {4, 1.2, 0.6} }, grass = { color = "#56703c" } },
  colliders = {
    { name = "ground", shape = { plane = {0, 1, 0} }, material = "grass" },
    { name = "rim", shape = { compound = basin }, material = "stone" },
    { name = "nozzle", shape = { cylinder = {0.07, 0.2} }, position = {0, 0.1, 0}, material = "copper" },
  },
  systems = { { type = "sph", name = "water", radius = radius,
    phases = { { fluid = "water", material = "water" } },
    blocks = { { shape = { cylinder = {0.68, 0.12} }, position = {0, 0.06, 0} } },
    inflows = { { position = {0, 0.215, 0}, direction = {0.05, 1, 0.03}, radius = 0.06, speed = speed } },
    sinks = { { region = { box = {0.2, 0.03, 0.2} }, center = {0.5, 0.015, 0} }, { region = { plane = {0, 1, 0} }, center = {0, -0.1, 0} } } } },
  camera = { eye = {1.25, 0.85, 1.5}, target = {0, 0.36, 0}, fov = 0.75, shutter = 0, sun = {0.6, 0.6, -0.3}, clouds = 0.45 },
}
