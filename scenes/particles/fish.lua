-- A school of fish flees from sharks: one flock field with predators, one hunt field for the hunters (House, ch. 6.5, Fig 6.5; H6.5).
local n = param("n", 1200, "fish")
local flee = param("flee", 26, "how hard fish turn from a shark, m/s^2")

local colliders = { { name = "bed", shape = { box = {120, 1, 120} }, position = {0, -5.5, 0}, material = "sand" } }
for i = 0, 13 do -- rocks
  local a, r = 2.4 * i, 2.5 + 1.05 * i
  colliders[#colliders + 1] = { name = "rock" .. i, shape = { sphere = 0.5 + 0.28 * (i * 5 % 4) }, position = {r * math.cos(a), -5.2, r * math.sin(a)}, material = "rock" }
end

return {
  title = "A school of fish", duration = 6, fps = 24, steps_per_frame = 2, seed = 21, gravity = {0, 0, 0},
  materials = {
    sand = { color = "#5d7a72" },
    rock = { color = "#3f4f52" },
    silver = { color = "#c9dbe2", surface = "glossy", roughness = 0.25 },
    yellow = { color = "#f2a417", surface = "glossy", roughness = 0.3 },
    shark = { color = "#38475a", surface = "glossy", roughness = 0.4 },
  },
  fields = {
    { flock = {0.7, 1.5}, apart = 0.7, match = 0.45, centre = 0.3, closest = 0.1, eyes = "pigeon", limit = 14, speed = 2.2, drive = 1.2, obstacles = { ahead = 0.7, margin = 0.2 },
      predators = {"shark"}, flee = flee, flee_range = 2.6, tags = {"silver", "yellow"} },
    { hunt = {"silver", "yellow"}, aim = "middle", sight = 9, speed = 4.2, response = 0.5, limit = 7, tags = {"shark"} },
    -- The school stays about the middle of the bay.
    { repel = 5, power = 1.5, closest = 0.3, reach = 3, containers = { { center = {0, 0, 0}, radius = 7 } }, tags = {"silver", "yellow"} },
    { drag = 0.02, tags = {"silver", "yellow"} },
  },
  colliders = colliders,
  systems = {
    { type = "particles", name = "bay",
      kinds = {
        { name = "silver", material = "silver", draw = "mesh", mesh = "fish.obj", mesh_size = 3.4, orient = "bank", bank = 0.03 },
        { name = "yellow", material = "yellow", draw = "mesh", mesh = "fish.obj", mesh_size = 3.0, orient = "bank", bank = 0.03 },
        { name = "shark", material = "shark", draw = "mesh", mesh = "shark.obj", mesh_size = 4.4, orient = "bank", bank = 0.06 },
      },
      particles = {
        { kind = "silver", count = n * 3 // 4, form = "ball", size = 2.7, velocity = {-2, 0, 0.6}, spread = {0.3, 0.3, 0.3}, radius = 0.08, mass = 0.1 },
        { kind = "yellow", count = n - n * 3 // 4, form = "ball", size = 2.4, position = {0.6, 0.2, 0}, velocity = {-2, 0, 0.6}, spread = {0.3, 0.3, 0.3}, radius = 0.08, mass = 0.1 },
        { kind = "shark", position = {8, 0.5, 1.5}, velocity = {-4, 0, 0}, radius = 0.3, mass = 80 },
        { kind = "shark", position = {-6, -1.5, -6.5}, velocity = {1, 0, 1}, radius = 0.26, mass = 60 },
      } },
  },
  camera = { fov = 0.72, exposure = 0.2, eye = {1.0, -1.2, 10}, target = {-0.6, 0.1, 0}, sun = {0.15, 1, 0.25}, sun_angle = 0.2, sun_color = {1.1, 2.0, 2.4}, sky_color = {0.10, 0.50, 0.72}, horizon_color = {0.012, 0.12, 0.25} },
}
