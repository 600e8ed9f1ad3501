/* foam.c - spray, foam and bubbles of a tank (system/foam): told once an interval where the fluid is. They are seen and do not push. */
#include "base/error.h"
#include "domains/sph/face.h"
#include "math/scalar.h"

kin_result kin_sph_foam_create(kin_sph* f, kin_error* error)
{
    const kin_sph_foam* from = &f->def.foam;
    if (!(from->rate > 0) || from->most == 0) return KIN_OK;
    kin_foam_def def = kin_foam_def_default();
    def.most = from->most;
    def.spacing = 2 * f->def.radius;
    def.trapped_rate = def.crest_rate = from->rate;
    def.lifetime[0] = kin_max(0, from->life[0] - from->life[1]);
    def.lifetime[1] = from->life[0] + from->life[1];
    def.buoyancy = from->buoyancy;
    def.drag = from->drag;
    def.seed = f->seed;
    def.system = f->system;
    def.simd = f->simd;
    return kin_within(kin_foam_create(&f->allocator, &def, &f->sources->foam, error), "foam", error);
}

bool kin_sph_foam_step(kin_sph* f, kin_step* step)
{
    if (f->sources->foam == NULL) return true;
    kin_error error = {0};
    kin_foam_fluid fluid = {.positions = f->x4, .velocities = f->v4, .stride = 4, .count = (uint32_t)f->count, .origin = f->origin, .serials = f->serial};
    if (kin_foam_step(f->sources->foam, step->jobs, &fluid, step->fields->gravity, step->h, &error) == KIN_OK) return true;
    kin_step_refuse(step, 0, 0, error.message);
    return false;
}
