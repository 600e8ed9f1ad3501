-- Pebbles, almonds and lentils are poured into a bowl: ellipsoids of three kinds of semi-axes, rolling and rocking until they rest.
local n = param("n", 90, "how many ellipsoids")
local size = param("size", 1, "of all things, times")

local columns, wide = 41, 3.2 * size
local heights = {} -- of a bowl: a paraboloid with a rounded rim
for j = 0, columns - 1 do
  for i = 0, columns - 1 do
    local x, z = wide * (i / (columns - 1) - 0.5), wide * (j / (columns - 1) - 0.5)
    local r = math.min(math.sqrt(x * x + z * z) / (0.45 * wide), 1.1)
    heights[#heights + 1] = 0.9 * size * (r < 1 and r * r or 1 - 4 * (r - 1) * (r - 1))
  end
end

local kinds = {
  { axes = {0.2, 0.11, 0.15}, materials = {"pebble", "slate"} }, { axes = {0.24, 0.1, 0.1}, materials = {"almond", "almond"} },
  { axes = {0.16, 0.06, 0.16}, materials = {"lentil", "pea"} },
}
local bodies = {}
for k = 1, n do
  local kind, angle = kinds[(k - 1) % 3 + 1], 2.4 * k
  local axes = { size * kind.axes[1], size * kind.axes[2], size * kind.axes[3] }
  bodies[k] = {
    shape = { ellipsoid = axes }, material = kind.materials[k % 2 + 1],
    position = { 0.55 * size * math.cos(angle), size * (1.1 + 0.09 * k), 0.55 * size * math.sin(angle) },
    orientation = { axis = { math.cos(3 * angle), 0.4, math.sin(5 * angle) }, angle = 1.7 * k },
  }
end

return {
  title = "Ellipsoids in a bowl", duration = 6, fps = 30, seed = 5,
  materials = {
    bowl = { preset = "concrete", color = "#c9beb0", friction = 0.4 }, table = { preset = "concrete", color = "#dcd6c8" },
    pebble = { density = 2400, friction = 0.45, restitution = 0.2, color = "#6f7a82", surface = "glossy", roughness = 0.35 },
    slate = { density = 2400, friction = 0.45, restitution = 0.2, color = "#2f4858", surface = "glossy", roughness = 0.3 },
    almond = { density = 1100, friction = 0.5, restitution = 0.2, color = "#a8642a", surface = "glossy", roughness = 0.5 },
    lentil = { density = 1300, friction = 0.4, restitution = 0.2, color = "#e07a3f", surface = "glossy", roughness = 0.3 },
    pea = { density = 1300, friction = 0.4, restitution = 0.2, color = "#7fa650", surface = "glossy", roughness = 0.3 },
  },
  colliders = {
    { name = "bowl", shape = { height_field = { heights = heights, columns = columns, size = { wide, 1, wide } } }, material = "bowl" },
    { name = "table", shape = { plane = {0, 1, 0} }, material = "table" },
  },
  systems = { { type = "rigid", name = "seeds", mode = "realtime", bodies = bodies } },
  camera = { eye = { 2.4 * size, 2.9 * size, 3.1 * size }, target = { 0, 0.35 * size, 0 }, fov = 0.6, sun = {0.5, 0.8, 0.3} },
}
