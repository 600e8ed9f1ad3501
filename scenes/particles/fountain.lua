-- A fountain (House & Keyser 4.3; Coutinho 3.7.3): a tall jet and a ring of leaning ones. Newborns are jittered over their step, so that streams have no
-- gaps, and the aperture widens them as they rise. Drops end on the water, in droplets of spray.
local rate = param("rate", 15000, "drops a second in all")
local jets = param("jets", 14, "jets of the ring")
local tall = param("tall", 5.7, "speed of the middle jet, m/s")

local function drop(name, radius, splash)
  return { name = name, tags = { "water" }, material = "water", radius = {radius, 0.3 * radius}, mass = 0.001, life = 3, streak = 0.03, ends = { hit = true },
    splits = splash and { { when = "hit", into = "spray", number = {0.9, 0.9}, speed = 0, kick = {1.1, 0.6}, direction = math.pi, size = 0.55 } } or nil }
end
local emitters = { { kind = "drop", shape = { disk = 0.05 }, position = {0, 1.75, 0}, aperture = 0.07, spread = "normal", speed = {tall, 0.5},
  rate = 0.25 * rate, jitter = true } }
for i = 1, jets do
  local a = 2 * math.pi * i / jets
  local c, s = math.cos(a), math.sin(a)
  emitters[#emitters + 1] = { kind = "drop", shape = { disk = 0.025 }, position = {2.25 * c, 0.42, 2.25 * s}, direction = {-0.42 * c, 1, -0.42 * s},
    aperture = 0.025,
    speed = {5.4, 0.15}, rate = 0.5 * rate / jets, jitter = true }
end

-- What the bowl cannot hold falls from its edge as a curtain.
local edge = {}
for i = 0, 48 do edge[i + 1] = {0.78 * math.cos(2 * math.pi * i / 48), 0, 0.78 * math.sin(2 * math.pi * i / 48)} end
emitters[#emitters + 1] = { kind = "drop", shape = { curve = edge }, position = {0, 1.72, 0}, aim = "all", speed = {0.2, 0.15}, rate = 0.25 * rate,
  jitter = true }

local colliders = {
  { name = "plaza", shape = { plane = {0, 1, 0} }, material = "paving" },
  { name = "pillar", shape = { capsule = {0.16, 1.2} }, position = {0, 0.8, 0}, material = "marble" },
  { name = "water", shape = { mesh = "disk.obj" }, position = {0, 0.36, 0}, material = "pool" },
  { name = "rim", shape = { mesh = "rim.obj" }, material = "marble" },
  { name = "bowl", shape = { mesh = "bowl.obj" }, position = {0, 1.5, 0}, material = "marble" },
}

return {
  title = "Fountain", duration = 5, seed = 4,
  materials = {
    water = { preset = "water", color = "#f2f8ff", restitution = 0.2, friction = 0.1 },
    pool = { color = "#1f5c78", surface = "glossy", roughness = 0.08, restitution = 0.1 },
    marble = { color = "#d8d0c2", roughness = 0.4, pattern = "speckle" }, paving = { color = "#8f8779" },
  },
  fields = { { drag = 0.0002 }, { wind = {0.5, 0, 0} } },
  colliders = colliders,
  systems = { { type = "particles", name = "fountain", integrator = "velocity_verlet", max_particles = 60000,
    kinds = { drop("drop", 0.014, true), drop("spray", 0.007, false) }, emitters = emitters } },
  camera = { eye = {0.5, 2.5, 6.2}, target = {0, 1.65, 0}, fov = 0.72, sun = {-0.7, 0.45, 0.3}, sun_color = {3.2, 2.6, 1.9}, sky_color = {0.16, 0.28, 0.52},
    horizon_color = {0.55, 0.6, 0.66}, clouds = 0.5, exposure = -0.1 },
}
