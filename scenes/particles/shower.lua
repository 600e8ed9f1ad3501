-- Rain on a roof (Coutinho 3.7.3; House & Keyser 4.1): a large emitter above, and gravity against drag gives every drop the same constant speed, m g / d.
-- Drops do not split on their way; on what they meet they end in a crown of spray.
local rate = param("rate", 3600, "drops a second: 800 a light rain, 6000 a tropical one")
local speed = param("speed", 9, "speed of the drops, m/s")
local mass = 0.00003

return {
  title = "Rain on a roof", duration = 4, seed = 3, include = { "hut.lua" },
  materials = { water = { color = "#dfeaf2", surface = "glossy", roughness = 0.1, restitution = 0.15, friction = 0.05 },
    ground = { color = "#3c4435", surface = "glossy", roughness = 0.35 } },
  fields = { { drag = mass * 9.81 / speed }, { wind = {-1.2, 0, 0.3} } },
  systems = { { type = "particles", name = "rain", max_particles = 60000,
    kinds = {
      { name = "drop", material = "water", radius = 0.007, mass = mass, life = 4, streak = 0.035, ends = { hit = true },
        splits = { { when = "hit", into = "spray", number = {4, 2}, speed = 0, kick = {1.1, 0.5}, direction = math.pi, size = 1.1 } } },
      { name = "spray", material = "water", radius = 0.008, mass = mass, life = {0.28, 0.1}, streak = 0.012 },
    },
    emitters = { { kind = "drop", shape = { quad = {12, 9} }, position = {0.5, 8, -0.5}, direction = {-0.13, -1, 0.03}, speed = {speed, 0.4}, rate = rate,
      jitter = true } } } },
  camera = { eye = {3.4, 1.9, 6.2}, target = {0, 1.55, 0}, fov = 0.75, exposure = 0.5, sun_color = {0.5, 0.52, 0.55}, sky_color = {0.2, 0.24, 0.29},
    horizon_color = {0.36, 0.39, 0.42} },
}
