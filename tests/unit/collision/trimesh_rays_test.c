/* Rays: the answer of a scan over all triangles, bit for bit, whatever the tree, the lane width, the threads, the scale or the place. */
#include "base/jobs.h"
#include "collision/trimesh.h"
#include "geometry/triangle_ray.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"
#include <string.h>

static kin_trimesh* make(test* t, const soup* s)
{
    kin_mesh* mesh = NULL;
    kin_trimesh* trimesh = NULL;
    kin_error error = {0};
    kin_mesh_view view = soup_view(s);
    kin_result result = kin_mesh_create(&t->allocator, &view, &mesh, &error);
    if (result == KIN_OK) result = kin_trimesh_create(&t->allocator, mesh, &trimesh, &error);
    EQUAL(t, result, KIN_OK);
    return trimesh;
}

static double bumps(double x, double z) { return 0.2 * sin(4 * x) * cos(3 * z) + 0.05 * x; }
static double level(double x, double z) { return 0 * x * z; }

static void transform(soup* s, double scale, kin_vec3 shift)
{
    for (size_t i = 0; i < s->vertex_count; ++i) s->vertices[i] = kin_add(kin_scale(s->vertices[i], scale), shift);
}

/* Needles, slivers and doubled triangles at random: nothing that a model should be made of. */
static soup needle_soup(dice* d, uint32_t count)
{
    soup s = soup_new(3 * count, count, 3 * count);
    for (uint32_t i = 0; i < count; ++i) {
        kin_vec3 a = roll3(d, 1), along = roll3(d, i % 3 == 0 ? 1 : 0.1), b = kin_add(a, along);
        kin_vec3 c = kin_add(kin_lerp(a, b, roll(d, 0, 1)), roll3(d, pow(10, roll(d, -9, -1))));
        for (int copy = 0; copy < 1 + (i % 7 == 0 && i + 1 < count); ++copy, i += copy) {
            uint32_t p = soup_vertex(&s, a), q = soup_vertex(&s, b), r = soup_vertex(&s, c);
            soup_face(&s, 3, (uint32_t[]){p, q, r});
        }
    }
    return s;
}

static kin_touch scan(const kin_trimesh* m, kin_vec3 origin, kin_vec3 direction, double limit)
{
    kin_touch best = {.t = limit, .feature = UINT32_MAX};
    kin_shear shear;
    if (!kin_shear_begin(&shear, origin, direction)) return best;
    for (uint32_t i = 0; i < m->mesh->triangle_count; ++i) {
        const uint32_t* c = m->mesh->triangles[i];
        kin_vec3 p[3] = {m->mesh->vertices[c[0]], m->mesh->vertices[c[1]], m->mesh->vertices[c[2]]};
        double at;
        if (!kin_shear_cross(&shear, p, &at) || !(at >= 0 && at <= limit)) continue;
        if (at < best.t || best.feature == UINT32_MAX) best.t = at, best.feature = i; /* rising numbers: the lowest of equals stays */
    }
    return best;
}

/* Rays of every kind, in units of the mesh: from anywhere, along axes, through corners and edges, in planes of faces, from far away. */
static kin_ray3 roll_ray(dice* d, const kin_mesh* mesh, int kind)
{
    double size = kin_largest(kin_sub(mesh->bounds.high, mesh->bounds.low));
    kin_vec3 middle = kin_lerp(mesh->bounds.low, mesh->bounds.high, 0.5), from = kin_add(middle, roll3(d, 0.8 * size));
    const uint32_t* c = mesh->triangles[(uint32_t)roll(d, 0, mesh->triangle_count)];
    kin_vec3 a = mesh->vertices[c[0]], b = mesh->vertices[c[1]], e = mesh->vertices[c[2]], aim = kin_lerp(kin_lerp(a, b, roll(d, 0, 1)), e, roll(d, 0, 1));
    kin_ray3 ray = {from, kin_scale(roll_direction(d), size * pow(10, roll(d, -3, 3))), 1e300};
    switch (kind % 8) {
    case 0: break;
    case 1: ray.direction = kin_scale(kin_axis(kind % 3), kind % 2 ? size : -size); break;
    case 2: ray.direction = kin_sub(a, from); break;
    case 3: ray.direction = kin_sub(kin_lerp(a, b, roll(d, 0, 1)), from); break;
    case 4: ray.origin = kin_add(aim, kin_scale(kin_sub(a, b), 3)), ray.direction = kin_sub(aim, ray.origin); break; /* grazing */
    case 5: ray.origin = kin_add(middle, kin_scale(roll_direction(d), 1e6 * size)), ray.direction = kin_sub(aim, ray.origin); break;
    case 6: ray.origin = aim; break;                                                                                           /* starts on it */
    case 7: ray.origin = kin_add_scaled(a, 0.7 * size, kin_axis(kind / 8 % 3)), ray.direction = kin_sub(a, ray.origin); break; /* an axis, at a corner */
    }
    if (kind % 5 == 0) ray.limit = roll(d, 0, 2);
    return ray;
}

