-- The tennis racket: spun about its middle axis a body turns over, again and again; about the other two it does not (H9.6, Dzhanibekov).
-- Three rackets in free fall, one spun about each principal axis with the same slight error. Exact mode: angular momentum stays to rounding, energy to the integrator's order.
local rate = param("spin", 7, "rad/s")
local error = param("error", 0.02, "of the axis, rad")

local function racket(x, axis, material)
  local spin = { error * rate, error * rate, error * rate }
  spin[axis] = rate
  return { name = material, shape = { compound = {
      { shape = { cylinder = {0.42, 0.06}, turn = { axis = {1, 0, 0}, angle = 0 }, offset = {0, 0, 0.62}, material = material } },
      { shape = { box = {0.12, 0.06, 1.0}, offset = {0, 0, -0.25}, material = "grip" } },
      { shape = { sphere = 0.075, offset = {0.2, 0.04, 0.75}, material = "dot" } } } },
    density = 400, position = { x, 0, 0 }, orientation = { axis = {1, 0, 0}, angle = math.pi / 2 }, spin = spin, material = material }
end
return {
  title = "The tennis racket", duration = 8, fps = 30, gravity = {0, 0, 0},
  materials = { least = { color = "#3a8f5d", surface = "glossy", roughness = 0.3 }, middle = { color = "#c1272d", surface = "glossy", roughness = 0.3 },
    most = { color = "#2c5aa0", surface = "glossy", roughness = 0.3 }, grip = { color = "#8a5a2f", pattern = "wood" }, dot = { color = "#f5e9c8" } },
  systems = { { type = "rigid", mode = "exact", bodies = { racket(-1.7, 2, "least"), racket(0, 1, "middle"), racket(1.7, 3, "most") } } },
  camera = { eye = {0.5, 0.9, 4.7}, target = {0, 0.08, 0}, fov = 0.62, shutter = 0.25, sun = {0.3, 0.7, 0.7}, clouds = 0.7, sky_color = {0.2, 0.34, 0.62}, horizon_color = {0.62, 0.72, 0.86} },
}
