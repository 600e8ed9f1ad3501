-- What the pyramids stand on.
return {
  duration = 10, steps_per_frame = 1, fps = 60,
  materials = { stone = { friction = 0.6, restitution = 0 } },
  colliders = { { shape = { plane = {0, 1, 0} }, material = "stone" } },
}
