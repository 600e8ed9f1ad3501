-- Bouncing box: a box falls on a corner, bounces, tumbles and comes to rest (H9.9, H10).
local height = param("height", 2.5, "where it falls from, m")
return {
  title = "Bouncing box", duration = 4, fps = 30,
  materials = {
    crate = { preset = "wood", restitution = 0.55, friction = 0.5, color = "#b5763a" },
    floor = { restitution = 0.55, friction = 0.6, color = "#8a9096" },
  },
  colliders = { { shape = { plane = {0, 1, 0} }, material = "floor" } },
  systems = {
    { type = "rigid", bodies = {
      { name = "box", shape = { box = {0.8, 0.6, 0.5} }, position = {-1.2, height, 0}, orientation = { axis = {1, 0.4, 0.7}, angle = 0.9 },
        velocity = {1.2, 0, 0}, spin = {1, 2, -3}, material = "crate" },
    } },
  },
  camera = { eye = {2.2, 2, 5.5}, target = {0, 0.8, 0} },
}
