-- Marbles rain on one of every shape that solids can have: cone, box, cylinder; capsule, compound, sphere; hull, field (a ring as signed distances), mesh (a star).
-- The compound is a hammer: a handle of oak, a head of steel, each part with its own bounce and colour.
local n = param("n", 1800, "how many marbles")
local radius = param("radius", 0.05, "of a marble, m")

local d = 1.75 -- m between the shapes
local points = {} -- of the hull: a cut gem
for k = 0, 6 do
  local a = 2 * math.pi * k / 7
  points[#points + 1] = {0.62 * math.cos(a), 0.28, 0.62 * math.sin(a)}
  points[#points + 1] = {0.36 * math.cos(a + 0.45), 0.62, 0.36 * math.sin(a + 0.45)}
  points[#points + 1] = {0.3 * math.cos(a), 0, 0.3 * math.sin(a)}
end
local hammer = {
  { shape = { capsule = {0.1, 0.9}, offset = {0, 0.55, 0}, material = "oak" } },
  { shape = { cylinder = {0.24, 1.0}, offset = {0, 1.1, 0}, turn = { axis = {0, 0, 1}, angle = math.pi / 2 }, material = "steel" } },
  { shape = { cylinder = {0.55, 0.12}, offset = {0, 0.06, 0}, material = "oak" } },
}
local rows = {
  { { cone = {0.6, 1.2} }, 0.6, "red" }, { { box = {0.95, 0.95, 0.95} }, 0.475, "orange" }, { { cylinder = {0.52, 1.0} }, 0.5, "yellow" },
  { { capsule = {0.3, 0.7}, turn = { axis = {1, 0, 0.35}, angle = math.pi / 2 } }, 0.3, "green" }, { { compound = hammer }, 0, "steel" },
  { { sphere = 0.58 }, 0.58, "teal" },
  { { hull = { points = points } }, 0, "blue" }, { { field = { mesh = "meshes/ring.obj", resolution = 48 }, scale = {1.2, 1.2, 1.2} }, 0.204, "violet" },
  { { mesh = "meshes/star.obj" }, 0.25, "pink" },
}
local colliders = { { name = "table", shape = { plane = {0, 1, 0} }, material = "table" } }
for i, row in ipairs(rows) do
  local x, z = d * ((i - 1) % 3 - 1), d * ((i - 1) // 3 - 1)
  colliders[i + 1] = { name = "shape" .. i, shape = row[1], position = {x, row[2], z}, orientation = { axis = {0, 1, 0}, angle = 0.35 * (i - 5) }, material = row[3] }
end

local materials = { table = { preset = "concrete", color = "#d9d4c8", pattern_size = 0.12, restitution = 0.35, friction = 0.25 } }
local colors = { red = "#c1272d", orange = "#e76f2b", yellow = "#f2b134", green = "#3a8f5d", teal = "#1b9aaa", blue = "#2c5aa0", violet = "#7b4fa3", pink = "#d6457f" }
for name, color in pairs(colors) do materials[name] = { color = color, surface = "glossy", roughness = 0.3, restitution = 0.5, friction = 0.15 } end
materials.marble = { preset = "glass", color = "#dcefff", restitution = 0.6, friction = 0.15 }
materials.agate = { preset = "glass", color = "#20242c", surface = "glossy", roughness = 0.08, restitution = 0.6, friction = 0.15 }

local function shower(kind, share)
  return { kind = kind, shape = { quad = {5, 5} }, position = {0, 3.6, 0}, direction = {0, -1, 0}, speed = 1, rate = share * n / 3.5, max_total = math.floor(share * n),
    jitter = true }
end
return {
  title = "One of every shape", duration = 5, seed = 3, fps = 30, steps_per_frame = 4, materials = materials, colliders = colliders,
  systems = { { type = "particles", name = "marbles", contacts = "fast", rest_speed = 0.1,
    kinds = { { name = "marble", material = "marble", radius = radius, mass = 0.01 }, { name = "agate", material = "agate", radius = radius, mass = 0.01 } },
    emitters = { shower("marble", 0.6), shower("agate", 0.4) } } },
  camera = { eye = {2.9, 4.1, 6.3}, target = {0.05, 0.5, 0.1}, fov = 0.6, shutter = 0.12, clouds = 0.5, sun = {0.5, 0.8, 0.3} },
}
