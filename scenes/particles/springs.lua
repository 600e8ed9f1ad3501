-- A net of masses and springs falls on a ball and drapes over it, by one linearised implicit step of 1/60 s: stiffer springs than explicit steps could bear
-- (House, ch. 7.2 and 7.5, springy lattices; Coutinho C3.7.3: cloth).
local n = param("n", 33, "knots along a side")
local stiffness = param("stiffness", 900, "of the threads, N/m")

local side, knots, springs = 3.4, {}, {}
local gap = side / (n - 1)
for j = 0, n - 1 do
  for i = 0, n - 1 do
    knots[#knots + 1] = { kind = (i + j) % 2 == 0 and "knot" or "bead", position = {i * gap - side / 2, 2.6, j * gap - side / 2}, mass = 0.012, radius = 0.045 }
  end
end
local function tie(i, j, k, l, k_share)
  if k < n and l < n and k >= 0 then springs[#springs + 1] = { a = j * n + i, b = l * n + k, stiffness = stiffness * k_share, ratio = 0.15 } end
end
for j = 0, n - 1 do
  for i = 0, n - 1 do
    tie(i, j, i + 1, j, 1) tie(i, j, i, j + 1, 1) -- threads
    tie(i, j, i + 1, j + 1, 0.1) tie(i, j, i - 1, j + 1, 0.1) -- against shear
    tie(i, j, i + 2, j, 0.05) tie(i, j, i, j + 2, 0.05) -- against bending
  end
end

return {
  title = "A net over a ball", duration = 4, fps = 30, steps_per_frame = 2, seed = 1,
  materials = {
    floor = { color = "#c9c2b4", friction = 0.6 },
    ball = { color = "#2b4c7e", surface = "glossy", roughness = 0.12, friction = 0.35, restitution = 0 },
    knot = { color = "#e0b13a", surface = "metal", roughness = 0.25, restitution = 0, friction = 0.35 },
    bead = { color = "#c8442f", surface = "glossy", roughness = 0.2, restitution = 0, friction = 0.35 },
  },
  fields = { { drag = 0.004 } },
  colliders = { { name = "floor", shape = { plane = {0, 1, 0} }, material = "floor" }, { name = "ball", shape = { sphere = 1 }, position = {0.15, 1, -0.1}, material = "ball" } },
  systems = { { type = "particles", name = "net", integrator = "linear_euler", particles = knots, springs = springs,
    kinds = { { name = "knot", material = "knot" }, { name = "bead", material = "bead" } } } },
  camera = { fov = 0.48, eye = {3.4, 3.0, 5.2}, target = {0.1, 1.0, 0} },
}
