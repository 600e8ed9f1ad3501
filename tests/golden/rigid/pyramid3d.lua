-- Bench rigid/pyramid3d: 1240 cubes of 2 m, 15 layers.
local bodies = {}
for layer = 0, 14 do
  local n, shift = 15 - layer, layer % 2 == 1 and 1.02 or 0
  for i = 0, n - 1 do
    for k = 0, n - 1 do
      local x, z = (i + layer // 2) * 2.04 + shift, (k + layer // 2) * 2.04 + shift
      bodies[#bodies + 1] = { shape = { box = {2, 2, 2} }, position = { x - 15.3, 1 + 2 * layer, z - 15.3 }, mass = 8000, material = "stone" }
    end
  end
end
return { include = { "floor.lua" }, systems = { { type = "rigid", sleep = false, bodies = bodies } } }
