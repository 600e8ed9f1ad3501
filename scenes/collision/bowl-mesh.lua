-- Marbles in a dish: a closed mesh that they circle in, and in its middle a ring that turns, made of signed distances (a field) of another mesh. They are
-- thrown in along the rim, lose height turn by turn, meet the ring and each other.
local n = param("n", 420, "how many marbles")
local turn = param("turn", 1.5, "how fast the ring turns, rad/s")

local keys = {}
for k = 0, 60 do keys[k + 1] = { t = 0.1 * k, position = {0, 0.66, 0}, orientation = { axis = {0, 1, 0}, angle = 0.1 * turn * k } } end
local colors = { "#d1495b", "#edae49", "#00798c", "#f4f1de" }
local materials = {
  floor = { preset = "oak", color = "#7a4a2b", pattern_size = 0.15 }, dish = { color = "#e8e4da", surface = "glossy", roughness = 0.2, restitution = 0.4, friction = 0.02 },
  ring = { preset = "gold", restitution = 0.6, friction = 0.1 },
}
local kinds, emitters = {}, {}
for i, color in ipairs(colors) do
  local name, a = "marble" .. i, math.pi / 2 * i
  materials[name] = { preset = "glass", color = color, surface = "glossy", roughness = 0.06, restitution = 0.5, friction = 0.02 }
  kinds[i] = { name = name, material = name, radius = {0.065, 0.012}, mass = 0.05 }
  emitters[i] = { kind = name, shape = { ball = 0.1 }, position = {1.7 * math.cos(a), 1.15, 1.7 * math.sin(a)}, direction = {-math.sin(a), -0.1, math.cos(a)},
    aperture = 0.1, speed = {3.2, 0.4}, rate = n / 12, max_total = n // 4, jitter = true }
end
return {
  title = "Marbles in a dish", duration = 6, seed = 2, fps = 30, steps_per_frame = 6, materials = materials,
  colliders = {
    { name = "floor", shape = { plane = {0, 1, 0} }, position = {0, -0.1, 0}, material = "floor" },
    { name = "dish", shape = { mesh = "meshes/dish.obj" }, material = "dish" },
    { name = "ring", shape = { field = { mesh = "meshes/ring.obj", resolution = 40 }, turn = { axis = {1, 0, 0}, angle = math.pi / 2 } }, keys = keys, smooth = false, material = "ring" },
  },
  systems = { { type = "particles", name = "marbles", contacts = "fast", sweeps = 10, rest_speed = 0.05, kinds = kinds, emitters = emitters } },
  camera = { eye = {0.6, 3.6, 4.1}, target = {0, 0.42, 0}, fov = 0.7, sun = {0.4, 0.75, 0.4} },
}