static int compare(test* t, kin_trimesh* m, dice* d, int rays)
{
    int hits = 0, widest = (int)kin_simd_best();
    for (int i = 0; i < rays; ++i) {
        kin_ray3 ray = roll_ray(d, m->mesh, i);
        kin_touch truth = scan(m, ray.origin, ray.direction, ray.limit);
        for (int width = 0; width <= widest; ++width) {
            kin_touch hit;
            m->simd = (kin_simd)width;
            bool found = kin_trimesh_ray(m, ray.origin, ray.direction, ray.limit, &hit);
            EQUAL(t, found, truth.feature != UINT32_MAX);
            EQUAL(t, hit.feature, truth.feature);
            CHECK(t, hit.t == truth.t);
            if (found) NEAR(t, fabs(kin_dot(hit.normal, m->mesh->normals[hit.feature])), 1, 1e-14);
        }
        hits += truth.feature != UINT32_MAX;
    }
    return hits;
}

static void every_width_finds_what_a_scan_finds(test* t)
{
    static const struct {
        double scale;
        kin_vec3 at;
    } places[] = {{1, {0, 0, 0}}, {1e-6, {0, 0, 0}}, {1e6, {0, 0, 0}}, {1, {1e6, 2e5, -3e6}}, {1e-6, {1, 1, 1}}};
    dice d = {51};
    int hits = 0;
    for (int place = 0; place < 5; ++place) {
        soup soups[4] = {grid_soup(8, 1, bumps), torus_soup(1, 0.4, 12, 9), needle_soup(&d, 160), grid_soup(6, 1, level)};
        for (int k = 0; k < 4; ++k) {
            transform(&soups[k], places[place].scale, places[place].at);
            kin_trimesh* m = make(t, &soups[k]);
            hits += compare(t, m, &d, 5000);
            kin_trimesh_destroy(m);
            soup_free(&soups[k]);
        }
    }
    CHECK(t, hits > 40000);
}

static void a_deep_tree_too(test* t)
{
    soup s = torus_soup(1, 0.4, 120, 80);
    kin_trimesh* m = make(t, &s);
    dice d = {52};
    CHECK(t, compare(t, m, &d, 800) > 300);
    kin_trimesh_destroy(m);
    soup_free(&s);
}

/* From inside a closed mesh every ray leaves, also through corners and edges. */
static void nothing_slips_out_of_a_closed_mesh(test* t)
{
    soup s = torus_soup(1, 0.4, 24, 16);
    kin_trimesh* m = make(t, &s);
    dice d = {53};
    for (int i = 0; i < 60000; ++i) {
        double u = roll(&d, 0, 2 * KIN_PI);
        kin_vec3 from = kin_v(cos(u), roll(&d, -0.2, 0.2), sin(u)), jitter = roll3(&d, 1e-15);
        const uint32_t* c = m->mesh->triangles[(uint32_t)roll(&d, 0, m->mesh->triangle_count)];
        kin_vec3 a = m->mesh->vertices[c[0]], b = m->mesh->vertices[c[1]];
        kin_vec3 aim = i % 3 == 0 ? a : i % 3 == 1 ? kin_lerp(a, b, roll(&d, 0, 1)) : kin_add(a, jitter);
        kin_touch hit;
        CHECK(t, kin_trimesh_ray(m, from, kin_sub(aim, from), 1e300, &hit));
    }
    kin_trimesh_destroy(m);
    soup_free(&s);
}

static int by_order(const void* a, const void* b)
{
    const kin_touch *x = a, *y = b;
    return x->t != y->t ? (x->t > y->t) - (x->t < y->t) : (x->feature > y->feature) - (x->feature < y->feature);
}

