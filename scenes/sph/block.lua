-- A block of water dropped into a box (H14.8, Fig 14.1): it falls, spreads, runs up the walls and comes to rest.
local radius = param("radius", 0.01, "half the distance between particles, m")
local height = param("height", 0.15, "how high the block hangs above the floor, m")

local sx, sy, sz, wall = 1.0, 0.7, 0.6, 0.008
local function pane(x, z) -- by its outward normal; panes overlap at the corners and end below the floor: no face lies within the glass
  return { shape = { box = x ~= 0 and {wall, sy + wall, sz + 2 * wall} or {sx + wall, sy + wall, wall} }, material = "glass",
    position = {x * (sx + wall) / 2, (sy - wall) / 2, z * (sz + wall) / 2} }
end
return {
  title = "Block of water", duration = 2.5, fps = 30,
  materials = { floor = { color = "#8d8a84" }, water = { preset = "water", absorption = {5, 1.4, 0.7} } },
  colliders = {
    { name = "floor", shape = { plane = {0, 1, 0} }, material = "floor" },
    pane(-1, 0), pane(1, 0), pane(0, -1), pane(0, 1),
  },
  systems = { { type = "sph", name = "water", radius = radius,
    phases = { { fluid = "water", material = "water" } },
    blocks = { { shape = { box = {0.5, 0.4, 0.4} }, position = {-0.2, height + 0.2, 0} } } } },
  camera = { eye = {1.15, 0.75, 1.35}, target = {-0.02, 0.27, 0}, fov = 0.62, shutter = 0, clouds = 0.45, sun = {0.5, 0.6, -0.3} },
}
