-- Places made of powers: a last bit that differs shows in the state hash.
local particles = {}
for i = 1, 200 do
  particles[i] = { position = { (0.37 * i) ^ 0.731, 1 + i ^ -1.3, 1.01 ^ (3.7 * i) }, velocity = { 0, i ^ 0.5, 0 } }
end
return { title = "Powers", duration = 1, systems = { { type = "particles", particles = particles } } }
