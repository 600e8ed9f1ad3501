/* field_charge_kernels.c - electric and magnetic forces over lanes of points; built once per width. */
#include "base/kernel.h"
#include "system/field_kinds.h"

static void add_force(double* restrict out, double force, const double* restrict charge, const double* restrict inv_mass, int count)
{
    for (int i = 0; i < count; ++i) out[i] += charge[i] * inv_mass[i] * force;
}

void KIN_KERNEL(kin_field_electric)(const kin_field* field, const kin_field_batch* b)
{
    const kin_vec3* e = &((const kin_electric_field*)field->def)->electric;
    if (b->charge == NULL) return;
    add_force(b->acceleration[0], e->x, b->charge, b->inv_mass, b->count);
    add_force(b->acceleration[1], e->y, b->charge, b->inv_mass, b->count);
    add_force(b->acceleration[2], e->z, b->charge, b->inv_mass, b->count);
}

/* k (v x m) along one axis, of the two others in turn. */
static void add_cross(double* restrict out, const double* restrict v1, double m2, const double* restrict v2, double m1, const double* restrict charge,
                      const double* restrict inv_mass, int count)
{
    for (int i = 0; i < count; ++i) out[i] += charge[i] * inv_mass[i] * (v1[i] * m2 - v2[i] * m1);
}

void KIN_KERNEL(kin_field_magnetic)(const kin_field* field, const kin_field_batch* b)
{
    const kin_vec3 m = ((const kin_magnetic_field*)field->def)->magnetic;
    if (b->charge == NULL) return;
    add_cross(b->acceleration[0], b->velocity[1], m.z, b->velocity[2], m.y, b->charge, b->inv_mass, b->count);
    add_cross(b->acceleration[1], b->velocity[2], m.x, b->velocity[0], m.z, b->charge, b->inv_mass, b->count);
    add_cross(b->acceleration[2], b->velocity[0], m.y, b->velocity[1], m.x, b->charge, b->inv_mass, b->count);
}
