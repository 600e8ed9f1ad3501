-- A sorting machine of compounds: a funnel of plates, a turning wheel whose paddles are of two materials, a grate of rods. Small balls fall through the grate into the
-- first tray, large ones run over it into the second.
local n = param("n", 700, "how many balls")
local speed = param("speed", 2.2, "of the wheel, rad/s")

local function multiply(a, b) -- quaternions: first b, then a
  return { a[4] * b[1] + a[1] * b[4] + a[2] * b[3] - a[3] * b[2], a[4] * b[2] - a[1] * b[3] + a[2] * b[4] + a[3] * b[1],
    a[4] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[4], a[4] * b[4] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3] }
end
local function about(axis, angle) return { axis[1] * math.sin(angle / 2), axis[2] * math.sin(angle / 2), axis[3] * math.sin(angle / 2), math.cos(angle / 2) } end

-- Sixteen plates round a throat, tilted.
local plates, top, throat, tall = {}, 0.95, 0.24, 0.75
for k = 0, 15 do
  local a, slope = 2 * math.pi * k / 16, math.atan(tall, top - throat)
  local rho, length = (top + throat) / 2 + 0.02, math.sqrt(tall * tall + (top - throat) * (top - throat))
  plates[k + 1] = { shape = { box = {length, 0.04, 0.4}, offset = {rho * math.cos(a), tall / 2, -rho * math.sin(a)},
    turn = multiply(about({0, 1, 0}, a), about({0, 0, 1}, slope)), material = k % 2 == 0 and "brass" or "copper" } }
end

-- A hub and six paddles, turned by keys.
local paddles = { { shape = { cylinder = {0.1, 0.66}, turn = about({1, 0, 0}, math.pi / 2), material = "steel" } } }
for k = 0, 5 do
  local a = math.pi / 3 * k
  paddles[k + 2] = { shape = { box = {0.42, 0.035, 0.6}, offset = {0.29 * math.cos(a), 0.29 * math.sin(a), 0}, turn = about({0, 0, 1}, a),
    material = k % 2 == 0 and "red" or "cream" } }
end
local keys = {}
for k = 0, 60 do keys[k + 1] = { t = 0.1 * k, position = {-0.2, 1.86, 0}, orientation = about({0, 0, 1}, -0.1 * speed * k) } end

-- Rods along the slope with gaps for the small ones, and a board on both sides.
local rods, long = {}, 2.9
for k = -3, 3 do rods[#rods + 1] = { shape = { capsule = {0.025, long}, offset = {0, 0, 0.16 * k}, turn = about({0, 0, 1}, math.pi / 2) } } end
for side = -1, 1, 2 do rods[#rods + 1] = { shape = { box = {long + 0.1, 0.34, 0.03}, offset = {0, 0.1, 0.55 * side}, material = side < 0 and "oak" or "clear" } } end


-- The wheel's case: two panes and a back.
local case = { { shape = { box = {0.04, 1.5, 1.1}, offset = {-0.74, 0, 0}, material = "oak" } } }
for side = -1, 1, 2 do case[#case + 1] = { shape = { box = {1.35, 1.5, 0.03}, offset = {-0.06, 0, 0.5 * side}, material = side < 0 and "oak" or "clear" } } end

local function tray(long, deep, high)
  local walls = { { shape = { box = {long, 0.05, deep}, offset = {0, 0.025, 0} } } }
  for side = -1, 1, 2 do
    walls[#walls + 1] = { shape = { box = {0.04, high, deep}, offset = {side * (long / 2 - 0.02), high / 2, 0} } }
    walls[#walls + 1] = { shape = { box = {long, high, 0.04}, offset = {0, high / 2, side * (deep / 2 - 0.02)}, material = side > 0 and "clear" or nil } }
  end
  return { compound = walls }
end

local function pour(kind, share)
  return { kind = kind, shape = { disk = 0.55 }, position = {0, 4.1, 0}, direction = {0, -1, 0}, speed = 0.5, rate = share * n / 4, max_total = math.floor(share * n),
    jitter = true }
end
return {
  title = "A sorter", duration = 6, seed = 8, fps = 30, steps_per_frame = 6,
  materials = {
    floor = { preset = "concrete", color = "#cfc8ba" }, brass = { preset = "gold", color = "#c9a04a", restitution = 0.2, friction = 0.1 },
    copper = { preset = "copper", restitution = 0.2, friction = 0.1 }, steel = { preset = "steel" },
    red = { color = "#b3262b", surface = "glossy", roughness = 0.3, restitution = 0.2, friction = 0.2 },
    cream = { color = "#efe6d0", surface = "glossy", roughness = 0.3, restitution = 0.2, friction = 0.2 },
    rod = { preset = "steel", restitution = 0.2, friction = 0.05 }, oak = { preset = "oak", restitution = 0.2 }, clear = { preset = "glass", restitution = 0.2, friction = 0.1 },
    small = { color = "#2a9d8f", surface = "glossy", roughness = 0.2, restitution = 0.3, friction = 0.1 },
    large = { color = "#e9b44c", surface = "glossy", roughness = 0.2, restitution = 0.3, friction = 0.1 },
  },
  colliders = {
    { name = "floor", shape = { plane = {0, 1, 0} }, material = "floor" },
    { name = "funnel", shape = { compound = plates }, position = {0, 2.75, 0} },
    { name = "wheel", shape = { compound = paddles }, keys = keys, smooth = false },
    { name = "case", shape = { compound = case }, position = {0, 1.95, 0} },
    { name = "grate", shape = { compound = rods }, position = {0.72, 1.0, 0}, orientation = { axis = {0, 0, 1}, angle = -0.28 }, material = "rod" },
    { name = "first", shape = tray(2.9, 1.3, 0.45), position = {0.55, 0, 0}, material = "oak" },
    { name = "second", shape = tray(1.1, 1.3, 0.45), position = {2.58, 0, 0}, material = "oak" },
  },
  systems = { { type = "particles", name = "balls", contacts = "fast", sweeps = 10, rest_speed = 0.08,
    kinds = { { name = "small", material = "small", radius = 0.045, mass = 0.01 }, { name = "large", material = "large", radius = 0.085, mass = 0.06 } },
    emitters = { pour("small", 0.75), pour("large", 0.25) } } },
  camera = { eye = {2.6, 3.1, 6.0}, target = {0.75, 1.7, 0}, fov = 0.66, sun = {0.3, 0.7, 0.65} },
}
