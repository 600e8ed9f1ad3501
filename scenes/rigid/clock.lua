-- Gears and a clock escapement: a weightless motor turns the escape wheel, two pins of the anchor let it go on by half a tooth a swing, and its slanted teeth
-- keep the pendulum going: contacts do all of that. A train of gear joints turns the hands (joints: hinge, gear).
local torque = param("torque", 0.009, "N m on the escape wheel")

local pi = math.pi
local R, root, teeth, pin = 0.125, 0.098, 20, 0.005 -- escape wheel: tips, roots, teeth; pins of the anchor, m
local depth = 0.004                                -- of the pins in the wheel when the pendulum hangs, m
local phi = 4.5 * pi / teeth                       -- pins stand 4 1/2 teeth apart
local r0 = R + pin - depth
local pivot = r0 / math.cos(phi)                   -- here the pins move straight out and in

-- A ring of teeth, each a prism: half widths at root and tip, turned by phase.
local function ring(parts, count, inner, tip, low, high, z, thick, phase, material)
  for k = 0, count - 1 do
    local a, points = 2 * pi * k / count + phase, {}
    for _, p in ipairs { { inner, -low }, { inner, low }, { tip, -high }, { tip, high } } do
      local x, y = p[1] * math.cos(a) - p[2] * math.sin(a), p[1] * math.sin(a) + p[2] * math.cos(a)
      points[#points + 1] = { x, y, z - thick / 2 }
      points[#points + 1] = { x, y, z + thick / 2 }
    end
    parts[#parts + 1] = { shape = { hull = { points = points }, material = material } }
  end
end
local flat = { axis = {1, 0, 0}, angle = pi / 2 }
local function disc(parts, radius, z, thick, material)
  parts[#parts + 1] = { shape = { cylinder = {radius, thick}, turn = flat, offset = {0, 0, z}, material = material } }
end
local function spokes(parts, radius, z, material)
  for k = 0, 2 do
    parts[#parts + 1] = { shape = { box = {2 * radius, 0.008, 0.003}, turn = { axis = {0, 0, 1}, angle = k * pi / 3 }, offset = {0, 0, z}, material = material } }
  end
end
local function gear(parts, count, radius, z, phase, material)
  local w = pi * radius / count
  disc(parts, radius * (1 - 2 / count), z, 0.008, material)
  ring(parts, count, radius * (1 - 2.4 / count), radius * (1 + 2 / count), 0.6 * w, 0.3 * w, z, 0.008, phase, material)
end

-- The escape wheel, with a pinion of 10 behind it; at first a tooth is just before the left pin.
local escape, center, hour, anchor = {}, {}, {}, {}
disc(escape, root, 0, 0.006, "brass")
ring(escape, teeth, root - 0.002, R, 0.009, 0.0008, 0, 0.01, pi / 2 + phi + 0.5 * pi / teeth, "brass")
spokes(escape, root * 0.9, 0.004, "dark")
gear(escape, 10, 0.02, -0.02, 0, "steel")
-- The centre wheel, 40 teeth, carries the red hand; a pinion of 10 behind it drives the wheel of the dark hand.
local cx, cy = -0.1 * math.cos(0.5), -0.1 * math.sin(0.5) -- 0.02 + 0.08 from the escape wheel
gear(center, 40, 0.08, -0.02, pi / 40 + 0, "gold")
gear(center, 10, 0.02, -0.04, 0, "steel")
center[#center + 1] = { shape = { box = {0.007, 0.075, 0.003}, offset = {0, 0.032, 0.012}, material = "red" } }
center[#center + 1] = { shape = { cylinder = {0.006, 0.035}, turn = flat, offset = {0, 0, -0.004}, material = "dark" } }
local hx, hy = cx - 0.08 * math.cos(0.9), cy + 0.08 * math.sin(0.9)
gear(hour, 30, 0.06, -0.04, 0.1, "copper")
hour[#hour + 1] = { shape = { box = {0.007, 0.055, 0.003}, offset = {0, 0.022, -0.032}, material = "dark" } }

-- The anchor: arms to the pins, the rod and the bob of the pendulum, about its pivot.
local long = 0.38
for s = -1, 1, 2 do
  local x, y = s * r0 * math.sin(phi), r0 * math.cos(phi) - pivot
  local l = math.sqrt(x * x + y * y)
  anchor[#anchor + 1] = { shape = { cylinder = {pin, 0.024}, turn = flat, offset = {x, y, 0.002}, material = "steel" } }
  anchor[#anchor + 1] = { shape = { box = {l, 0.009, 0.004}, turn = { axis = {0, 0, 1}, angle = math.atan(y, x) }, offset = {x / 2, y / 2, 0.015}, material = "blue" } }
end
anchor[#anchor + 1] = { shape = { box = {0.006, long, 0.004}, offset = {0, -long / 2, 0.02}, material = "steel" } }
anchor[#anchor + 1] = { shape = { cylinder = {0.035, 0.014}, turn = flat, offset = {0, -long, 0.02}, material = "bob" } }

local start = 0.1
local bodies = {
  { name = "escape", shape = { compound = escape }, position = {0, 0, 0}, mass = 0.05, material = "brass", stays_awake = true },
  { name = "anchor", shape = { compound = anchor }, position = {0, pivot, 0}, orientation = { axis = {0, 0, 1}, angle = start }, density = 7850, material = "steel", stays_awake = true },
  { name = "center", shape = { compound = center }, position = {cx, cy, 0}, mass = 0.03, material = "gold", filter = { group = -1 } },
  { name = "hour", shape = { compound = hour }, position = {hx, hy, 0}, mass = 0.02, material = "copper", filter = { group = -1 } },
}
local z = {0, 0, 1}
local joints = {
  { a = "escape", hinge = { anchor = {0, 0, 0}, axis = z, motor = { speed = 30, most = torque } } },
  { a = "anchor", hinge = { anchor = {0, pivot, 0}, axis = z } },
  { a = "center", hinge = { anchor = {cx, cy, 0}, axis = z } },
  { a = "hour", hinge = { anchor = {hx, hy, 0}, axis = z } },
  { a = "escape", b = "center", gear = { axis = z, ratio = 4 } },
  { a = "center", b = "hour", gear = { axis = z, ratio = 3 } },
}
local function metal(color, roughness) return { density = 7850, color = color, surface = "metal", roughness = roughness, friction = 0.05, restitution = 0.05 } end
return {
  title = "Gears and an escapement", duration = 14, fps = 30, steps_per_frame = 8,
  materials = { brass = metal("#d9a441", 0.25), gold = metal("#e8c468", 0.3), copper = metal("#c4703f", 0.3), steel = metal("#c9ced4", 0.25), blue = metal("#4a6fb5", 0.3), bob = metal("#e3b04b", 0.15),
    dark = { color = "#2a2d33", friction = 0.05 }, red = { color = "#c1272d", friction = 0.05 }, back = { color = "#5a3a24", pattern = "wood", pattern_size = 0.03 } },
  colliders = { { name = "back", shape = { box = {1.8, 1.4, 0.02} }, position = {0, -0.02, -0.085}, material = "back" } },
  systems = { { type = "rigid", name = "clock", bodies = bodies, joints = joints, bounce_speed = 0.05 } },
  camera = { eye = {0.14, 0.06, 0.78}, target = {-0.02, -0.045, 0}, fov = 0.56, clouds = 0.5, sun = {-0.35, 0.5, 0.8}, sky_color = {0.6, 0.62, 0.66}, horizon_color = {0.95, 0.9, 0.82} },
}
