/* field_kernels.c - fields over lanes of points; built once per width. Plain loops: lanes are independent points, so every width gives the same bits. */
#include "base/kernel.h"
#include "system/field_kinds.h"

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

static void add_turned(double* restrict out, const double* restrict w1, const double* restrict v2, const double* restrict w2, const double* restrict v1,
                       int count)
{
    for (int i = 0; i < count; ++i) out[i] += w1[i] * v2[i] - w2[i] * v1[i];
}

void KIN_KERNEL(kin_field_turn)(const double* w, const kin_field_batch* b)
{
    const double *x = w, *y = w + b->count, *z = y + b->count;
    add_turned(b->acceleration[0], y, b->velocity[2], z, b->velocity[1], b->count);
    add_turned(b->acceleration[1], z, b->velocity[0], x, b->velocity[2], b->count);
    add_turned(b->acceleration[2], x, b->velocity[1], y, b->velocity[0], b->count);
}

void KIN_KERNEL(kin_field_gravity)(const kin_field* field, const kin_field_batch* batch)
{
    const kin_vec3* g = &((const kin_gravity_field*)field->def)->gravity;
    add_uniform(batch->acceleration[0], g->x, batch->count);
    add_uniform(batch->acceleration[1], g->y, batch->count);
    add_uniform(batch->acceleration[2], g->z, batch->count);
}

/* H2.7c: moves the air that drag is measured against. */
void KIN_KERNEL(kin_field_wind)(const kin_field* field, const kin_field_batch* batch)
{
    const kin_vec3* w = &((const kin_wind_field*)field->def)->wind;
    add_uniform(batch->air[0], w->x, batch->count);
    add_uniform(batch->air[1], w->y, batch->count);
    add_uniform(batch->air[2], w->z, batch->count);
}

static void drag_axis(double d, const double* restrict inv_mass, const double* restrict air, const double* restrict v, double* restrict a, int count)
{
    for (int i = 0; i < count; ++i) a[i] += d * inv_mass[i] * (air[i] - v[i]);
}

/* H5.1e: more drag with speed, and a drive that knows its limit. */
static void drag_by_speed(const kin_drag_field def, int count, const double* restrict inv_mass, const double* restrict ux, const double* restrict uy,
                          const double* restrict uz, const double* restrict vx, const double* restrict vy, const double* restrict vz, double* restrict ax,
                          double* restrict ay, double* restrict az)
{
    const double limit2 = def.top_speed > 0 ? def.top_speed * def.top_speed : 1.7e308;
    for (int i = 0; i < count; ++i) {
        double wx = ux[i] - vx[i], wy = uy[i] - vy[i], wz = uz[i] - vz[i];
        double d = def.drag + def.quadratic * __builtin_sqrt(wx * wx + wy * wy + wz * wz);
        double v2 = vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i];
        double driven = v2 >= limit2 ? 0 : d;
        double k = (d < 0 ? driven : d) * inv_mass[i];
        ax[i] += k * wx;
        ay[i] += k * wy;
        az[i] += k * wz;
    }
}

/* H2.7b: a += (d/m) (air - v). */
void KIN_KERNEL(kin_field_drag)(const kin_field* field, const kin_field_batch* batch)
{
    const kin_drag_field* def = field->def;
    if (def->quadratic != 0 || def->top_speed > 0) {
        drag_by_speed(*def, batch->count, batch->inv_mass, batch->air[0], batch->air[1], batch->air[2], batch->velocity[0], batch->velocity[1],
                      batch->velocity[2], batch->acceleration[0], batch->acceleration[1], batch->acceleration[2]);
        return;
    }
    for (int axis = 0; axis < 3; ++axis) {
        drag_axis(def->drag, batch->inv_mass, batch->air[axis], batch->velocity[axis], batch->acceleration[axis], batch->count);
    }
}
