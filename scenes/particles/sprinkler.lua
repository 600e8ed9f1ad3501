-- A lawn sprinkler (Coutinho 3.7.3): jets on a collider that keys turn. Drops leave the turning nozzles with the head's own velocity added and fly on
-- parabolas; the deviation of direction and speed is the aperture of the spray.
local rate = param("rate", 2400, "drops a second of each nozzle")
local period = param("period", 2.4, "time of one turn, s")
local keys = {}
for k = 0, 40 do keys[k + 1] = { t = k * period / 8, orientation = { axis = {0, 1, 0}, angle = k * math.pi / 4 } } end
local emitters = {}
for k = 0, 2 do
  local a = 2 * math.pi * k / 3
  local c, s = math.cos(a), math.sin(a)
  emitters[k + 1] = { kind = "drop", collider = "head", shape = { disk = 0.012 }, position = {0.24 * c, 0.06, 0.24 * s}, direction = {c, 0.85, s},
    aperture = 0.07, spread = "normal", speed = {4.9, 0.8}, rate = rate, jitter = true }
end

return {
  title = "Sprinkler", duration = 5, steps_per_frame = 4, seed = 2,
  materials = { water = { color = "#e8f4ff", surface = "glossy", roughness = 0.08 }, lawn = { color = "#3f6b2c" }, brass = { preset = "gold", roughness = 0.3 },
    pipe = { color = "#30343a" } },
  fields = { { drag = 0.00006 }, { wind = {0.4, 0, 0} } },
  colliders = {
    { name = "lawn", shape = { plane = {0, 1, 0} }, material = "lawn" },
    { name = "pipe", shape = { capsule = {0.035, 0.4} }, position = {0, 0.2, 0}, material = "pipe" },
    { name = "head", shape = { box = {0.36, 0.07, 0.12} }, position = {0, 0.5, 0}, keys = keys, smooth = false, material = "brass" },
  },
  systems = { { type = "particles", name = "sprinkler", integrator = "velocity_verlet", max_particles = 60000,
    kinds = {
      { name = "drop", material = "water", radius = {0.008, 0.003}, mass = 0.0002, life = 3, streak = 0.022, ends = { hit = true },
        splits = { { when = "hit", into = "splash", number = 2, speed = 0, kick = {0.7, 0.4}, direction = math.pi, size = 0.7 } } },
      { name = "splash", material = "water", radius = 0.005, mass = 0.0001, life = 0.2, streak = 0.01 },
    },
    emitters = emitters } },
  camera = { eye = {1.2, 1.7, 5.2}, target = {0, 0.6, 0}, fov = 0.72, sun = {-0.6, 0.5, -0.3} },
}
