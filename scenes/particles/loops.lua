-- Swallows fly loops: each carries its up along its path and so is upside down at the top, where the world's up would turn it over (House & Keyser 6.5.5). What turns them is a
-- magnetic field on a charge: speed stays, the way is a circle.
local n = param("n", 5, "swallows a loop")
local radius, speed = 2.2, 6

local particles, colors = {}, {"red", "teal", "gold"}
for k = 1, 3 do
  for i = 0, n - 1 do
    local a = 2 * math.pi * (i / n + k / 9)
    particles[#particles + 1] = { kind = colors[k], position = {2.6 * (k - 2) + radius * math.cos(a), 2.9 + radius * math.sin(a), 1.1 * (k - 2)},
      velocity = {-speed * math.sin(a), speed * math.cos(a), 0.35 * (k - 2)}, mass = 0.1, radius = 0.035, charge = -0.1 * speed / radius }
  end
end

local function swallow(name)
  return { name = name, material = name, draw = "mesh", mesh = "bird.obj", mesh_size = 15, carry_up = true, meets_solids = false, trail = 0.7, trail_width = 0.6, min_width = 0.004, fade_length = 14, fade_start = 6 }
end

return {
  title = "Loops", duration = 5, fps = 24, steps_per_frame = 4, gravity = {0, 0, 0},
  materials = {
    red = { surface = "glossy", color = "#c23b2e", roughness = 0.4 }, teal = { surface = "glossy", color = "#157f86", roughness = 0.4 },
    gold = { surface = "glossy", color = "#e2a32b", roughness = 0.4 }, meadow = { color = "#6f7d45" },
  },
  fields = { { magnetic = {0, 0, 1} } },
  colliders = { { shape = { plane = {0, 1, 0} }, material = "meadow" } },
  systems = { { type = "particles", name = "swallows", integrator = "semi_implicit", trail_points = 24, kinds = { swallow("red"), swallow("teal"), swallow("gold") }, particles = particles } },
  camera = { fov = 0.6, shutter = 0, clouds = 0.4, eye = {2.2, 1.6, 10.6}, target = {0, 2.75, 0}, sun = {0.5, 0.6, 0.6} },
}
