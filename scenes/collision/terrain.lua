-- Water on a height field: two springs on a hillside feed a brook, which winds down its valley, over a step and into a lake. The ground is 97 x 97 heights that
-- the scene computes; the drops have hardly any friction, and fill the lake because they meet each other.
local rate = param("rate", 560, "drops a second of each spring")
local rough = param("rough", 0.1, "height of the bumps, m")

local columns, size = 97, 16
local function middle(z) return 2.1 * math.sin(0.6 * z + 2.5) * math.max(0, 1 - math.exp(-(3.4 - z) / 2)) end -- of the brook: x at z
local function fall(z) return 0.28 * math.max(0, 1.6 - z) + 0.4 / (1 + math.exp(5 * (z + 1.6))) end -- height of its bed, with a step
local function lower(a, b, over) -- of two heights, rounded where they meet
  local k = math.max(0, over - math.abs(a - b)) / over
  return math.min(a, b) - 0.25 * over * k * k
end
local function height(x, z) -- meadows, into which the brook and the lake are cut
  local off = x - middle(z)
  local bumps = math.sin(1.9 * x + 0.7 * z) * math.sin(2.3 * z - 1.1 * x) + 0.5 * math.sin(5.1 * x + 3) * math.sin(4.3 * z)
  local meadow = fall(z) + 1 + 0.35 * math.sin(0.55 * x + 1) * math.cos(0.5 * z) + 0.03 * x * x + 0.5 / (1 + math.exp(-2.5 * (z - 5.6))) + rough * bumps
  local brook = fall(z) + 0.75 * off * off + 3 * math.max(0, z - 2.6)
  local lake = x * x / 10 + (z - 3.4) * (z - 3.4) / 5.5 -- 1 at its shore
  return lower(lower(meadow, brook, 0.5), -0.8 + 0.9 * lake, 0.4)
end
local heights = {}
for j = 0, columns - 1 do
  for i = 0, columns - 1 do heights[#heights + 1] = height(size * (i / (columns - 1) - 0.5), size * (j / (columns - 1) - 0.5)) end
end

local function spring(x, z, kind)
  return { kind = kind, shape = { ball = 0.2 }, position = {x, height(x, z) + 0.4, z}, direction = {0, 0.2, 1}, aperture = 0.3, speed = {1.2, 0.3}, rate = rate,
    jitter = true }
end
return {
  title = "Water on a terrain", duration = 7, seed = 5, fps = 30, steps_per_frame = 3,
  materials = {
    ground = { preset = "stone", color = "#7d8a54", pattern = "speckle", pattern_size = 0.4, restitution = 0.1, friction = 0.14 },
    water = { preset = "water", absorption = {2.5, 0.8, 0.5}, restitution = 0.05, friction = 0.06 },
    foam = { preset = "water", absorption = {1.2, 0.4, 0.25}, restitution = 0.05, friction = 0.01 },
  },
  colliders = { { name = "ground", shape = { height_field = { heights = heights, columns = columns, size = {size, 1, size} } }, material = "ground" } },
  systems = { { type = "particles", name = "water", contacts = "fast", rest_speed = 0.05, sweeps = 4,
    kinds = { { name = "water", material = "water", draw = "metaball", radius = {0.075, 0.01}, mass = 0.001 }, { name = "foam", material = "foam", draw = "metaball", radius = {0.06, 0.01}, mass = 0.0006 } },
    emitters = { spring(middle(-7), -7, "water"), spring(middle(-6) + 0.5, -6, "foam") } } },
  camera = { eye = {1.6, 7.6, 10.6}, target = {-0.15, 0.2, 1.3}, fov = 0.62, shutter = 0, clouds = 0.45, sun = {-0.75, 0.5, 0.25} },
}
