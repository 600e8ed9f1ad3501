-- Rain on a puddle: drops fall from openings that are open for an instant, and ring the water.
local radius = param("radius", 0.005, "half the distance between particles, m")
local drops = param("drops", 24, "how many")

local sx, sz, wall, inflows = 0.5, 0.4, 0.02, {}
math.randomseed(7)
for i = 1, drops do
  local begin = 0.05 + 2.2 * (i - 1) / drops
  inflows[i] = { position = {(math.random() - 0.5) * (sx - 0.1), 0.3, (math.random() - 0.5) * (sz - 0.1)}, radius = 0.012, speed = 1, begin = begin, ["end"] = begin + 0.024 }
end
local function curb(x, z, size) return { shape = { box = size }, position = {x, 0.02, z}, material = "stone" } end
return {
  title = "Rain", duration = 3, fps = 30,
  materials = { ground = { color = "#a39c90" }, water = { preset = "water", absorption = {20, 6, 4} } },
  colliders = {
    { name = "ground", shape = { plane = {0, 1, 0} }, material = "ground" },
    curb(-sx / 2 - wall / 2, 0, {wall, 0.08, sz + 2 * wall}), curb(sx / 2 + wall / 2, 0, {wall, 0.08, sz + 2 * wall}),
    curb(0, -sz / 2 - wall / 2, {sx, 0.08, wall}), curb(0, sz / 2 + wall / 2, {sx, 0.08, wall}),
  },
  systems = { { type = "sph", name = "water", radius = radius, phases = { { fluid = "water", material = "water" } },
    blocks = { { shape = { box = {sx, 0.048, sz} }, position = {0, 0.024, 0} } }, inflows = inflows } },
  camera = { eye = {0.34, 0.25, 0.5}, target = {0, 0.03, 0}, fov = 0.65, shutter = 0, clouds = 0.55, sun = {-0.5, 0.5, -0.3} },
}
