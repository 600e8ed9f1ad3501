-- A grenade (Coutinho 3.7.3): one particle falls, meets the ground and bursts. The burst is planar at first, over the ground, of short life, and split over and
-- over; clods fly on parabolas, and smoke stays as density in a volume.
local bits = param("bits", 250, "pieces of the first burst")

return {
  title = "Grenade", duration = 3, seed = 4,
  materials = {
    iron = { preset = "steel", color = "#3d4a33" }, fire = { surface = "emissive", glow = 3, color = "#ffffff" },
      soil = { color = "#4a3726", restitution = 0.2, friction = 0.8 },
    field = { color = "#6f6a4d", restitution = 0.3, friction = 0.7 },
  },
  fields = { { drag = 0.0035, tags = { "puff" } }, { drag = 0.0002, tags = { "spark" } }, { gravity = {0, 11.5, 0}, tags = { "puff" } },
    { gravity = {0, 4, 0}, tags = { "spark" } } },
  colliders = { { name = "field", shape = { plane = {0, 1, 0} }, material = "field" } },
  systems = { { type = "particles", name = "grenade", max_particles = 40000,
    kinds = {
      { name = "grenade", material = "iron", radius = 0.07, mass = 0.4, ends = { hit = true },
        splits = {
          { when = "hit", into = "shard", number = bits, speed = 0, kick = {9, 5}, direction = 1.5, size = 0.25 },
          { when = "hit", into = "clod", number = 110, speed = 0, kick = {6, 3}, direction = 0.75, size = 0.45 },
          { when = "hit", into = "puff", number = 90, speed = 0, kick = {4.5, 3}, direction = 1.5, size = 1 },
        } },
      -- Split again and again while they live: a sheet of fire.
      { name = "shard", tags = { "spark" }, material = "fire", radius = 0.02, mass = 0.001, life = {0.45, 0.15}, relative = true, streak = 0.045,
        color = { { t = 0, value = "#fff4c8" }, { t = 0.5, value = "#ffb02e" }, { t = 1, value = "#d63a06" } },
          opacity = { { t = 0, value = 1 }, { t = 1, value = 0.1 } },
        splits = { { when = "age", age = {0.08, 0.05}, number = 5, depth = 2, speed = 0.9, kick = {0.5, 0.5}, direction = 0.5, size = 0.72 } } },
      { name = "clod", material = "soil", radius = 0.03, mass = 0.05, streak = 0.02 },
      { name = "puff", material = "soil", radius = 0.07, mass = 0.001, life = {2.2, 0.6}, draw = "none", deposit = 0.012 },
    },
    volume = { center = {0, 1.6, 0}, box = {8, 3.2, 6}, resolution = 110, fade = 1.6, disperse = 0.03, noise = 0.7, noise_size = 0.5, density = 60,
      color = "#9a8c78" },
    particles = { { kind = "grenade", position = {-4.6, 2.6, 0.3}, velocity = {4.2, 3.2, -0.3}, radius = 0.07, mass = 0.4, material = "iron" } } } },
  camera = { eye = {0.8, 1.3, 5.6}, target = {0.3, 0.85, 0}, fov = 0.7, exposure = -0.3, sun = {-0.5, 0.4, 0.4}, sun_color = {1.3, 1.0, 0.75},
    sky_color = {0.1, 0.14, 0.24}, horizon_color = {0.42, 0.36, 0.34} },
}
