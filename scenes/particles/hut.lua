-- A hut with a pitched roof on open ground: what rain, hail and snow fall on. Those scenes include it.
return {
  title = "Hut", duration = 1,
  materials = {
    ground = { color = "#4f5a3e" }, roof = { color = "#8a4636", pattern = "brick", pattern_size = 0.32 }, wall = { color = "#b59a78", pattern = "speckle", pattern_size = 0.3 }, beam = { color = "#5f4632", pattern = "wood", pattern_size = 0.06 },
    pane = { color = "#ffcf7a", surface = "emissive", glow = 1.1 },
  },
  colliders = {
    { name = "ground", shape = { plane = {0, 1, 0} }, material = "ground" },
    { name = "walls", shape = { mesh = "hut.obj" }, material = "wall" },
    { name = "roof_left", shape = { box = {2.3, 0.14, 3.9} }, position = {-0.91, 2.3, 0}, orientation = { axis = {0, 0, 1}, angle = 0.6 }, material = "roof" },
    { name = "roof_right", shape = { box = {2.3, 0.14, 3.9} }, position = {0.91, 2.3, 0}, orientation = { axis = {0, 0, 1}, angle = -0.6 }, material = "roof" },
    { name = "chimney", shape = { box = {0.42, 1.2, 0.42} }, position = {-0.8, 2.9, -0.9}, material = "beam" },
    { name = "door", shape = { box = {0.62, 1.25, 0.06} }, position = {0, 0.62, 1.61}, material = "beam" },
    { name = "window_left", shape = { box = {0.42, 0.42, 0.06} }, position = {-0.85, 1.1, 1.61}, material = "pane" },
    { name = "window_right", shape = { box = {0.42, 0.42, 0.06} }, position = {0.85, 1.1, 1.61}, material = "pane" },
  },
  camera = { eye = {3.4, 1.9, 6.2}, target = {0, 1.55, 0}, fov = 0.75 },
}
