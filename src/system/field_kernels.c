/* field_kernels.c - fields over lanes of points; built once per width. Plain loops: lanes are independent points, so every width gives the same bits. */
#include "system/field_kernels.h"
#include "base/kernel.h"

static void add_uniform(double* restrict out, double value, int count)
{
    for (int i = 0; i < count; ++i) out[i] += value;
}

static void fill(double* restrict out, double value, int count)
{
    for (int i = 0; i < count; ++i) out[i] = value;
}

/* The start of an evaluation: still air, the world's gravity (H2.7a). */
void KIN_KERNEL(kin_field_reset)(const kin_vec3* gravity, const kin_field_batch* batch)
{
    const double g[3] = {gravity->x, gravity->y, gravity->z};
    for (int axis = 0; axis < 3; ++axis) {
        fill(batch->air[axis], 0, batch->count);
        fill(batch->acceleration[axis], g[axis], batch->count);
    }
}

void KIN_KERNEL(kin_field_gravity)(const void* def, const kin_field_batch* batch)
{
    const kin_vec3* g = def;
    add_uniform(batch->acceleration[0], g->x, batch->count);
    add_uniform(batch->acceleration[1], g->y, batch->count);
    add_uniform(batch->acceleration[2], g->z, batch->count);
}

/* H2.7c: moves the air that drag is measured against. */
void KIN_KERNEL(kin_field_wind)(const void* def, const kin_field_batch* batch)
{
    const kin_vec3* w = def;
    add_uniform(batch->air[0], w->x, batch->count);
    add_uniform(batch->air[1], w->y, batch->count);
    add_uniform(batch->air[2], w->z, batch->count);
}

static void drag_axis(double d, const double* restrict inv_mass, const double* restrict air, const double* restrict v, double* restrict a, int count)
{
    for (int i = 0; i < count; ++i) a[i] += d * inv_mass[i] * (air[i] - v[i]);
}

/* H2.7b: a += (d/m) (air - v). */
void KIN_KERNEL(kin_field_drag)(const void* def, const kin_field_batch* batch)
{
    const double d = *(const double*)def;
    for (int axis = 0; axis < 3; ++axis) {
        drag_axis(d, batch->inv_mass, batch->air[axis], batch->velocity[axis], batch->acceleration[axis], batch->count);
    }
}
