-- A sand castle: four towers and a keep of damp sand, and a column of dry sand that falls to its angle of rest beside it.
local radius = param("radius", 0.01, "half the distance between particles, m")
local friction = param("friction", 0.7, "tangent of the angle of rest")
local cohesion = param("cohesion", 1500, "what damp sand bears unpressed, Pa; 0: the castle falls")

local blocks = {}
for i = 0, 3 do
  local x, z = (i % 2 - 0.5) * 0.32, (i // 2 - 0.5) * 0.32
  blocks[#blocks + 1] = { phase = "damp", jitter = 0.3, shape = { cylinder = {0.06, 0.26} }, position = {x - 0.15, 0.13, z} }
end
blocks[#blocks + 1] = { phase = "damp", jitter = 0.3, shape = { box = {0.26, 0.16, 0.26} }, position = {-0.15, 0.08, 0} }
blocks[#blocks + 1] = { phase = "dry", jitter = 0.3, shape = { cylinder = {0.11, 0.14} }, position = {0.3, 0.07, 0} }
return {
  title = "Sand castle", duration = 2, fps = 30,
  materials = { damp = { color = "#a8874e", pattern = "grains" }, dry = { color = "#dcc08a", pattern = "grains" }, beach = { color = "#cbb489", pattern = "speckle" } },
  colliders = { { name = "beach", shape = { plane = {0, 1, 0} }, material = "beach" } },
  systems = { { type = "sph", name = "sand", radius = radius,
    phases = { { name = "damp", matter = "sand", density = 1700, viscosity = 0, tension = 0, friction = friction, cohesion = cohesion, material = "damp" },
               { name = "dry", matter = "sand", density = 1600, viscosity = 0, tension = 0, friction = friction, material = "dry" } },
    blocks = blocks, look = { draw = "particles" } } },
  camera = { eye = {0.62, 0.42, 0.85}, target = {0.04, 0.09, 0}, fov = 0.62, shutter = 0, sun = {0.6, 0.45, -0.1} },
}
