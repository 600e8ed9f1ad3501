-- Three suns chase each other along one figure of eight (Chenciner and Montgomery's orbit): adaptive steps keep them on it (House, ch. 6.4 and 7; H6.4a).
-- on_step leaves a bead of each sun's colour along the way at every frame.
local tolerance = param("tolerance", 1e-9, "of a step, m and m/s")

-- The orbit in units of G = m = 1 has a period of 6.3259.
local x, y, vx, vy = 0.97000436, -0.24308753, -0.93240737, -0.86473146

local colours = { "red", "green", "blue" }
local frames, beads = 152, {}
for i, colour in ipairs(colours) do
  beads[i] = { count = frames, position = {0, -9, 0}, material = colour, radius = 0.014, mass = 1e-9, status = "inactive" }
end

return {
  title = "Figure of eight", duration = 6.3259, fps = 24, steps_per_frame = 4, seed = 1, gravity = {0, 0, 0},
  materials = {
    red = { surface = "emissive", color = "#ff6a5a", glow = 2.5 }, green = { surface = "emissive", color = "#7dffa0", glow = 2.5 }, blue = { surface = "emissive", color = "#6aa8ff", glow = 2.5 },
    slate = { color = "#262b38", surface = "glossy", roughness = 0.3 },
  },
  fields = { { attraction = 1, method = "direct", tags = {"sun"} } },
  colliders = { { name = "table", shape = { box = {12, 0.1, 8} }, position = {0, -0.25, 0}, material = "slate" } },
  systems = {
    { type = "particles", name = "suns", integrator = "adaptive_rk45", tolerance = tolerance, kinds = { { name = "sun" } }, particles = {
      { position = {x, 0, y}, velocity = {-vx / 2, 0, -vy / 2}, material = "red", radius = 0.06 },
      { position = {-x, 0, -y}, velocity = {-vx / 2, 0, -vy / 2}, material = "green", radius = 0.06 },
      { velocity = {vx, 0, vy}, material = "blue", radius = 0.06 } } },
    { type = "particles", name = "beads", particles = beads },
  },
  camera = { fov = 0.5, exposure = 0.4, eye = {0.6, 2.3, 2.6}, target = {0, 0, 0.05}, sun_color = {0.02, 0.02, 0.03}, sky_color = {0.02, 0.025, 0.04}, horizon_color = {0.01, 0.012, 0.02} },


  on_step = function(world, t)
    if world.step % 4 ~= 0 or world.step // 4 >= frames then return end
    for sun = 0, 2 do
      local bead = sun * frames + world.step // 4
      world:place("beads", bead, world:position("suns", sun))
      world:status("beads", bead, "static")
    end
  end,
}
