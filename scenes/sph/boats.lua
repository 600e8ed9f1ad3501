-- Boats and a raft of crates: bodies lighter than water swim, and the waves of a dam break carry them.
local radius = param("radius", 0.018, "half the distance between particles, m")
local crates = param("crates", 9, "how many crates are tied to the raft")

local sx, sy, sz, wall = 2.4, 0.9, 1.0, 0.012
local function pane(x, z) -- by its outward normal; panes overlap at the corners and end below the floor: no face lies within the glass
  return { shape = { box = x ~= 0 and {wall, sy + wall, sz + 2 * wall} or {sx + wall, sy + wall, wall} }, material = "glass",
    position = {x * (sx + wall) / 2, (sy - wall) / 2, z * (sz + wall) / 2} }
end
local boat = { -- a floor, four boards
  { shape = { box = {0.54, 0.04, 0.34}, offset = {0, -0.05, 0} } },
  { shape = { box = {0.54, 0.14, 0.04}, offset = {0, 0.04, 0.15} } }, { shape = { box = {0.54, 0.14, 0.04}, offset = {0, 0.04, -0.15} } },
  { shape = { box = {0.04, 0.14, 0.26}, offset = {0.25, 0.04, 0} } }, { shape = { box = {0.04, 0.14, 0.26}, offset = {-0.25, 0.04, 0} } },
}
local bodies = { { name = "boat", shape = { compound = boat }, position = {-0.4, 0.37, 0.2}, material = "oak" } }
local joints = {}
for i = 0, crates - 1 do
  bodies[#bodies + 1] = { name = "crate" .. i, shape = { box = {0.12, 0.12, 0.12} }, position = {0.25 + 0.14 * (i % 3), 0.38, -0.25 + 0.14 * (i // 3)}, density = 400, material = "wood" }
  if i % 3 > 0 then joints[#joints + 1] = { ball = { anchor = {0.25 + 0.14 * (i % 3) - 0.07, 0.38, -0.25 + 0.14 * (i // 3)} }, a = "crate" .. i - 1, b = "crate" .. i } end
end
return {
  title = "Boats", duration = 4, fps = 30,
  materials = { floor = { color = "#8d8a84" }, water = { preset = "water", absorption = {3.2, 1.0, 0.55} } },
  colliders = {
    { name = "floor", shape = { plane = {0, 1, 0} }, material = "floor" },
    pane(-1, 0), pane(1, 0), pane(0, -1), pane(0, 1),
  },
  systems = {
    { type = "rigid", name = "boats", bodies = bodies, joints = joints },
    { type = "sph", name = "water", radius = radius, phases = { { fluid = "water", material = "water" } },
      blocks = { { shape = { box = {sx, 0.28, sz} }, position = {0, 0.14, 0} }, { shape = { box = {0.3, 0.2, sz} }, position = {-sx / 2 + 0.15, 0.38, 0} } } },
  },
  camera = { eye = {1.5, 1.5, 2.1}, target = {0, 0.22, 0}, fov = 0.72, shutter = 0, clouds = 0.45, sun = {0.4, 0.8, 0.5} },
}
