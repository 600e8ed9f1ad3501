#include "geometry/hull/hull.h"
#include "geometry/hull/convex_face.h"
#include "math/quat.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"
#include <string.h>

typedef struct cloud {
    kin_vec3* p;
    size_t count;
} cloud;

static cloud cloud_new(size_t count) { return (cloud){calloc(count, sizeof(kin_vec3)), count}; }

static kin_hull* hull_of(test* t, cloud c, uint32_t most)
{
    kin_hull* h = NULL;
    kin_error e = {0};
    kin_hull_create(&t->allocator, c.p, c.count, most, &h, &e);
    if (!test_check(t, h != NULL, __FILE__, __LINE__, "no hull of %zu points: %s", c.count, e.message)) return NULL;
    return h;
}

/* ---- what every hull must be ---- */

static void check_topology(test* t, const kin_hull* h)
{
    EQUAL(t, (int)h->vertex_count - (int)h->edge_count / 2 + (int)h->face_count, 2);
    uint32_t wrong = 0;
    for (uint32_t e = 0; e < h->edge_count; ++e) {
        const kin_hull_edge *a = &h->edges[e], *b = &h->edges[e ^ 1], *n = &h->edges[a->next];
        wrong += n->face != a->face || n->origin != b->origin || a->origin == b->origin || a->face == b->face;
    }
    for (uint32_t f = 0; f < h->face_count; ++f) {
        uint32_t corners = 0, e = h->face_edge[f];
        do {
            wrong += h->edges[e].face != f;
            corners += 1;
            e = h->edges[e].next;
        } while (e != h->face_edge[f] && corners <= h->edge_count);
        wrong += corners < 3 || corners > h->edge_count;
    }
    for (uint32_t v = 0; v < h->vertex_count; ++v) {
        uint32_t around = 0, e = h->vertex_edge[v];
        do {
            wrong += h->edges[e].origin != v;
            around += 1;
            e = h->edges[e ^ 1].next;
        } while (e != h->vertex_edge[v] && around <= h->edge_count);
        wrong += around < 3; /* a true corner */
    }
    EQUAL(t, wrong, 0);
}

static double outside_at(const kin_hull* h, kin_vec3 origin, kin_vec3 x) /* the same as kin_hull_outside, without rounding far from the origin */
{
    double most = -INFINITY;
    for (uint32_t f = 0; f < h->face_count; ++f) {
        kin_vec3 on = h->vertices[h->edges[h->face_edge[f]].origin];
        most = fmax(most, kin_dot(h->planes[f].normal, kin_sub(kin_sub(x, origin), kin_sub(on, origin))));
    }
    return most;
}

static void check_geometry(test* t, const kin_hull* h, const kin_vec3* points, size_t count, bool holds_all)
{
    double slack = 2 * h->slack, farthest = 0;
    for (uint32_t f = 0; f < h->face_count; ++f) {
        NEAR(t, kin_length(h->planes[f].normal), 1, 1e-14);
        uint32_t e = h->face_edge[f];
        do {
            kin_vec3 a = h->vertices[h->edges[e].origin], b = h->vertices[kin_hull_end(h, e)], c = h->vertices[kin_hull_end(h, h->edges[e].next)];
            NEAR(t, kin_dot(h->planes[f].normal, a) - h->planes[f].offset, 0, slack);
            kin_vec3 inward = kin_normalize_or(kin_cross(h->planes[f].normal, kin_sub(b, a)), kin_v(0, 0, 0));
            CHECK(t, kin_dot(inward, kin_sub(c, a)) >= -slack);
            e = h->edges[e].next;
        } while (e != h->face_edge[f]);
    }
    size_t stride = 1 + (size_t)((double)count * h->face_count / 2e7);
    for (size_t i = 0; i < count && holds_all; i += stride) farthest = fmax(farthest, outside_at(h, points[0], points[i]));
    if (holds_all) test_check(t, farthest <= slack, __FILE__, __LINE__, "a point is %g m outside, slack %g", farthest, slack);
    for (uint32_t v = 0; v < h->vertex_count; ++v) CHECK(t, memcmp(&h->vertices[v], &points[h->sources[v]], sizeof(kin_vec3)) == 0);
}

