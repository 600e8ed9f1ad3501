-- Particles assemble into a helicopter, which hovers, is hit and bursts (House & Keyser 5.2, figure 5.3): a goal field draws every particle to a place of
-- its own on an invisible mesh. When its strength falls to zero a brief repulsion and gravity do the rest.
local n = param("n", 24000, "how many particles")
local hit = param("hit", 3.6, "when the helicopter is hit, s")
local centre = {0, 3.4, 0}

return {
  title = "A helicopter of particles", duration = 6, seed = 2,
  materials = {
    sand = { color = "#d9a441", restitution = 0.3, friction = 0.6 },
    rust = { color = "#b3431f", restitution = 0.3, friction = 0.6 },
    ground = { color = "#7d8791" },
    ball = { preset = "steel", color = "#30343b" },
  },
  fields = {
    { gravity = {0, 9.81, 0}, tags = { "part" }, strength = { { t = hit, value = 1 }, { t = hit + 0.05, value = 0 } } }, -- carried while it lasts
    { goal = "helicopter.obj", position = centre, orientation = { axis = {0, 1, 0}, angle = 0.5 }, size = 1.15, stiffness = 14, damping = 0.85,
      tags = { "part" },
      strength = { { t = 0, value = 0 }, { t = 0.3, value = 0.25 }, { t = 2, value = 3 }, { t = hit, value = 3 }, { t = hit + 0.03, value = 0 } } },
    { vortex = -0.45, max_rate = 0.5, tightness = 0, base = {0, 0, 0}, length = 9, radius = 9, tags = { "part" },
      strength = { { t = 0, value = 1 }, { t = 1.6, value = 0 } } }, -- they swirl in
    { attractor = -110, toward = {0.9, 3.0, 0.7}, exponent = 1, core = 0.5, tags = { "part" },
      strength = { { t = hit, value = 0 }, { t = hit + 0.02, value = 1 }, { t = hit + 0.1, value = 1 }, { t = hit + 0.14, value = 0 } } },
    { drag = 0.0006, tags = { "part" } },
  },
  colliders = { { name = "ground", shape = { plane = {0, 1, 0} }, material = "ground" } },
  systems = { { type = "particles", name = "helicopter", max_particles = 60000,
    kinds = { { name = "part", radius = 0.028, mass = 0.001, material = "sand" }, { name = "shot", radius = 0.22, mass = 5, material = "ball" } },
    particles = {
      { kind = "part", count = n // 2, position = {0, 0.6, 0}, box = {13, 1.1, 9}, radius = 0.028, mass = 0.001, material = "sand" },
      { kind = "part", count = n // 2, position = {0, 0.6, 0}, box = {13, 1.1, 9}, radius = 0.028, mass = 0.001, material = "rust" },
    },
    emitters = { { kind = "shot", position = {9, 1, 10}, direction = {-8.1, 3.8, -9.3}, speed = 30, burst = 1, start = hit - 0.42 } } } },
  camera = { eye = {5.4, 3.4, 8.2}, target = {-0.5, 2.9, 0}, fov = 0.74 },
}
