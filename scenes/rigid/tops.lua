-- Spinning tops: the faster a top spins the slower it precesses; below a critical spin it falls (H9.8). Four tops on their tips, leaned alike, from 200 to 50 rad/s.
local mode = param("mode", "exact", "exact or realtime")
local lean = param("lean", 0.2, "rad")

local colors = { "red", "yellow", "green", "blue" }
local rates = { 200, 130, 85, 50 }
local bodies = {}
for i, rate in ipairs(rates) do
  local x = (i - 2.5) * 0.19
  local axis = { math.sin(lean), math.cos(lean), 0 }
  local profile = {}
  for k = 0, 11 do -- the body: a hull from the tip to the rim and the shoulder
    local a = 2 * math.pi * k / 12
    for _, p in ipairs { { 0.003, 0.004 }, { 0.04, 0.04 }, { 0.04, 0.052 }, { 0.01, 0.062 } } do profile[#profile + 1] = { p[1] * math.cos(a), p[2], p[1] * math.sin(a) } end
  end
  bodies[i] = { name = "top" .. i, material = colors[i],
    shape = { compound = { { shape = { sphere = 0.005, offset = {0, 0.005, 0}, material = "steel" } }, { shape = { hull = { points = profile }, material = colors[i] } },
      { shape = { capsule = {0.005, 0.03}, offset = {0, 0.078, 0}, material = "steel" } }, { shape = { box = {0.012, 0.004, 0.05}, offset = {0.02, 0.053, 0}, material = "stripe" } } } },
    position = { x + 0.005 * math.sin(lean) , 0.005 - 0.005 * math.cos(lean) + 1e-5, 0 }, orientation = { axis = {0, 0, 1}, angle = -lean },
    spin = { rate * axis[1], rate * axis[2], rate * axis[3] } }
end
local function paint(color) return { density = 900, friction = 0.12, restitution = 0.1, color = color, surface = "glossy", roughness = 0.25 } end
return {
  title = "Spinning tops", duration = 5, fps = 60, steps_per_frame = 4,
  materials = { red = paint("#c1272d"), yellow = paint("#f2b134"), green = paint("#3a8f5d"), blue = paint("#2c5aa0"), stripe = paint("#f4efe4"),
    steel = { density = 7850, friction = 0.12, restitution = 0.1, color = "#c9ced4", surface = "metal", roughness = 0.2 },
    table = { color = "#b08a5e", pattern = "wood", pattern_size = 0.012, friction = 0.12, restitution = 0.1 } },
  colliders = { { name = "table", shape = { box = {12, 0.1, 12} }, position = {0, -0.05, 0}, material = "table" } },
  systems = { { type = "rigid", name = "tops", mode = mode, bodies = bodies } },
  camera = { eye = {0.08, 0.21, 0.7}, target = {0.03, 0.022, 0.0}, fov = 0.56, clouds = 0.5, sun = {-0.4, 0.7, 0.5} },
}