static void check_hull(test* t, const kin_hull* h, cloud c)
{
    if (h == NULL) return;
    check_topology(t, h);
    check_geometry(t, h, c.p, c.count, true);
}

static void check_counts(test* t, const kin_hull* h, uint32_t v, uint32_t e, uint32_t f)
{
    if (h == NULL) return;
    EQUAL(t, h->vertex_count, v);
    EQUAL(t, h->edge_count, 2 * e);
    EQUAL(t, h->face_count, f);
}

/* ---- clouds ---- */

static cloud cube_corners(void)
{
    cloud c = cloud_new(8);
    for (int i = 0; i < 8; ++i) c.p[i] = kin_v(i & 1, i >> 1 & 1, i >> 2 & 1);
    return c;
}

static cloud on_cube(dice* d, size_t count) /* its 8 corners, then points on its faces and edges */
{
    cloud c = cloud_new(count);
    for (size_t i = 0; i < count; ++i) {
        double v[3] = {roll(d, 0, 1), roll(d, 0, 1), roll(d, 0, 1)};
        v[i % 3] = i / 3 % 2;
        if (i % 7 == 0) v[(i + 1) % 3] = i / 6 % 2;
        c.p[i] = i < 8 ? kin_v(i & 1, i >> 1 & 1, i >> 2 & 1) : kin_v(v[0], v[1], v[2]);
    }
    return c;
}

static cloud on_sphere(dice* d, size_t count)
{
    cloud c = cloud_new(count);
    for (size_t i = 0; i < count; ++i) c.p[i] = roll_direction(d);
    return c;
}

static cloud grid(int n)
{
    cloud c = cloud_new((size_t)(n * n * n));
    for (int i = 0; i < n * n * n; ++i) c.p[i] = kin_v(i % n, i / n % n, i / n / n);
    return c;
}

static void place(cloud c, kin_vec3 size, kin_quat turn, kin_vec3 at)
{
    for (size_t i = 0; i < c.count; ++i) c.p[i] = kin_add(kin_rotate(turn, kin_mul(c.p[i], size)), at);
}

/* ---- tests ---- */

static void a_cube_has_six_faces(test* t)
{
    cloud c = cube_corners();
    kin_hull* h = hull_of(t, c, 0);
    check_hull(t, h, c);
    check_counts(t, h, 8, 12, 6);
    NEAR(t, h->volume, 1, 1e-15);
    NEAR3(t, h->center, kin_v(0.5, 0.5, 0.5), 1e-15);
    NEAR(t, h->reach, sqrt(3), 1e-15);
    NEAR(t, kin_hull_outside(h, kin_v(0.5, 0.5, 0.75)), -0.25, 1e-15);
    NEAR(t, kin_hull_outside(h, kin_v(0.5, 0.5, 3)), 2, 1e-15);
    CHECK(t, kin_hull_bytes(h) > sizeof *h);
    for (uint32_t v = 0; v < 8; ++v) EQUAL(t, h->sources[v], v); /* in the order given */
    kin_hull_destroy(h);
    kin_hull_destroy(NULL);
    free(c.p);
}

/* A cube of 10^4 points on its faces, on a grid, at all sizes, places and turns: 8 corners, 6 faces. */
static void points_on_a_box_make_a_box(test* t)
{
    static const double sizes[] = {1, 1e-6, 1e3, 1e-9, 1e8}, offsets[] = {0, 1, 1e8};
    dice d = {11};
    for (int s = 0; s < 5; ++s) {
        for (int o = 0; o < 3; ++o) {
            if (sizes[s] < 1e-4 * offsets[o]) continue; /* less than rounding leaves */
            for (int turned = 0; turned < 2; ++turned) {
                cloud c = s == 0 && o == 0 ? on_cube(&d, 10000) : o == 1 ? grid(9) : on_cube(&d, 1000);
                double side = o == 1 && !(s == 0 && o == 0) ? 8 * sizes[s] : sizes[s];
                kin_quat q = turned ? kin_quat_axis_angle(roll_direction(&d), roll(&d, 0, 6)) : kin_quat_identity();
                place(c, kin_v(sizes[s], sizes[s], sizes[s]), q, kin_v(offsets[o], -offsets[o], offsets[o]));
                kin_hull* h = hull_of(t, c, 0);
                check_hull(t, h, c);
                check_counts(t, h, 8, 12, 6);
                if (h != NULL) NEAR(t, h->volume / (side * side * side), 1, 1e-12 + 8 * h->slack / side);
                kin_hull_destroy(h);
                free(c.p);
            }
        }
    }
}

