-- Grains are poured onto a table and come to rest as a heap: they touch, rub and lie still (Coutinho 3.5.4, House & Keyser 3.3).
local n = param("n", 420, "how many grains")
return {
  title = "A pile at rest", duration = 5, seed = 4, fps = 30, steps_per_frame = 6,
  materials = {
    corn = { color = "#e9b44c", surface = "glossy", roughness = 0.4, restitution = 0.15, friction = 0.4 },
    bean = { color = "#7f4f24", surface = "glossy", roughness = 0.35, restitution = 0.15, friction = 0.4 },
    ground = { color = "#6d7176" },
    table_top = { preset = "oak", restitution = 0.2, friction = 0.9 },
  },
  colliders = {
    { name = "floor", shape = { plane = {0, 1, 0} }, position = {0, -0.6, 0}, material = "ground" },
    { name = "table", shape = { box = {2.2, 0.2, 2.2} }, position = {0, -0.1, 0}, material = "table_top" },
  },
  systems = { { type = "particles", contacts = "fast", sweeps = 30,
    particles = {
      { count = 2 * n // 3, position = {0, 3.2, 0}, box = {0.45, 6, 0.45}, velocity = {0, -1, 0}, radius = 0.055, mass = 0.6, material = "corn" },
      { count = n // 3, position = {0, 3.2, 0}, box = {0.45, 6, 0.45}, velocity = {0, -1, 0}, radius = 0.075, mass = 1.5, material = "bean" },
    } } },
  camera = { eye = {1.3, 1.2, 2.1}, target = {0, 0.1, 0}, sun = {-0.4, 0.7, 0.5} },
}
