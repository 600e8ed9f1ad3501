-- Dust (Coutinho 3.7.3): three stones drop on dry ground, and where they hit each throws up a ring of dust: a planar split of short kicks, soft sprites that
-- float, grow and fade.
local puffs = param("puffs", 90, "puffs of each hit")

local function stone(x, z, height, radius)
  return { kind = "stone", position = {x, height, z}, velocity = {0.4, 0, 0}, radius = radius, mass = 40, material = "stone" }
end

return {
  title = "Dust", duration = 3, seed = 9,
  materials = { stone = { preset = "stone", color = "#7a726a", restitution = 0.25 }, dust = { color = "#c9ab84" },
    earth = { color = "#94754f", restitution = 0.25, friction = 0.8 } },
  fields = { { gravity = {0, 9.95, 0}, tags = { "dust" } }, { drag = 0.0028, tags = { "dust" } }, { kicks = 0.12, rate = 20, tags = { "dust" } },
    { wind = {0.25, 0, 0} } },
  colliders = { { name = "earth", shape = { plane = {0, 1, 0} }, material = "earth" } },
  systems = { { type = "particles", name = "dust",
    kinds = {
      { name = "stone", material = "stone", radius = 0.3, mass = 40, draw = "mesh", mesh = "rock-small.obj", mesh_size = 1.75, orient = "fixed",
        splits = {
          { when = "hit", into = "dust", number = puffs, keep = true, speed = 0.02, kick = {2.6, 1.4}, direction = 1.5, size = 0.6 },
          { when = "hit", into = "grit", number = 26, keep = true, speed = 0.02, kick = {2.4, 1.2}, direction = 1.1, size = 0.05 },
        } },
      { name = "dust", material = "dust", radius = 0.2, mass = 0.001, life = {1.6, 0.5}, relative = true, draw = "sprite", meets_solids = false,
        size = { { t = 0, value = 0.5 }, { t = 0.4, value = 1.6 }, { t = 1, value = 2.4 } },
          opacity = { { t = 0, value = 0.5 }, { t = 0.3, value = 0.26 }, { t = 1, value = 0 } } },
      { name = "grit", material = "earth", radius = 0.02, mass = 0.01 },
    },
    particles = { stone(-1.7, 0.2, 2.4, 0.28), stone(0.1, -0.3, 3.4, 0.4), stone(1.5, 0.6, 4.6, 0.22) } } },
  camera = { eye = {0.5, 1.15, 5.4}, target = {0, 0.75, 0}, fov = 0.68, sun = {-0.6, 0.45, -0.2}, sun_color = {3.2, 2.7, 2.1} },
}
