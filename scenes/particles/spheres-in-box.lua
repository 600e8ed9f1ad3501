-- A thousand spheres of three sizes fall into a box, knock against each other and settle.
local n = param("n", 1000, "how many spheres")
local colors = { "#e76f51", "#2a9d8f", "#e9c46a" }
local materials = { slate = { color = "#495057", restitution = 0.4, friction = 0.3 } }
local groups = {}
for i, radius in ipairs({ 0.07, 0.09, 0.11 }) do
  materials["marble" .. i] = { color = colors[i], surface = "glossy", roughness = 0.2, restitution = 0.6, friction = 0.2 }
  groups[i] = { count = n // 3 + (i == 3 and n % 3 or 0), position = {0, 2.4, 0}, box = {1.9, 4.2, 1.9}, spread = {0.4, 0.4, 0.4}, radius = radius,
                mass = 2500 * 4 / 3 * math.pi * radius ^ 3, material = "marble" .. i }
end
return {
  title = "Spheres in a box", duration = 5, seed = 7, fps = 30, steps_per_frame = 6,
  bounds = { low = {-1.1, 0, -1.1}, high = {1.1, 8, 1.1}, policy = "bounce" },
  materials = materials,
  colliders = { { name = "floor", shape = { plane = {0, 1, 0} }, material = "slate" } },
  systems = { { type = "particles", contacts = "fast", sweeps = 20, particles = groups } },
  camera = { eye = {2.0, 2.2, 3.3}, target = {0, 0.55, 0} },
}
