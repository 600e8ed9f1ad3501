-- A boulder drops on a dry road and throws up dust: two rings of soft sprites, pushed out along the ground, that rise, swell and thin out (Coutinho, ch. 3.7.3; C3.7.3).
local puffs = param("puffs", 1400, "puffs of dust")
local strength = param("strength", 6, "speed at which the dust leaves, m/s")

local landing = 0.64 -- s: after a fall from 2 m
return {
  title = "Dust", duration = 4, fps = 24, steps_per_frame = 2, seed = 6,
  materials = {
    road = { color = "#b79a73", friction = 0.6, restitution = 0.2 }, rock = { color = "#6b6258" }, dust = { color = "#c09a6a" }, chip = { color = "#7d7468", restitution = 0.4 },
  },
  fields = {
    { drag = 0.02, tags = {"puff", "low"} }, -- of 10 g: a speed halves in a third of a second
    { gravity = {0, 9.9, 0}, tags = {"puff", "low"} }, -- as light as air
    { kicks = 0.12, rate = 24, tags = {"puff", "low"} },
  },
  colliders = {
    { name = "road", shape = { plane = {0, 1, 0} }, material = "road" },
    { name = "boulder", shape = { mesh = "boulder.obj" }, material = "rock", smooth = false, keys = {
      { t = 0, position = {0, 2.9, 0}, orientation = { axis = {0.3, 0, 1}, angle = 0.9 } }, { t = 0.32, position = {0, 2.4, 0}, orientation = { axis = {0.3, 0, 1}, angle = 0.6 } },
      { t = 0.5, position = {0, 1.68, 0}, orientation = { axis = {0.3, 0, 1}, angle = 0.45 } }, { t = landing, position = {0, 0.78, 0}, orientation = { axis = {0.3, 0, 1}, angle = 0.3 } } } },
  },
  systems = {
    { type = "particles", name = "dust", hits = "approximate",
      kinds = {
        { name = "puff", material = "dust", draw = "sprite", radius = {0.26, 0.12}, mass = 0.01, life = {3.2, 0.8}, relative = true, meets_solids = false,
          size = { { t = 0, value = 0.5 }, { t = 0.25, value = 2.2 }, { t = 1, value = 4.2 } }, opacity = { { t = 0, value = 0.5 }, { t = 0.4, value = 0.2 }, { t = 1, value = 0 } } },
        { name = "low", material = "dust", draw = "sprite", radius = {0.16, 0.08}, mass = 0.01, life = {2.4, 0.6}, relative = true, meets_solids = false,
          size = { { t = 0, value = 0.5 }, { t = 1, value = 3.6 } }, opacity = { { t = 0, value = 0.5 }, { t = 0.5, value = 0.2 }, { t = 1, value = 0 } } },
        { name = "chip", material = "chip", radius = {0.03, 0.02}, mass = 0.05 },
      },
      emitters = {
        { kind = "puff", shape = { disk = 0.9 }, position = {0, 0.15, 0}, direction = {0, 1, 0}, aperture = 1.35, speed = {strength * 0.55, strength * 0.4}, start = landing, burst = puffs // 2 },
        { kind = "low", shape = { disk = 0.7 }, position = {0, 0.12, 0}, direction = {0, 1, 0}, aperture = 1.55, speed = {strength * 1.2, strength * 0.35}, start = landing, burst = puffs // 2 },
        { kind = "chip", shape = { disk = 0.8 }, position = {0, 0.1, 0}, direction = {0, 1, 0}, aperture = 1.2, speed = {4.5, 2}, start = landing, burst = 120 },
      } },
  },
  camera = { fov = 0.6, eye = {3.4, 2.1, 7.6}, target = {0, 0.95, 0}, sun = {-0.7, 0.5, 0.35} },
}
