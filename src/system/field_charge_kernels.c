/* field_charge_kernels.c - electric and magnetic forces over lanes of points; built once per width. */
#include "base/kernel.h"
#include "system/field_kinds.h"

static void add_scaled(double* restrict out, double by, const double* restrict charge, const double* restrict inv_mass, int count)
{
    for (int i = 0; i < count; ++i) out[i] += charge[i] * inv_mass[i] * by;
}

void KIN_KERNEL(kin_field_electric)(const kin_field* field, const kin_field_batch* b)
{
    const kin_vec3* e = &((const kin_electric_field*)field->def)->electric;
    if (b->charge == NULL) return;
    add_scaled(b->acceleration[0], e->x, b->charge, b->inv_mass, b->count);
    add_scaled(b->acceleration[1], e->y, b->charge, b->inv_mass, b->count);
    add_scaled(b->acceleration[2], e->z, b->charge, b->inv_mass, b->count);
}

/* F = charge v x B turns the velocity at w = - charge B / mass. */
void KIN_KERNEL(kin_field_magnetic)(const kin_field* field, const kin_field_batch* b)
{
    const kin_vec3 m = ((const kin_magnetic_field*)field->def)->magnetic;
    if (b->charge == NULL) return;
    add_scaled(b->gyration[0], -m.x, b->charge, b->inv_mass, b->count);
    add_scaled(b->gyration[1], -m.y, b->charge, b->inv_mass, b->count);
    add_scaled(b->gyration[2], -m.z, b->charge, b->inv_mass, b->count);
}
