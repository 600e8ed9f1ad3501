-- A sandstorm rolls over a row of tents: grains in gusts of wind, a front of dust that particles leave in a volume as they go (House, ch. 4.1 and 4.5.4; H4.1, H4.5e).
local grains = param("grains", 3500, "grains a second")
local wind = param("wind", 11, "wind along x, m/s")

local colliders = { { name = "desert", shape = { plane = {0, 1, 0} }, material = "desert" } }
for i = 0, 3 do
  colliders[#colliders + 1] = { name = "dune" .. i, shape = { sphere = 9 }, position = {-14 + 9 * i, -8.2 + 0.3 * (i % 2), -9 - 2 * (i % 2)}, material = "desert" }
end
for i = 0, 3 do -- tents: cubes on their edge
  colliders[#colliders + 1] = { name = "tent" .. i, shape = { box = {1.7, 1.7, 2.2} }, position = {-1.5 + 3.1 * i, 0, 0.6 * (i % 2)}, orientation = { axis = {0, 0, 1}, angle = math.pi / 4 },
    material = i % 2 == 0 and "canvas" or "stripe" }
end
colliders[#colliders + 1] = { name = "pole", shape = { capsule = {0.05, 3.6} }, position = {5.2, 1.8, 1.6}, material = "wood" }

return {
  title = "Sandstorm", duration = 5, fps = 24, steps_per_frame = 2, seed = 17,
  materials = {
    desert = { color = "#c99a5b", restitution = 0.3, friction = 0.3 }, canvas = { color = "#e6dcc6" }, stripe = { color = "#a23b2a" },
    sand = { color = "#d8ab6c", restitution = 0.35, friction = 0.2 },
  },
  fields = {
    { drag = 0.006 }, { wind = {wind, 0, 0}, strength = { { t = 0, value = 1 }, { t = 1.2, value = 0.75 }, { t = 2.2, value = 1.25 }, { t = 3.4, value = 0.9 }, { t = 5, value = 1.2 } } },
    { kicks = 0.9, rate = 30 },
  },
  colliders = colliders,
  systems = {
    { type = "particles", name = "sand", streak = 0.022, hits = "approximate",
      kinds = { { name = "grain", material = "sand", radius = {0.012, 0.006}, mass = 0.004, life = {2.6, 0.6}, opacity = 0.8, deposit = 1 } },
      emitters = {
        { name = "front", shape = { quad = {9, 10} }, position = {-10, 2.4, -2}, orientation = { axis = {0, 0, 1}, angle = -math.pi / 2 }, direction = {0, 1, 0}, aperture = 0.35, speed = {9, 3},
          rate = grains, jitter = true },
        { name = "ground", shape = { quad = {16, 10} }, position = {-2, 0.05, -1.5}, direction = {0.8, 1, 0}, aperture = 0.6, speed = {2, 1.5}, rate = grains / 3, jitter = true },
      },
      volume = { center = {0, 3.4, -2.5}, box = {26, 7, 16}, resolution = 64, fade = 1.2, disperse = 0.25, flow = {6, 0, 0}, noise = 0.8, noise_size = 1.6, noise_rate = 0.8, density = 0.08,
        color = {0.86, 0.66, 0.42} } },
  },
  camera = { fov = 0.7, exposure = 0.1, shutter = 0.4, eye = {8.5, 2.4, 11}, target = {0.2, 1.7, -0.5}, sun = {0.6, 0.5, 0.5}, sun_color = {3.2, 2.5, 1.6}, sky_color = {0.55, 0.5, 0.42}, horizon_color = {0.95, 0.78, 0.52} },
}
