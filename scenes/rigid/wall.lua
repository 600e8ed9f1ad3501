-- A ball into a wall of blocks: 7 t of steel at 20 m/s against bricks laid dry in running bond (H9.9, C4.14).
local courses = param("courses", 14, "rows of bricks")
local speed = param("speed", 20, "of the ball, m/s")

local w, h, d, gap = 0.8, 0.36, 0.4, 0.004 -- a brick, m
local columns = 14
local bodies = { { name = "ball", shape = { sphere = 0.6 }, position = {-0.9, 2.2, 9}, velocity = {0, 1.2, -speed}, material = "steel" } }
for j = 0, courses - 1 do
  local odd = j % 2
  for i = 0, columns - odd do
    local half = odd == 0 and (i == 0 or i == columns) -- half bricks close the ends
    local width = half and w / 2 or w
    local x = (i - columns / 2 + odd / 2) * (w + gap)
    if half then x = x + (i == 0 and 1 or -1) * w / 4 end
    bodies[#bodies + 1] = { shape = { box = { width, h, d } }, position = { x, h / 2 + j * (h + 0.001), 0 }, material = ({ "red", "rust", "clay" })[(i * 7 + j * 5) % 3 + 1] }
  end
end
local function brick(color) return { density = 1900, friction = 0.65, restitution = 0.1, color = color, pattern = "speckle" } end
return {
  title = "A ball into a wall of blocks", duration = 4, fps = 30,
  materials = { red = brick("#a8432f"), rust = brick("#b9563a"), clay = brick("#93392b"),
    steel = { preset = "steel", color = "#3b4048", surface = "metal", roughness = 0.25, restitution = 0.2 }, ground = { friction = 0.7, restitution = 0.1, color = "#a9a28f" } },
  colliders = { { name = "ground", shape = { plane = {0, 1, 0} }, material = "ground" } },
  systems = { { type = "rigid", name = "bricks", bodies = bodies } },
  camera = { eye = {4.6, 2.4, -8.6}, target = {-0.3, 2.1, -0.6}, fov = 0.72, clouds = 0.45, shutter = 0.12, sun = {0.6, 0.6, -0.5} },
}
