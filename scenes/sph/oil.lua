-- Oil on water: oil is let go below, and rises through the water in blobs to lie on top of it.
local radius = param("radius", 0.008, "half the distance between particles, m")
local density = param("density", 700, "of the oil, kg/m^3; above 1000 it sinks")

local sx, sy, sz, wall = 0.5, 0.6, 0.25, 0.005
local function pane(x, z) -- by its outward normal; panes overlap at the corners and end below the floor: no face lies within the glass
  return { shape = { box = x ~= 0 and {wall, sy + wall, sz + 2 * wall} or {sx + wall, sy + wall, wall} }, material = "glass",
    position = {x * (sx + wall) / 2, (sy - wall) / 2, z * (sz + wall) / 2} }
end
return {
  title = "Oil on water", duration = 4, fps = 30,
  materials = { floor = { color = "#8d8a84" }, oil = { color = "#e0a016", surface = "glossy", roughness = 0.1 } },
  colliders = {
    { name = "floor", shape = { plane = {0, 1, 0} }, material = "floor" },
    pane(-1, 0), pane(1, 0), pane(0, -1), pane(0, 1),
  },
  systems = { { type = "sph", name = "tank", radius = radius, smoothing = 0.005, -- particles in good order hold each other: more of it, and oil hardly rises
    phases = { { name = "oil", fluid = "light_oil", density = density, material = "oil" }, { name = "water", fluid = "water" } },
    blocks = { { phase = "oil", jitter = 0.05, shape = { box = {0.35, 0.08, 0.16} }, position = {0, 0.05, 0} },
               { phase = "water", jitter = 0.05, shape = { box = {sx, 0.4, sz} }, position = {0, 0.2, 0} } }, look = { spray = false } } },
  camera = { eye = {0.45, 0.5, 0.95}, target = {0, 0.2, 0}, fov = 0.62, shutter = 0, clouds = 0.45, sun = {0.5, 0.7, -0.4} },
}
