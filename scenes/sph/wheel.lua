-- A water wheel: a jet strikes the paddles of a wheel on a hinge, and turns it.
local radius = param("radius", 0.0125, "half the distance between particles, m")
local speed = param("speed", 3, "of the jet, m/s")

local paddles = { { shape = { cylinder = {0.08, 0.24}, turn = { axis = {1, 0, 0}, angle = math.pi / 2 } } } }
for i = 0, 9 do
  local a = 2 * math.pi * i / 10
  paddles[#paddles + 1] = { shape = { box = {0.27, 0.03, 0.24}, offset = {0.215 * math.cos(a), 0.215 * math.sin(a), 0}, turn = { axis = {0, 0, 1}, angle = a } } }
end
return {
  title = "Water wheel", duration = 4, fps = 30,
  materials = { water = { preset = "water", absorption = {6, 1.6, 0.8} }, bed = { color = "#8d8a84" } },
  colliders = {
    { name = "bed", shape = { plane = {0, 1, 0} }, material = "bed" },
    { name = "left", shape = { box = {2.4, 0.92, 0.01} }, position = {0.3, 0.44, -0.16}, material = "glass" },
    { name = "right", shape = { box = {2.4, 0.92, 0.01} }, position = {0.3, 0.44, 0.16}, material = "glass" },
  },
  systems = {
    { type = "rigid", name = "mill", bodies = { { name = "wheel", shape = { compound = paddles }, position = {0, 0.42, 0}, density = 500, material = "oak" } },
      joints = { { hinge = { anchor = {0, 0.42, 0}, axis = {0, 0, 1}, friction = 0.05 }, a = "wheel" } } },
    { type = "sph", name = "water", radius = radius, phases = { { fluid = "water", material = "water" } },
      inflows = { { position = {-0.75, 0.72, 0}, direction = {1, 0.15, 0}, size = {0.2, 0.08}, speed = speed } },
      sinks = { { region = { plane = {-1, 0, 0} }, center = {1.45, 0, 0} }, { region = { plane = {1, 0, 0} }, center = {-0.95, 0, 0} } } },
  },
  camera = { eye = {0.9, 0.9, 1.9}, target = {0.15, 0.38, 0}, fov = 0.66, shutter = 0, clouds = 0.45, sun = {0.4, 0.8, 0.6} },
}
