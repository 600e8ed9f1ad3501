/* field_flow_kernels.c - potential flows over lanes of points; built once per width. House & Keyser 13.4. */
#include "base/kernel.h"
#include "math/vec3.h"
#include "system/field_kinds.h"

/* Speed k / r^power, no more than most, out of a point or (flat) a line, or round it. */
typedef struct flow {
    double k, most;
    int power;
    bool flat, round;
    kin_vec3 at, axis;
} flow;

/* Loops take their arrays as parameters: that is where restrict is believed. */
#define LANES                                                                                                                                                  \
    int count, const double *restrict x, const double *restrict y, const double *restrict z, double *restrict ox, double *restrict oy, double *restrict oz

static inline __attribute__((always_inline)) void add_flow(const flow f, bool flat, bool round, bool square, LANES)
{
    const kin_vec3 at = f.at, u = f.axis;
    for (int i = 0; i < count; ++i) {
        double dx = x[i] - at.x, dy = y[i] - at.y, dz = z[i] - at.z;
        double along = flat ? dx * u.x + dy * u.y + dz * u.z : 0;
        dx -= along * u.x;
        dy -= along * u.y;
        dz -= along * u.z;
        double r2 = kin_max(dx * dx + dy * dy + dz * dz, 1e-60), r = __builtin_sqrt(r2); /* at the middle: no direction, no flow */
        double speed = kin_clamp(f.k / (square ? r2 : r), -f.most, f.most) / r;
        ox[i] += speed * (round ? u.y * dz - u.z * dy : dx);
        oy[i] += speed * (round ? u.z * dx - u.x * dz : dy);
        oz[i] += speed * (round ? u.x * dy - u.y * dx : dz);
    }
}

static void add_round(const flow* f, LANES) { add_flow(*f, true, true, false, count, x, y, z, ox, oy, oz); }
static void add_flat(const flow* f, LANES) { add_flow(*f, true, false, false, count, x, y, z, ox, oy, oz); }
static void add_square(const flow* f, LANES) { add_flow(*f, false, false, true, count, x, y, z, ox, oy, oz); }
static void add_text(const flow* f, LANES) { add_flow(*f, false, false, false, count, x, y, z, ox, oy, oz); }

static void add_any(const flow* f, const kin_field_batch* b, double* const out[3])
{
    void (*add)(const flow* f, LANES) = f->round ? add_round : f->flat ? add_flat : f->power == 2 ? add_square : add_text;
    add(f, b->count, b->position[0], b->position[1], b->position[2], out[0], out[1], out[2]);
}

static flow flow_of_source(const kin_field* field)
{
    const kin_source_field* d = field->def;
    bool point = d->form == KIN_SOURCE_POINT;
    return (flow){.k = d->source / ((point ? 4 : 2) * KIN_PI),
                  .most = d->max_speed,
                  .power = point ? 2 : 1,
                  .flat = d->form == KIN_SOURCE_AXIS,
                  .at = d->at,
                  .axis = kin_normalize_or(d->axis, kin_v(0, 1, 0))};
}

static flow flow_of_vortex(const kin_field* field)
{
    const kin_vortex_line_field* d = field->def;
    return (flow){.k = d->vortex_line / (2 * KIN_PI),
                  .most = d->max_speed,
                  .power = 1,
                  .flat = true,
                  .round = true,
                  .at = d->at,
                  .axis = kin_normalize_or(d->axis, kin_v(0, 1, 0))};
}

void KIN_KERNEL(kin_field_source_air)(const kin_field* field, const kin_field_batch* batch)
{
    flow f = flow_of_source(field);
    add_any(&f, batch, batch->air);
}

void KIN_KERNEL(kin_field_source_carry)(const kin_field* field, const kin_field_after* after)
{
    flow f = flow_of_source(field);
    add_any(&f, after->batch, after->carried);
}

void KIN_KERNEL(kin_field_vortex_line_air)(const kin_field* field, const kin_field_batch* batch)
{
    flow f = flow_of_vortex(field);
    add_any(&f, batch, batch->air);
}

void KIN_KERNEL(kin_field_vortex_line_carry)(const kin_field* field, const kin_field_after* after)
{
    flow f = flow_of_vortex(field);
    add_any(&f, after->batch, after->carried);
}
