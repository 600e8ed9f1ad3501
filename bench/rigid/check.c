/* check.c - overlaps, drift, joint errors and energy of a run. */
#include "bench/rigid/check.h"
#include "bench/stage.h"
#include "collision/broad/broad.h"
#include "collision/form/form.h"
#include "math/mat3.h"
#include <stdlib.h>

#define TOUCH 1e-3   /* m: nearer than this counts as a pair that touches */
enum { EVERY = 10 }; /* steps: overlaps are looked for after each tenth, which a crowd on a mesh takes longer for than for the step itself */

struct kin_bench_check {
    const kin_bench_scene* scene;
    kin_form** forms;     /* of all bodies */
    kin_transform* poses; /* last seen */
    int* parent;          /* whom it hangs on; -1: none */
    kin_broad* broad;
    double* depths; /* m, of the pairs that touch */
    int steps;      /* seen */
    size_t depth_count, depth_capacity;
    double least_energy; /* J, so far */
    kin_bench_verdict verdict;
};

/* ---- making ---- */

static bool add_body(kin_bench_check* c, int i)
{
    const kin_bench_body* b = &c->scene->bodies[i];
    kin_shape walls[KIN_BENCH_WALLS], shape = kin_bench_shape_of(c->scene, b, walls);
    uint32_t proxy;
    c->parent[i] = -1;
    c->poses[i] = kin_bench_pose(b, 0);
    if (kin_form_create(NULL, &shape, &c->forms[i], NULL) != KIN_OK) return false;
    kin_broad_proxy_def def = {.box = kin_form_box(c->forms[i], c->poses[i]), .fixed = i >= c->scene->count};
    return kin_broad_insert(c->broad, &def, &proxy, NULL) == KIN_OK;
}

kin_bench_check* kin_bench_check_create(const kin_bench_scene* scene)
{
    const size_t all = (size_t)(scene->count + scene->fixed);
    kin_broad_def def = kin_broad_def_default(KIN_BROAD_TREE);
    kin_allocator allocator = kin_allocator_default();
    kin_bench_check* c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    c->scene = scene;
    c->forms = calloc(all, sizeof *c->forms);
    c->poses = calloc(all, sizeof *c->poses);
    c->parent = calloc(all, sizeof *c->parent);
    bool ok = c->forms != NULL && c->poses != NULL && c->parent != NULL && kin_broad_create(&allocator, &def, &c->broad, NULL) == KIN_OK;
    for (size_t i = 0; i < all && ok; ++i) ok = add_body(c, (int)i);
    for (int i = 0; i < scene->count; ++i) c->least_energy += scene->bodies[i].mass * KIN_BENCH_GRAVITY * scene->bodies[i].at.y;
    for (int i = 0; i < scene->joint_count && ok; ++i) c->parent[scene->joints[i].b] = scene->joints[i].a;
    if (ok) return c;
    kin_bench_check_destroy(c);
    return NULL;
}

void kin_bench_check_destroy(kin_bench_check* c)
{
    if (c == NULL) return;
    for (int i = 0; c->forms != NULL && i < c->scene->count + c->scene->fixed; ++i) kin_form_drop(c->forms[i]);
    kin_broad_destroy(c->broad);
    free(c->forms);
    free(c->poses);
    free(c->parent);
    free(c->depths);
    free(c);
}

/* ---- overlaps ---- */

static bool keep_depth(kin_bench_check* c, double depth)
{
    if (c->depth_count == c->depth_capacity) {
        size_t capacity = 2 * c->depth_capacity + 1024;
        double* depths = realloc(c->depths, capacity * sizeof *depths);
        if (depths == NULL) return false;
        c->depths = depths;
        c->depth_capacity = capacity;
    }
    c->depths[c->depth_count++] = depth;
    c->verdict.deepest = kin_max(c->verdict.deepest, depth);
    return true;
}

static bool see_pair(kin_bench_check* c, uint32_t a, uint32_t b)
{
    kin_manifold m;
    int count = 0;
    double separation = TOUCH;
    if (c->parent[a] == (int)b || c->parent[b] == (int)a) return true;
    if (kin_forms_contacts(c->forms[a], c->poses[a], c->forms[b], c->poses[b], TOUCH, &m, 1, &count, NULL) != KIN_OK) return false;
    if (count == 0) return true;
    for (int k = 0; k < m.count; ++k) separation = kin_min(separation, m.points[k].separation);
    return keep_depth(c, kin_max(0, -separation));
}

