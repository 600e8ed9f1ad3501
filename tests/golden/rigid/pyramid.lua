-- Bench rigid/pyramid: 1275 cubes in a plane, 50 in the lowest row.
local bodies = {}
for i = 0, 49 do
  for j = 0, 49 - i do
    bodies[#bodies + 1] = { shape = { box = {1, 1, 1} }, position = { (j + i / 2 - 25) * 1.02, 0.5 + i, 0 }, mass = 1000, material = "stone" }
  end
end
return { include = { "floor.lua" }, systems = { { type = "rigid", sleep = false, bodies = bodies } } }
