/* surfaces.c - the colour field at the surface of a ball: normals are radial (H14.6), curvature is 2 / r (H14.7); in the plane 1 / r.
 *
 * A ball cut out of a lattice has the curvature of its stairs. So this one is made of shells a spacing apart, each evenly strewn (a spiral whose turns are as far
 * apart as its points). A particle's normal is off by a part of spacing over radius; means over the surface, weighted by how much of it a particle is, too. */
#include "domains/sph/physics/inside.h"
#include "math/vec3.h"
#include "validation/sph/rig.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const kin_system_ops kin_sph_ops;

typedef struct surface {
    double weight, tilt, bend; /* sums: of |n|, of the angle to the radius, of kappa r */
} surface;

/* The gradient of the colour, which points into the fluid. */
static void gradients(kin_sph* f, const kin_sph_pairs* pairs, float* raw4, float* moment)
{
    for (size_t i = 0; i < f->blocks * KIN_SPH_LANES; ++i) f->x4[4 * i + 3] = i < f->count; /* of one tension */
    kin_sph_physics_kernels_of(f)->normal(pairs, 1 / f->support, raw4, moment, 0, f->blocks);
}

/* Unit normals out of the fluid: fourth 1, or all 0. */
static void unit_normals(const kin_sph* f, const float* raw4, float* n4)
{
    for (size_t i = 0; i < f->count; ++i) {
        double size = kin_length(kin_sph_get(raw4, i));
        if (size * (double)f->spacing < f->def.tension_threshold) continue;
        kin_sph_put(n4, i, kin_scale(kin_sph_get(raw4, i), -1 / size));
        n4[4 * i + 3] = 1;
    }
}

static surface add_up(const kin_sph* f, const float* raw4, const float* n4, const float* bend)
{
    surface s = {0};
    for (size_t i = 0; i < f->count; ++i) {
        if (n4[4 * i + 3] == 0) continue;
        kin_vec3 at = kin_add(f->origin, kin_sph_get(f->x4, i));
        double weight = kin_length(kin_sph_get(raw4, i));
        s.weight += weight;
        s.tilt += weight * kin_angle(kin_sph_get(n4, i), at);
        s.bend += weight * (double)bend[i] * kin_length(at);
    }
    return s;
}

static float* zeros(size_t count)
{
    float* p = aligned_alloc(64, (count * sizeof *p + 63) / 64 * 64);
    if (p != NULL) memset(p, 0, count * sizeof *p);
    return p;
}

/* After a step, with the passes that tension takes. */
static surface look_at(kin_sph* f)
{
    surface s = {0};
    const size_t lanes = f->blocks * KIN_SPH_LANES;
    float *raw4 = zeros(4 * lanes), *n4 = zeros(4 * lanes), *bend = zeros(lanes);
    if (raw4 != NULL && n4 != NULL && bend != NULL) {
        kin_sph_pairs pairs = kin_sph_pairs_of(f);
        gradients(f, &pairs, raw4, bend);
        unit_normals(f, raw4, n4);
        kin_sph_physics_kernels_of(f)->bend(&pairs, n4, f->flat ? 1 : 2, bend, 0, f->blocks);
        s = add_up(f, raw4, n4, bend);
    }
    free(raw4), free(n4), free(bend);
    return s;
}

/* Places of shells of spacing s out to radius 1; returns how many. NULL: only counts. */
static size_t lay_shells(bool flat, double s, kin_vec3* out)
{
    size_t count = 0;
    for (double r = 0.5 * s; r < 1; r += s) {
        const int n = (int)kin_round(flat ? 2 * KIN_PI * r / s : 4 * KIN_PI * r * r / (s * s));
        for (int i = 0; i < n; ++i, ++count) {
            if (out == NULL) continue;
            double z = flat ? 0 : 1 - (2 * i + 1.0) / n, turn = flat ? 2 * KIN_PI * i / n : 2.39996322972865332 * i; /* the golden angle */
            kin_sincos a = kin_sin_cos(turn + r / s);
            double flank = r * kin_sqrt(1 - z * z);
            out[count] = kin_v(flank * a.cosine, flank * a.sine, r * z);
        }
    }
    return count;
}

/* A tank with so many particles in a row, which are then put where they belong: blocks are lattices. */
static void create_ball(kin_tank* t)
{
    const double s = kin_tank_spacing(t);
    const size_t count = lay_shells(t->sph.flat, s, NULL);
    kin_vec3* places = calloc(count, sizeof *places);
    kin_tank_fill(t, kin_v(-0.5 * s, -0.5 * s, -0.5 * s), kin_v(((double)count - 0.5) * s, 0.5 * s, 0.5 * s));
    kin_tank_create(t);
    if (kin_tank_ok(t) && places != NULL) {
        kin_sph* f = kin_world_system_self(t->world, t->system, &kin_sph_ops);
        lay_shells(t->sph.flat, s, places);
        for (size_t i = 0; i < count && i < f->count; ++i) {
            kin_vec3 x = kin_sub(places[i], f->origin);
            f->x4[4 * i] = (float)x.x, f->x4[4 * i + 1] = (float)x.y, f->x4[4 * i + 2] = (float)x.z;
        }
    }
    free(places);
    kin_tank_step(t);
}

static void rows_of_ball(kin_case_run* run, bool flat, int across)
{
    char method[32];
    const double spacing = 1.0 / across;
    surface s = {0};
    kin_tank t = kin_tank_begin(run, KIN_SPH_WCSPH, spacing, 1e-6);
    t.def.gravity = kin_v(0, 0, 0);
    t.sph.flat = flat;
    t.phases[0].tension = 0.07;
    kin_tank_open(&t);
    create_ball(&t);
    if (kin_tank_ok(&t)) s = look_at(kin_world_system_self(t.world, t.system, &kin_sph_ops));
    snprintf(method, sizeof method, "%s, R = %d spacings", flat ? "disc" : "ball", across);
    kin_case_row(run, method, "mean angle of normals to the radius", s.tilt / s.weight, 0, spacing, "H14.6: radial");
    kin_case_row(run, method, "mean of curvature times r", s.bend / s.weight, flat ? 1 : 2, (flat ? 1 : 2) * spacing, flat ? "H14.7: 1 / r" : "H14.7: 2 / r");
    kin_tank_close(&t);
}

void kin_case_sph_curvature(kin_case_run* run)
{
    rows_of_ball(run, true, 10);
    rows_of_ball(run, true, run->full ? 40 : 20);
    rows_of_ball(run, false, run->full ? 16 : 8);
}
