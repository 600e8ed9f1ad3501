-- A car: a body on four wheel joints (sprung along one axis, driven about another) drives over bumps, up a ramp and through a stack of crates (joints: wheel).
local speed = param("speed", 12, "m/s that the motors drive to")

local r, half, hub = 0.34, 0.78, 0.42 -- wheel radius, half the track, height of the hubs, m
local bodies = { { name = "car", shape = { compound = {
    { shape = { box = {3.6, 0.42, 1.4}, offset = {0, 0.05, 0}, material = "paint" } },
    { shape = { box = {1.8, 0.46, 1.2}, offset = {-0.25, 0.48, 0}, material = "windows" } },
    { shape = { box = {1.5, 0.06, 1.24}, offset = {-0.25, 0.74, 0}, material = "paint" } } } },
  mass = 900, position = {-12, 0.72, 0}, material = "paint" } }
local joints = {}
for i, place in ipairs { { 1.15, 1 }, { 1.15, -1 }, { -1.15, 1 }, { -1.15, -1 } } do
  local x, z = -12 + place[1], place[2] * half
  bodies[#bodies + 1] = { name = "wheel" .. i, shape = { compound = {
      { shape = { cylinder = {r, 0.22}, turn = { axis = {1, 0, 0}, angle = math.pi / 2 }, material = "rubber" } },
      { shape = { box = {0.4, 0.07, 0.235}, material = "rim" } }, { shape = { box = {0.07, 0.4, 0.235}, material = "rim" } } } },
    mass = 22, position = { x, hub, z }, material = "rubber" }
  joints[#joints + 1] = { a = "car", b = "wheel" .. i, wheel = { anchor = { x, hub, z }, axis = {0, 1, 0}, axis_b = {0, 0, 1},
    slide = { limits = {-0.22, 0.22}, spring = { stiffness = 32000, damping = 2600, rest = -0.06 } },
    turn = { motor = { speed = -speed / r, most = 520 } } } }
end
-- Crates beyond the ramp.
for j = 0, 4 do
  for i = 0, 4 do
    bodies[#bodies + 1] = { shape = { box = {0.6, 0.6, 0.6} }, position = { 17.5, 0.3 + 0.601 * j, (i - 2) * 0.62 }, material = (i + j) % 2 == 0 and "crate" or "pallet" }
  end
end
local colliders = { { name = "road", shape = { plane = {0, 1, 0} }, material = "road" } }
for i = 0, 4 do -- bumps: half-buried cylinders, left and right in turn
  colliders[#colliders + 1] = { shape = { cylinder = {0.5, 1.2}, turn = { axis = {1, 0, 0}, angle = math.pi / 2 } }, position = { -6.5 + 1.7 * i, -0.36, i % 2 == 0 and 0.8 or -0.8 }, material = "kerb" }
end
colliders[#colliders + 1] = { name = "ramp", shape = { hull = { points = { {0, 0, -1.6}, {0, 0, 1.6}, {5, 0, -1.6}, {5, 0, 1.6}, {5, 1.05, -1.6}, {5, 1.05, 1.6} } } }, position = {4.5, 0, 0}, material = "kerb" }
return {
  title = "A car", duration = 6, fps = 30, steps_per_frame = 4,
  materials = { paint = { color = "#b3202a", surface = "glossy", roughness = 0.15, friction = 0.4, restitution = 0.1 }, windows = { color = "#1a2430", surface = "glossy", roughness = 0.05, friction = 0.4, restitution = 0.1 },
    rubber = { color = "#1b1c1e", friction = 1.1, restitution = 0.05 }, rim = { color = "#c9ced4", surface = "metal", roughness = 0.3 },
    crate = { density = 160, color = "#b5763a", pattern = "wood", pattern_size = 0.05, friction = 0.5, restitution = 0.1 }, pallet = { density = 160, color = "#c78f4f", pattern = "wood", pattern_size = 0.06, friction = 0.5, restitution = 0.1 },
    road = { color = "#6c7076", friction = 1, restitution = 0.05 }, kerb = { color = "#d9b13a", friction = 1, restitution = 0.05 } },
  colliders = colliders,
  systems = { { type = "rigid", name = "car", bodies = bodies, joints = joints } },
  camera = { eye = {-8, 2.6, 8}, target = {-10, 0.8, 0}, fov = 0.7, sun = {0.3, 0.7, 0.6},
    keys = { { t = 0, eye = {-8, 2.4, 7.5}, target = {-11, 0.8, 0} }, { t = 1.6, eye = {-3, 2.4, 8}, target = {-5.5, 0.8, 0} }, { t = 3, eye = {6, 2.8, 9}, target = {3.5, 0.9, 0} },
      { t = 4.2, eye = {14.5, 2.8, 7.5}, target = {11.5, 1, 0} }, { t = 5.2, eye = {21, 2.6, 6.6}, target = {16.6, 1.1, 0} }, { t = 6, eye = {23, 2.2, 5.6}, target = {19.6, 1.0, 0} } }, clouds = 0.4, shutter = 0.3 },
}
