-- A bathtub drain (House & Keyser 13.4, figure 13.2): the flow of a sink added to that of a vortex about the same line. Floats drift with the water, seen from
-- above; they spiral in, faster and faster, and are gone in the middle. The ink goes with them from a ring of places.
local sink = param("sink", 9, "what drains, m^2/s")
local turn = param("turn", 24, "circulation, m^2/s")

local colors = { "#e63946", "#f4a261", "#ffd166", "#2a9d8f", "#8ecae6", "#f1faee" }
local materials = { water = { color = "#134e5e", surface = "glossy", roughness = 0.3 }, plug = { color = "#20262b", surface = "metal", roughness = 0.3 } }
local kinds, emitters = {}, {}
for i, color in ipairs(colors) do
  local a = 2 * math.pi * i / #colors
  materials["ink" .. i] = { color = color }
  kinds[i] = { name = "ink" .. i, material = "ink" .. i, radius = {0.03, 0.01}, mass = 0.001, streak = 0.06, meets_solids = false,
    ends = { region = { sphere = 0.34 } } }
  emitters[i] = { kind = "ink" .. i, shape = { disk = 0.16 }, position = {3.3 * math.cos(a), 0.05, 3.3 * math.sin(a)}, rate = 420, jitter = true }
end

return {
  title = "Drain", duration = 6, steps_per_frame = 4, seed = 1, gravity = {0, 0, 0}, materials = materials,
  fields = { { drag = 0.2 }, { source = -sink, form = "axis", max_speed = 20 }, { vortex_line = turn, max_speed = 20 } },
  colliders = { { name = "water", shape = { plane = {0, 1, 0} }, position = {0, -0.02, 0}, material = "water" },
    { name = "plug", shape = { sphere = 0.3 }, position = {0, -0.2, 0}, material = "plug" } },
  systems = { { type = "particles", name = "floats", integrator = "rk4", kinds = kinds, emitters = emitters } },
  camera = { eye = {0, 8.4, 2.6}, target = {0, 0, 0.1}, fov = 0.72, exposure = 0.1 },
}
