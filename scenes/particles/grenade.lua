-- A flash grenade: one burst in a plane, short lives, and sparks that split again and again until there are more than one can count (Coutinho, ch. 3.7.3: over-split; C3.7.3).
local burst = param("burst", 110, "splinters of the burst")
local depth = param("depth", 3, "generations that split")

-- The plane of the burst faces the camera: each splinter has an emitter of its own.
local emitters = {}
for i = 1, burst do
  local a = math.pi * (i - 0.5) / burst
  emitters[i] = { kind = "core", position = {0.1 * math.cos(a), 0.25 + 0.1 * math.sin(a), 0}, direction = {math.cos(a), math.sin(a), 0}, aperture = 0.03, speed = {14, 5}, start = 0.15, burst = 1 }
end

local function sparks(name, life, splits)
  return { name = name, material = name, radius = {0.024, 0.008}, mass = 0.01, life = life, streak = 0.035, splits = splits, relative = true,
    opacity = { { t = 0, value = 1 }, { t = 0.6, value = 0.9 }, { t = 1, value = 0 } } }
end

return {
  title = "Grenade", duration = 1.6, fps = 60, steps_per_frame = 2, seed = 23,
  materials = {
    floor = { color = "#6a6d75", surface = "glossy", roughness = 0.35, restitution = 0.4 }, crate = { color = "#8a6a42" },
    shell = { color = "#38402f", surface = "glossy", roughness = 0.4 },
    core = { surface = "emissive", color = "#fff1c9", glow = 5 }, spark = { surface = "emissive", color = "#ff9a3d", glow = 2.5, restitution = 0.4 },
  },
  fields = { { drag = 0.012 } },
  colliders = {
    { name = "floor", shape = { box = {60, 1, 60} }, position = {0, -0.5, 0}, material = "floor" },
    { name = "crate_left", shape = { box = {1.2, 1.2, 1.2} }, position = {-3.1, 0.6, -1.4}, orientation = { axis = {0, 1, 0}, angle = 0.4 }, material = "crate" },
    { name = "crate_right", shape = { box = {1.4, 1.4, 1.4} }, position = {3.0, 0.7, -1.8}, orientation = { axis = {0, 1, 0}, angle = -0.3 }, material = "crate" },
    { name = "crate_top", shape = { box = {0.9, 0.9, 0.9} }, position = {3.1, 1.85, -1.8}, orientation = { axis = {0, 1, 0}, angle = 0.2 }, material = "crate" },
    { name = "shell", shape = { capsule = {0.09, 0.12} }, position = {0, 0.15, 0}, orientation = { axis = {0, 0, 1}, angle = 1.2 }, material = "shell" },
  },
  systems = {
    { type = "particles", name = "sparks", max_particles = 60000,
      kinds = {
        sparks("core", {0.5, 0.15}, { { into = "spark", when = "age", age = {0.09, 0.04}, number = {4, 2}, depth = depth, speed = 0.75, kick = {1.5, 1}, direction = 0.5, size = 0.75, life = 0.2, every = 100000, keep = true } }),
        sparks("spark", {0.55, 0.2}, { { into = "spark", when = "age", age = {0.12, 0.06}, number = {3, 1}, depth = depth, speed = 0.7, kick = {1.2, 0.8}, direction = 0.6, size = 0.75, life = 0.2, every = 100000, keep = true } }),
      },
      emitters = emitters },
  },
  camera = { fov = 0.66, eye = {0.8, 2.0, 8.6}, target = {0, 1.5, 0}, sun_color = {0.10, 0.11, 0.15}, sky_color = {0.03, 0.04, 0.07}, horizon_color = {0.05, 0.055, 0.08} },
}
