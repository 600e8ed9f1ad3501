-- Demolition: a block of seven floors. Its columns and slabs are held by joints that break; at 1 s the charges cut the front columns of the ground floor, then
-- the middle ones, so that it leans over the last row and falls forward. Slabs that are hit hard come apart (joints: fixed, break_force; fracture).
local floors = param("floors", 7, "of the house")
local bond = param("bond", 8e5, "N that holds a column to a slab")
local strength = param("strength", 15000, "N s that a slab bears in one hit")

local bay, high, thick, col = 3, 2.7, 0.3, 0.4 -- m
local bodies, joints, charges = {}, {}, {}
local function add(body)
  bodies[#bodies + 1] = body
  return #bodies - 1
end
local columns, slabs = {}, {}
for f = 0, floors - 1 do
  local y = f * (high + thick)
  columns[f], slabs[f] = {}, {}
  for i = 0, 2 do
    for k = 0, 2 do
      local n = add { name = "c" .. f .. i .. k, shape = { box = {col, high - 0.002, col} }, position = { (i - 1) * bay, y + high / 2, (k - 1) * bay }, material = "concrete" }
      columns[f][3 * i + k] = bodies[n + 1].name
      if f == 0 and k > 0 then charges[#charges + 1] = { n, 1 + 0.3 * (2 - k) } end -- those in front, k = 2, go first
    end
  end
  for i = 0, 1 do
    for k = 0, 1 do
      add { name = "s" .. f .. i .. k, shape = { box = {bay - 0.01, thick, bay - 0.01} }, position = { (i - 0.5) * bay, y + high + thick / 2, (k - 0.5) * bay },
        material = f % 2 == 0 and "slab" or "plaster", density = 1500,
        fracture = { pieces = 7, seed = 100 * f + 10 * i + k, strength = strength } }
      slabs[f][2 * i + k] = "s" .. f .. i .. k
    end
  end
end
table.sort(charges, function(a, b) return a[2] < b[2] or (a[2] == b[2] and a[1] < b[1]) end)
local function tie(a, b, x, y, z, force)
  joints[#joints + 1] = { a = a, b = b, fixed = { anchor = { x, y, z } }, break_force = force, break_torque = force * 0.4 }
end
for f = 0, floors - 1 do
  local y = f * (high + thick)
  for i = 0, 1 do
    for k = 0, 1 do
      local s = slabs[f][2 * i + k]
      for _, corner in ipairs { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 } } do
        local ci, ck = i + corner[1], k + corner[2]
        local x, z = (ci - 1) * bay, (ck - 1) * bay
        if f > 0 or ck == 0 then tie(columns[f][3 * ci + ck], s, x, y + high, z, bond) end -- those with charges only stand there
        if f + 1 < floors then tie(columns[f + 1][3 * ci + ck], s, x, y + high + thick, z, bond) end
      end
    end
  end
end
return {
  title = "Demolition", duration = 8, fps = 30, steps_per_frame = 2,
  materials = { concrete = { density = 2400, friction = 0.7, restitution = 0.05, color = "#9d9a92", pattern = "speckle", pattern_size = 0.4 }, slab = { friction = 0.7, restitution = 0.05, color = "#cfc7b6", pattern = "speckle", pattern_size = 0.4 },
    plaster = { friction = 0.7, restitution = 0.05, color = "#c98f63", pattern = "speckle", pattern_size = 0.4 }, ground = { friction = 0.8, restitution = 0.05, color = "#8b8878" } },
  colliders = { { name = "ground", shape = { plane = {0, 1, 0} }, material = "ground" } },
  systems = { { type = "rigid", name = "house", bodies = bodies, joints = joints } },
  on_step = function(world, t)
    local gone = world.state.gone or 0
    while gone < #charges and t >= charges[gone + 1][2] do
      world:status("house", charges[gone + 1][1], "inactive")
      gone = gone + 1
    end
    world.state.gone = gone
  end,
  camera = { eye = {22, 7, 34}, target = {1.5, 8.6, 5}, fov = 0.52, sun = {0.5, 0.6, 0.5} },
}
