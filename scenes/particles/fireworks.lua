-- Fireworks in stages, and a valentine (House & Keyser 5.1, figure 5.1; Coutinho 3.7.3). Rockets rise and trail sparks, burst into stars, and some stars
-- burst again. The stars of one shell are pulled to a heart by a goal field, which lets them go when its strength falls.
local heart_time = param("heart_time", 3.1, "when the valentine's shell bursts, s")
local stars = param("stars", 230, "stars of a shell")
local up = 20 -- m/s: rockets leave with this

local kinds, emitters = {}, {}

-- A colour's stars; those with an ember burst again at the end of their life.
local function star(name, hot, cool, ember)
  kinds[#kinds + 1] = { name = "star_" .. name, tags = { "star" }, material = "glow", radius = 0.06, mass = 0.02, life = {2.0, 0.4}, relative = true,
    streak = 0.3,
    color = { { t = 0, value = "#fff6e0" }, { t = 0.12, value = hot }, { t = 0.7, value = hot }, { t = 1, value = cool } },
    opacity = { { t = 0, value = 1 }, { t = 0.7, value = 0.9 }, { t = 1, value = 0 } },
    splits = ember and { { when = "death", into = ember, number = 7, kick = {3, 1}, speed = 0.3, direction = math.pi, size = 0.6 } } or nil }
end

-- A rocket that burns for fuse seconds, trails sparks and bursts into stars with this speed.
local function rocket(name, into, fuse, speed)
  kinds[#kinds + 1] = { name = "rocket_" .. name, tags = { "rocket" }, material = "glow", radius = 0.06, mass = 1, life = fuse, color = "#ffdca0",
    streak = 0.08,
    splits = {
      { when = "age", age = 0.05, every = 1, keep = true, into = "trail", number = 2, speed = 0.35, kick = {0.5, 0.4}, direction = 0.5, size = 0.4 },
      { when = "death", into = into, number = stars, speed = 0, kick = speed, direction = math.pi, size = 1 },
    } }
end
local function launch(name, x, z, at, speed, lean)
  emitters[#emitters + 1] = { kind = "rocket_" .. name, position = {x, 0.2, z}, direction = {lean or 0, 1, 0}, speed = speed, burst = 1, start = at }
end

kinds[1] = { name = "trail", tags = { "star" }, material = "glow", radius = 0.02, mass = 0.01, life = {0.7, 0.3}, relative = true, streak = 0.05,
  color = { { t = 0, value = "#ffd08a" }, { t = 1, value = "#7a2a08" } }, opacity = { { t = 0, value = 0.9 }, { t = 1, value = 0 } } }
kinds[2] = { name = "crackle", tags = { "star" }, material = "glow", radius = 0.03, mass = 0.01, life = {0.6, 0.25}, relative = true, streak = 0.08,
  color = { { t = 0, value = "#ffffff" }, { t = 1, value = "#ffd76a" } }, opacity = { { t = 0, value = 1 }, { t = 1, value = 0 } } }
star("gold", "#ffab2e", "#a83a00", "crackle")
star("blue", "#3f7bff", "#1a1f9c")
star("green", "#34e07a", "#0b5c36")
star("violet", "#b05cff", "#43108a")
rocket("gold", "star_gold", 1.6, {14, 0.8})
rocket("blue", "star_blue", 1.5, {12, 0.4})
rocket("green", "star_green", 1.4, {11, 4})
rocket("violet", "star_violet", 1.5, {12, 0.5})

-- The valentine: two splits, for a shell has 256 stars at most.
kinds[#kinds + 1] = { name = "heart", material = "glow", radius = 0.075, mass = 0.02, life = {3.1, 0.3}, relative = true, streak = 0.06,
  color = { { t = 0, value = "#fff0f0" }, { t = 0.15, value = "#ff2b55" }, { t = 0.8, value = "#ff1744" }, { t = 1, value = "#5c0018" } },
  opacity = { { t = 0, value = 1 }, { t = 0.75, value = 1 }, { t = 1, value = 0 } } }
rocket("heart", "heart", 1.5, {14, 3})
local shell = kinds[#kinds].splits
shell[3] = shell[2]
launch("heart", 0, 0, heart_time - 1.5, up - 1)

launch("gold", -11, -3, 0.05, up - 1, 0.02)
launch("blue", 10, -4, 0.3, up - 1.5, -0.03)
launch("green", -4, -9, 0.75, up - 2, -0.04)
launch("violet", 5.5, -8, 1.1, up + 1, 0.03)
launch("gold", 13, -5, 1.7, up - 2, 0.02)
launch("blue", -13, -4, 2.0, up - 3, -0.02)
launch("violet", -10, -9, 2.5, up + 1.5, 0.02)
launch("green", 10, -9, 2.8, up + 2, -0.03)
launch("gold", -14, -6, 3.3, up - 3, -0.02)
launch("blue", 13, -6, 3.6, up - 3, 0.02)

local high = (up - 1) * 1.5 - 0.5 * 9.81 * 1.5 ^ 2 + 0.2 -- where the valentine's rocket bursts
return {
  title = "Fireworks with a valentine", duration = 6, seed = 5,
  materials = { glow = { surface = "emissive", glow = 6, color = "#ffffff" }, lake = { color = "#06080d", surface = "glossy", roughness = 0.12 } },
  fields = {
    { drag = 0.024, tags = { "star" } },
    { gravity = {0, 6, 0}, tags = { "star" } }, -- stars are light: hot air bears most of them
    { goal = "heart.obj", position = {0, high, 0}, size = 5.8, stiffness = 26, damping = 0.9, tags = { "heart" },
      strength = { { t = heart_time + 0.1, value = 0 }, { t = heart_time + 0.35, value = 1 }, { t = heart_time + 2, value = 1 },
        { t = heart_time + 2.3, value = 0 } } },
    { gravity = {0, 9.5, 0}, tags = { "heart" }, strength = { { t = heart_time + 2, value = 1 }, { t = heart_time + 2.5, value = 0.5 } } },
  },
  colliders = { { name = "lake", shape = { plane = {0, 1, 0} }, material = "lake" } },
  systems = { { type = "particles", name = "fireworks", integrator = "velocity_verlet", max_particles = 20000, kinds = kinds, emitters = emitters } },
  camera = { eye = {0, 3, 33}, target = {0, 9.4, 0}, fov = 0.84, shutter = 0.3,
    sun_color = {0.01, 0.012, 0.02}, sky_color = {0.002, 0.003, 0.009}, horizon_color = {0.012, 0.016, 0.035} },
}
