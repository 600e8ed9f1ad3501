-- Newton's cradle: five touching balls; as many swing out as swung in (C4.11, H10.7). Exact mode finds the collision times; how the touching balls share the blow is
-- a choice of the model: --set impulses=sequential passes it on from pair to pair, as steel does, system resolves all at once and sends three out for two.
local lift = param("lift", 2, "balls lifted")
local impulses = param("impulses", "sequential", "sequential or system")

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
    frame = { color = "#30343b", surface = "glossy", roughness = 0.3 }, table = { color = "#8a5a38", pattern = "wood", pattern_size = 0.04 } },
  colliders = { { shape = { box = {4, 0.1, 4} }, position = {0, 0.05, 0}, material = "table" },
    { shape = { box = {1.5, 0.05, 0.05} }, position = {0, 1.38, 0}, material = "frame" } },
  systems = { { type = "rigid", name = "cradle", mode = "exact", impulses = impulses, bodies = bodies, joints = joints, show_joints = true, bounce_speed = 1e-3 } },
  camera = { eye = {0.55, 0.62, 2.3}, target = {0.08, 0.76, 0}, fov = 0.66, clouds = 0.6, shutter = 0.2, sun = {0.5, 0.6, 0.5}, sky_color = {0.18, 0.3, 0.5} },
}
