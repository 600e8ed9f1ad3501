-- A flock of birds follows its leader between the pillars of a ruin: keep apart, fly alike, stay together, with obstacles before all else
-- (House, ch. 6.5, Fig 6.4; H6.5). Each bird is a mesh that leans into its turns (6.5.5).
local n = param("n", 500, "birds")
local speed = param("speed", 6.5, "cruising speed, m/s")

local colliders = { { name = "ground", shape = { box = {80, 1, 80} }, position = {0, -0.5, 0}, material = "grass" } }
for i = 0, 8 do -- a ring of pillars, some broken, a few with a beam across
  local a = 2 * math.pi * i / 9
  local tall = ({7, 7, 2.2, 4.0, 7, 7, 5.2, 7, 7})[i + 1]
  colliders[#colliders + 1] = { name = "pillar" .. i, shape = { capsule = {0.42, tall} }, position = {6.5 * math.cos(a), tall / 2, 6.5 * math.sin(a)}, material = "marble" }
  colliders[#colliders + 1] = { name = "foot" .. i, shape = { box = {1.3, 0.5, 1.3} }, position = {6.5 * math.cos(a), 0.25, 6.5 * math.sin(a)},
    orientation = { axis = {0, 1, 0}, angle = -a }, material = "marble" }
end

-- The leader weaves in and out of the ring; nobody sees it.
local function path(t)
  local a = math.pi - 0.85 * t
  local r = 5.8 + 2.4 * math.sin(2.5 * a)
  return { r * math.cos(a), 4.0 + 1.1 * math.sin(1.7 * a), r * math.sin(a) }
end

return {
  title = "Birds round pillars", duration = 6, fps = 24, steps_per_frame = 2, seed = 8, gravity = {0, 0, 0},
  materials = {
    grass = { color = "#7d8452", pattern = "speckle", pattern_size = 0.6 },
    marble = { color = "#d9cfbd", pattern = "speckle", pattern_size = 0.5, roughness = 0.8 },
    crow = { color = "#20242e", surface = "glossy", roughness = 0.5 },
    gull = { color = "#e9e6df" },
  },
  fields = {
    { flock = {1.0, 2.2}, apart = 2.2, match = 0.5, centre = 0.12, closest = 0.1, eyes = "pigeon", limit = 22, speed = speed, drive = 1.5,
      obstacles = { ahead = 0.8, margin = 0.3, limit = 40 }, leaders = {"leader"}, follow = 0.9, tags = {"crow", "gull", "leader"} },
  },
  colliders = colliders,
  systems = {
    { type = "particles", name = "flock", integrator = "semi_implicit",
      kinds = {
        { name = "leader", draw = "none", meets_solids = false },
        { name = "crow", material = "crow", draw = "mesh", mesh = "bird.obj", mesh_size = 3.6, orient = "bank", bank = 0.09, bank_time = 0.2 },
        { name = "gull", material = "gull", draw = "mesh", mesh = "bird.obj", mesh_size = 4, orient = "bank", bank = 0.09, bank_time = 0.2 },
      },
      particles = {
        { kind = "leader", position = path(0), status = "animated" },
        { kind = "crow", count = n * 4 // 5, position = {-8, 4.4, -3}, box = {4, 3, 6}, velocity = {2, 0, speed}, spread = {0.5, 0.3, 0.5}, radius = 0.1, mass = 0.4 },
        { kind = "gull", count = n - n * 4 // 5, position = {-8, 4.8, -3}, box = {4, 3, 6}, velocity = {2, 0, speed}, spread = {0.5, 0.3, 0.5}, radius = 0.1, mass = 0.4 },
      } },
  },
  camera = { fov = 0.5, exposure = 0.1, shutter = 0.12, clouds = 0.4, eye = {-3, 2.4, 21}, target = {-0.2, 3.7, 0}, sun = {0.75, 0.42, 0.55}, sun_color = {3.6, 2.7, 1.8}, sky_color = {0.25, 0.4, 0.7}, horizon_color = {0.95, 0.82, 0.68} },

  on_step = function(world, t)
    local here, there = path(t), path(t + 1e-3)
    world:place("flock", 0, here, { (there[1] - here[1]) * 1e3, (there[2] - here[2]) * 1e3, (there[3] - here[3]) * 1e3 })
  end,
}
