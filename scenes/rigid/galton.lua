-- Galton's board: each ball goes left or right at every pin; where it ends is a binomial count, and the heap a bell curve (H9.9).
local n = param("n", 700, "how many balls")
local rows = param("rows", 12, "rows of pins")

local pitch, r, pin, depth = 0.1, 0.018, 0.012, 0.05 -- m: between pins, of a ball, of a pin, of the case
local drop = pitch * 0.866
local top = 1.05 + rows * drop
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
for i = 0, rows + 1 do add({ box = { 0.008, 0.95, depth } }, { i * pitch - half, 0.475, 0 }, "rail") end
add({ box = { 2 * half + 0.1, 0.06, 0.2 } }, { 0, -0.03, 0 }, "case")
-- The slanted sides of the field of pins.
local slope, side = math.atan(pitch / 2, drop), rows * pitch + 0.16
for _, s in ipairs { -1, 1 } do
  add({ box = { 0.012, side, depth } }, { s * (half / 2 + 0.049), 0.95 + side / 2 * math.cos(slope), 0 }, "rail", { axis = {0, 0, 1}, angle = s * slope })
end
-- The funnel.
for _, s in ipairs { -1, 1 } do
  add({ box = { 0.5, 0.012, depth } }, { s * 0.24, top + 0.26, 0 }, "rail", { axis = {0, 0, 1}, angle = s * 0.62 })
end
add({ box = { 2.2, 3.6, 0.02 } }, { 0, 1.4, -depth / 2 - 0.012 }, "back")
-- The pane in front is not seen, and meets balls all the same: bodies of a shape that shows as a speck.
local bodies = { { name = "pane", mobility = "static", shape = { box = {2.2, 3.6, 0.02} }, visible = { box = {0.001, 0.001, 0.001} }, position = {0, 1.4, depth / 2 + 0.012}, material = "rail" } }
for i = 0, n - 1 do
  local k, j = i % 7, i // 7
  bodies[#bodies + 1] = { shape = { sphere = r }, material = ({ "red", "blue" })[(i + j) % 2 + 1],
    position = { (k - 3) * 0.042 + (j % 2) * 0.012 + 0.002 * (math.random() - 0.5), top + 0.5 + j * 0.042, 0.004 * (math.random() - 0.5) } }
end
local function ball(color) return { density = 2500, friction = 0.1, restitution = 0.35, color = color, surface = "glossy", roughness = 0.2 } end
return {
  title = "Galton's board", duration = 12, fps = 30, steps_per_frame = 4, seed = 11, 
  materials = { red = ball("#c1272d"), blue = ball("#2c5aa0"), brass = { color = "#d9a441", surface = "metal", roughness = 0.3, friction = 0.1, restitution = 0.45 },
    rail = { color = "#e9e4da", friction = 0.1, restitution = 0.3 }, case = { color = "#5a4632", friction = 0.3 }, back = { color = "#20303c", friction = 0.05, restitution = 0.3 } },
  colliders = colliders,
  systems = { { type = "rigid", name = "balls", bodies = bodies, bounce_speed = 0.1 } },
  camera = { eye = {0.25, 1.35, 4.1}, target = {0, 1.22, 0}, fov = 0.72, sun = {0.35, 0.5, 0.9} },
}
