-- Double dam break: two columns of water are let go at once; where they meet, a sheet shoots up. Spray and foam ride on it.
local radius = param("radius", 0.01, "half the distance between particles, m")
local foam = param("foam", 400, "spray, foam and bubbles born a second from a particle in the midst of it; 0: none")

local sx, sy, sz, wall = 1.6, 0.8, 0.4, 0.008
local function pane(x, z) -- by its outward normal; panes overlap at the corners and end below the floor: no face lies within the glass
  return { shape = { box = x ~= 0 and {wall, sy + wall, sz + 2 * wall} or {sx + wall, sy + wall, wall} }, material = "glass",
    position = {x * (sx + wall) / 2, (sy - wall) / 2, z * (sz + wall) / 2} }
end
local function dam(side) return { shape = { box = {0.4, 0.45, sz} }, position = {side * (sx / 2 - 0.2), 0.225, 0} } end
return {
  title = "Double dam break", duration = 2.5, fps = 30,
  materials = { floor = { color = "#8d8a84" }, water = { preset = "water", absorption = {6, 1.6, 0.8} } },
  colliders = {
    { name = "floor", shape = { plane = {0, 1, 0} }, material = "floor" },
    pane(-1, 0), pane(1, 0), pane(0, -1), pane(0, 1),
  },
  systems = { { type = "sph", name = "water", radius = radius,
    phases = { { fluid = "water", material = "water" } },
    blocks = { dam(-1), dam(1) }, foam = { rate = foam, life = {1.5, 0.8} } } },
  camera = { eye = {0.6, 0.8, 2.0}, target = {0, 0.4, 0}, fov = 0.7, shutter = 0, clouds = 0.45, sun = {0.4, 0.6, -0.4} },
}
