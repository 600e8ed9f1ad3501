/* forces.c - all that acts on particles besides pressure, in its order: fields, viscosity, tension, vorticity, sand, elasticity, a file each.
 *
 * What must be solved for the end of the tick (strong viscosity), and what is a change of velocity rather than a force (smoothing), is in calm.c. */
#include "domains/sph/physics/inside.h"

bool kin_sph_forces(kin_sph* f, kin_sph_tick* tick)
{
    if (!kin_sph_fields(f, tick)) return false;
    if (f->physics == NULL) return true; /* a tank without forces of its own */
    f->physics->holds = false;
    f->physics->seen_count = f->count, f->physics->seen_serial = f->next_serial;
    bool ok = kin_sph_fields_begin(f, tick) && kin_sph_shear(f, tick) && kin_sph_tension_force(f, tick) && kin_sph_confine(f, tick)
              && kin_sph_micropolar(f, tick) && kin_sph_sand(f, tick) && kin_sph_elastic_force(f, tick);
    if (!ok) kin_step_refuse(tick->step, 0, 0, "no memory for forces");
    return ok;
}

double kin_sph_forces_longest(const kin_sph* f)
{
    if (f->physics == NULL) return 1e300;
    double explicit = f->def.viscosity == KIN_SPH_VISCOSITY_EXPLICIT || f->def.viscosity == KIN_SPH_VISCOSITY_TEXT ? kin_sph_viscosity_tick(f) : 1e300;
    return kin_min(kin_min(explicit, kin_sph_tension_tick(f)), kin_min(kin_sph_sand_tick(f), kin_sph_elastic_tick(f)));
}
