#include "domains/particles/meet.h"
bool kin_particles_islands(kin_particles* p, const kin_step* step)
{
    (void)p;
    (void)step;
    return true;
}
