-- Thousands of falling blocks: beams, cubes, balls and capsules rain into a glass-fronted bin until it is heaped (issue 5, pile).
local n = param("n", 3000, "how many blocks")

local bodies, per = {}, 144
local colors = { "red", "orange", "yellow", "green", "teal", "blue", "violet" }
local forms = {
  { box = {0.34, 0.34, 0.34} }, { sphere = 0.19 }, { box = {0.5, 0.22, 0.26} }, { capsule = {0.13, 0.3} }, { box = {0.24, 0.24, 0.4} }, { cylinder = {0.18, 0.3} },
}
for i = 0, n - 1 do
  local layer, k = i // per, i % per
  bodies[i + 1] = { shape = forms[(i * 5 + layer) % #forms + 1], material = colors[(i * 3 + layer * 2) % #colors + 1],
    position = { 0.6 * (k % 12 - 5.5) + 0.06 * (math.random() - 0.5), 3 + 0.62 * layer, 0.6 * (k // 12 - 5.5) + 0.06 * (math.random() - 0.5) },
    orientation = { axis = { math.random() - 0.5, math.random() - 0.5, math.random() - 0.5 }, angle = 3 * math.random() }, velocity = {0, -3, 0} }
end
local function paint(color) return { density = 700, friction = 0.45, restitution = 0.15, rolling_friction = 0.005, color = color, surface = "glossy", roughness = 0.4 } end
local materials = { floor = { friction = 0.5, restitution = 0.1, rolling_friction = 0.01, color = "#b9b4a6" }, wall = { friction = 0.3, restitution = 0.1, color = "#5b626b" } }
for name, color in pairs { red = "#c1272d", orange = "#e76f2b", yellow = "#f2b134", green = "#3a8f5d", teal = "#1b9aaa", blue = "#2c5aa0", violet = "#7b4fa3" } do
  materials[name] = paint(color)
end
local function wall(x, z, sx, sz, height) return { shape = { box = {sx, height, sz} }, position = {x, height / 2, z}, material = "wall" } end
return {
  title = "Thousands of falling blocks", duration = 6, fps = 30, seed = 5, materials = materials,
  colliders = { { shape = { plane = {0, 1, 0} }, material = "floor" },
    wall(-3.9, 0, 0.2, 8, 2.6), wall(3.9, 0, 0.2, 8, 2.6), wall(0, -3.9, 8, 0.2, 2.6), wall(0, 3.9, 8, 0.2, 1.1) },
  systems = { { type = "rigid", name = "blocks", bodies = bodies } },
  camera = { eye = {6.5, 7.5, 13.5}, target = {0, 1.4, 0}, fov = 0.6, sun = {0.4, 0.75, 0.5} },
}
