-- Snow on a roof (House & Keyser 4.1, 5.1.2, figure 4.1): flakes fall at the constant speed of gravity against much drag, kicks at a rate of their own make
-- them flutter, and where they land they stay: friction and no restitution hold them, also on the roof's slope.
local rate = param("rate", 3000, "flakes a second")
local flutter = param("flutter", 0.3, "change of velocity by a kick, m/s")
local mass = 0.00002

return {
  title = "Snow on a roof", duration = 6, seed = 12, include = { "hut.lua" },
  materials = { flake = { color = "#ffffff", restitution = 0, friction = 3 }, ground = { color = "#6a7468", friction = 3, restitution = 0 },
    roof = { color = "#6b3a32", friction = 3, restitution = 0 } },
  fields = { { drag = mass * 9.81 / 1.4 }, { wind = {-0.35, 0, 0.1} }, { kicks = flutter, rate = 15, region = { box = {60, 60, 60} }, center = {0, 30.1, 0},
    tags = { "flake" } } },
  systems = { { type = "particles", name = "snow", rest_speed = 0.6, max_particles = 60000,
    kinds = { { name = "flake", material = "flake", radius = {0.015, 0.005}, mass = mass } },
    -- Some have fallen already, and the air is full.
    particles = { { kind = "flake", count = 5 * rate, position = {0, 3.9, -1}, box = {10, 7.6, 9}, radius = 0.015, mass = mass, velocity = {-0.3, -1.4, 0},
      material = "flake" } },
    emitters = { { kind = "flake", shape = { quad = {11, 9} }, position = {0.5, 7.7, -1}, direction = {0, -1, 0}, speed = {1.4, 0.2}, rate = rate,
      jitter = true } } } },
  camera = { eye = {3.4, 1.9, 6.2}, target = {0, 1.55, 0}, fov = 0.75, exposure = 0.3, sun_color = {1.0, 1.05, 1.15}, sky_color = {0.3, 0.37, 0.5},
    horizon_color = {0.5, 0.56, 0.64} },
}
