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

void KIN_KERNEL(kin_field_magnetic)(const kin_field* field, const kin_field_batch* b)
{
    const kin_vec3 m = ((const kin_magnetic_field*)field->def)->magnetic;
    if (b->charge == NULL) return;
    const double* restrict vx = b->velocity[0], * restrict vy = b->velocity[1], * restrict vz = b->velocity[2];
    const double* restrict charge = b->charge, * restrict inv_mass = b->inv_mass;
    double* restrict ax = b->acceleration[0], * restrict ay = b->acceleration[1], * restrict az = b->acceleration[2];
    for (int i = 0; i < b->count; ++i) {
        double k = charge[i] * inv_mass[i];
        ax[i] += k * (vy[i] * m.z - vz[i] * m.y);
        ay[i] += k * (vz[i] * m.x - vx[i] * m.z);
        az[i] += k * (vx[i] * m.y - vy[i] * m.x);
    }
}
