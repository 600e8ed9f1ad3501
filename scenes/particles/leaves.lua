-- Leaves fall and drift in a gusty wind (House & Keyser 2.7.3, figure 2.1): light things follow the air, for drag over mass is large. Each is a mesh that
-- tumbles about an axis of its own; kicks stand for the eddies, and on the ground they come to rest.
local n = param("n", 900, "how many leaves")
local gust = param("gust", 3.2, "speed of the strongest gust, m/s")

local colors = { "#c1440e", "#e08e1b", "#a61e1e", "#d9b32c", "#7a5a1e" }
local kinds, groups, materials = {}, {}, { lawn = { color = "#5f6b3c", friction = 0.9 }, bark = { color = "#4a3b2e" }, bench = { preset = "oak" } }
for i, color in ipairs(colors) do
  materials["leaf" .. i] = { preset = "leaf", color = color, restitution = 0.02, friction = 1.2 }
  kinds[i] = { name = "leaf" .. i, material = "leaf" .. i, draw = "mesh", mesh = "leaf.obj", mesh_size = 1.6, orient = "tumble", spin = {3.5, 2.5} }
  groups[2 * i - 1] = { kind = "leaf" .. i, count = n // 7, position = {-2.5, 5, -1}, box = {9, 5.2, 7}, radius = 0.065, mass = 0.002, spread = {0.4, 0.3, 0.4},
    material = "leaf" .. i }
  groups[2 * i] = { kind = "leaf" .. i, count = n // 16, position = {0, 0.07, -1}, box = {15, 0, 10}, radius = 0.065, mass = 0.002, material = "leaf" .. i }
end

local colliders = { { name = "lawn", shape = { plane = {0, 1, 0} }, material = "lawn" } }
for i, x in ipairs({ -4.2, 3.6, -0.6 }) do
  colliders[#colliders + 1] = { name = "trunk" .. i, shape = { capsule = {0.28 + 0.04 * i, 14} }, position = {x, 5, -2.2 - 1.3 * i}, material = "bark" }
end

return {
  title = "Leaves in the wind", duration = 6, seed = 7, materials = materials,
  fields = {
    { drag = 0.012 },
    { wind = {gust, 0, 0.2}, strength = { mode = "smooth", keys = { { t = 0, value = 0.3 }, { t = 0.8, value = 0.15 }, { t = 1.6, value = 1 },
      { t = 2.2, value = 0.35 },
      { t = 3, value = 0.8 }, { t = 3.6, value = 0.1 }, { t = 6, value = 0 } } } },
    { kicks = 0.32, rate = 20, region = { box = {40, 20, 40} }, center = {0, 10.15, 0} }, -- in the air only
  },
  colliders = colliders,
  systems = { { type = "particles", name = "leaves", rest_speed = 0.2, kinds = kinds, particles = groups } },
  camera = { eye = {0.5, 1.5, 6.4}, target = {0, 1.95, 0}, fov = 0.8, sun = {-0.5, 0.5, 0.35}, sun_color = {3.4, 2.8, 2.0} },
}
