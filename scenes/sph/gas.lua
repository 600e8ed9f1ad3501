-- A cloud of gas in a box: let go from one corner, it fills what room it has. Painted by speed.
local radius = param("radius", 0.0125, "half the distance between particles, m")

local s, wall = 1.0, 0.04
local function pane(x, y, z, size) return { shape = { box = size }, position = {x, y, z}, material = "glass" } end
return {
  title = "Gas cloud", duration = 3, fps = 30, gravity = {0, 0, 0},
  materials = { floor = { color = "#3a3f46" } },
  colliders = {
    { name = "floor", shape = { plane = {0, 1, 0} }, position = {0, -s / 2, 0}, material = "floor" },
    { name = "lid", shape = { box = {s + 2 * wall, wall, s + 2 * wall} }, position = {0, s / 2 + wall / 2, 0}, material = "glass" },
    pane(-s / 2 - wall / 2, 0, 0, {wall, s, s + 2 * wall}), pane(s / 2 + wall / 2, 0, 0, {wall, s, s + 2 * wall}),
    pane(0, 0, -s / 2 - wall / 2, {s, s, wall}), pane(0, 0, s / 2 + wall / 2, {s, s, wall}),
  },
  systems = { { type = "sph", name = "gas", radius = radius, solver = "wcsph", equation = "gas", sound_speed = 1, support = 6,
    phases = { { fluid = "air", matter = "gas", viscosity = 0.02 } },
    blocks = { { shape = { sphere = 0.25 }, position = {-0.15, -0.15, 0} } },
    look = { draw = "particles", paint = "speed", range = {0, 1} } } },
  camera = { eye = {1.2, 0.8, 2.1}, target = {0, -0.08, 0}, fov = 0.68, sun = {0.5, 0.8, 0.4} },
}
