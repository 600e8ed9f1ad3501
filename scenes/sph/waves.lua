-- A wave tank: a paddle rocks at one end, waves run to the beach at the other and break on it.
local radius = param("radius", 0.012, "half the distance between particles, m")
local period = param("period", 1.1, "of the paddle, s")
local stroke = param("stroke", 0.14, "of the paddle, m: as far to either side")

local long, deep, wide, wall = 3.2, 0.24, 0.24, 0.01
local keys = {}
for i = 0, 8 * 6 do -- eight keys a stroke, growing over the first one
  local t = i * period / 8
  keys[#keys + 1] = { t = t, position = {-long / 2 - 0.05 + stroke * math.min(1, t / period) * math.sin(2 * math.pi * t / period), 0.3, 0} }
end
return {
  title = "Wave tank", duration = 5, fps = 30,
  materials = { floor = { color = "#8d8a84" }, sand = { color = "#c9ad78" }, water = { preset = "water", absorption = {5, 1.5, 0.8} } },
  colliders = {
    { name = "floor", shape = { plane = {0, 1, 0} }, material = "floor" },
    { name = "paddle", shape = { box = {0.1, 0.6, wide - 0.004} }, keys = keys, material = "steel" },
    { name = "beach", shape = { box = {2.0, 0.1, wide} }, position = {long / 2 - 0.2, 0.06, 0}, orientation = { axis = {0, 0, 1}, angle = 0.22 }, material = "sand" },
    { name = "far", shape = { box = {long + 1, 0.72, wall} }, position = {0, 0.34, -wide / 2 - wall / 2}, material = "glass" },
    { name = "near", shape = { box = {long + 1, 0.72, wall} }, position = {0, 0.34, wide / 2 + wall / 2}, material = "glass" },
  },
  systems = { { type = "sph", name = "water", radius = radius, phases = { { fluid = "water", material = "water" } },
    blocks = { { shape = { box = {long, deep, wide} }, position = {0, deep / 2, 0} } } } },
  camera = { eye = {0.7, 1.0, 2.2}, target = {-0.15, 0.13, 0}, fov = 0.6, shutter = 0, clouds = 0.5, sun = {0.3, 0.6, -0.4} },
}
