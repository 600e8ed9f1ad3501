/* manifolds.c - contact manifolds: stacks in closed form, all pairs against distance, floors of triangles without ghosts, and regions of two meshes. */
#include "collision/manifold/manifold.h"
#include "collision/narrow/distance.h"
#include "validation/cases.h"
#include "validation/collision/dice.h"
#include "validation/collision/pair.h"
#include "validation/shapes.h"
#include <math.h>

static int collide(kin_case_pair* p, kin_transform a, kin_transform b, double margin, kin_manifold* out, int most)
{
    return kin_collide(p->a, a, p->b, b, margin, NULL, &p->arena, out, most);
}

static double deepest(const kin_manifold* m)
{
    double least = 1e300;
    for (int i = 0; i < m->count; ++i) least = kin_min(least, m->points[i].separation);
    return least;
}

/* ---- known stacks ---- */

static double span(const kin_manifold* m, int axis)
{
    double low = 1e300, high = -1e300;
    for (int i = 0; i < m->count; ++i) {
        low = kin_min(low, kin_component(m->points[i].point, axis));
        high = kin_max(high, kin_component(m->points[i].point, axis));
    }
    return high - low;
}

static void stacks(kin_case_run* run)
{
    kin_manifold m = {.count = 0};
    kin_case_pair p = kin_case_pair_open((kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}}, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {4, 1, 4}});
    collide(&p, kin_case_at(0, 0.99, 0), kin_case_at(0, 0, 0), 0.02, &m, 1);
    kin_case_row(run, "box on box", "points", m.count, 4, 0, "closed form");
    kin_case_row(run, "box on box", "depth, m", -deepest(&m), 0.01, 1e-14, "closed form");
    kin_case_row(run, "box on box", "span of the contact, m", span(&m, 0), 1, 1e-14, "closed form");
    collide(&p, (kin_transform){{0, 0.99, 0}, kin_quat_axis_angle(kin_v(0, 1, 0), KIN_PI / 4)}, kin_case_at(0, 0, 0), 0.02, &m, 1);
    kin_case_row(run, "turned by 45 degrees", "span of the contact, m", span(&m, 0), sqrt(2), 1e-12, "closed form");
    kin_case_pair_close(&p);
    p = kin_case_pair_open((kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}}, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}});
    kin_quat lean = kin_quat_axis_angle(kin_v(1, 0, 0), KIN_PI / 4), roll = kin_quat_axis_angle(kin_v(0, 0, 1), KIN_PI / 4);
    collide(&p, (kin_transform){{0, sqrt(2) - 0.01, 0}, lean}, (kin_transform){{0, 0, 0}, roll}, 0, &m, 1);
    kin_case_row(run, "edge on edge", "points", m.count, 1, 0, "closed form");
    kin_case_row(run, "edge on edge", "depth, m", -deepest(&m), 0.01, 1e-12, "closed form");
    kin_case_pair_close(&p);
}

/* ---- all convex pairs ---- */