static void spheres_and_balls(test* t)
{
    dice d = {12};
    for (int n = 4; n <= 3000; n = n * 3 / 2 + 1) {
        cloud c = on_sphere(&d, (size_t)n);
        kin_hull* h = hull_of(t, c, 0);
        check_hull(t, h, c);
        EQUAL(t, h->vertex_count, n); /* every point of a sphere is a corner */
        kin_hull_destroy(h);
        for (int i = 0; i < n; ++i) c.p[i] = kin_scale(c.p[i], cbrt(roll(&d, 0, 1)));
        h = hull_of(t, c, 0);
        check_hull(t, h, c);
        kin_hull_destroy(h);
        free(c.p);
    }
}

static void many_points_on_a_sphere(test* t)
{
    dice d = {13};
    cloud c = on_sphere(&d, 100000);
    kin_hull* h = hull_of(t, c, 0);
    check_hull(t, h, c);
    NEAR(t, h->volume, 4 * KIN_PI / 3 * (1 - 12 / 1e5), 1e-5); /* the mean for random points on a sphere (Miles 1971) */
    NEAR3(t, h->center, kin_v(0, 0, 0), 1e-4);
    kin_hull_destroy(h);
    free(c.p);
}

/* Exactly cospherical and coplanar in many: whole numbers of one length; latitude rings with common quads. */
static void cospherical_points(test* t)
{
    cloud c = cloud_new(2000);
    size_t n = 0;
    for (int x = -29; x <= 29; ++x)
        for (int y = -29; y <= 29; ++y)
            for (int z = -29; z <= 29; ++z)
                if (x * x + y * y + z * z == 29 * 29 && n < 2000) c.p[n++] = kin_v(x, y, z);
    c.count = n;
    kin_hull* h = hull_of(t, c, 0);
    check_hull(t, h, c);
    EQUAL(t, h->vertex_count, n);
    kin_hull_destroy(h);
    n = 2;
    c.p[0] = kin_v(0, 1, 0), c.p[1] = kin_v(0, -1, 0);
    for (int i = 1; i < 16; ++i)
        for (int k = 0; k < 32; ++k)
            c.p[n++] = kin_v(sin(KIN_PI * i / 16) * cos(KIN_PI * k / 16), cos(KIN_PI * i / 16), sin(KIN_PI * i / 16) * sin(KIN_PI * k / 16));
    c.count = n;
    h = hull_of(t, c, 0);
    check_hull(t, h, c);
    check_counts(t, h, 482, 15 * 32 + 16 * 32, 32 * 2 + 14 * 32); /* caps of triangles, quads between */
    kin_hull_destroy(h);
    free(c.p);
}

/* C2.2.4: the same hull by another way. */
static void check_same(test* t, cloud c)
{
    kin_hull *a = hull_of(t, c, 0), *b = NULL;
    kin_error e = {0};
    if (!test_check(t, kin_hull_wrap(&t->allocator, c.p, c.count, &b, &e) == KIN_OK, __FILE__, __LINE__, "%s", e.message) || a == NULL) return;
    check_hull(t, b, c);
    check_counts(t, b, a->vertex_count, a->edge_count / 2, a->face_count);
    for (uint32_t v = 0; v < a->vertex_count && v < b->vertex_count; ++v) NEAR3(t, a->vertices[v], b->vertices[v], a->slack);
    NEAR(t, b->volume / a->volume, 1, 1e-12);
    kin_hull_destroy(a);
    kin_hull_destroy(b);
}

