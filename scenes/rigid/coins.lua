-- Coins: a handful tossed on a table; they flip, ring on their edges, wobble ever faster and lie down (H9.9).
-- True sizes, millimetres and grams: nothing in the solver is tied to metres.
local n = param("n", 40, "how many coins")

local kinds = { -- radius and thickness, mm; mass, g
  { 11.6, 2.3, 7.5, "gold" }, { 9.6, 1.7, 4.0, "gold" }, { 10.6, 1.7, 3.9, "copper" }, { 12.9, 2.2, 8.5, "silver" },
}
local bodies = {}
for i = 0, n - 1 do
  local kind = kinds[i % #kinds + 1]
  local a, ring = 2.399963 * i, 0.011 * math.sqrt(i) -- a sunflower: nobody starts in somebody else
  bodies[i + 1] = { name = "coin" .. i, shape = { cylinder = { kind[1] / 1000, kind[2] / 1000 } }, mass = kind[3] / 1000, material = kind[4],
    position = { -0.16 + 0.9 * ring * math.cos(a), 0.10 + 0.009 * i, ring * math.sin(a) },
    orientation = { axis = { math.random() - 0.5, math.random() - 0.5, math.random() - 0.5 }, angle = 6.28 * math.random() },
    velocity = { 0.45 + 0.25 * math.random(), 0.4 * math.random(), 0.3 * (math.random() - 0.5) },
    spin = { 60 * (math.random() - 0.5), 60 * (math.random() - 0.5), 60 * (math.random() - 0.5) } }
end
-- One more is set spinning on its edge, in front.
bodies[n + 1] = { name = "spinner", shape = { cylinder = {0.0129, 0.0022} }, mass = 0.0085, material = "silver", position = {0.02, 0.0130, 0.13},
  orientation = { axis = {1, 0, 0}, angle = math.pi / 2 }, spin = {0.8, 55, 0.4} }

local metal = { static_friction = 0.25, dynamic_friction = 0.2, restitution = 0.45, spinning_friction = 1e-4, rolling_friction = 2e-5, surface = "metal" }
local function coin(color, roughness)
  local m = { color = color, roughness = roughness }
  for k, v in pairs(metal) do m[k] = v end
  return m
end
return {
  title = "Coins", duration = 4, fps = 60, steps_per_frame = 4, seed = 7,
  materials = { gold = coin("#f0c060", 0.22), copper = coin("#d98a55", 0.25), silver = coin("#d8dade", 0.16),
    cloth = { color = "#1f5a4a", pattern = "felt", pattern_size = 0.001, restitution = 0.45, friction = 0.25, spinning_friction = 1e-4, rolling_friction = 2e-5 } },
  colliders = { { name = "table", shape = { box = {6, 1, 6} }, position = {0, -0.5, 0}, material = "cloth" } },
  systems = { { type = "rigid", name = "coins", bodies = bodies, bounce_speed = 0.05, sleep_speed = 0.005 } },
  camera = { eye = {0.06, 0.11, 0.31}, target = {0.0, 0.012, 0.03}, fov = 0.5, shutter = 0.3, sun = {-0.5, 0.75, 0.2}, aperture = 0.001, exposure = 0.5, clouds = 0.6, sky_color = {0.16, 0.2, 0.28}, horizon_color = {0.9, 0.84, 0.76} },
}