static void pairs(kin_case_run* run)
{
    kin_dice d = {1};
    kin_vec3 corners[14];
    for (int i = 0; i < 14; ++i) corners[i] = kin_scale(kin_dice_direction(&d), 0.7);
    const kin_shape shapes[] = {{.kind = KIN_SHAPE_SPHERE, .radius = 0.5},
                                {.kind = KIN_SHAPE_BOX, .size = {1, 0.7, 1.2}},
                                {.kind = KIN_SHAPE_CAPSULE, .radius = 0.3, .length = 0.8},
                                {.kind = KIN_SHAPE_CYLINDER, .radius = 0.5, .length = 0.9},
                                {.kind = KIN_SHAPE_CONE, .radius = 0.6, .length = 1},
                                {.kind = KIN_SHAPE_HULL, .points = {corners, 14}}};
    const double margin = 0.02;
    int rounds = run->full ? 3000 : 60, lost = 0, stuck = 0, touching = 0;
    double worst = 0;
    for (int i = 0; i < 36; ++i) {
        kin_case_pair p = kin_case_pair_open(shapes[i / 6], shapes[i % 6]);
        for (int k = 0; k < rounds; ++k) {
            kin_transform a = {kin_dice_vec3(&d, 0.6), kin_dice_turn(&d)}, b = {kin_dice_vec3(&d, 0.6), kin_dice_turn(&d)};
            kin_manifold m;
            kin_gap gap;
            kin_convex_distance(&p.a->convex, &p.b->convex, kin_transform_between(a, b), NULL, &gap);
            int count = collide(&p, a, b, margin, &m, 1);
            lost += gap.distance < margin - 1e-6 && count == 0;
            if (count == 0) continue;
            touching += 1;
            if (gap.distance < 0) worst = kin_max(worst, fabs(deepest(&m) - gap.distance));
            a.position = kin_add_scaled(a.position, margin - deepest(&m) + 1e-3, m.normal);
            kin_convex_distance(&p.a->convex, &p.b->convex, kin_transform_between(a, b), NULL, &gap);
            stuck += gap.distance < margin;
        }
        kin_case_pair_close(&p);
    }
    kin_case_row(run, "36 pairs of kinds", "contacts lost", lost, 0, 0, "signed distance by GJK and EPA");
    kin_case_row(run, "36 pairs of kinds", "pairs the normal does not part", stuck, 0, 0,
                 "moved by the depth, and 1e-3 of the size: faces are preferred by that");
    kin_case_row(run, "36 pairs of kinds", "deepest point against the depth, m", worst, 0, 5e-3, "faces are preferred within 1e-3 of the size");
    kin_case_row(run, "36 pairs of kinds", "many touch", touching > 18 * rounds, 1, 0, "the test bites");
}

/* ---- no ghosts ---- */

static double level(double x, double z) { return (void)x, (void)z, 0; }

static void ghosts(kin_case_run* run)
{
    kin_patch patch;
    if (!kin_patch_grid(&patch, 20, 5, level)) return;
    static const double zeros[441];
    const kin_shape floors[2] = {patch.shape, {.kind = KIN_SHAPE_HEIGHTS, .heights = {.values = {zeros, 441}, .columns = 21, .size = {10, 1, 10}}}};
    const kin_shape bodies[] = {{.kind = KIN_SHAPE_BOX, .size = {0.7, 0.6, 0.9}},
                                {.kind = KIN_SHAPE_SPHERE, .radius = 0.3},
                                {.kind = KIN_SHAPE_CAPSULE, .radius = 0.2, .length = 0.2},
                                {.kind = KIN_SHAPE_CYLINDER, .radius = 0.3, .length = 0.6}};
    const char* const names[2] = {"mesh", "height field"};
    kin_dice d = {2};
    for (int f = 0; f < 2; ++f) {
        double lean = 0, depth = 0;
        int several = 0;
        for (int b = 0; b < 4; ++b) {
            kin_case_pair p = kin_case_pair_open(bodies[b], floors[f]);
            int n = run->full ? 5000 : 150;
            for (int i = 0; i < n; ++i) { /* sliding over every edge of the floor, deep and barely */
                double sink = i % 3 == 0 ? 0.05 : i % 3 == 1 ? 0.001 : -0.004;
                kin_transform pose = {{-3 + 6.0 * i / n, 0.3 - sink, kin_dice_roll(&d, -3, 3)}, kin_quat_axis_angle(kin_v(0, 1, 0), kin_dice_roll(&d, -3, 3))};
                kin_manifold m[4];
                int count = collide(&p, pose, kin_case_at(0, 0, 0), 0.01, m, 4);
                several += count != 1;
                for (int k = 0; k < count; ++k) {
                    lean = kin_max(lean, 1 - m[k].normal.y);
                    depth = kin_max(depth, fabs(deepest(&m[k]) + sink));
                }
            }
            kin_case_pair_close(&p);
        }
        kin_case_row(run, names[f], "normals that lean, 1 - cosine", lean, 0, 1e-12, "a flat floor pushes up");
        kin_case_row(run, names[f], "depth against the sinking, m", depth, 0, 1e-9, "closed form");
        kin_case_row(run, names[f], "poses with other than one manifold", several, 0, 0, "a flat floor is one face");
    }
    kin_patch_free(&patch);
}

const kin_case kin_cases_manifolds[] = {
    {"collision/stacks", "Contact points of boxes on boxes.", stacks},
    {"collision/pairs", "Every pair of convex kinds against distance.", pairs},
    {"collision/ghosts", "Bodies sliding over a floor of triangles.", ghosts},
    {NULL, NULL, NULL},
};
