-- A ball falls, bounces and comes to rest.
return {
  title = "First light", duration = 4,
  materials = { ball = { restitution = 0.8, color = "#e4572e", surface = "glossy", roughness = 0.25 }, floor = { restitution = 0.8, color = "#8d99ae" } },
  colliders = { { shape = { plane = {0, 1, 0} }, material = "floor" } },
  systems = { { type = "particles", particles = { { position = {0, 3, 0}, velocity = {1, 0, 0}, radius = 0.3, material = "ball" } } } },
  camera = { eye = {2.5, 2, 8}, target = {1.6, 1.2, 0} },
}