static void all_crossings_come_in_order(test* t)
{
    soup s = torus_soup(1, 0.4, 14, 9);
    kin_trimesh* m = make(t, &s);
    dice d = {54};
    for (int i = 0; i < 4000; ++i) {
        kin_ray3 ray = roll_ray(&d, m->mesh, i);
        kin_touch truth[64], all[64];
        int count = 0;
        kin_shear shear;
        CHECK(t, kin_shear_begin(&shear, ray.origin, ray.direction));
        for (uint32_t k = 0; k < m->mesh->triangle_count && count < 64; ++k) {
            const uint32_t* c = m->mesh->triangles[k];
            double at;
            if (!kin_shear_cross(&shear, (kin_vec3[3]){m->mesh->vertices[c[0]], m->mesh->vertices[c[1]], m->mesh->vertices[c[2]]}, &at)) continue;
            if (at >= 0 && at <= ray.limit) truth[count++] = (kin_touch){.t = at, .feature = k};
        }
        qsort(truth, (size_t)count, sizeof *truth, by_order);
        int most = i % 4 == 0 ? 2 : 64, want = count < most ? count : most;
        EQUAL(t, kin_trimesh_ray_all(m, ray.origin, ray.direction, ray.limit, all, most), want);
        for (int k = 0; k < want; ++k) CHECK(t, all[k].t == truth[k].t && all[k].feature == truth[k].feature);
        EQUAL(t, kin_trimesh_ray_all(m, ray.origin, ray.direction, ray.limit, all, 0), 0);
    }
    kin_trimesh_destroy(m);
    soup_free(&s);
}

static void threads_give_the_same_bits(test* t)
{
    enum { RAYS = 3000 };
    static kin_ray3 rays[RAYS];
    static kin_touch one[RAYS], many[RAYS];
    soup s = torus_soup(1, 0.4, 24, 16);
    kin_trimesh* m = make(t, &s);
    dice d = {55};
    for (int i = 0; i < RAYS; ++i) rays[i] = roll_ray(&d, m->mesh, i);
    for (int i = 0; i < RAYS; ++i) kin_trimesh_ray(m, rays[i].origin, rays[i].direction, rays[i].limit, &one[i]);
    for (int threads = 1; threads <= 4; ++threads) {
        kin_jobs jobs;
        CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, threads, NULL) == KIN_OK);
        kin_trimesh_rays(m, &jobs, rays, RAYS, many);
        for (int i = 0; i < RAYS; ++i) {
            CHECK(t, many[i].t == one[i].t && many[i].feature == one[i].feature);
            NEAR3(t, many[i].point, one[i].point, 0);
            NEAR3(t, many[i].normal, one[i].normal, 0);
        }
        kin_jobs_term(&jobs);
    }
    kin_trimesh_destroy(m);
    soup_free(&s);
}

static void what_is_no_ray_hits_nothing(test* t)
{
    soup s = box_soup(kin_v(1, 1, 1));
    kin_trimesh* m = make(t, &s);
    kin_touch hit;
    const double nan = NAN, inf = INFINITY;
    kin_vec3 o = {0, 0, 0}, up = {0, 1, 0};
    CHECK(t, !kin_trimesh_ray(m, o, o, 1e300, &hit));
    EQUAL(t, hit.feature, UINT32_MAX);
    CHECK(t, !kin_trimesh_ray(m, o, kin_v(nan, 1, 0), 1e300, &hit));
    CHECK(t, !kin_trimesh_ray(m, o, kin_v(0, inf, 0), 1e300, &hit));
    CHECK(t, !kin_trimesh_ray(m, kin_v(nan, 0, 0), up, 1e300, &hit));
    CHECK(t, !kin_trimesh_ray(m, kin_v(0, -inf, 0), up, 1e300, &hit));
    CHECK(t, !kin_trimesh_ray(m, o, up, nan, &hit));
    CHECK(t, !kin_trimesh_ray(m, o, up, -1, &hit));
    CHECK(t, !kin_trimesh_ray(m, o, up, 0.999, &hit));
    CHECK(t, kin_trimesh_ray(m, o, up, 1, &hit)); /* the limit belongs to it */
    CHECK(t, hit.t == 1);
    CHECK(t, kin_trimesh_ray(m, kin_v(0.3, 0, 0.2), kin_v(-0.0, 1, 0), inf, &hit)); /* minus nothing is nothing */
    CHECK(t, hit.t == 1);
    CHECK(t, kin_trimesh_ray(m, kin_v(0.3, 1, 0.2), kin_v(1e-200, -1e-200, 0), inf, &hit));
    CHECK(t, hit.t == 0);
    kin_trimesh_destroy(m);
    soup_free(&s);
}

