-- The demo: a wrecking ball of 1:300 on its chain goes through a wall and what stands behind it; sand runs out of a funnel onto a seesaw and tips it;
-- a vase breaks, dominoes fall, leaves drift by in the wind. Rigid bodies, joints, fracture and grains act on each other.
local grains = param("grains", 600, "of sand in the funnel")
local leaves = param("leaves", 260, "in the wind")
local wind = param("wind", 2.4, "along x, m/s")

local bodies, joints = {}, {}
local function add(body) bodies[#bodies + 1] = body end

-- The ball on its chain, drawn aside.
local top, links, long, lean = {-0.2, 7.2, 0}, 14, 0.36, 1.25
local turn = { axis = {0, 0, 1}, angle = math.pi - lean }
local function at(s) return { top[1] - s * math.sin(lean), top[2] - s * math.cos(lean), 0 } end
for i = 1, links do
  add { name = "link" .. i, shape = { capsule = {0.045, long - 0.09} }, mass = 1, position = at((i - 0.5) * long), orientation = turn, material = "steel", filter = { category = 2, mask = 4 } }
  joints[#joints + 1] = { ball = { anchor = at((i - 1) * long) }, a = "link" .. i, b = i > 1 and "link" .. (i - 1) or nil }
end
add { name = "wrecker", shape = { sphere = 0.45 }, mass = 300, position = at(links * long + 0.45), orientation = turn, material = "iron" }
joints[#joints + 1] = { ball = { anchor = at(links * long) }, a = "wrecker", b = "link" .. links }

-- A wall in running bond, across its way.
local w, h, d = 0.5, 0.24, 0.26
for row = 0, 10 do
  for i = 0, 8 + row % 2 do
    local half = row % 2 == 1 and (i == 0 or i == 9) -- half bricks close the ends
    local z = (i - 4 - (row % 2) / 2) * w + (half and (i == 0 and 1 or -1) * w / 4 or 0)
    add { shape = { box = {d, h, (half and w / 2 or w) - 0.006} }, position = {0.75, h / 2 + row * (h + 0.001), z}, material = ({ "brick", "rust", "clay" })[(i * 7 + row * 5) % 3 + 1] }
  end
end

-- Behind it a pyramid, and a vase on a column.
for level = 0, 4 do
  for i = 0, 4 - level do
    for k = 0, 1 do
      add { shape = { box = {0.38, 0.38, 0.38} }, position = {2.6 + (i - (4 - level) / 2) * 0.4, 0.19 + level * 0.381, -1.3 + 0.4 * k}, material = ({ "teal", "ivory", "coral" })[(i + level + k) % 3 + 1] }
    end
  end
end
add { shape = { cylinder = {0.28, 0.9} }, position = {2.7, 0.45, 1.0}, material = "plaster" }
add { name = "vase", shape = { mesh = "../rigid/vase.obj" }, position = {2.7, 1.2, 1.0}, material = "china", fracture = { pieces = 22, seed = 3, glue = "composite", strength = 0.6 } }

-- A seesaw under the funnel; a crate on its far end.
local pivot, z = {-2.75, 0.55}, 2.35
add { name = "plank", mass = 6, position = {pivot[1], pivot[2] + 0.05, z}, material = "oak", shape = { compound = { -- with a tray for the sand
  { shape = { box = {2.7, 0.07, 0.62} } }, { shape = { box = {0.06, 0.3, 0.62}, offset = {-1.32, 0.18, 0} } }, { shape = { box = {0.06, 0.3, 0.62}, offset = {-0.56, 0.18, 0} } },
  { shape = { box = {0.7, 0.3, 0.05}, offset = {-0.94, 0.18, -0.285} } }, { shape = { box = {0.7, 0.3, 0.05}, offset = {-0.94, 0.18, 0.285} } } } } }
joints[#joints + 1] = { hinge = { anchor = {pivot[1], pivot[2], z}, axis = {0, 0, 1}, limits = {-0.36, 0.36} }, a = "plank" }
add { name = "stone", shape = { box = {0.34, 0.34, 0.34} }, mass = 5, position = {pivot[1] + 1.1, pivot[2] + 0.256, z}, material = "blue" }

-- Dominoes in an arc before it all; the first is pushed.
local count = 34
for i = 0, count - 1 do
  local a = -0.5 + 1.25 * i / (count - 1)
  local x, zz = -0.2 + 3.6 * math.sin(a), 5.9 - 3.6 * math.cos(a) + 0.9
  add { shape = { box = {0.05, 0.32, 0.16} }, position = {x, 0.16, zz}, orientation = { axis = {0, 1, 0}, angle = -a }, material = ({ "coral", "gold", "ivory", "teal", "blue" })[i % 5 + 1],
    spin = i == 0 and { 7 * math.sin(a), 0, -7 * math.cos(a) } or nil, velocity = i == 0 and { math.cos(a), 0, math.sin(a) } or nil }
end

local function brick(color) return { density = 1500, friction = 0.6, restitution = 0.05, color = color, pattern = "speckle" } end
local function paint(color) return { density = 500, friction = 0.45, restitution = 0.15, color = color, surface = "glossy", roughness = 0.3 } end
return {
  title = "Demo", duration = 5, fps = 24, seed = 11, steps_per_frame = 4,
  materials = {
    plaster = { color = "#b3ab9d", friction = 0.6, restitution = 0.15, density = 900 },
    brick = brick("#a8432f"), rust = brick("#bb5b3c"), clay = brick("#8f3a2c"),
    teal = paint("#1d7874"), coral = paint("#e4572e"), ivory = paint("#efe9d3"), blue = paint("#23539c"),
    gold = { preset = "gold", roughness = 0.25, friction = 0.4, restitution = 0.15, density = 900 },
    oak = { preset = "oak", friction = 0.6, restitution = 0.05, density = 650 },
    iron = { color = "#20242a", surface = "metal", roughness = 0.3, friction = 0.5, restitution = 0.1 },
    steel = { color = "#8b9096", surface = "metal", roughness = 0.3 },
    china = { density = 2300, friction = 0.4, restitution = 0.1, color = "#2f6fb3", surface = "glossy", roughness = 0.12 },
    brass = { preset = "gold", restitution = 0.1, friction = 0.02, roughness = 0.28 },
    sand = { color = "#dfb15b", friction = 0.35, restitution = 0.05 },
    crane = { color = "#e3a51a", friction = 0.5 },
    leaf = { preset = "leaf", color = "#c8671b" }, leaf_gold = { preset = "leaf", color = "#dda12a" },
  },
  fields = { { drag = 0.002 }, { wind = {wind, 0, 0.15} } },
  colliders = {
    { name = "ground", shape = { plane = {0, 1, 0} }, material = "plaster" },
    { name = "funnel", shape = { mesh = "../particles/funnel.obj", scale = {0.58, 0.66, 0.58} }, position = {pivot[1] - 0.94, 1.65, z}, material = "brass" },
    { name = "foot", shape = { box = {0.14, 0.5, 0.5} }, position = {pivot[1], 0.25, z}, material = "oak" },
    { name = "boom", shape = { box = {0.22, 0.22, 5} }, position = {top[1], top[2] + 0.12, -2.3}, material = "crane" },
    { name = "mast", shape = { box = {0.34, 7.5, 0.34} }, position = {top[1], 3.75, -4.7}, material = "crane" },
  },
  systems = {
    { type = "rigid", name = "bodies", bounce_speed = 0.5, bodies = bodies, joints = joints },
    { type = "particles", name = "sand", contacts = "fast", particles = { count = grains, position = {pivot[1] - 0.94, 2.8, z}, box = {0.9, 0.9, 0.9}, radius = 0.036, mass = 0.03, material = "sand" } },
    { type = "particles", name = "leaves",
      kinds = { { name = "leaf", draw = "mesh", mesh = "../particles/leaf.obj", mesh_size = 2.2, orient = "tumble", spin = {3.5, 2.5} } }, particles = {
      { kind = "leaf", count = leaves // 2, position = {-7, 4.4, 0.6}, box = {16, 5.5, 6}, radius = 0.035, mass = 0.00022, spread = {0.5, 0.6, 0.5}, material = "leaf" },
      { kind = "leaf", count = leaves // 2, position = {-7, 4.8, 1.2}, box = {16, 5.5, 6}, radius = 0.03, mass = 0.00018, spread = {0.5, 0.7, 0.5}, material = "leaf_gold" } } },
  },
  camera = { fov = 0.72, exposure = 0.1, sun = {-0.5, 0.62, 0.6},
    keys = { { t = 0, eye = {-6.2, 3.5, 10.4}, target = {-1.1, 2.2, 0.5} }, { t = 1.6, eye = {-4.6, 2.8, 9.8}, target = {-0.4, 1.7, 0.6} }, { t = 5, eye = {0.2, 2.4, 9.8}, target = {0.1, 1.3, 0.6} } } },
}
