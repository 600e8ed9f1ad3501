-- A cloud of gas in a box: let go from one corner, it fills what room it has. Painted by speed.
local radius = param("radius", 0.0125, "half the distance between particles, m")

local s, wall = 1.0, 0.01
local function pane(x, z) -- by its outward normal; panes overlap at the corners, with the lid, and end below the floor: no face lies within the glass
  return { shape = { box = x ~= 0 and {wall, s + 2 * wall, s + 2 * wall} or {s + wall, s + 2 * wall, wall} }, position = {x * (s + wall) / 2, 0, z * (s + wall) / 2}, material = "glass" }
end
return {
  title = "Gas cloud", duration = 3, fps = 30, gravity = {0, 0, 0},
  materials = { floor = { color = "#8d8a84" } },
  colliders = {
    { name = "floor", shape = { plane = {0, 1, 0} }, position = {0, -s / 2, 0}, material = "floor" },
    { name = "lid", shape = { box = {s + wall, wall, s + wall} }, position = {0, s / 2 + wall / 2, 0}, material = "glass" },
    pane(-1, 0), pane(1, 0), pane(0, -1), pane(0, 1),
  },
  systems = { { type = "sph", name = "gas", radius = radius, solver = "wcsph", equation = "gas", sound_speed = 1, support = 6,
    phases = { { fluid = "air", matter = "gas", viscosity = 0.02 } },
    blocks = { { shape = { sphere = 0.25 }, position = {-0.15, -0.15, 0} } },
    look = { draw = "particles", paint = "speed", range = {0, 1} } } },
  camera = { eye = {1.2, 0.8, 2.1}, target = {0, -0.08, 0}, fov = 0.68, sun = {0.5, 0.8, 0.4} },
}
