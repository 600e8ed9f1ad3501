-- A pinwheel (House & Keyser 13.4, figure 13.2): the flow of a source added to that of a vortex about the same line. Sparks leave the middle and are carried
-- outwards on spirals of one angle, tan = source / circulation, whatever the distance.
local source = param("source", 8, "what comes out, m^2/s")
local turn = param("turn", -11, "circulation, m^2/s")
local arms = param("arms", 8, "how many arms")

local colors = { "#ff3d6e", "#ffb627", "#3ddc97", "#4cc9f0" }
local kinds, emitters = {}, {}
for i, color in ipairs(colors) do
  kinds[i] = { name = "spark" .. i, material = "glow", radius = {0.018, 0.008}, mass = 0.01, life = {4.6, 0.8}, relative = true, streak = 0.2,
    meets_solids = false,
    color = { { t = 0, value = "#ffffff" }, { t = 0.1, value = color }, { t = 1, value = color } },
      opacity = { { t = 0, value = 1 }, { t = 0.7, value = 0.8 }, { t = 1, value = 0 } } }
end
for k = 0, arms - 1 do
  local a = 2 * math.pi * k / arms
  emitters[k + 1] = { kind = "spark" .. (k % #colors + 1), shape = { ball = 0.09 }, position = {0.4 * math.cos(a), 0.1, 0.4 * math.sin(a)}, rate = 330,
    jitter = true }
end

return {
  title = "Pinwheel", duration = 6, seed = 1, gravity = {0, 0, 0},
  materials = { glow = { surface = "emissive", glow = 1.6, color = "#ffffff" }, slate = { color = "#232833", surface = "glossy", roughness = 0.35 } },
  fields = { { drag = 0.2 }, { source = source, form = "axis", max_speed = 6 }, { vortex_line = turn, max_speed = 6 } },
  colliders = { { name = "slate", shape = { plane = {0, 1, 0} }, position = {0, -0.05, 0}, material = "slate" } },
  systems = { { type = "particles", name = "sparks", integrator = "rk4", kinds = kinds, emitters = emitters } },
  camera = { eye = {0, 9, 3.4}, target = {0, 0, 0.1}, fov = 0.7, sun_color = {0.25, 0.25, 0.3}, sky_color = {0.03, 0.04, 0.07},
    horizon_color = {0.06, 0.07, 0.1} },
}
