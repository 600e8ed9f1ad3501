-- One-way platforms: balls are shot up through four shelves and come to rest on them; what comes down is stopped (one_way).
local n = param("n", 100, "how many balls")

local bodies = {}
for k = 0, 3 do
  bodies[#bodies + 1] = { name = "shelf" .. k, mobility = "static", shape = { box = {3.6, 0.06, 1.2} }, position = { 0, 1 + 0.9 * k, 0 }, material = "shelf",
    one_way = {0, 1, 0} }
end
bodies[#bodies + 1] = { name = "pane", mobility = "static", shape = { box = {4, 7, 0.1} }, visible = { box = {0.01, 0.01, 0.01} }, position = {0, 3.5, 0.68}, material = "wall" }
local first = #bodies
for i = 1, n do
  local k = i % 4
  bodies[#bodies + 1] = { shape = i % 3 == 0 and { box = {0.17, 0.17, 0.17} } or { sphere = 0.1 }, mobility = "inactive", material = "c" .. k,
    position = { 3.1 * (math.random() - 0.5), 0.15, 0.8 * (math.random() - 0.5) },
    velocity = { 0.3 * (math.random() - 0.5), math.sqrt(2 * 9.81 * (1.15 + 0.9 * k)), 0.2 * (math.random() - 0.5) }, spin = { 6 * (math.random() - 0.5), 0, 6 * (math.random() - 0.5) } }
end
local materials = { shelf = { color = "#f3efe6", friction = 0.6, restitution = 0.1, rolling_friction = 0.01 }, floor = { color = "#5d6770", friction = 0.6, restitution = 0.2, rolling_friction = 0.01 },
  wall = { color = "#9fb0bd", friction = 0.3, restitution = 0.3 } }
for k, color in ipairs { "#c1272d", "#f2b134", "#3a8f5d", "#1b9aaa", "#7b4fa3" } do
  materials["c" .. (k - 1)] = { density = 600, color = color, friction = 0.6, restitution = 0.25, rolling_friction = 0.01, surface = "glossy", roughness = 0.3 }
end
return {
  title = "One-way platforms", duration = 8, fps = 30, steps_per_frame = 4, seed = 9, materials = materials,
  colliders = { { shape = { plane = {0, 1, 0} }, material = "floor" }, { shape = { box = {4, 4.2, 0.1} }, position = {0, 2.1, -0.68}, material = "wall" },
    { shape = { box = {0.1, 4.2, 1.3} }, position = {-1.9, 2.1, 0}, material = "wall" }, { shape = { box = {0.1, 4.2, 1.3} }, position = {1.9, 2.1, 0}, material = "wall" } },
  systems = { { type = "rigid", name = "things", bodies = bodies, bounce_speed = 0.3 } },
  on_step = function(world, t)
    local due = math.min(n, math.floor(t * 15) + 1)
    local out = world.state.out or 0
    if due > out then world:status("things", first + due - 1, "dynamic") end
    world.state.out = due
  end,
  camera = { eye = {1.6, 2.9, 6.6}, target = {0, 2.1, 0}, fov = 0.66, clouds = 0.4, shutter = 0.2, sun = {0.3, 0.6, 0.7} },
}