static bool see_overlaps(kin_bench_check* c)
{
    for (int i = 0; i < c->scene->count + c->scene->fixed; ++i) {
        if (i >= c->scene->count && kin_length2(c->scene->bodies[i].spin) == 0) continue;
        if (kin_broad_move(c->broad, (uint32_t)i, kin_form_box(c->forms[i], c->poses[i]), kin_v(0, 0, 0), NULL) != KIN_OK) return false;
    }
    if (kin_broad_update(c->broad, NULL, NULL) != KIN_OK) return false;
    kin_broad_view pairs = kin_broad_pairs(c->broad);
    c->depth_count = 0;
    c->verdict.deepest = 0;
    for (size_t i = 0; i < pairs.count; ++i) {
        if (!see_pair(c, pairs.data[i].a, pairs.data[i].b)) return false;
    }
    c->verdict.worst = kin_max(c->verdict.worst, c->verdict.deepest);
    return true;
}

/* ---- joints and energy ---- */

static void see_joints(kin_bench_check* c)
{
    const kin_bench_body* bodies = c->scene->bodies;
    double sum = 0;
    for (int i = 0; i < c->scene->joint_count; ++i) {
        const kin_bench_joint* j = &c->scene->joints[i];
        kin_vec3 on_a = j->a < 0 ? j->anchor : kin_apply(c->poses[j->a], kin_unapply(kin_bench_pose(&bodies[j->a], 0), j->anchor));
        double error = kin_distance(on_a, kin_apply(c->poses[j->b], kin_unapply(kin_bench_pose(&bodies[j->b], 0), j->anchor)));
        c->verdict.joint_error = kin_max(c->verdict.joint_error, error);
        sum += error;
    }
    c->verdict.stretch = kin_max(c->verdict.stretch, sum);
}

static double energy_of(const kin_bench_body* b, const kin_bench_motion* m)
{
    kin_vec3 spin = kin_unrotate(m->pose.orientation, m->spin);
    double turning = kin_dot(spin, kin_mul(b->moments, spin));
    return 0.5 * (b->mass * kin_length2(m->velocity) + turning) + b->mass * KIN_BENCH_GRAVITY * m->pose.position.y;
}

static void see_energy(kin_bench_check* c, const kin_bench_motion* motions)
{
    double energy = 0;
    for (int i = 0; i < c->scene->count; ++i) energy += energy_of(&c->scene->bodies[i], &motions[i]);
    c->least_energy = kin_min(c->least_energy, energy);
    c->verdict.energy_rise = kin_max(c->verdict.energy_rise, energy - c->least_energy);
}

/* ---- places ---- */

static void see_places(kin_bench_check* c, const kin_bench_motion* motions)
{
    kin_bench_verdict* v = &c->verdict;
    v->stands = true;
    v->drift = v->top = v->escaped = v->awake = 0;
    for (int i = 0; i < c->scene->count; ++i) {
        const kin_bench_body* b = &c->scene->bodies[i];
        kin_vec3 by = kin_sub(c->poses[i].position, b->at);
        if (by.y < -0.5 * (c->forms[i]->bounds.high.y - c->forms[i]->bounds.low.y)) v->stands = false;
        v->drift = kin_max(v->drift, kin_length(kin_v(by.x, 0, by.z)));
        v->top = kin_max(v->top, c->poses[i].position.y);
        v->escaped += !kin_aabb_contains(c->scene->room, c->poses[i].position);
        v->awake += motions[i].awake;
        v->last = c->poses[i].position;
    }
}

bool kin_bench_check_see(kin_bench_check* c, const kin_bench_motion* motions)
{
    for (int i = 0; i < c->scene->count; ++i) {
        kin_transform pose = motions[i].pose;
        if (!kin_finite3(pose.position) || !kin_finite(kin_quat_dot(pose.orientation, pose.orientation))) return false;
        c->poses[i] = (kin_transform){pose.position, kin_quat_normalize(pose.orientation)};
    }
    ++c->steps;
    for (int i = c->scene->count; i < c->scene->count + c->scene->fixed; ++i) c->poses[i] = kin_bench_pose(&c->scene->bodies[i], c->steps * KIN_BENCH_STEP);
    see_places(c, motions);
    see_joints(c);
    see_energy(c, motions);
    return !c->scene->collide || c->steps % EVERY != 0 || see_overlaps(c);
}

static int by_value(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

kin_bench_verdict kin_bench_check_verdict(const kin_bench_check* c)
{
    kin_bench_verdict v = c->verdict;
    if (c->depth_count > 0) {
        qsort(c->depths, c->depth_count, sizeof *c->depths, by_value);
        v.p99 = c->depths[(c->depth_count - 1) * 99 / 100];
    }
    return v;
}
