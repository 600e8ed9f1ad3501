-- A bubble chamber: charges of both signs leave a target and coil up in a magnetic field as friction slows them, one way or the other by sign
-- (Coutinho, ch. 3.7.3; C3.7.3). Circles have the radius m v / (q B). The tracks are drawn by what each leaves on its way.
local pairs_born = param("pairs", 36, "pairs of charges")
local field = param("field", 3.2, "magnetic field across the picture, T")

return {
  title = "Charges in a magnetic field", duration = 5, fps = 24, steps_per_frame = 5, seed = 2, gravity = {0, 0, 0},
  materials = {
    plus = { surface = "emissive", color = "#ffb347", glow = 2.2 },
    minus = { surface = "emissive", color = "#58b9ff", glow = 2.2 },
  },
  fields = { { magnetic = {0, 0, field} }, { drag = 0.5, tags = {"plus", "minus"} } },
  systems = {
    { type = "particles", name = "charges", integrator = "rk4",
      kinds = {
        -- Charges drop a bubble at every step.
        { name = "plus", material = "plus", charge = 1, mass = 1, radius = 0.045, splits = { { into = "bubble_plus", age = 0, every = 1, number = 1, depth = 1, speed = 0, size = 0.45, keep = true } } },
        { name = "minus", material = "minus", charge = -1, mass = 1, radius = 0.045, splits = { { into = "bubble_minus", age = 0, every = 1, number = 1, depth = 1, speed = 0, size = 0.45, keep = true } } },
        { name = "bubble_plus", material = "plus", charge = 0, mass = 1 },
        { name = "bubble_minus", material = "minus", charge = 0, mass = 1 },
      },
      emitters = {
        { kind = "plus", position = {-4.6, 0, 0}, direction = {1, 0, 0}, aperture = 0.5, speed = {8, 5}, burst = pairs_born // 2, period = 2.5 },
        { kind = "minus", position = {-4.6, 0, 0}, direction = {1, 0, 0}, aperture = 0.5, speed = {8, 5}, burst = pairs_born // 2, period = 2.5 },
      } },
  },
  camera = { fov = 0.62, eye = {1.2, 0.8, 15.5}, target = {-2.4, 0, 0}, sun_color = {0, 0, 0}, sky_color = {0.012, 0.02, 0.03}, horizon_color = {0.004, 0.008, 0.014} },
}
