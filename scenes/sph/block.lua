-- A block of water dropped into a box (H14.8, Fig 14.1): it falls, spreads, runs up the walls and comes to rest.
local radius = param("radius", 0.01, "half the distance between particles, m")
local height = param("height", 0.15, "how high the block hangs above the floor, m")

local sx, sy, sz, wall = 1.0, 0.7, 0.6, 0.04
local function pane(x, y, z, size) return { shape = { box = size }, position = {x, y, z}, material = "glass" } end
return {
  title = "Block of water", duration = 2.5, fps = 30,
  materials = { floor = { color = "#5f656c" }, water = { preset = "water", absorption = {9, 2.4, 1.2} } },
  colliders = {
    { name = "floor", shape = { plane = {0, 1, 0} }, material = "floor" },
    pane(-sx / 2 - wall / 2, sy / 2, 0, {wall, sy, sz + 2 * wall}), pane(sx / 2 + wall / 2, sy / 2, 0, {wall, sy, sz + 2 * wall}),
    pane(0, sy / 2, -sz / 2 - wall / 2, {sx, sy, wall}), pane(0, sy / 2, sz / 2 + wall / 2, {sx, sy, wall}),
  },
  systems = { { type = "sph", name = "water", radius = radius,
    phases = { { fluid = "water", material = "water" } },
    blocks = { { shape = { box = {0.5, 0.4, 0.4} }, position = {-0.2, height + 0.2, 0} } } } },
  camera = { eye = {1.3, 0.95, 1.55}, target = {0, 0.32, 0}, fov = 0.66, shutter = 0, clouds = 0.45, sun = {0.5, 0.6, -0.3} },
}
