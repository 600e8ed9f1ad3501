-- Ragdolls down a staircase: eleven bodies each, held by ball joints with limits of swing and twist, hinges at elbows and knees (joints: ball, hinge).
local n = param("n", 12, "how many")

local bodies, joints = {}, {}
local hinge_friction = 1.2 -- N m: muscles that are not quite asleep
local function doll(k, x, y, z, shirt)
  local p = "d" .. k
  local group = -(k + 1) -- nobody meets his own limbs
  local function body(name, shape, dx, dy, mass, material, turn)
    bodies[#bodies + 1] = { name = p .. name, shape = shape, position = { x, y + dy, z + dx }, orientation = turn, mass = mass, material = material, filter = { group = group },
      velocity = { 3.2, 0, 0.4 * (math.random() - 0.5) }, spin = { 0, 0, -1.5 } }
  end
  local across = { axis = {1, 0, 0}, angle = math.pi / 2 }
  body("pelvis", { capsule = {0.1, 0.16} }, 0, 1.0, 12, "jeans", across)
  body("chest", { capsule = {0.13, 0.2} }, 0, 1.33, 20, shirt)
  body("head", { sphere = 0.12 }, 0, 1.74, 5, "skin")
  joints[#joints + 1] = { a = p .. "pelvis", b = p .. "chest", ball = { anchor = { x, y + 1.12, z }, axis = {0, 1, 0}, swing = { limits = {0, 0.5}, friction = 4 }, twist = { limits = {-0.4, 0.4} } } }
  joints[#joints + 1] = { a = p .. "chest", b = p .. "head", ball = { anchor = { x, y + 1.6, z }, axis = {0, 1, 0}, swing = { limits = {0, 0.6}, friction = 1 }, twist = { limits = {-0.8, 0.8} } } }
  for s = -1, 1, 2 do
    local side = s < 0 and "l" or "r"
    body("arm" .. side, { capsule = {0.05, 0.22} }, s * 0.235, 1.33, 2.2, shirt)
    body("hand" .. side, { capsule = {0.042, 0.24} }, s * 0.235, 1.02, 1.6, "skin")
    body("thigh" .. side, { capsule = {0.075, 0.3} }, s * 0.1, 0.72, 8, "jeans")
    body("shin" .. side, { capsule = {0.055, 0.32} }, s * 0.1, 0.27, 4, "jeans")
    joints[#joints + 1] = { a = p .. "chest", b = p .. "arm" .. side, ball = { anchor = { x, y + 1.47, z + s * 0.22 }, axis = {0, -1, 0}, swing = { limits = {0, 1.5}, friction = 1 }, twist = { limits = {-0.8, 0.8} } } }
    joints[#joints + 1] = { a = p .. "arm" .. side, b = p .. "hand" .. side, hinge = { anchor = { x, y + 1.17, z + s * 0.235 }, axis = {0, 0, 1}, limits = {-0.05, 2.3}, friction = hinge_friction } }
    joints[#joints + 1] = { a = p .. "pelvis", b = p .. "thigh" .. side, ball = { anchor = { x, y + 0.92, z + s * 0.1 }, axis = {0, -1, 0}, swing = { limits = {0, 1.2}, friction = 2 }, twist = { limits = {-0.4, 0.4} } } }
    joints[#joints + 1] = { a = p .. "thigh" .. side, b = p .. "shin" .. side, hinge = { anchor = { x, y + 0.5, z + s * 0.1 }, axis = {0, 0, 1}, limits = {-2.2, 0.05}, friction = hinge_friction } }
  end
end
local shirts = { "red", "yellow", "teal", "violet" }
local steps, rise, run = 14, 0.19, 0.34
for k = 0, n - 1 do doll(k, -0.3 - 0.8 * (k // 4), steps * rise + 0.05, (k % 4 - 1.5) * 0.95, shirts[(k + k // 4) % 4 + 1]) end

local colliders = { { shape = { plane = {0, 1, 0} }, material = "floor" } }
for i = 0, steps - 1 do
  local height = (steps - i) * rise
  colliders[#colliders + 1] = { shape = { box = {run, height, 4.6} }, position = { run * (i + 0.5), height / 2, 0 }, material = i % 2 == 0 and "stone" or "slab" }
end
colliders[#colliders + 1] = { shape = { box = {6, steps * rise, 4.6} }, position = { -3, steps * rise / 2, 0 }, material = "stone" }
local function cloth(color) return { color = color, friction = 0.6, restitution = 0.05 } end
return {
  title = "Ragdolls", duration = 6, fps = 30, steps_per_frame = 2, seed = 6,
  materials = { red = cloth("#c1272d"), yellow = cloth("#f2b134"), teal = cloth("#1b9aaa"), violet = cloth("#7b4fa3"), jeans = cloth("#2b3f63"), skin = cloth("#e0b08c"),
    stone = { color = "#b8b2a6", pattern = "speckle", friction = 0.6, restitution = 0.05 }, slab = { color = "#a39c8f", pattern = "speckle", friction = 0.6, restitution = 0.05 }, floor = { color = "#8f9499", friction = 0.6, restitution = 0.05 } },
  colliders = colliders,
  systems = { { type = "rigid", name = "dolls", bodies = bodies, joints = joints } },
  camera = { eye = {7.6, 2.9, 5.0}, target = {2.2, 1.2, 0}, fov = 0.56, clouds = 0.45, shutter = 0.2, sun = {0.5, 0.7, 0.45} },
}
