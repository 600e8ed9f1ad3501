-- Dominoes: one is pushed, and the row forks five times into 32 (H9.9, Fig 9.2). About a thousand of them; the rows grow longer with n.
local n = param("n", 1000, "how many dominoes, about")

local w, h, t = 0.024, 0.05, 0.0075 -- width, height, thickness of a domino, m
local pitch, levels, lane = 0.021, 5, 0.046
local bodies = {}
local function stand(x, z, heading, material)
  bodies[#bodies + 1] = { shape = { box = {t, h, w} }, position = {x, h / 2, z}, orientation = { axis = {0, 1, 0}, angle = -heading }, material = material }
end
local function color(z) return "c" .. math.min(15, math.max(0, math.floor((z / (16 * lane) + 1) * 8))) end

-- From (x, z) a branch swings aside by `aside` over the length `long`, in a smooth S; returns where it ends.
local function swing(x, z, aside, long)
  local start = w * 0.51 * (aside > 0 and 1 or -1) -- two that are pushed by one stand side by side
  local u = pitch / long
  while u <= 1 + 1e-9 do
    local lateral = start + (aside - start) * u * u * (3 - 2 * u)
    local slope = (aside - start) * 6 * u * (1 - u) / long
    stand(x + u * long, z + lateral, math.atan(slope), color(z + lateral))
    u = u + pitch / long / math.sqrt(1 + slope * slope)
  end
  return x + long, z + aside
end
local longs = { 0.56, 0.34, 0.22, 0.16, 0.126 }
local ends = {}
local function tree(x, z, level)
  if level > levels then
    ends[#ends + 1] = { x = x, z = z }
    return
  end
  for side = -1, 1, 2 do
    local xx, zz = swing(x, z, side * lane * 2 ^ (levels - level - 1), longs[level])
    tree(xx, zz, level + 1)
  end
end
for i = 0, 9 do stand(-1 + i * pitch, 0, 0, color(0)) end
tree(-1 + 9 * pitch, 0, 1)
for k = 1, math.max(0, math.floor((n - #bodies) / #ends + 0.5)) do
  for _, e in ipairs(ends) do stand(e.x + k * pitch, e.z, 0, color(e.z)) end
end
bodies[1].spin, bodies[1].velocity = {0, 0, -6}, {0.15, 0, 0}

local materials = { table = { friction = 0.45, restitution = 0.1, color = "#e4dccb" } }
for i = 0, 15 do -- a rainbow across the rows
  local a = 2 * math.pi * i / 17
  materials["c" .. i] = { density = 1200, friction = 0.3, restitution = 0.2, surface = "glossy", roughness = 0.35,
    color = { 0.42 + 0.4 * math.cos(a), 0.36 + 0.34 * math.cos(a - 2.1), 0.42 + 0.4 * math.cos(a - 4.2) } }
end
return {
  title = "Dominoes", duration = 4.5, fps = 30, steps_per_frame = 4, materials = materials,
  colliders = { { name = "table", shape = { box = {8, 0.1, 8} }, position = {0, -0.05, 0}, material = "table" } },
  systems = { { type = "rigid", name = "dominoes", bodies = bodies } },
  camera = { eye = {-0.75, 1.15, 1.55}, target = {0.0, -0.05, 0.05}, fov = 0.66, sun = {0.5, 0.6, 0.5} },
}
