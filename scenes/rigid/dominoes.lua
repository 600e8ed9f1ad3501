-- Dominoes: a row of them, the first one pushed (H9.9, Fig 9.2).
local n = param("n", 40, "how many dominoes")
local bodies = {}
for i = 1, n do
  bodies[i] = { shape = { box = {0.1, 1.0, 0.5} }, position = {0.4 * i, 0.5, 0}, material = "oak" }
end
bodies[1].spin = {0, 0, -2.5}
bodies[1].velocity = {1.2, 0, 0}
return {
  title = "Dominoes", duration = 6, fps = 30, gravity = {0, -9.81, 0},
  materials = { oak = { density = 700, friction = 0.5, restitution = 0.1, color = "#b5763a" } },
  colliders = { { shape = { plane = {0, 1, 0} } } },
  systems = { { type = "rigid", mode = "realtime", bodies = bodies } },
  camera = { eye = {8, 5, 14}, target = {8, 0.5, 0} },
}