static void gift_wrapping_agrees(test* t)
{
    dice d = {20};
    for (int i = 0; i < 12; ++i) {
        cloud c = i == 0 ? cube_corners() : i < 3 ? grid(i + 2) : i < 6 ? on_cube(&d, 400) : on_sphere(&d, i == 6 ? 1000 : 40);
        for (size_t k = 0; i > 8 && k < c.count; ++k) c.p[k] = kin_scale(c.p[k], roll(&d, 0, 1));
        for (size_t k = c.count / 2; i == 9 && k < c.count; ++k) c.p[k] = c.p[k - c.count / 2]; /* twice the same points */
        if (i == 5 || i == 2 || i == 10) place(c, kin_v(1, 2, 3), kin_quat_axis_angle(kin_v(1, 2, 3), 1), kin_v(10, 20, -5));
        check_same(t, c);
        free(c.p);
    }
}

static void needles_and_plates(test* t)
{
    static const double thin[] = {1e-3, 1e-6, 1e-9, 1e-11};
    dice d = {14};
    for (int i = 0; i < 4; ++i) {
        for (int kind = 0; kind < 4; ++kind) {
            cloud c = kind & 1 ? on_sphere(&d, 500) : on_cube(&d, 500);
            kin_vec3 size = kind & 2 ? kin_v(1, thin[i], thin[i]) : kin_v(1, thin[i], 1);
            place(c, size, kin_quat_axis_angle(roll_direction(&d), roll(&d, 0, 6)), kin_v(0, 0, 0));
            kin_hull* h = hull_of(t, c, 0);
            check_hull(t, h, c);
            double want = size.x * size.y * size.z;
            if (h != NULL && !(kind & 1)) {
                check_counts(t, h, 8, 12, 6);
                NEAR(t, h->volume / want, 1, 1e-14 + 20 * h->slack / thin[i]);
            }
            kin_hull_destroy(h);
            free(c.p);
        }
    }
}

