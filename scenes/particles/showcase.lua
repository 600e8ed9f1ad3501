-- The showcase: balls pour through a funnel onto pegs, ramps and a turning wheel, sparks fly from a grinder, leaves drift by in the wind.
local balls = param("balls", 260, "how many balls")
local sparks = param("sparks", 900, "how many sparks are alive at most")
local leaves = param("leaves", 420, "how many leaves")
local wind = param("wind", 2.2, "wind along x, m/s")

local colliders = {
  { name = "ground", shape = { plane = {0, 1, 0} }, material = "plaster" },
  { name = "funnel", shape = { mesh = "funnel.obj" }, position = {0, 4.6, 0}, material = "brass" },
}

-- Four rows of pegs below the funnel.
for row = 0, 3 do
  for i = 0, 4 + row % 2 do
    local x = (i - (4 + row % 2) / 2) * 0.62
    colliders[#colliders + 1] = { name = "peg" .. row .. i, shape = { capsule = {0.1, 0.9} }, position = {x, 4.0 - 0.42 * row, 0},
      orientation = { axis = {1, 0, 0}, angle = math.pi / 2 }, material = row % 2 == 0 and "teal" or "coral" }
  end
end

-- Two ramps that send the balls apart.
for side = -1, 1, 2 do
  colliders[#colliders + 1] = { name = side < 0 and "ramp_left" or "ramp_right", shape = { box = {2.1, 0.12, 1.9} }, position = {1.75 * side, 1.75, 0},
    orientation = { axis = {0, 0, 1}, angle = -0.42 * side }, material = "oak" }
end
colliders[#colliders + 1] = { name = "divider", shape = { sphere = 0.5 }, position = {0, 1.6, 0}, material = "chrome" }

-- A wheel of three paddles: each is keyed a sixth of a turn at a time.
for paddle = 0, 2 do
  local keys = {}
  for k = 0, 24 do
    keys[k + 1] = { t = 0.4 * k, position = {3.6, 0.95, 0}, orientation = { axis = {0, 0, 1}, angle = -math.pi / 6 * k + paddle * math.pi / 3 } }
  end
  colliders[#colliders + 1] = { name = "paddle" .. paddle, shape = { box = {1.7, 0.09, 1.7} }, keys = keys, material = "coral" }
end
colliders[#colliders + 1] = { name = "bowl_stone", shape = { sphere = 0.75 }, position = {-3.5, 0.35, 0.4}, material = "plaster_dark" }

local function pour(name, material, count, height, radius)
  return { type = "particles", name = name, integrator = "velocity_verlet",
    particles = { count = count, position = {0, 6.2 + height, 0}, box = {1.3, 2 * height, 1.3}, radius = radius, mass = 0.3, spread = {0.06, 0, 0.06}, material = material } }
end

return {
  title = "Showcase", duration = 5, fps = 24, seed = 11,
  materials = {
    plaster = { color = "#a39e93", restitution = 0.45, friction = 0.45 },
    plaster_dark = { color = "#6d6875", restitution = 0.6 },
    brass = { preset = "gold", restitution = 0.35, friction = 0.15, roughness = 0.28 },
    chrome = { preset = "steel", roughness = 0.06, restitution = 0.85 },
    oak = { preset = "oak", restitution = 0.55, friction = 0.1 },
    teal = { color = "#1d7874", restitution = 0.7 },
    coral = { color = "#e4572e", restitution = 0.7 },
    ivory = { color = "#f4f1de", surface = "glossy", roughness = 0.15, restitution = 0.75, friction = 0.2 },
    blue = { color = "#23539c", surface = "glossy", roughness = 0.15, restitution = 0.8, friction = 0.2 },
    ember = { preset = "spark", restitution = 0.35 },
    leaf = { preset = "leaf", color = "#c8671b" },
    leaf_gold = { preset = "leaf", color = "#dda12a" },
  },
  fields = { { drag = 0.0022 }, { wind = {wind, 0.0, 0.15} } },
  colliders = colliders,
  systems = {
    pour("balls_ivory", "ivory", balls // 3, 7, 0.085),
    pour("balls_blue", "blue", balls // 3, 8, 0.07),
    pour("balls_gold", "brass", balls // 3, 6, 0.06),
    { type = "particles", name = "leaves", streak = 0.035,
      particles = {
        { count = leaves // 2, position = {-9, 4.2, -0.6}, box = {18, 6.5, 6}, radius = 0.035, mass = 0.00022, spread = {0.5, 0.6, 0.5}, material = "leaf" },
        { count = leaves // 2, position = {-9, 4.6, 0}, box = {18, 6.5, 6}, radius = 0.03, mass = 0.00018, spread = {0.5, 0.7, 0.5}, material = "leaf_gold" },
      } },
    { type = "particles", name = "sparks", streak = 0.03,
      particles = { count = sparks, position = {-3.5, -50, 0}, radius = 0.012, mass = 0.004, material = "ember", status = "inactive" } },
  },
  camera = {
    fov = 0.72, exposure = 0.1,
    keys = { { t = 0, eye = {4.2, 3.6, 10.6}, target = {0.1, 2.9, 0} }, { t = 2.5, eye = {0.4, 3.0, 10.4}, target = {0.1, 2.5, 0} }, { t = 5, eye = {-3.6, 2.7, 10.4}, target = {0.2, 2.6, 0} } },
  },

  -- The grinder: every step a few sparks leave the top of the stone, the oldest of them again.
  on_step = function(world, t)
    local next = world.state.next or 0
    for i = 1, 6 do
      local a, up, out = world:random(), world:random(), world:random()
      world:place("sparks", next, {-3.45, 1.12, 0.4}, {1.2 + 3.2 * out, 2.2 + 3.4 * up, 2.4 * (a - 0.5)})
      world:status("sparks", next, "dynamic")
      next = (next + 1) % sparks
    end
    world.state.next = next
  end,
}
