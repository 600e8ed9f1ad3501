-- The torture list: what no scene should do, in one scene (course notes R1). Everything stays finite, and what was not physics is reported.
--   1. a collider that jumps: its keys put it elsewhere within a millisecond, through whatever is there
--   2. particles that begin deep inside solids, and many in the very same place
--   3. a push of 1e6 N on particles of a kilogram, from on_step
--   4. a wind of 5 km/s against strong drag
--   5. paddles that spin ten times a second in a full box
local n = param("n", 300, "particles of each trial")
local force = param("force", 1e6, "of the push, N")

local function jumps() -- there and back every half second, in 1 ms
  local keys = {}
  for k = 0, 9 do
    local x = k % 2 == 0 and -9 or -6.4
    keys[#keys + 1] = { t = 0.5 * k, position = {x, 0.7, 0} }
    keys[#keys + 1] = { t = 0.5 * k + 0.499, position = {x, 0.7, 0} }
  end
  return keys
end
local function spins(offset) -- a key every twelfth of a turn
  local keys = {}
  for k = 0, 600 do keys[k + 1] = { t = k / 120, position = {9, 1.1, 0}, orientation = { axis = {0, 0, 1}, angle = math.pi / 6 * k + offset } } end
  return keys
end

local function trial(name, material, groups, more)
  local system = { type = "particles", name = name, particles = groups, kinds = { { name = name, material = material } } }
  for key, value in pairs(more or {}) do system[key] = value end
  return system
end

return {
  title = "Torture", duration = 4, fps = 30, steps_per_frame = 2, seed = 666,
  bounds = { low = {-200, -50, -200}, high = {200, 400, 200}, policy = "deactivate" },
  materials = {
    floor = { color = "#8f8a80", restitution = 0.5 }, steel = { preset = "steel", roughness = 0.2 }, red = { color = "#d1495b" }, gold = { color = "#edae49" }, teal = { color = "#00798c" },
    blue = { color = "#30638e" }, green = { color = "#6a994e", restitution = 0.4 }, wall = { color = "#c8c2b6" },
  },
  fields = { { drag = 0.4, tags = {"blown"} }, { wind = {5000, 0, 3000}, strength = { { t = 0, value = 0 }, { t = 0.4, value = 0 }, { t = 0.45, value = 1 }, { t = 0.6, value = 0 } } } },
  colliders = {
    { name = "floor", shape = { plane = {0, 1, 0} }, material = "floor" },
    { name = "jumper", shape = { box = {1.4, 1.4, 1.4} }, keys = jumps(), smooth = false, material = "steel" },
    { name = "swallower", shape = { sphere = 0.9 }, position = {-3.2, 0.9, 0}, material = "steel" },
    { name = "swallower_box", shape = { box = {1.2, 1.2, 1.2} }, position = {-3.2, 0.3, 1.6}, orientation = { axis = {1, 1, 0}, angle = 0.5 }, material = "steel" },
    { name = "paddle", shape = { box = {2.2, 0.12, 1.8} }, keys = spins(0), smooth = false, material = "steel" },
    { name = "paddle_across", shape = { box = {2.2, 0.12, 1.8} }, keys = spins(math.pi / 2), smooth = false, material = "steel" },
    { name = "box_left", shape = { box = {0.2, 2.6, 2.4} }, position = {7.5, 1.3, 0}, material = "wall" },
    { name = "box_right", shape = { box = {0.2, 2.6, 2.4} }, position = {10.5, 1.3, 0}, material = "wall" },
    { name = "box_back", shape = { box = {3.2, 2.6, 0.2} }, position = {9, 1.3, -1.2}, material = "wall" },
    { name = "box_front", shape = { box = {3.2, 1.2, 0.2} }, position = {9, 0.6, 1.2}, material = "wall" },
  },
  systems = {
    trial("jumped", "red", { count = n, position = {-7.7, 1.2, 0}, box = {3.6, 2.2, 1.4}, radius = 0.06, mass = 0.2 }),
    trial("swallowed", "gold", { { count = n, position = {-3.2, 0.9, 0}, box = {1, 1, 1}, radius = 0.06, mass = 0.2 }, { count = n, position = {-3.2, 0.3, 1.6}, radius = 0.06, mass = 0.2 } }),
    trial("pushed", "teal", { count = n, position = {0, 1.5, 0}, box = {0.6, 0.6, 0.6}, radius = 0.06, mass = 1 }),
    trial("blown", "blue", { count = n, position = {3.5, 1.4, 0}, box = {1.6, 1.6, 1.6}, radius = 0.06, mass = 0.02 }, { integrator = "rk4" }),
    trial("spun", "green", { count = n, position = {9, 1.5, 0}, box = {2.4, 1.6, 1.6}, radius = 0.06, mass = 0.2 }),
  },
  camera = { fov = 0.66, eye = {-12, 4.0, 8.5}, target = {-2.2, 0.6, 0}, shutter = 0.2 },

  -- Every third of a second one particle in ten gets a push in some direction: for one step of 1/60 s that is 17 km/s.
  on_step = function(world, t)
    if world.step % 20 ~= 10 then return end
    for i = world.step // 20 % 10, n - 1, 10 do
      local a, up = 2 * math.pi * world:random(), world:random()
      if world:has("pushed", i) then world:push("pushed", i, { force * math.cos(a), force * up, force * math.sin(a) }) end
    end
  end,
}
