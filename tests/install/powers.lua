-- Places made of many powers: a last bit that differs in one of them shows in the state hash.
local particles = {}
for i = 1, 200 do
  local x, y = 0, 0
  for k = 1, 200 do
    x = x + (0.37 * i + 0.01 * k) ^ (0.731 + 0.013 * k) / 1e6
    y = y + (1 + 0.003 * k) ^ (-0.07 * i)
  end
  particles[i] = { position = {x, y, 1.01 ^ (3.7 * i)}, velocity = {0, i ^ 0.5, 0} }
end
return { title = "Powers", duration = 1, systems = { { type = "particles", particles = particles } } }
