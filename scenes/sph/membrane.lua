-- A rubber membrane under water: a drum skin that is the floor of a tank beats, and throws the water up.
local radius = param("radius", 0.01, "half the distance between particles, m")
local period = param("period", 0.9, "of a beat, s")
local stroke = param("stroke", 0.18, "how high the skin rises in the middle, m")

local side, deep, high, wall, drum, cells = 0.8, 0.12, 0.3, 0.008, 0.36, 24
local function skin(lift) -- a square grid a little wider than the tank; the drum in the middle of it bulges
  local vertices = {}
  for j = 0, cells do
    for i = 0, cells do
      local x, z = (i / cells - 0.5) * (side + wall), (j / cells - 0.5) * (side + wall)
      local s = math.max(0, 1 - (x * x + z * z) / (drum * drum))
      vertices[#vertices + 1] = {x, lift * s * s, z}
    end
  end
  return vertices
end
local triangles = {}
for j = 0, cells - 1 do
  for i = 0, cells - 1 do
    local a = i + j * (cells + 1)
    local b, c, d = a + cells + 1, a + cells + 2, a + 1
    for _, v in ipairs({a, b, c, a, c, d}) do triangles[#triangles + 1] = v end
  end
end
local function lift(s) -- over a beat, s from 0 to 1: it draws back, strikes, and sinks again
  if s < 0.4 then return -0.4 * math.sin(math.pi * s / 0.8) ^ 2 end
  if s < 0.55 then return -0.4 + 1.4 * math.sin(math.pi * (s - 0.4) / 0.3) ^ 2 end
  return math.cos(math.pi * (s - 0.55) / 0.9) ^ 2
end
local keys, count = {}, 40
for k = 0, count - 1 do keys[k + 1] = { t = period * k / count, vertices = skin(stroke * lift(k / count)) } end

local function pane(x, z, size) return { shape = { box = size }, position = {x, high / 2 - 0.05, z}, material = "glass" } end
local off, long = side / 2 + wall / 2, side + 2 * wall
return {
  title = "Membrane", duration = 4, fps = 30,
  materials = { rubber = { color = "#f2a51f", surface = "glossy", roughness = 0.5 }, floor = { color = "#8d8a84" }, water = { preset = "water", absorption = {4, 0.9, 0.35} } },
  colliders = {
    { name = "floor", shape = { plane = {0, 1, 0} }, position = {0, -0.1, 0}, material = "floor" },
    pane(-off, 0, {wall, high + 0.1, long}), pane(off, 0, {wall, high + 0.1, long}), pane(0, -off, {side + wall, high + 0.1, wall}), pane(0, off, {side + wall, high + 0.1, wall}),
  },
  systems = { { type = "sph", name = "water", radius = radius,
    phases = { { fluid = "water", material = "water" } },
    blocks = { { shape = { box = {side, deep, side} }, position = {0, deep / 2, 0} } },
    surfaces = { { vertices = skin(0), triangles = triangles, keys = keys, period = period, material = "rubber" } } } },
  camera = { eye = {0.8, 0.75, 1.3}, target = {0, 0.12, 0}, fov = 0.6, shutter = 0, clouds = 0.45, sun = {-0.3, 0.7, -0.3} },
}
