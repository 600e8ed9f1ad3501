-- Thirty balls in a box: they bounce off its walls, roll, and come to rest without jitter (House & Keyser 3.3).
local n = param("n", 30, "how many balls")
return {
  title = "Balls in a box", duration = 8, seed = 3,
  bounds = { low = {-2, 0, -2}, high = {2, 4, 2}, policy = "bounce" },
  materials = {
    rubber_ball = { preset = "rubber", restitution = 0.9, color = "#2a9d8f", surface = "glossy", roughness = 0.3 },
    slate = { color = "#6c757d" },
  },
  colliders = { { name = "floor", shape = { plane = {0, 1, 0} }, material = "slate" } },
  systems = { { type = "particles", integrator = "rk4",
    particles = { count = n, position = {0, 2, 0}, box = {3, 3, 3}, spread = {3, 3, 3}, radius = 0.15, material = "rubber_ball" } } },
  camera = { eye = {3.6, 3.2, 5.6}, target = {0, 0.9, 0} },
}
