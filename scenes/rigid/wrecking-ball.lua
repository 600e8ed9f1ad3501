-- A wrecking ball of 1 t on a chain of 20 links of 1 kg each swings into a house wall. Mass ratios of 1:1000 make most chains stretch like rubber; a direct
-- block solver with geometric stiffness holds this one to the millimetre at 60 Hz.
local links = param("links", 20, "of the chain")
local ratio = param("ratio", 1000, "mass of the ball over that of a link")

local top, long, r = {0, 13.4, 0}, 0.5, 0.32 -- the boom's tip; a link, m
local lean = 1.15 -- of the chain at first, rad
local dx, dy = -math.sin(lean), -math.cos(lean)
local bodies, joints = {}, {}
local function at(s) return { top[1] + s * dx, top[2] + s * dy, 0 } end
local turn = { axis = {0, 0, 1}, angle = math.pi - lean } -- y of a link along the chain
for i = 1, links do
  bodies[i] = { name = "link" .. i, shape = { capsule = {0.055, long - 0.11} }, mass = 1, position = at((i - 0.5) * long), orientation = turn, material = "chain",
    filter = { category = 2, mask = 4 } }
  joints[i] = { ball = { anchor = at((i - 1) * long) }, a = "link" .. i, b = i > 1 and "link" .. (i - 1) or nil }
end
bodies[links + 1] = { name = "ball", shape = { sphere = 0.6 }, mass = ratio, position = at(links * long + 0.6), orientation = turn, material = "iron" }
joints[links + 1] = { ball = { anchor = at(links * long) }, a = "ball", b = "link" .. links }

-- The wall: bricks in running bond, two windows under lintels.
local w, h, d = 0.704, 0.35, 0.35
local function lay(j, z, wide, color)
  bodies[#bodies + 1] = { shape = { box = {d, h, wide - 0.004} }, position = { 1.6, h / 2 + j * (h + 0.001), z }, material = color }
end
for j = 0, 15 do
  for i = 0, 11 - j % 2 do
    local z = (i - 5.5 + (j % 2) / 2) * w
    local aside = math.abs(math.abs(z) - 3 * w)
    local window, lintel = j >= 5 and j <= 8 and aside < 0.6 * w, j == 9 and aside < 1.1 * w
    if not window and not lintel then lay(j, z, w, ({ "red", "rust", "clay" })[(i * 7 + j * 5) % 3 + 1]) end
  end
end
lay(9, -3 * w, 3 * w, "lintel")
lay(9, 3 * w, 3 * w, "lintel")
local function brick(color) return { density = 1800, friction = 0.65, restitution = 0.05, color = color, pattern = "speckle" } end
return {
  title = "A wrecking ball", duration = 6, fps = 30,
  materials = { red = brick("#a8432f"), rust = brick("#b9563a"), clay = brick("#93392b"), lintel = brick("#cfc7b6"), iron = { color = "#22262c", surface = "metal", roughness = 0.35, friction = 0.5, restitution = 0.1 },
    chain = { color = "#8b9096", surface = "metal", roughness = 0.3 }, ground = { friction = 0.7, restitution = 0.1, color = "#a79f8c" }, crane = { color = "#e3a51a", friction = 0.5 } },
  colliders = { { name = "ground", shape = { plane = {0, 1, 0} }, material = "ground" },
    { name = "boom", shape = { box = {0.4, 0.4, 9} }, position = {0, 13.65, -4.2}, material = "crane" }, { name = "mast", shape = { box = {0.7, 14, 0.7} }, position = {0, 7, -8.4}, material = "crane" } },
  systems = { { type = "rigid", name = "site", bodies = bodies, joints = joints } },
  camera = { eye = {-3.2, 4.6, 9.6}, target = {1.0, 3.5, 0}, fov = 0.74, clouds = 0.45, shutter = 0.2, sun = {-0.45, 0.6, 0.6} },
}
