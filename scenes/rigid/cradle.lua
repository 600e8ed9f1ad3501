-- Newton's cradle: five balls, three games. Two swing in and two swing out; a heavy one; and a row whose balls do not quite touch (C4.11, H10.7).
-- Exact mode resolves all touching balls at once.
local lift = param("lift", 2, "balls lifted")
local mode = param("mode", "exact", "exact or realtime")

local r, long, n = 0.1, 1.0, 5
local bodies, joints = {}, {}
for i = 0, n - 1 do
  local x, a = (i - (n - 1) / 2) * (2 * r + 1e-6), i < lift and -0.75 or 0
  local top = 1.35
  bodies[#bodies + 1] = { name = "ball" .. i, shape = { sphere = r }, material = "steel",
    position = { x + long * math.sin(a), top - long * math.cos(a), 0 }, orientation = { axis = {0, 0, 1}, angle = a } }
  joints[#joints + 1] = { hinge = { anchor = {x, top, 0}, axis = {0, 0, 1} }, a = "ball" .. i }
end
return {
  title = "Newton's cradle", duration = 6, fps = 60,
  materials = { steel = { density = 7850, friction = 0, restitution = 1, color = "#cfd3d8", surface = "metal", roughness = 0.08 },
    frame = { color = "#30343b", surface = "glossy", roughness = 0.3 }, table = { color = "#7c4a2c", surface = "glossy", roughness = 0.4 } },
  colliders = { { shape = { box = {4, 0.1, 4} }, position = {0, 0.05, 0}, material = "table" },
    { shape = { box = {1.5, 0.05, 0.05} }, position = {0, 1.38, 0}, material = "frame" } },
  systems = { { type = "rigid", name = "cradle", mode = mode, bodies = bodies, joints = joints, show_joints = true, bounce_speed = 1e-3 } },
  camera = { eye = {0.8, 0.95, 2.4}, target = {0, 0.72, 0}, fov = 0.72, sun = {0.4, 0.7, 0.5} },
}
