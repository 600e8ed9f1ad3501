-- A hand at work, by script: on_step grabs a ball along a ray as a mouse would, drags it through the air, lets it go as a throw, nails others to the sky and hangs a
-- chain of springs from them (commands grab, drag, release, nail, attach; see Scripts in the handbook of scenes).
local speed = param("speed", 1, "of the hand")

local eye = {0, 2.2, 8} -- rays begin at the camera
local function towards(x, y) return eye[1], eye[2], eye[3], x - eye[1], y - eye[2], -eye[3] end

local balls = {}
for i = 0, 4 do balls[i + 1] = { position = {-2.6 + 0.55 * i, 0.2, 0}, radius = 0.2, mass = 0.5, material = i % 2 == 0 and "red" or "cream" } end
for i = 0, 7 do balls[#balls + 1] = { position = {1.0 + 0.3 * i, 2.9, 0}, radius = 0.1, mass = 0.15, material = i % 2 == 0 and "teal" or "cream" } end

-- Where the hand is: up from the first ball, over to the right, down.
local function hand(t)
  local s = math.min(math.max((t - 0.3) * speed / 1.6, 0), 1)
  return -2.6 + 3.4 * s, 0.2 + 2.3 * math.sin(math.pi * 0.62 * s)
end

return {
  title = "A hand at work", duration = 4, fps = 30, steps_per_frame = 2, seed = 9,
  materials = { floor = { color = "#b9b2a4", restitution = 0.5, friction = 0.4 }, red = { color = "#c1352b", restitution = 0.7, surface = "glossy", roughness = 0.2 },
    cream = { color = "#efe6d2", restitution = 0.7, surface = "glossy", roughness = 0.2 }, teal = { color = "#1d7874", restitution = 0.6, surface = "glossy", roughness = 0.2 },
    cursor = { surface = "emissive", color = "#ffd23f", glow = 2 } },
  colliders = { { name = "floor", shape = { plane = {0, 1, 0} }, material = "floor" } },
  systems = {
    { type = "particles", name = "balls", particles = balls },
    { type = "particles", name = "cursor", particles = { position = {-2.6, 0.2, 0.3}, radius = 0.05, material = "cursor", status = "animated" } },
  },
  camera = { fov = 0.45, eye = eye, target = {0.25, 1.5, 0} },

  on_step = function(world, t)
    local state, x, y = world.state, hand(t)
    world:place("cursor", 0, {x, y, 0.3})
    if world.step == 0 then
      -- The chain: its ends are nailed, its links hold each other.
      world:nail("balls", 5)
      world:nail("balls", 12)
      for i = 5, 11 do world:attach { a = { system = "balls", element = i }, b = { system = "balls", element = i + 1 }, stiffness = 400, rest = 0.3, damping_ratio = 0.2 } end
    elseif t > 0.3 and state.held == nil and not state.thrown then
      state.held = world:grab(towards(x, y)) -- the nearest ball along the ray
    elseif state.held ~= nil and t < 0.3 + 1.6 / speed then
      world:drag(state.held, towards(x, y))
    elseif state.held ~= nil then
      world:release(state.held)
      state.held, state.thrown = nil, true
    elseif t > 3 and not state.cut then
      world:unnail("balls", 12) -- one end of the chain comes loose
      state.cut = true
    end
  end,
}