static void without_volume_is_refused(test* t)
{
    kin_hull* h = NULL;
    kin_error e = {0};
    kin_vec3 p[64];
    dice d = {15};
    kin_quat q = kin_quat_axis_angle(kin_v(1, 2, 3), 1);
    for (int i = 0; i < 64; ++i) p[i] = kin_add(kin_rotate(q, kin_v(i % 8, i / 8, 0)), kin_v(3, 1, 4));
    EQUAL(t, kin_hull_create(&t->allocator, p, 64, 0, &h, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "in one plane");
    CHECK(t, h == NULL);
    EQUAL(t, kin_hull_wrap(&t->allocator, p, 64, &h, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "in one plane");
    for (int i = 0; i < 64; ++i) p[i] = kin_scale(kin_v(0.1, 0.2, -0.3), roll(&d, -5, 5));
    EQUAL(t, kin_hull_create(&t->allocator, p, 64, 0, &h, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "on one line");
    EQUAL(t, kin_hull_wrap(&t->allocator, p, 64, &h, &e), KIN_ERROR_ARGUMENT);
    for (int i = 0; i < 64; ++i) p[i] = kin_v(7, 8, 9);
    EQUAL(t, kin_hull_create(&t->allocator, p, 64, 0, &h, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "at one place");
    EQUAL(t, kin_hull_create(&t->allocator, p, 3, 0, &h, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "needs 4");
    p[5].y = NAN;
    EQUAL(t, kin_hull_create(&t->allocator, p, 64, 0, &h, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "point 5");
    EQUAL(t, kin_hull_create(&t->allocator, p, 64, 3, &h, &e), KIN_ERROR_ARGUMENT);
}

static void at_most_so_many_vertices(test* t)
{
    dice d = {16};
    cloud c = on_sphere(&d, 5000);
    double before = 0;
    for (uint32_t most = 4; most <= 256; most *= 2) {
        kin_hull* h = hull_of(t, c, most);
        check_topology(t, h);
        check_geometry(t, h, c.p, c.count, false);
        EQUAL(t, h->vertex_count, most);
        CHECK(t, h->volume > before && h->volume < 4 * KIN_PI / 3);
        before = h->volume;
        kin_hull_destroy(h);
    }
    CHECK(t, before > 0.9 * 4 * KIN_PI / 3);
    free(c.p);
}

static void climbing_finds_the_same_support(test* t)
{
    dice d = {17};
    cloud c = on_sphere(&d, 800);
    kin_hull* h = hull_of(t, c, 0);
    uint32_t at = 0;
    for (int i = 0; i < 5000; ++i) {
        kin_vec3 dir = roll3(&d, 5);
        uint32_t scan = kin_hull_support(h, dir);
        at = kin_hull_climb(h, dir, i % 3 ? at : (uint32_t)roll(&d, 0, h->vertex_count));
        EQUAL(t, at, scan);
    }
    kin_hull_destroy(h);
    free(c.p);
    c = cube_corners();
    h = hull_of(t, c, 0);
    EQUAL(t, kin_hull_support(h, kin_v(0, 0, 1)), 4); /* ties: the lowest */
    EQUAL(t, kin_hull_support(h, kin_v(0, 0, 0)), 0);
    NEAR(t, h->vertices[kin_hull_climb(h, kin_v(0, 0, 1), 0)].z, 1, 0);
    kin_hull_destroy(h);
    free(c.p);
}

/* A sheet of 1e6 by 4 with two corners 2e-7 apart: the edge between them goes level where the sheet rises (found by a fuzzer). */
static void a_climb_crosses_short_edges(test* t)
{
    const kin_vec3 p[] = {{1000000.0000000012, 1.000000000000129, 1000000.000000129},
                          {0, 1, 1e6},
                          {1000000.000000129, 0, 0},
                          {1000000.000000129, 1.000000000000129, 1000000.000000004},
                          {0, -2, 0},
                          {-3e6, -2, -2e6},
                          {-2e6, -1, 0},
                          {0, -1, -2e6},
                          {-2e6, 0, 0},
                          {0, 2, 0}};
    const kin_vec3 up = {-7.560618797697316e-14, 1, -7.7493567118835927e-14};
    kin_hull* h = NULL;
    EQUAL(t, kin_hull_create(&t->allocator, p, sizeof p / sizeof *p, 0, &h, NULL), KIN_OK);
    for (uint32_t i = 0; i < h->vertex_count; ++i) EQUAL(t, kin_hull_climb(h, up, i), kin_hull_support(h, up));
    kin_hull_destroy(h);
}

static void its_mesh_is_closed(test* t)
{
    dice d = {18};
    for (int i = 0; i < 6; ++i) {
        cloud c = i == 0 ? grid(4) : i == 1 ? on_cube(&d, 300) : i == 2 ? cloud_new(4000) : on_sphere(&d, 20 << i);
        for (int k = 0; i == 2 && k < 4000; ++k) c.p[k] = kin_v(cos(KIN_PI * k / 1000), k >= 2000, sin(KIN_PI * k / 1000)); /* caps of 2000 corners */
        kin_hull* h = hull_of(t, c, 0);
        check_hull(t, h, c);
        kin_mesh* m = NULL;
        EQUAL(t, kin_hull_mesh(h, &t->allocator, &m, NULL), KIN_OK);
        CHECK(t, m->closed);
        EQUAL(t, m->dropped, 0);
        EQUAL(t, m->triangle_count, 2 * h->vertex_count - 4);
        kin_mesh_view view = {m->vertices, m->vertex_count, NULL, m->triangles[0], m->triangle_count};
        kin_hull* again = NULL; /* triangles of one plane are one face again */
        EQUAL(t, kin_hull_of_faces(&t->allocator, &view, &again, NULL), KIN_OK);
        check_counts(t, again, h->vertex_count, h->edge_count / 2, h->face_count);
        kin_hull_destroy(again);
        kin_mesh_destroy(m);
        kin_hull_destroy(h);
        free(c.p);
    }
}

/* Corners in the middle of sides: no fan is without flat triangles, yet none need be flat. */
static void faces_with_straight_corners(test* t)
{
    kin_vec3 p[40];
    uint32_t ring[40], triangles[38][3], n = 0;
    for (int side = 0; side < 4; ++side) {
        for (int i = 0; i < 10; ++i, ++n) {
            double s = i / 10.0;
            kin_vec3 at[4] = {{s, 0, 2}, {1, s, 2}, {1 - s, 1, 2}, {0, 1 - s, 2}};
            p[n] = at[side];
            ring[n] = n;
        }
    }
    kin_convex_face_triangles(p, ring, n, triangles);
    double area = 0, least = 1;
    for (uint32_t i = 0; i + 2 < n; ++i) {
        kin_vec3 v = kin_cross(kin_sub(p[triangles[i][1]], p[triangles[i][0]]), kin_sub(p[triangles[i][2]], p[triangles[i][0]]));
        area += 0.5 * v.z;
        least = fmin(least, v.z);
    }
    NEAR(t, area, 1, 1e-14);
    CHECK(t, least > 0.005); /* half of a cell of the 10 x 10 grid is 0.01 */
}

static void of_given_faces(test* t)
{
    soup s = box_soup(kin_v(1, 2, 3));
    kin_mesh_view view = soup_view(&s);
    kin_hull* h = NULL;
    kin_error e = {0};
    EQUAL(t, kin_hull_of_faces(&t->allocator, &view, &h, &e), KIN_OK);
    check_hull(t, h, (cloud){s.vertices, 8});
    check_counts(t, h, 8, 12, 6);
    NEAR(t, h->volume, 48, 1e-13);
    for (uint32_t f = 0; f < 6; ++f) EQUAL(t, kin_component(h->planes[f].normal, (int)f / 2), f % 2 ? 1 : -1); /* the order given */
    kin_hull_destroy(h);
    soup_free(&s);
    s = torus_soup(2, 0.5, 16, 8);
    view = soup_view(&s);
    EQUAL(t, kin_hull_of_faces(&t->allocator, &view, &h, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "convex");
    view.face_count -= 1;
    EQUAL(t, kin_hull_of_faces(&t->allocator, &view, &h, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "not closed");
    soup_free(&s);
    s = soup_new(8, 6, 24);
    add_box(&s, kin_v(0, 0, 0), kin_v(1, 1, 1), true); /* inside out */
    view = soup_view(&s);
    EQUAL(t, kin_hull_of_faces(&t->allocator, &view, &h, &e), KIN_ERROR_ARGUMENT);
    soup_free(&s);
}

static bool create_and_destroy(test* t, void* context)
{
    cloud* c = context;
    kin_hull* h = NULL;
    kin_error e = {0};
    kin_result made = kin_hull_create(&t->allocator, c->p, c->count, 0, &h, &e);
    kin_hull_destroy(h);
    if (made != KIN_OK) EQUAL(t, e.code, KIN_ERROR_MEMORY);
    return made == KIN_OK;
}

static bool wrap_mesh_and_back(test* t, void* context)
{
    cloud* c = context;
    kin_hull *h = NULL, *again = NULL;
    kin_mesh* m = NULL;
    bool ok = kin_hull_wrap(&t->allocator, c->p, c->count, &h, NULL) == KIN_OK && kin_hull_mesh(h, &t->allocator, &m, NULL) == KIN_OK;
    kin_mesh_view view = {0};
    if (ok) view = (kin_mesh_view){m->vertices, m->vertex_count, NULL, m->triangles[0], m->triangle_count};
    ok = ok && kin_hull_of_faces(&t->allocator, &view, &again, NULL) == KIN_OK;
    kin_hull_destroy(h);
    kin_hull_destroy(again);
    kin_mesh_destroy(m);
    return ok;
}

static void memory_may_fail(test* t)
{
    dice d = {19};
    cloud c = on_sphere(&d, 200);
    test_fail_each_allocation(t, create_and_destroy, &c);
    c.count = 30;
    test_fail_each_allocation(t, wrap_mesh_and_back, &c);
    free(c.p);
}

TEST_MAIN("geometry/hull", TEST(a_cube_has_six_faces), TEST(points_on_a_box_make_a_box), TEST(spheres_and_balls), TEST(many_points_on_a_sphere),
          TEST(cospherical_points), TEST(gift_wrapping_agrees), TEST(needles_and_plates), TEST(without_volume_is_refused), TEST(at_most_so_many_vertices),
          TEST(climbing_finds_the_same_support), TEST(a_climb_crosses_short_edges), TEST(its_mesh_is_closed), TEST(faces_with_straight_corners),
          TEST(of_given_faces), TEST(memory_may_fail))
