-- Two droplets of molecules meet and become one: Lennard-Jones forces push what is near and pull what is farther (Coutinho, ch. 3.7.3; C3.7.3).
-- Reduced units: a molecule's mass, sigma and well are 1. Drops begin as crystals at their rest distance, with a little heat.
local across = param("across", 9, "molecules across a drop")
local speed = param("speed", 1.3, "of each drop, in reduced units")

-- Molecules of a cubic close packing within a ball.
local function drop(list, kind, center, velocity)
  local a, half = 2 ^ (2 / 3) * 1.09, across // 2 + 1 -- side of the cube with an atom in the middle of each face
  local base = { {0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5} }
  local reach = across * 1.09 * 2 ^ (1 / 6) / 2
  for i = -half, half do for j = -half, half do for k = -half, half do
    for _, b in ipairs(base) do
      local x, y, z = (i + b[1]) * a, (j + b[2]) * a, (k + b[3]) * a
      if x * x + y * y + z * z < reach * reach then
        list[#list + 1] = { kind = kind, position = {center[1] + x, center[2] + y, center[3] + z}, velocity = velocity, spread = {0.45, 0.45, 0.45}, radius = 0.5 }
      end
    end
  end end end
end

local molecules = {}
drop(molecules, "cyan", {-7.4, 1.6, 0}, {speed, 0, 0})
drop(molecules, "pink", {7.4, -1.6, 0}, {-speed, 0, 0})

return {
  title = "Molecules", duration = 10, fps = 20, steps_per_frame = 10, seed = 5, gravity = {0, 0, 0},
  materials = {
    cyan = { color = "#37b6c9", surface = "glossy", roughness = 0.2 },
    pink = { color = "#e5568a", surface = "glossy", roughness = 0.2 },
  },
  fields = { { molecules = 1, sigma = 1, cutoff = 2.5, shift = true } },
  systems = { { type = "particles", name = "molecules", integrator = "velocity_verlet", particles = molecules, kinds = { { name = "cyan", material = "cyan" }, { name = "pink", material = "pink" } } } },
  camera = { fov = 0.62, eye = {4, 9, 26}, target = {0, 0, 0}, sky_color = {0.55, 0.6, 0.7}, horizon_color = {0.16, 0.17, 0.2}, sun = {0.3, 0.8, 0.6} },
}
