-- Galton's board: each ball goes left or right at every pin; where it ends is a count of chances, and the heap a bell curve (H9.9).
local n = param("n", 320, "how many balls")
local rows = param("rows", 12, "rows of pins")

local pitch, r, pin, depth = 0.1, 0.02, 0.013, 0.05 -- m: between pins, of a ball, of a pin, of the case
local drop = pitch * 0.866
local bins = 0.6
local top = bins + 0.1 + rows * drop
local colliders = {}
local function add(shape, position, material, orientation)
  colliders[#colliders + 1] = { shape = shape, position = position, material = material, orientation = orientation }
end
for j = 0, rows - 1 do
  for i = 0, j do
    add({ cylinder = { pin, depth }, turn = { axis = {1, 0, 0}, angle = math.pi / 2 } }, { (i - j / 2) * pitch, top - j * drop, 0 }, "brass")
  end
end
local half = (rows + 1) * pitch / 2
for i = -1, rows + 2 do add({ box = { 0.008, bins, depth } }, { i * pitch - half, bins / 2, 0 }, "rail") end
add({ box = { 2 * half + 0.3, 0.06, 0.2 } }, { 0, -0.03, 0 }, "case")
-- The slanted sides of the field of pins.
local slope, side = math.atan(pitch / 2, drop), rows * pitch + 0.16
for _, s in ipairs { -1, 1 } do
  add({ box = { 0.012, side, depth } }, { s * (half / 2 + 0.085), bins + side / 2 * math.cos(slope), 0 }, "rail", { axis = {0, 0, 1}, angle = s * slope })
end
for _, s in ipairs { -1, 1 } do add({ box = { 0.012, 0.26, depth } }, { s * 0.09, top + 0.18, 0 }, "rail") end -- the spout
add({ box = { 1.7, 2.14, 0.02 } }, { 0, 0.97, -depth / 2 - 0.012 }, "back")
-- on_step releases 20 balls a second, straight above the first pin. The pane in front meets balls but is a speck to the eye.
local bodies = { { name = "pane", mobility = "static", shape = { box = {1.7, 2.14, 0.02} }, visible = { box = {0.001, 0.001, 0.001} },
  position = {0, 0.97, depth / 2 + 0.012}, material = "rail" } }
for i = 1, n do
  bodies[i + 1] = { shape = { sphere = r }, material = ({ "red", "blue", "gold" })[i // 40 % 3 + 1], mobility = "inactive",
    position = { 0.004 * (math.random() - 0.5), top + 0.12, 0.004 * (math.random() - 0.5) }, velocity = {0, -0.5, 0} }
end
local function ball(color) return { density = 2500, friction = 0.1, restitution = 0.75, color = color, surface = "glossy", roughness = 0.2 } end
return {
  title = "Galton's board", duration = 18, fps = 30, steps_per_frame = 4, seed = 11,
  materials = { red = ball("#c1272d"), blue = ball("#2c6ec0"), gold = ball("#f2b134"), brass = { color = "#d9a441", surface = "metal", roughness = 0.3, friction = 0.1, restitution = 0.75 },
    rail = { color = "#e9e4da", friction = 0.1, restitution = 0.05 }, case = { color = "#6b5038", pattern = "wood", pattern_size = 0.03, friction = 0.3 }, back = { color = "#2f4658", pattern = "felt", pattern_size = 0.004, friction = 0.05, restitution = 0.3 } },
  colliders = colliders,
  systems = { { type = "rigid", name = "balls", bodies = bodies, bounce_speed = 0.1 } },
  on_step = function(world)
    local i = world.step // 6 + 1
    if world.step % 6 == 0 and i <= n then world:status("balls", i, "dynamic") end
  end,
  camera = { eye = {0.5, 0.85, 2.9}, target = {0, 0.85, 0}, fov = 0.58, clouds = 0.45, shutter = 0.1, sun = {0.35, 0.5, 0.9} },
}
