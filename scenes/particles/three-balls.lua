-- House & Keyser figure 2.2: the same throw in a vacuum, in air and in wind. Fields reach every system, so air resistance is set by mass here:
-- the ball in a vacuum is so heavy that the air does nothing to it, the last starts with the wind's velocity taken off.
local wind = param("wind", -6, "wind along x, m/s")
local function ball(name, mass, color)
  return { type = "particles", name = name, integrator = "rk4",
           particles = { { position = {-4, 1, 0}, velocity = {7, 9, 0}, mass = mass, radius = 0.25, material = color } } }
end
return {
  title = "Three balls: heavy, light, lighter in the wind", duration = 3,
  materials = {
    steel_blue = { preset = "steel", color = "#3d5a80" },
    amber = { color = "#f2a541", restitution = 0.6, surface = "glossy", roughness = 0.3 },
    rose = { color = "#d1495b", restitution = 0.6, surface = "glossy", roughness = 0.3 },
  },
  fields = { { drag = 0.4 }, { wind = {wind, 0, 0} } },
  colliders = { { shape = { plane = {0, 1, 0} } } },
  systems = { ball("heavy", 100, "steel_blue"), ball("light", 1, "amber"), ball("lighter", 0.3, "rose") },
  camera = { eye = {1, 4, 15}, target = {1, 2.2, 0} },
}
