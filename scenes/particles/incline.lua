-- Blocks of different friction on a slope: what has tan(angle) < mu stays, what has not slides with g (sin - mu cos).
local angle = param("angle", 0.4, "slope, rad")
local systems, materials = {}, { slope = { color = "#8a6742", pattern = "wood", pattern_size = 0.12, friction = 0.0 }, ground = { color = "#75797d" } }
local names = { "ice", "teflon", "steel", "wood", "rubber" }
for i, name in ipairs(names) do
  local mu = 0.12 * i
  materials["grip" .. i] = { friction = 2 * mu, restitution = 0.1, color = ({ "#8ecae6", "#e9ecef", "#6c757d", "#bc6c25", "#2b2d42" })[i] }
  systems[i] = { type = "particles", name = name, integrator = "rk4",
    particles = { { position = {-3 * math.cos(angle) + 0.15 * math.sin(angle), 3 * math.sin(angle) + 0.15 * math.cos(angle) + 0.001, 0.6 * (i - 3)}, radius = 0.15, material = "grip" .. i } } }
end
return {
  title = "Who slides?", duration = 4, materials = materials, systems = systems,
  colliders = { { name = "ground", shape = { plane = {0, 1, 0} }, position = {0, -1.75, 0}, material = "ground" }, { name = "slope", shape = { box = {8, 0.2, 4} }, orientation = { axis = {0, 0, 1}, angle = -angle },
                  position = {-0.1 * math.sin(angle), -0.1 * math.cos(angle), 0}, material = "slope" } },
  camera = { eye = {1.6, 2.5, 6.2}, target = {-0.1, 0.05, 0}, fov = 0.72, sun = {0.4, 0.8, 0.5} },
}
