-- Cartoon physics (House & Keyser 2.1): who runs over a cliff hangs in the air for a while, and then falls faster than anything falls, so as to be where
-- Newton's ball, which left the edge beside him, has been all along. The cartoon field acts on one kind only, by its tag.
local hang = param("hang", 0.75, "how long he hangs, s")
local speed = param("speed", 5, "speed over the edge, m/s")

-- He runs on the mesa to its edge at x = 0; both begin one second before it.
local function runner(name, z)
  return { kind = name, position = {-speed, 12.45, z}, velocity = {speed, 0, 0}, radius = 0.45, material = name == "coyote" and "fur" or "steel_ball" }
end

return {
  title = "Coyote and Newton", duration = 4, seed = 1,
  materials = {
    fur = { color = "#9c5a2b", friction = 0, restitution = 0.25 }, steel_ball = { preset = "steel", color = "#5f7ea8", friction = 0, restitution = 0.25 },
    sandstone = { color = "#b9754a", friction = 0 }, desert = { color = "#d6a56a" }, mesa = { color = "#a04a28", friction = 0 },
  },
  fields = { { cartoon = hang, begin = 1.25, catch_up = 0.4, tags = { "coyote" } } },
  colliders = {
    { name = "desert", shape = { plane = {0, 1, 0} }, material = "desert" },
    { name = "cliff", shape = { box = {12, 12, 5.5} }, position = {-6, 6, 0}, material = "sandstone" },
    { name = "ledge", shape = { box = {12.4, 0.5, 5.9} }, position = {-6.2, 11.75, 0}, material = "mesa" },
    { name = "butte", shape = { box = {7, 9, 6} }, position = {22, 4.5, -26}, material = "mesa" },
    { name = "butte2", shape = { box = {5, 14, 5} }, position = {13, 7, -45}, material = "sandstone" },
  },
  systems = { { type = "particles", name = "fall", integrator = "rk4",
    kinds = {
      { name = "coyote", radius = 0.45, draw = "mesh", mesh = "coyote.obj", mesh_size = 2.2, orient = "fixed", material = "fur" },
      { name = "newton", radius = 0.45, material = "steel_ball" },
    },
    particles = { runner("coyote", 1.2), runner("newton", -1.2) } } },
  camera = { eye = {5.0, 11.3, 10.5}, target = {2.7, 10.75, 0}, fov = 0.7, clouds = 0.5, shutter = 0.05, sun = {0.5, 0.6, 0.45} },
}
