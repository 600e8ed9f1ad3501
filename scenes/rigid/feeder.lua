-- A part feeder: washers, bolts and blocks ride a conveyor; fences turn and sort them, a lane lets them out a few at a time (surface_velocity; fences of little friction).
local rate = param("rate", 9, "parts a second")
local speed = param("speed", 0.5, "of the belt, m/s")
local n = param("n", 100, "how many parts")

local colliders, bodies = {}, {}
local function fence(x, z, long, angle, material)
  colliders[#colliders + 1] = { shape = { box = {long, 0.09, 0.02} }, position = {x, 0.045, z}, orientation = { axis = {0, 1, 0}, angle = angle }, material = material or "fence" }
end
fence(0, -0.38, 3.2, 0)
fence(0, 0.38, 3.2, 0)
fence(-0.75, 0.26, 0.5, 0.5, "guide")
fence(-0.28, -0.26, 0.5, -0.5, "guide")
fence(0.62, 0.16, 1.2, 0.36, "guide")
fence(1.39, -0.05, 0.45, 0, "guide")
-- The belt is a static body whose surface runs; a chute at its end and a tray.
bodies[1] = { name = "belt", mobility = "static", shape = { box = {3.2, 0.06, 0.76} }, position = {0, -0.03, 0}, material = "belt", surface_velocity = {speed, 0, 0} }
colliders[#colliders + 1] = { shape = { cylinder = {0.03, 0.76}, turn = { axis = {1, 0, 0}, angle = math.pi / 2 } }, position = {1.6, -0.03, 0}, material = "steel" }
colliders[#colliders + 1] = { shape = { cylinder = {0.03, 0.76}, turn = { axis = {1, 0, 0}, angle = math.pi / 2 } }, position = {-1.6, -0.03, 0}, material = "steel" }
local function tray(x, y, z, sx, sy, sz) colliders[#colliders + 1] = { shape = { box = {sx, sy, sz} }, position = {x, y, z}, material = "tray" } end
tray(1.98, -0.42, 0, 0.6, 0.02, 0.6)
tray(2.28, -0.32, 0, 0.02, 0.2, 0.6)
tray(1.68, -0.32, 0, 0.02, 0.2, 0.6)
tray(1.98, -0.32, -0.3, 0.6, 0.2, 0.02)
tray(1.98, -0.32, 0.3, 0.6, 0.2, 0.02)
colliders[#colliders + 1] = { shape = { plane = {0, 1, 0} }, position = {0, -0.9, 0}, material = "floor" }
for _, x in ipairs { -1.4, 1.4 } do
  for _, z in ipairs { -0.33, 0.33 } do colliders[#colliders + 1] = { shape = { box = {0.06, 0.84, 0.06} }, position = {x, -0.48, z}, material = "steel" } end
end

local bolt = { compound = { { shape = { cylinder = {0.012, 0.07} } }, { shape = { hull = { points = (function()
  local p = {}
  for k = 0, 5 do
    for _, y in ipairs { 0.03, 0.046 } do p[#p + 1] = { 0.022 * math.cos(k * math.pi / 3), y, 0.022 * math.sin(k * math.pi / 3) } end
  end
  return p
end)() } } } } }
local parts = { { bolt, "zinc" }, { { cylinder = {0.03, 0.024} }, "brass" }, { { box = {0.06, 0.036, 0.045} }, "red" }, { { box = {0.04, 0.04, 0.04} }, "blue" } }
for i = 1, n do
  local part = parts[i % #parts + 1]
  bodies[i + 1] = { name = "part" .. i, shape = part[1], material = part[2], density = 2700, mobility = "inactive",
    position = { -1.35 + 0.1 * (math.random() - 0.5), 0.25, 0.4 * (math.random() - 0.5) }, 
    orientation = { axis = { math.random() - 0.5, math.random() - 0.5, math.random() - 0.5 }, angle = 3 * math.random() } }
end
return {
  title = "A part feeder", duration = 14, fps = 30, steps_per_frame = 4, seed = 4,
  materials = { belt = { color = "#2b2e33", friction = 0.7, restitution = 0.05 }, fence = { color = "#9aa3ad", surface = "metal", roughness = 0.35, friction = 0.15, restitution = 0.2 },
    guide = { color = "#e8b21e", friction = 0.1, restitution = 0.1 }, steel = { color = "#7d858e", surface = "metal", roughness = 0.3 },
    zinc = { color = "#c9ced4", surface = "metal", roughness = 0.3, friction = 0.15, restitution = 0.2 }, brass = { color = "#d9a441", surface = "metal", roughness = 0.3, friction = 0.15, restitution = 0.2 },
    red = { color = "#c1272d", friction = 0.15, restitution = 0.2, surface = "glossy", roughness = 0.3 }, blue = { color = "#2c5aa0", friction = 0.15, restitution = 0.2, surface = "glossy", roughness = 0.3 },
    tray = { color = "#d7d2c6", friction = 0.5, restitution = 0.1 }, floor = { color = "#8d9299" } },
  colliders = colliders,
  systems = { { type = "rigid", name = "parts", bodies = bodies, bounce_speed = 0.2 } },
  on_step = function(world, t)
    local due = math.floor(t * rate) + 1
    local seen = world.state.out or 0
    if due > seen and due <= n then
      world:status("parts", due, "dynamic")
      world.state.out = due
    end
  end,
  camera = { eye = {2.15, 1.3, 1.7}, target = {0.55, -0.14, 0.06}, fov = 0.66, clouds = 0.5, shutter = 0.2, sun = {0.3, 0.8, 0.4} },
}
