-- A lava lamp: wax is warmed below and cools above. Each blob carries its heat as an attribute, which the script changes and which colours and swells it; blobs are metaballs, met
-- by rays without a mesh (House & Keyser 4.1, 14.4).
local n = param("n", 34, "blobs of wax")
local heat_up = param("heat", 0.55, "warming at the bottom, 1/s")
local height, width = 1.7, 0.42

return {
  title = "Lava lamp", duration = 14, fps = 24, steps_per_frame = 4, seed = 5, gravity = {0, 0, 0},
  materials = {
    wax = { surface = "glossy", color = "#ff5a1e", roughness = 0.25, restitution = 0.2, friction = 0 },
    glass = { preset = "glass", restitution = 0.2 },
    brass = { preset = "copper", color = "#d9b36a", roughness = 0.2 },
    bulb = { surface = "emissive", color = "#ffc98a", glow = 9 },
    room = { color = "#3b2f38", roughness = 1 },
  },
  fields = { { drag = 1.6 }, { kicks = 0.09, rate = 20 } },
  colliders = {
    { name = "floor", shape = { plane = {0, 1, 0} }, position = {0, -0.5, 0}, material = "room" },
    { name = "left", shape = { box = {0.02, height, 2 * width + 0.04} }, position = {-width - 0.01, height / 2, 0}, material = "glass" },
    { name = "right", shape = { box = {0.02, height, 2 * width + 0.04} }, position = {width + 0.01, height / 2, 0}, material = "glass" },
    { name = "front", shape = { box = {2 * width + 0.02, height, 0.02} }, position = {0, height / 2, width + 0.01}, material = "glass" },
    { name = "back", shape = { box = {2 * width + 0.02, height, 0.02} }, position = {0, height / 2, -width - 0.01}, material = "glass" },
    { name = "foot", shape = { box = {1.04, 0.46, 1.04} }, position = {0, -0.26, 0}, material = "brass" },
    { name = "cap", shape = { box = {0.98, 0.2, 0.98} }, position = {0, height + 0.1, 0}, material = "brass" },
    { name = "bulb", shape = { box = {0.8, 0.03, 0.8} }, position = {0, -0.012, 0}, material = "bulb" },
  },
  systems = { { type = "particles", name = "wax", integrator = "semi_implicit", contacts = "fast",
    kinds = { { name = "wax", material = "wax", draw = "metaball", meets_own = false,
      attributes = { { name = "heat", value = {0.4, 0.4} } },
      color_by = "heat", color = { {t = 0, value = "#a01428"}, {t = 0.5, value = "#f04818"}, {t = 1, value = "#ffb020"} },
      size_by = "heat", size = { {t = 0, value = 0.9}, {t = 1, value = 1.15} } } },
    particles = { { count = n, box = {0.6, 1.3, 0.6}, position = {0, 0.7, 0}, radius = 0.1, mass = 0.1 } } } },
  camera = { fov = 0.56, exposure = 1, eye = {0.9, 1.1, 4.9}, target = {0, 0.78, 0}, sun = {0.4, 0.6, 0.7}, sun_color = {0.9, 0.8, 0.8}, sky_color = {0.08, 0.08, 0.14}, horizon_color = {0.12, 0.1, 0.14} },

  -- Newton's law of cooling towards a warm bottom and a cool top; what is warmer than its surroundings rises.
  on_step = function(world, t)
    local h = 1 / 96
    for i = 0, world:count("wax") - 1 do
      local y = world:position("wax", i)[2] / height
      local warm = world:attribute("wax", i, "heat")
      warm = warm + h * heat_up * ((y < 0.25 and 1.4 or y > 0.75 and -0.4 or 0.5) - warm)
      world:set_attribute("wax", i, "heat", warm)
      world:push("wax", i, {0, 0.1 * h * 1.5 * (warm - 0.5), 0})
    end
  end,
}