/* A mesh that was moved answers as one made anew at that place. */
static void a_deformed_mesh_answers_as_a_new_one(test* t)
{
    soup s = torus_soup(1, 0.4, 14, 9);
    kin_trimesh* moved = make(t, &s);
    dice d = {56};
    for (int round = 0; round < 4; ++round) {
        for (size_t i = 0; i < s.vertex_count; ++i) {
            kin_vec3* v = &s.vertices[i];
            *v = round < 3 ? kin_add(kin_v(v->x * 1.1, v->y + 0.3 * sin(2 * v->x), v->z), roll3(&d, 0.01)) : kin_scale(*v, 1e-6);
        }
        uint64_t before = t->allocations;
        EQUAL(t, kin_trimesh_refit(moved, s.vertices, NULL), KIN_OK);
        EQUAL(t, t->allocations, before);
        soup faces = soup_new(s.vertex_count, moved->mesh->triangle_count, 3 * moved->mesh->triangle_count);
        for (size_t i = 0; i < s.vertex_count; ++i) soup_vertex(&faces, s.vertices[i]);
        for (uint32_t i = 0; i < moved->mesh->triangle_count; ++i) soup_face(&faces, 3, moved->mesh->triangles[i]); /* quads may be cut otherwise by now */
        kin_trimesh* fresh = make(t, &faces);
        EQUAL(t, fresh->mesh->triangle_count, moved->mesh->triangle_count);
        for (int i = 0; i < 2000; ++i) {
            kin_ray3 ray = roll_ray(&d, fresh->mesh, i);
            kin_touch a, b;
            CHECK(t, kin_trimesh_ray(moved, ray.origin, ray.direction, ray.limit, &a) == kin_trimesh_ray(fresh, ray.origin, ray.direction, ray.limit, &b));
            CHECK(t, a.t == b.t && a.feature == b.feature);
            double reach = kin_largest(kin_sub(fresh->mesh->bounds.high, fresh->mesh->bounds.low));
            CHECK(t, kin_trimesh_closest(moved, ray.origin, reach, &a) == kin_trimesh_closest(fresh, ray.origin, reach, &b));
            CHECK(t, a.distance == b.distance && a.feature == b.feature);
            NEAR3(t, a.normal, b.normal, 0);
            kin_path path = {.a = ray.origin, .d = kin_scale(roll_direction(&d), reach), .radius = 0.05 * reach};
            kin_path_slack(&path, reach, 0);
            CHECK(t, kin_trimesh_sweep(moved, &path, &a) == kin_trimesh_sweep(fresh, &path, &b));
            CHECK(t, a.t == b.t && a.feature == b.feature);
        }
        kin_trimesh_destroy(fresh);
        soup_free(&faces);
    }
    kin_trimesh_destroy(moved);
    soup_free(&s);
}

static void a_refit_refuses_what_is_no_place(test* t)
{
    soup s = box_soup(kin_v(1, 1, 1));
    kin_trimesh* m = make(t, &s);
    kin_error error = {0};
    kin_touch hit;
    s.vertices[3].y = NAN;
    CHECK(t, kin_trimesh_refit(m, s.vertices, &error) != KIN_OK);
    HAS(t, error.message, "vertex 3");
    CHECK(t, kin_trimesh_ray(m, kin_v(0, 0, 0), kin_v(0, 1, 0), 2, &hit)); /* as before */
    CHECK(t, hit.t == 1);
    for (size_t i = 0; i < s.vertex_count; ++i) s.vertices[i] = kin_v(s.vertices[i].x, 2, s.vertices[i].z); /* flat: sides without area */
    EQUAL(t, kin_trimesh_refit(m, s.vertices, &error), KIN_OK);
    CHECK(t, kin_trimesh_ray(m, kin_v(0.3, 0, 0.1), kin_v(0, 1, 0), 3, &hit));
    CHECK(t, hit.t == 2 && kin_finite3(hit.normal));
    kin_trimesh_destroy(m);
    soup_free(&s);
}

TEST_MAIN("collision trimesh rays", TEST(every_width_finds_what_a_scan_finds), TEST(a_deep_tree_too), TEST(nothing_slips_out_of_a_closed_mesh),
          TEST(all_crossings_come_in_order), TEST(threads_give_the_same_bits), TEST(what_is_no_ray_hits_nothing), TEST(a_deformed_mesh_answers_as_a_new_one),
          TEST(a_refit_refuses_what_is_no_place))
