-- House & Keyser figure 2.2: one throw, three masses. What the air does to a ball goes with drag over mass: nothing to the heavy one, a lot to the lightest,
-- which the wind carries back.
local wind = param("wind", -6, "wind along x, m/s")
local function ball(name, mass, color)
  return { type = "particles", name = name, integrator = "rk4", trail_points = 40, kinds = { { trail = 3, trail_width = 0.25, min_width = 0.004 } },
           particles = { { position = {-4, 1, 0}, velocity = {7, 9, 0}, mass = mass, radius = 0.25, material = color } } }
end
return {
  title = "Three balls in the wind", duration = 3,
  materials = {
    steel_blue = { preset = "steel", color = "#3d5a80" },
    amber = { color = "#f2a541", restitution = 0.6, surface = "glossy", roughness = 0.3 },
    lawn = { color = "#7f9460", restitution = 0.6 },
    rose = { color = "#d1495b", restitution = 0.6, surface = "glossy", roughness = 0.3 },
  },
  fields = { { drag = 0.4 }, { wind = {wind, 0, 0} } },
  colliders = { { shape = { plane = {0, 1, 0} }, material = "lawn" } },
  systems = { ball("heavy", 100, "steel_blue"), ball("light", 1, "amber"), ball("lighter", 0.3, "rose") },
  camera = { eye = {1.2, 3.2, 12}, target = {0.2, 2.6, 0}, fov = 0.72, sun = {0.4, 0.7, 0.5} },
}
