-- A star cluster that keeps its shape: Plummer's spheres of stars, each at the speed that balances the pull of the rest (House, ch. 6.4; H6.4).
-- Half the mass of each cluster is within 1.3 scale radii, now and later.
local n = param("n", 12000, "stars in all")

local function cluster(kind, stars, mass, position, velocity, size, radius)
  return { kind = kind, form = "plummer", count = stars, mass = mass / stars, size = size, position = position, velocity = velocity, radius = radius }
end
-- Stars that weigh next to nothing, at the speeds of a cluster of mass 1: its constant of gravity makes up for it.
local function tracers(kind, stars, size, radius)
  return { kind = kind, form = "plummer", count = stars, mass = 1e-6, constant = 1e6 / stars, size = size, radius = radius }
end

return {
  title = "Star clusters", duration = 6, fps = 24, steps_per_frame = 1, seed = 12, gravity = {0, 0, 0},
  materials = {
    red = { surface = "emissive", color = "#ff8a5c", glow = 1.2 },
    white = { surface = "emissive", color = "#dfe8ff", glow = 1.2 },
    blue = { surface = "emissive", color = "#8fb0ff", glow = 3 },
  },
  fields = { { attraction = 1, softening = 0.03 } },
  systems = {
    { type = "particles", name = "stars", integrator = "leapfrog",
      kinds = {
        { name = "red", material = "red", draw = "sprite", opacity = 0.6 },
        { name = "white", material = "white", draw = "sprite", opacity = 0.6 },
        { name = "blue", material = "blue", draw = "sprite", opacity = 0.9 },
      },
      -- One cluster of three colours, and a small one that circles it: v^2 = 1 / r.
      particles = {
        cluster("red", n // 2, 1, {0, 0, 0}, {0, 0, 0}, 0.8, 0.014),
        tracers("white", n // 4, 0.8, 0.018),
        tracers("blue", n // 60, 0.8, 0.045),
        cluster("white", n // 6, 0.04, {2.5, 0.3, 0}, {0, 0.15, -0.6}, 0.14, 0.014),
      } },
  },
  camera = { fov = 0.6, exposure = 0.6, eye = {0.6, 1.4, 7}, target = {0.5, 0, 0}, sun_color = {0, 0, 0}, sky_color = {0.001, 0.001, 0.003}, horizon_color = {0.001, 0.001, 0.003} },
}
