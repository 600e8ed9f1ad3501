-- Water on a height field: springs on a mountain feed a brook, which winds down its valley, over a step and into a lake. The ground is 97 x 97 heights that
-- the scene computes; the drops have hardly any friction and fill the lake because they meet each other.
local rate = param("rate", 1500, "drops a second of each spring")
local rough = param("rough", 0.12, "height of the bumps, m")

local columns, size = 97, 16
local function middle(z) return 1.8 * math.sin(0.62 * z + 0.4) * math.min(1, (z + 9) / 5) end -- of the valley, x at z
local function fall(z) -- height of the brook's bed
  if z > 3.6 then return 0 end
  local t = (3.6 - z) / 11.6
  return 2.9 * t + 0.5 * t * t + 0.45 * (1 / (1 + math.exp(4 * (z - 0.6))))
end
local function height(x, z)
  local off = x - middle(z)
  local side = 0.55 * off * off / (1 + 0.22 * math.abs(off)) -- steep banks that level off
  local lake = (x * x + (z - 5.4) * (z - 5.4)) / 9 -- 1 at its shore
  local bed = fall(z) + math.min(side, 3.2)
  if z > 2.5 then bed = bed - 0.9 * math.max(0, 1 - lake) end
  local rim = 0.9 * math.max(0, (z - 6.9) / 1.1) -- holds the lake in front
  local bumps = math.sin(1.9 * x + 0.7 * z) * math.sin(2.3 * z - 1.1 * x) + 0.5 * math.sin(5.1 * x + 3) * math.sin(4.3 * z)
  return bed + rim + rough * bumps * math.min(1, side)
end
local heights = {}
for j = 0, columns - 1 do
  for i = 0, columns - 1 do heights[#heights + 1] = height(size * (i / (columns - 1) - 0.5), size * (j / (columns - 1) - 0.5)) end
end

local function spring(x, z, kind)
  return { kind = kind, shape = { ball = 0.25 }, position = {x, height(x, z) + 0.5, z}, direction = {0, 0.2, 1}, aperture = 0.3, speed = {1.2, 0.3}, rate = rate / 2,
    jitter = true }
end
return {
  title = "Water on a terrain", duration = 6, seed = 5, fps = 30, steps_per_frame = 4,
  materials = {
    ground = { preset = "stone", color = "#6f7f4f", restitution = 0.1, friction = 0.03 },
    water = { color = "#3f8fd0", surface = "glossy", roughness = 0.1, restitution = 0.05, friction = 0.01 },
    foam = { color = "#dff1fb", surface = "glossy", roughness = 0.2, restitution = 0.05, friction = 0.01 },
  },
  colliders = { { name = "ground", shape = { height_field = { heights = heights, columns = columns, size = {size, 1, size} } }, material = "ground" } },
  systems = { { type = "particles", name = "water", contacts = "fast", rest_speed = 0.05, sweeps = 4, max_particles = 20000,
    kinds = { { name = "water", material = "water", radius = {0.06, 0.01}, mass = 0.001 }, { name = "foam", material = "foam", radius = {0.045, 0.01}, mass = 0.0005 } },
    emitters = { spring(middle(-7.2), -7.2, "water"), spring(middle(-6.6) - 0.8, -6.6, "foam") } } },
  camera = { eye = {6.5, 6.8, 13.5}, target = {0, 0.9, 0.6}, fov = 0.62, sun = {-0.6, 0.6, 0.35} },
}
