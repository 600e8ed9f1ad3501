-- Two disk galaxies fall past each other: every star pulls every other (fast multipoles), tides draw out the arms (House, ch. 6.4, Figs 6.1 and 6.3; H6.4).
-- Scaled units: the constant of gravity is 1, a galaxy's scale radius is about 1, a turn at that radius takes about 5 s.
local n = param("n", 100000, "stars in all")
local miss = param("miss", 2.6, "distance by which the two would pass without gravity, m")

local function galaxy(kind, stars, mass, center, place, velocity, size, axis, angle)
  return { kind = kind, count = stars, form = "disk", size = size, mass = mass / stars, radius = 0.016, center_mass = center, position = place, velocity = velocity,
    orientation = { axis = axis, angle = angle } }
end

return {
  title = "Colliding galaxies", duration = 9, fps = 24, steps_per_frame = 1, seed = 3, gravity = {0, 0, 0},
  materials = {
    blue = { surface = "emissive", color = "#8fb4ff", glow = 1 },
    amber = { surface = "emissive", color = "#ffb26b", glow = 1 },
  },
  fields = { { attraction = 1, softening = 0.06 } },
  systems = {
    { type = "particles", name = "stars", integrator = "leapfrog", max_particles = n,
      kinds = {
        { name = "blue", material = "blue", draw = "sprite", opacity = 0.35 },
        { name = "amber", material = "amber", draw = "sprite", opacity = 0.35 },
      },
      particles = {
        galaxy("blue", n * 3 // 5, 0.6, 1.2, {-2.6, 0.1, miss / 2}, {0.42, 0, 0}, 0.9, {1, 0, 0.4}, 0.3),
        galaxy("amber", n - n * 3 // 5, 0.4, 0.9, {3.2, -0.1, -miss / 2}, {-0.55, 0, 0}, 0.7, {1, 0, -0.5}, -0.55),
      } },
  },
  camera = { fov = 0.75, exposure = 1, eye = {0, 10.2, 7.6}, target = {0.1, 0, 0.25}, sun_color = {0, 0, 0}, sky_color = {0.0008, 0.0008, 0.002}, horizon_color = {0.001, 0.001, 0.003} },
}
