-- Hail on a roof (Coutinho 3.7.3): heavy stones at the constant speed of gravity against drag. They bounce, roll down the roof and come to rest on the grass;
-- some break in two where they hit.
local rate = param("rate", 650, "stones a second")
local speed = param("speed", 12, "speed of the stones, m/s")

return {
  title = "Hail on a roof", duration = 5, seed = 6, include = { "hut.lua" },
  materials = { hail = { preset = "ice", color = "#eef5fa", surface = "glossy", roughness = 0.25, restitution = 0.45, friction = 0.25 },
    ground = { color = "#4c5a38", restitution = 0.15, friction = 0.8 } },
  fields = { { drag = 0.002 * 9.81 / speed } },
  systems = { { type = "particles", name = "hail", max_particles = 20000, rest_speed = 0.15,
    kinds = {
      { name = "stone", material = "hail", radius = {0.03, 0.01}, mass = 0.002,
        splits = { { when = "hit", into = "half", number = {0.4, 0.4}, speed = 0.4, kick = {0.4, 0.3}, direction = 1.2, size = 0.7, keep = true } } },
      { name = "half", material = "hail", radius = 0.02, mass = 0.001 },
    },
    emitters = { { kind = "stone", shape = { quad = {11, 9} }, position = {0.3, 8, -0.4}, direction = {-0.05, -1, 0}, speed = {speed, 1}, rate = rate,
      jitter = true } } } },
  camera = { eye = {3.4, 1.9, 6.2}, target = {0, 1.55, 0}, fov = 0.75, shutter = 0.06, clouds = 0.8, exposure = 0.4, sun_color = {1.5, 1.45, 1.35}, sky_color = {0.22, 0.27, 0.34},
    horizon_color = {0.45, 0.48, 0.52} },
}
