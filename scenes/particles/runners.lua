-- Runners on a road, in a plane: a flock whose demands have no part along the normal of the ground, round the bollards and after a leader
-- (House, ch. 6.5.1 and 6.5.4; H6.5a, H6.5d).
local n = param("n", 150, "runners")
local speed = param("speed", 5, "m/s")

local colliders = { { name = "field", shape = { box = {200, 1, 120} }, position = {0, -0.56, 0}, material = "meadow" },
  { name = "road", shape = { box = {200, 1, 9} }, position = {0, -0.5, 0}, material = "asphalt" } }
for side = -1, 1, 2 do -- kerbs keep the runners on the road
  colliders[#colliders + 1] = { name = side < 0 and "kerb_far" or "kerb_near", shape = { box = {200, 0.24, 0.3} }, position = {0, 0, 4.6 * side}, material = "chalk" }
end
for i = 0, 24 do
  colliders[#colliders + 1] = { name = "dash" .. i, shape = { box = {1.6, 0.02, 0.16} }, position = {4 * i - 48, 0, 0}, material = "chalk" }
end
local places = { {-1, 1.2}, {3, -1.9}, {6, 2.4}, {10, -0.4}, {14, 2.0}, {15, -2.4} }
for i, p in ipairs(places) do
  colliders[#colliders + 1] = { name = "bollard" .. i, shape = { capsule = {0.32, 1.0} }, position = {p[1], 0.5, p[2]}, material = "warning" }
end

local function crowd(kind, count)
  return { kind = kind, count = count, position = {-13, 0.9, 0}, box = {15, 0, 6.8}, velocity = {speed, 0, 0}, spread = {0.5, 0, 0.3}, radius = 0.28, mass = 65 }
end
local function runner(name)
  return { name = name, tags = {"runner"}, material = name, draw = "mesh", mesh = "runner.obj", mesh_size = 3.5, orient = "velocity" }
end

return {
  title = "Runners", duration = 5, fps = 24, steps_per_frame = 2, seed = 4, gravity = {0, 0, 0},
  materials = {
    meadow = { color = "#6f8f46", pattern = "speckle", pattern_size = 0.5 }, asphalt = { color = "#55575d", pattern = "speckle", pattern_size = 0.06 }, chalk = { color = "#e6e2d6" }, warning = { color = "#f3c623" },
    red = { color = "#c8322b" }, blue = { color = "#2b62b8" }, white = { color = "#e8e4da" }, leader = { color = "#f08a1d" },
  },
  fields = {
    { flock = {0.9, 1.9}, apart = 1.6, match = 0.5, centre = 0.06, closest = 0.2, eyes = "own", view = {2, 4}, limit = 14, speed = speed, drive = 1.2, plane = {0, 1, 0},
      obstacles = { ahead = 1.0, margin = 0.25, limit = 20 }, leaders = {"leader"}, follow = 0.05, tags = {"runner", "leader"} },
    -- Along the road, and no nearer to the kerbs than half a metre.
    { gravity = {0.6, 0, 0}, tags = {"runner"} },
    { repel = 1.5, power = 2, reach = 1.2, closest = 0.15, lines = { { from = {-100, 0.9, -4.5}, to = {100, 0.9, -4.5} }, { from = {-100, 0.9, 4.5}, to = {100, 0.9, 4.5} } } },
  },
  colliders = colliders,
  systems = {
    { type = "particles", name = "runners", kinds = { runner("red"), runner("blue"), runner("white"), { name = "leader", material = "leader", draw = "mesh", mesh = "runner.obj", mesh_size = 3.6 } },
      particles = { crowd("red", n // 3), crowd("blue", n // 3), crowd("white", n - 2 * (n // 3)),
        { kind = "leader", position = {-3, 0.9, 0.2}, velocity = {speed, 0, 0}, radius = 0.28, mass = 65, status = "animated" } } },
  },
  camera = { fov = 0.7, shutter = 0.2, clouds = 0.5, exposure = 0.1, keys = {
    { t = 0, eye = {4, 5.2, 11}, target = {-4, 0.6, 0} },
    { t = 5, eye = {22, 4.2, 10}, target = {13, 0.6, 0} } } },
}
