-- A vase is dropped: one body until it hits harder than its strength, then its Voronoi pieces, with its momentum and its spin (fracture, glue = "composite").
local pieces = param("pieces", 24, "it breaks into")
local height = param("height", 1.1, "it falls from, m")

return {
  title = "A vase", duration = 2.2, fps = 60, steps_per_frame = 2,
  materials = { china = { density = 2300, friction = 0.4, restitution = 0.15, color = "#2f6fb3", surface = "glossy", roughness = 0.15 },
    floor = { friction = 0.4, restitution = 0.2, color = "#a98256", pattern = "wood", pattern_size = 0.05, surface = "glossy", roughness = 0.5 } },
  colliders = { { name = "floor", shape = { box = {40, 0.2, 40} }, position = {0, -0.1, 0}, material = "floor" } },
  systems = { { type = "rigid", name = "vase", bounce_speed = 0.3, bodies = {
    { name = "vase", shape = { mesh = "vase.obj" }, position = {-0.15, height, 0}, orientation = { axis = {0.3, 0, 1}, angle = 0.5 }, velocity = {0.4, 0, 0}, spin = {1, 1, -2.5},
      material = "china", fracture = { pieces = pieces, seed = 3, glue = "composite", strength = 1 } },
  } } },
  camera = { eye = {0.95, 0.7, 1.55}, target = {0.38, 0.08, 0.12}, fov = 0.6, sun = {-0.5, 0.7, 0.5} },
}
