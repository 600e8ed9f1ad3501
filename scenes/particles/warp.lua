-- Through a star field: stars are streaks, as long as their way in a while, never narrower than a share of the picture, fainter with distance; they twinkle, for their radius
-- deviates in every step (House & Keyser 4.5.1, figures 4.4 and 4.5).
local n = param("n", 6000, "stars")
local speed = param("speed", 60, "m/s")

return {
  title = "Star field", duration = 4, fps = 24, steps_per_frame = 1, seed = 11, gravity = {0, 0, 0},
  materials = {
    white = { surface = "emissive", color = "#dfe8ff", glow = 3.5 }, blue = { surface = "emissive", color = "#7fa8ff", glow = 3.5 },
    amber = { surface = "emissive", color = "#ffc27a", glow = 3.5 },
  },
  systems = { { type = "particles", name = "stars", integrator = "semi_implicit", streak = 0.1,
    kinds = {
      { name = "white", material = "white", radius = {0.05, 0.03}, each_step = {"radius"}, min_width = 0.0032, fade_length = 90, fade_start = 20 },
      { name = "blue", material = "blue", radius = {0.05, 0.03}, each_step = {"radius"}, min_width = 0.0032, fade_length = 90, fade_start = 20 },
      { name = "amber", material = "amber", radius = {0.05, 0.03}, each_step = {"radius"}, min_width = 0.0032, fade_length = 90, fade_start = 20 },
    },
    particles = {
      { kind = "white", count = n // 2, box = {240, 140, 500}, position = {0, 0, -200}, velocity = {0, 0, speed}, radius = 0.05 },
      { kind = "blue", count = n // 3, box = {240, 140, 500}, position = {0, 0, -200}, velocity = {0, 0, speed}, radius = 0.05 },
      { kind = "amber", count = n // 6, box = {240, 140, 500}, position = {0, 0, -200}, velocity = {0, 0, speed}, radius = 0.05 },
    } } },
  camera = { fov = 0.9, shutter = 0, eye = {0, 0, 40}, target = {0, 0, 0}, sun_color = {0, 0, 0}, sky_color = {0.002, 0.002, 0.006}, horizon_color = {0.004, 0.003, 0.01} },
}
