-- Bench rigid/pile: 5000 balls and boxes into a box of 10 x 10 m, thrown down so that they meet soon.
local bodies = {}
for i = 0, 4999 do
  local layer, k = i // 225, i % 225
  local jitter = function() return 0.04 * (2 * math.random() - 1) end
  bodies[i + 1] = { shape = i % 2 == 0 and { box = {0.5, 0.5, 0.5} } or { sphere = 0.25 }, velocity = {0, -10, 0}, density = 1000, material = "stone",
    position = { (k % 15 - 7) * 0.6 + jitter(), 0.5 + 0.6 * layer, (k // 15 - 7) * 0.6 + jitter() } }
end
local function wall(x, z, nx, nz) return { shape = { plane = {nx, 0, nz} }, position = {x, 0, z}, material = "stone" } end
return {
  duration = 10, steps_per_frame = 1, fps = 60, seed = 1,
  materials = { stone = { friction = 0.6, restitution = 0 } },
  colliders = { { shape = { plane = {0, 1, 0} }, material = "stone" }, wall(-5, 0, 1, 0), wall(5, 0, -1, 0), wall(0, -5, 0, 1), wall(0, 5, 0, -1) },
  systems = { { type = "rigid", sleep = false, bodies = bodies } },
}
