-- The break: a cue ball at 9 m/s into the rack on a table with cushions and six pockets; what falls in a pocket stays there (H10.5, C4.11).
-- Sliding turns into rolling at 5/7 of the speed. --set mode=realtime has the rolling friction of the cloth, which brings the balls to rest.
local mode = param("mode", "exact", "exact or realtime")
local speed = param("speed", 9, "of the cue ball, m/s")

local r, length, width = 0.0286, 2.54, 1.27 -- nine-foot table: ball and bed between the cushions, m
local pocket, side = 0.066, 0.062           -- half the mouth of a corner pocket along a cushion, half that of a middle one
local colliders = {}
local function box(size, position, material, angle)
  colliders[#colliders + 1] = { shape = { box = size }, position = position, material = material, orientation = { axis = {0, 1, 0}, angle = angle or 0 } }
end
-- The slate: strips that leave the pockets open.
local hole = 0.11
box({ length, 0.05, width - 0.06 }, { 0, -0.025, 0 }, "cloth")
for _, s in ipairs { -1, 1 } do
  for _, e in ipairs { -1, 1 } do
    box({ length / 2 - 0.06 - side, 0.05, 0.03 }, { e * (length / 4 + (side - 0.06) / 2), -0.025, s * (width / 2 - 0.015) }, "cloth")
  end
end
-- Cushions: long ones in two, short ones in one, each as high as 7/10 of a ball.
local cushion, nose = 0.06, 0.04
for _, s in ipairs { -1, 1 } do
  for _, e in ipairs { -1, 1 } do
    local l = length / 2 - pocket - side
    box({ l, nose, cushion }, { e * (side + l / 2), nose / 2, s * (width / 2 + cushion / 2) }, "cushion")
  end
  box({ cushion, nose, width - 2 * pocket }, { s * (length / 2 + cushion / 2), nose / 2, 0 }, "cushion")
end
-- Rails, and a floor under the pockets.
for _, s in ipairs { -1, 1 } do
  for _, e in ipairs { -1, 1 } do
    box({ length / 2 - 0.075, 0.17, 0.1 }, { e * (length / 4 + 0.0325), -0.035, s * (width / 2 + cushion + 0.05) }, "rail")
  end
  box({ 0.1, 0.17, width - 0.02 }, { s * (length / 2 + cushion + 0.05), -0.035, 0 }, "rail")
  for _, e in ipairs { -1, 1 } do
    box({ 0.2, 0.16, 0.03 }, { s * (length / 2 + 0.06), -0.05, e * (width / 2 + 0.13) }, "leather", s * e * 0.78)
  end
  box({ 0.16, 0.16, 0.03 }, { 0, -0.05, s * (width / 2 + 0.13) }, "leather")
end
box({ length + 0.36, 0.03, width + 0.36 }, { 0, -0.13, 0 }, "leather")

-- The rack: fifteen, the eight in the middle, with the play of a wooden triangle. Exact mode takes the break collision by collision.
local play = param("play", 0.0006, "of the rack, m")
local pitch = 2 * r + 1.5 * play
local order = { 1, 9, 2, 10, 8, 3, 11, 4, 12, 5, 13, 6, 14, 15, 7 }
local bodies = { { name = "cue", shape = { sphere = r }, mass = 0.17, position = { -length / 4, r, 0.004 }, velocity = { speed, 0, 0 }, material = "cue" } }
local k = 1
for row = 0, 4 do
  for i = 0, row do
    bodies[#bodies + 1] = { name = "ball" .. order[k], shape = { sphere = r }, mass = 0.17, material = "ball" .. order[k],
      position = { length / 4 + row * pitch * math.sqrt(0.75) + play * (math.random() - 0.5), r, (i - row / 2) * pitch + play * (math.random() - 0.5) } }
    k = k + 1
  end
end
local materials = {
  cloth = { color = "#1d6b4f", pattern = "felt", friction = 0.2, restitution = 0.4, rolling_friction = 0.0003, spinning_friction = 0.001 },
  cushion = { color = "#155a41", pattern = "felt", friction = 0.02, restitution = 0.75 },
  rail = { color = "#5a2f1a", pattern = "wood", surface = "glossy", roughness = 0.3, friction = 0.3, restitution = 0.4 },
  leather = { color = "#15110e", friction = 0.6, restitution = 0.05, rolling_friction = 0.01 },
}
local colors = { "#f2c230", "#1f4fa8", "#d3302b", "#5b2d82", "#e8742a", "#1e7a45", "#7d1f2b", "#16181c" }
local function phenolic(color) return { color = color, surface = "glossy", roughness = 0.08, friction = 0.05, restitution = 0.97, rolling_friction = 0.0003 } end
materials.cue = phenolic("#f5f1e6")
for i = 1, 15 do materials["ball" .. i] = phenolic(colors[(i - 1) % 8 + 1]) end
return {
  title = "The break", duration = 5, fps = 60, steps_per_frame = 4, seed = 2, materials = materials, colliders = colliders,
  pairs = { restitution = "min", friction = "min" },
  systems = { { type = "rigid", name = "balls", mode = mode, bodies = bodies } },
  camera = { eye = {-1.2, 1.0, 1.35}, target = {0.06, -0.16, 0.04}, fov = 0.6, clouds = 0.4, sun = {0.1, 0.9, 0.3}, sun_angle = 0.3 },
}
