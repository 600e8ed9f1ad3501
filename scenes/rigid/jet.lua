-- A jet of drops pushes a crate along the floor and topples a stack: particles and bodies hit each other, momentum goes both ways (C3.4.2, C3.6, C4.12).
local rate = param("rate", 2000, "drops a second")
local speed = param("speed", 16, "of the jet, m/s")

return {
  title = "A jet against a crate", duration = 2.6, fps = 30, steps_per_frame = 4, seed = 3,
  materials = { water = { preset = "water", absorption = {9, 3, 1.5}, restitution = 0.2, friction = 0.1 }, crate = { density = 80, friction = 0.35, restitution = 0.1, color = "#b5763a", pattern = "wood", pattern_size = 0.05 },
    box = { density = 30, friction = 0.4, restitution = 0.1, color = "#d79a4c", pattern = "wood", pattern_size = 0.04 }, floor = { friction = 0.35, restitution = 0.1, color = "#8e969c" }, nozzle = { color = "#c1272d", surface = "glossy", roughness = 0.3 } },
  colliders = { { shape = { plane = {0, 1, 0} }, material = "floor" },
    { shape = { cylinder = {0.16, 0.9}, turn = { axis = {0, 0, 1}, angle = math.pi / 2 } }, position = {-4.2, 0.6, 0}, material = "nozzle" } },
  systems = {
    { type = "rigid", name = "crates", bodies = {
      { name = "crate", shape = { box = {1, 1, 1} }, position = {-1.4, 0.5, 0}, material = "crate" },
      { shape = { box = {0.7, 0.7, 0.7} }, position = {1.2, 0.35, 0}, material = "box" },
      { shape = { box = {0.6, 0.6, 0.6} }, position = {1.2, 1.001, 0}, material = "box" },
      { shape = { box = {0.5, 0.5, 0.5} }, position = {1.2, 1.552, 0}, material = "box" } } },
    { type = "particles", name = "jet", max_particles = 20000, kinds = { { name = "drop", material = "water", radius = 0.03, mass = 0.02, life = {1.6, 0.3} } },
      emitters = { { kind = "drop", shape = { disk = 0.12 }, position = {-3.7, 0.6, 0}, direction = {1, 0.0, 0}, speed = {speed, 0.6}, rate = rate, jitter = true, aperture = 0.03 } } },
  },
  camera = { eye = {-2.1, 1.5, 4.4}, target = {-1.25, 0.68, 0}, fov = 0.92, clouds = 0.45, shutter = 0.15, sun = {0.3, 0.6, -0.4} },
}
