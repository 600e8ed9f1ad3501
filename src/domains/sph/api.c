/* api.c - the public calls (kinema/sph.h). */
#include "domains/sph/boundary/boundary.h"
#include "domains/sph/face.h"

kin_result kin_sph_create(kin_world* world, const kin_sph_def* def, kin_system_id* out, kin_error* error)
{
    return kin_world_add_system(world, &kin_sph_ops, def->name, def, out, error);
}

kin_sph_view kin_sph_state(const kin_world* world, kin_system_id id)
{
    kin_sph* f = kin_world_system_self(world, id, &kin_sph_ops);
    return (kin_sph_view){.count = f->count,
                          .origin = f->origin,
                          .position = f->x4,
                          .velocity = f->v4,
                          .density = f->density,
                          .pressure = kin_sph_pressures(f),
                          .multiplier = f->k_density,
                          .temperature = f->temperature,
                          .serial = f->serial,
                          .phase = f->phase};
}

static kin_sph_walls* walls_of(const kin_world* world, kin_system_id id) { return ((kin_sph*)kin_world_system_self(world, id, &kin_sph_ops))->walls; }

kin_result kin_sph_add_surface(kin_world* world, kin_system_id id, const kin_sph_surface_def* def, kin_sph_surface_id* out, kin_error* error)
{
    *out = (kin_sph_surface_id){0};
    return kin_sph_walls_add_surface(walls_of(world, id), def, &out->serial, error);
}

kin_result kin_sph_move_surface(kin_world* world, kin_system_id id, kin_sph_surface_id surface, const kin_vec3* vertices, size_t count, kin_error* error)
{
    return kin_sph_walls_move_surface(walls_of(world, id), surface.serial, vertices, count, error);
}

kin_result kin_sph_remove_surface(kin_world* world, kin_system_id id, kin_sph_surface_id surface, kin_error* error)
{
    return kin_sph_walls_remove_surface(walls_of(world, id), surface.serial, error);
}
