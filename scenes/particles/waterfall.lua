-- A waterfall over rocks (House & Keyser 4.1, 4.3): drops leave a notch in the cliff, meet rocks on their way and split there into spray, which bounces on;
-- a little of it hangs in the air as mist. What meets the pool ends there.
local rate = param("rate", 5000, "drops a second")
local mist = param("mist", 0.32, "mist: a hit leaves a puff when a number from 0 to twice this rounds to 1")

local large, middle, small = "rock-large.obj", "rock-middle.obj", "rock-small.obj"
local rocks = {
  { small, -0.55, 2.75, -0.15, 1.1 }, { small, 0.6, 1.9, 0.1, 2.7 }, { middle, -0.55, 0.95, 0.25, 4 }, { middle, 0.95, 0.35, 0.7, 1.6 },
    { large, -2.7, 0.3, 0.1, 0.2 },
  { large, 2.9, 0.4, -0.1, 5 }, { small, -0.1, 0.05, 1.5, 3.3 }, { middle, 3.6, -0.2, 1.6, 1 }, { small, -2.2, 0, 1.7, 1 }, { middle, -3.9, -0.1, 1.5, 2.4 },
    { middle, -1.6, 4.3, -1.2, 0.5 },
  { middle, 1.75, 4.35, -1.2, 2.9 },
}
local colliders = {
  { name = "pool", shape = { plane = {0, 1, 0} }, material = "pool" },
  { name = "cliff", shape = { mesh = "cliff.obj" }, material = "cliff" },
}
for i, rock in ipairs(rocks) do
  colliders[#colliders + 1] = { name = "rock" .. i, shape = { mesh = rock[1] }, position = {rock[2], rock[3], rock[4]},
    orientation = { axis = {0.3, 1, 0.2}, angle = rock[5] },
    material = i % 2 == 0 and "granite" or "slate" }
end

local pool = { region = { plane = {0, 1, 0} }, center = {0, 0.06, 0} } -- what is below this is gone
local fog = { when = "hit", into = "mist", number = {mist, mist}, keep = true, speed = 0.05, kick = {0.3, 0.2}, direction = math.pi, size = 12 }
return {
  title = "Waterfall", duration = 5, seed = 9,
  materials = {
    water = { color = "#e6f3ff", surface = "glossy", roughness = 0.1, restitution = 0.2, friction = 0.02 },
    mist = { color = "#f2f7fb" }, pool = { color = "#1c4a52", surface = "glossy", roughness = 0.12, restitution = 0.2, friction = 0 },
    cliff = { color = "#6b6459", pattern = "speckle", pattern_size = 0.6, restitution = 0.2, friction = 0.05 }, granite = { color = "#827c72", pattern = "speckle", pattern_size = 0.2, restitution = 0.3, friction = 0.05 },
      slate = { color = "#686c6f", pattern = "speckle", pattern_size = 0.2, restitution = 0.3, friction = 0.05 },
  },
  fields = { { drag = 0.0004, tags = { "drop", "spray" } }, { drag = 0.002, tags = { "mist" } }, { gravity = {0, 9.9, 0}, tags = { "mist" } },
    { wind = {0.3, 0, 0.5} } },
  colliders = colliders,
  systems = { { type = "particles", name = "waterfall", rest_speed = 0.3, max_particles = 60000,
    kinds = {
      { name = "drop", material = "water", radius = {0.026, 0.008}, mass = 0.001, life = 4, streak = 0.05, ends = pool,
        splits = { { when = "hit", into = "spray", number = 3, speed = 0.6, kick = {0.8, 0.6}, direction = 0.9, size = 0.6 }, fog } },
      { name = "spray", material = "water", radius = 0.014, mass = 0.0005, life = {2.2, 0.5}, streak = 0.03, ends = pool },
      { name = "mist", material = "mist", radius = 0.2, mass = 0.001, life = {1.8, 0.5}, relative = true, draw = "sprite", meets_solids = false,
        size = { { t = 0, value = 0.5 }, { t = 1, value = 1.8 } }, opacity = { { t = 0, value = 0 }, { t = 0.15, value = 0.2 }, { t = 1, value = 0 } } },
    },
    emitters = { { kind = "drop", shape = { quad = {1.3, 0.4} }, position = {0, 4.75, -1.15}, direction = {0, 0.05, 1}, aperture = 0.25, speed = {1.6, 0.5},
      rate = rate, jitter = true } } } },
  camera = { eye = {1.2, 2.3, 8.4}, target = {0, 2.35, 0}, fov = 0.72, clouds = 0.5, exposure = 0.25, sun = {0.6, 0.6, 0.45} },
}
