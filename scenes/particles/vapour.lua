-- Vapour from a cup (Coutinho 3.7.3): no gravity, a weak lift against drag, and an early split of small deviation that opens the plume to a cone. The particles
-- are not drawn: what is seen is the density they leave in a volume, which spreads and thins.
local lift = param("lift", 0.55, "acceleration of the warm air, m/s^2")
local rate = param("rate", 70, "particles a second")

return {
  title = "Vapour over a cup", duration = 5, seed = 3, gravity = {0, 0, 0},
  materials = { china = { color = "#f1ece2", surface = "glossy", roughness = 0.12 }, tea = { color = "#4a1f0c", surface = "glossy", roughness = 0.05 },
    table = { preset = "oak", color = "#6b4a30", roughness = 0.35 } },
  fields = {
    { gravity = {0, lift, 0} }, { drag = 0.0016 }, { kicks = 0.022, rate = 20 },
    { wind = {0.05, 0, 0}, strength = { mode = "smooth", keys = { { t = 0, value = 0 }, { t = 1.5, value = 1 }, { t = 3, value = -1 }, { t = 4.5, value = 1 },
      { t = 6, value = 0 } } } },
  },
  colliders = {
    { name = "table", shape = { plane = {0, 1, 0} }, material = "table" },
    { name = "cup", shape = { mesh = "cup.obj" }, material = "china" },
    { name = "tea", shape = { mesh = "tea.obj" }, material = "tea" },
  },
  systems = { { type = "particles", name = "vapour",
    kinds = {
      { name = "vapour", radius = 0.004, mass = 0.001, life = {2.6, 0.5}, draw = "none", deposit = 0.00001, meets_solids = false,
        splits = { { when = "age", age = {0.15, 0.05}, number = 4, depth = 1, speed = 0.9, kick = {0.02, 0.015}, direction = 0.5, size = 1 } } },
    },
    volume = { center = {0, 0.25, 0}, box = {0.26, 0.36, 0.2}, resolution = 72, fade = 0.7, disperse = 0.00005, noise = 0.9, noise_size = 0.05,
      noise_rate = 0.6, density = 13, color = "#f6f8fb" },
    emitters = { { kind = "vapour", shape = { disk = 0.022 }, position = {0, 0.083, 0}, aperture = 0.3, speed = {0.07, 0.03}, rate = rate,
      jitter = true } } } },
  camera = { eye = {0.16, 0.23, 0.48}, target = {0, 0.13, 0}, fov = 0.62, sun = {-0.7, 0.5, -0.35}, sun_color = {3.4, 2.8, 2.1}, sky_color = {0.14, 0.15, 0.18},
    horizon_color = {0.16, 0.14, 0.13} },
}
