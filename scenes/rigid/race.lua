-- Brachistochrone races: from the same height to the same finish on a straight line, a circle's arc, a steep dip, and a cycloid. The cycloid wins, though it is
-- not the shortest (H10, C4.14). Balls roll: all are slowed alike.
local long = param("long", 4, "m to the finish")
local drop = param("drop", 2.546, "m from start to finish")

-- The cycloid x = R (p - sin p), y = R (1 - cos p) through (long, drop): p by bisection.
local low, high = 0.1, 6.2
for _ = 1, 80 do
  local p = (low + high) / 2
  if (p - math.sin(p)) / (1 - math.cos(p)) < long / drop then low = p else high = p end
end
local p_end = low
local R = drop / (1 - math.cos(p_end))
local function cycloid(x)
  local a, b = 0, p_end
  for _ = 1, 60 do
    local p = (a + b) / 2
    if R * (p - math.sin(p)) < x then a = p else b = p end
  end
  return R * (1 - math.cos(a))
end
-- A circle that is level at the finish.
local radius = (long * long + drop * drop) / (2 * drop)
local tracks = {
  { "straight", "yellow", function(x) return drop * x / long end },
  { "arc", "teal", function(x) return drop - radius + math.sqrt(radius * radius - (long - x) ^ 2) end },
  { "cycloid", "red", cycloid },
  { "dip", "violet", function(x) local u = x / long return drop * (1 - (1 - u) ^ 6) end },
}
local columns, tail, width = 401, 1.4, 0.34
local colliders, bodies = { { shape = { plane = {0, 1, 0} }, material = "floor" } }, {}
local deep = 2.75 -- m: the start's height
for i, track in ipairs(tracks) do
  local z = (i - 2.5) * 0.46
  local heights, total = {}, long + tail
  for row = 1, 2 do
    for c = 0, columns - 1 do
      local x = total * c / (columns - 1)
      heights[#heights + 1] = deep - track[3](math.min(x, long))
    end
  end
  colliders[#colliders + 1] = { name = track[1], shape = { height_field = { heights = heights, columns = columns, size = { total, 1, width } } },
    position = { total / 2 - long / 2, 0, z }, material = track[2] }
  -- Each ball starts where its centre is 0.1 m from the start's plumb line, on the track.
  local r, x = 0.09, 0
  local function slope() return (track[3](x + 1e-4) - track[3](x)) / 1e-4 end
  for _ = 1, 60 do x = 0.5 * x + 0.5 * math.max(1e-3, 0.1 - r * slope() / math.sqrt(1 + slope() ^ 2)) end
  local steep = math.atan(slope())
  bodies[i] = { name = track[1], shape = { sphere = r }, material = "ball", density = 2000,
    position = { x - long / 2 + r * math.sin(steep), deep - track[3](x) + r * math.cos(steep) + 0.0005, z } }
end
colliders[#colliders + 1] = { name = "finish", shape = { box = {0.1, 0.5, 2} }, position = { long / 2 + tail, deep - drop + 0.2, 0 }, material = "floor" }
local function paint(color) return { friction = 0.8, restitution = 0, color = color, surface = "glossy", roughness = 0.3 } end
return {
  title = "Brachistochrone race", duration = 2.4, fps = 60, steps_per_frame = 8,
  materials = { red = paint("#c1272d"), yellow = paint("#f2b134"), teal = paint("#1b9aaa"), violet = paint("#7b4fa3"), ball = { friction = 0.8, restitution = 0, color = "#f7f4ec", surface = "glossy", roughness = 0.1 }, floor = { color = "#b9b4a6", friction = 0.8, restitution = 0 } },
  colliders = colliders,
  systems = { { type = "rigid", name = "balls", bodies = bodies } },
  camera = { eye = {1.3, 2.7, 4.7}, target = {0.3, 1.32, 0}, fov = 0.66, clouds = 0.45, shutter = 0.2, sun = {0.3, 0.7, 0.6} },
}
