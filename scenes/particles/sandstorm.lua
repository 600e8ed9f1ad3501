-- A sandstorm (Coutinho 3.7.3; House & Keyser 4.1): grains skip over the dunes in gusts of wind and bounce off them, while dust that the wind lifts hides
-- what is behind: soft sprites that grow and fade.
local wind = param("wind", 9, "wind along x, m/s")
local rate = param("rate", 7500, "grains a second")

local colliders = { { name = "desert", shape = { plane = {0, 1, 0} }, material = "sand" } }
for i, d in ipairs({ {-4, -1.6, 0.5, 2.3}, {2.2, -1.8, -2.5, 2.7}, {5, -1.2, 2.2, 1.8}, {-1.5, -1.1, -5, 2.2}, {-7, -3, -6, 4.6}, {9, -4, -9, 6} }) do
  colliders[#colliders + 1] = { name = "dune" .. i, shape = { capsule = {d[4], 5} }, position = {d[1], d[2], d[3]},
    orientation = { axis = {1, 0.12 * i, 0}, angle = math.pi / 2 }, material = "sand" }
end
for i, p in ipairs({ {-0.9, 0.8}, {0.7, 0.9}, {2.2, 0.4} }) do
  colliders[#colliders + 1] = { name = "pillar" .. i, shape = { capsule = {0.2, 1.8 + 0.4 * (i % 2)} }, position = {p[1], 1, p[2]},
    orientation = { axis = {0, 0, 1}, angle = 0.06 * (i - 2) }, material = "stone_pillar" }
end

local gusts = { mode = "smooth", keys = { { t = 0, value = 0.6 }, { t = 1, value = 1.1 }, { t = 1.8, value = 0.7 }, { t = 2.8, value = 1.25 },
  { t = 3.8, value = 0.8 }, { t = 5, value = 1 } } }
return {
  title = "Sandstorm", duration = 5, seed = 14,
  materials = { sand = { color = "#c9a873", pattern = "speckle", restitution = 0.35, friction = 0.15 }, grain = { color = "#e0b878", restitution = 0.45, friction = 0.1 },
    dust = { color = "#d9b78a" }, stone_pillar = { color = "#8d8577", pattern = "speckle", restitution = 0.4 } },
  fields = { { drag = 0.00012 }, { wind = {wind, 0.15, 0.1}, strength = gusts }, { kicks = 1.3, rate = 20, tags = { "dust" } },
    { kicks = 0.5, rate = 20, tags = { "grain" } },
    { gravity = {0, 9.8, 0}, tags = { "dust" } } },
  colliders = colliders,
  systems = { { type = "particles", name = "storm", max_particles = 60000,
    kinds = {
      { name = "grain", material = "grain", radius = {0.009, 0.004}, mass = 0.00004, life = {2.4, 0.6}, streak = 0.022 },
      { name = "dust", material = "dust", radius = {0.55, 0.2}, mass = 0.00004, life = {2.2, 0.4}, relative = true, draw = "sprite", meets_solids = false,
        size = { { t = 0, value = 0.6 }, { t = 1, value = 2 } }, opacity = { { t = 0, value = 0 }, { t = 0.2, value = 0.14 }, { t = 1, value = 0 } } },
    },
    emitters = {
      { kind = "grain", shape = { box = {1, 2.4, 8} }, position = {-6.5, 1.7, -2.2}, direction = {1, 0.05, 0}, aperture = 0.3, speed = {wind * 0.7, 2},
        rate = rate * 0.6, jitter = true },
      { kind = "grain", shape = { box = {10, 0.1, 7} }, position = {-1, 0.6, -1.2}, direction = {1, 0.7, 0}, aperture = 0.4, speed = {3, 1.5},
        rate = rate * 0.4, jitter = true },
      { kind = "dust", shape = { box = {1, 2.2, 12} }, position = {-8, 1.3, -2.5}, direction = {1, 0.1, 0}, aperture = 0.3, speed = {wind * 0.7, 1}, rate = 110,
        jitter = true },
    } } },
  camera = { eye = {0.6, 1.15, 5.4}, target = {0.1, 1.2, 0}, fov = 0.78, sun = {-0.6, 0.45, -0.3}, sun_color = {3.2, 2.5, 1.7}, sky_color = {0.5, 0.42, 0.32},
    horizon_color = {0.72, 0.56, 0.36}, exposure = 0.35 },
}
