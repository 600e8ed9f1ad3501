/* field_test.c - fields in batches: the closed forms, the same bits at every width, potentials. */
#include "math/vec3.h"
#include "support/test.h"
#include "system/field.h"
#include <string.h>

enum { N = 37 }; /* not a multiple of any lane width */

typedef struct lanes {
    double x[3][N], v[3][N], inv_mass[N], air[3][N], a[3][N], scratch[4 * N];
} lanes;

static kin_field_batch batch_of(lanes* l)
{
    kin_field_batch b = {.count = N, .inv_mass = l->inv_mass, .scratch = l->scratch};
    for (int i = 0; i < 3; ++i) {
        b.position[i] = l->x[i];
        b.velocity[i] = l->v[i];
        b.air[i] = l->air[i];
        b.acceleration[i] = l->a[i];
    }
    return b;
}

static void fill(lanes* l)
{
    for (int i = 0; i < N; ++i) {
        l->inv_mass[i] = 1 / (1 + 0.1 * i);
        for (int k = 0; k < 3; ++k) {
            l->x[k][i] = i + k;
            l->v[k][i] = 0.3 * i - k;
        }
    }
}

static kin_result add_vector(kin_fields* f, const char* kind, kin_vec3 value, uint32_t* index, kin_error* error)
{
    kin_wind_field def; /* gravity and wind are alike */
    kin_field_default(kind, &def);
    def.wind = value;
    return kin_fields_add(f, kin_field_named(kind), &def, index, error);
}

static kin_result add_drag(kin_fields* f, double drag, uint32_t* index, kin_error* error)
{
    kin_drag_field def;
    kin_field_default("drag", &def);
    def.drag = drag;
    return kin_fields_add(f, kin_field_named("drag"), &def, index, error);
}

static kin_fields make(test* t, kin_simd simd)
{
    kin_fields f;
    uint32_t index;
    kin_fields_init(&f, &t->allocator, simd);
    f.gravity = kin_v(0, -10, 0);
    EQUAL(t, add_vector(&f, "wind", (kin_vec3){2, 0, 1}, &index, NULL), KIN_OK);
    EQUAL(t, add_drag(&f, 0.4, &index, NULL), KIN_OK);
    EQUAL(t, add_vector(&f, "wind", (kin_vec3){-1, 0, 0}, &index, NULL), KIN_OK);
    EQUAL(t, add_vector(&f, "gravity", (kin_vec3){0.5, 0, 0}, &index, NULL), KIN_OK);
    EQUAL(t, index, 3);
    return f;
}

static void closed_form_at_every_width(test* t)
{
    lanes first = {0};
    for (int simd = 0; simd <= (int)kin_simd_best(); ++simd) {
        lanes l = {0};
        kin_fields f = make(t, (kin_simd)simd);
        kin_field_batch b = batch_of(&l);
        fill(&l);
        kin_fields_evaluate(&f, &b);
        for (int i = 0; i < N; ++i) {
            NEAR(t, l.a[0][i], 0.5 + 0.4 * l.inv_mass[i] * (1 - l.v[0][i]), 1e-14 * (1 + kin_abs(l.a[0][i])));
            NEAR(t, l.a[1][i], -10 - 0.4 * l.inv_mass[i] * l.v[1][i], 1e-13);
            NEAR(t, l.a[2][i], 0.4 * l.inv_mass[i] * (1 - l.v[2][i]), 1e-14 * (1 + kin_abs(l.a[2][i])));
        }
        if (simd == 0) first = l;
        CHECK(t, memcmp(first.a, l.a, sizeof l.a) == 0);
        kin_fields_term(&f);
    }
}

static void potential_is_minus_the_work(test* t)
{
    kin_fields f = make(t, KIN_SIMD_NONE);
    kin_vec3 a = {1, 2, 3}, b = {4, -5, 6};
    double work = 2 * kin_dot(kin_v(0.5, -10, 0), kin_sub(b, a)); /* drag has no potential */
    NEAR(t, kin_fields_potential(&f, 2, a, 0) - kin_fields_potential(&f, 2, b, 0), work, 1e-12);
    kin_fields_term(&f);
}

static void bad_fields_are_refused(test* t)
{
    kin_fields f;
    uint32_t index;
    kin_error error = {0};
    kin_fields_init(&f, &t->allocator, KIN_SIMD_NONE);
    double nan = 0.0 / kin_abs(0.0);
    EQUAL(t, add_drag(&f, nan, &index, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.where, "drag");
    CHECK(t, kin_field_named("drug") == NULL);
    kin_fields_term(&f);
}

/* One point under drag alone, by midpoint steps of 1 ms (they err by h^2): its velocity along x after a second. */
static double dragged(test* t, const kin_drag_field* def, kin_vec3 gravity, double mass, double v0, double* way)
{
    kin_fields f;
    uint32_t index;
    lanes l = {0};
    double v = v0, h = 1e-3, x = 0;
    kin_fields_init(&f, &t->allocator, kin_simd_best());
    f.gravity = gravity;
    EQUAL(t, kin_fields_add(&f, kin_field_named("drag"), def, &index, NULL), KIN_OK);
    kin_field_batch b = batch_of(&l);
    b.count = 1;
    l.inv_mass[0] = 1 / mass;
    for (int i = 0; i < 1000; ++i) {
        l.v[0][0] = v;
        kin_fields_evaluate(&f, &b);
        double middle = v + 0.5 * h * l.a[0][0];
        l.v[0][0] = middle;
        kin_fields_evaluate(&f, &b);
        v += h * l.a[0][0];
        x += h * middle;
    }
    kin_fields_term(&f);
    *way = x;
    return v;
}

/* v0 e^(-kt/m); the way to rest m v0 / k; terminal m g / k; and by the square, sqrt(m g / k). */
static void drag_decays_and_ends_in_a_steady_fall(test* t)
{
    kin_drag_field d;
    double way;
    kin_field_default("drag", &d);
    d.drag = 1;
    NEAR(t, dragged(t, &d, kin_v(0, 0, 0), 2, 3, &way), 3 * kin_exp(-0.5), 1e-6);
    d.drag = 40;
    dragged(t, &d, kin_v(0, 0, 0), 2, 3, &way);
    NEAR(t, way, 2 * 3 / 40.0, 1e-4);
    NEAR(t, dragged(t, &d, kin_v(10, 0, 0), 2, 0, &way), 2 * 10 / 40.0, 1e-6);
    d.drag = 0;
    d.quadratic = 50;
    NEAR(t, dragged(t, &d, kin_v(10, 0, 0), 2, 0, &way), kin_sqrt(2 * 10 / 50.0), 1e-6);
}

/* Below 0 it drives, at a rate of its own, up to its limit. */
static void drag_below_zero_drives(test* t)
{
    kin_drag_field d;
    double way;
    kin_field_default("drag", &d);
    d.drag = -3;
    NEAR(t, dragged(t, &d, kin_v(0, 0, 0), 2, 1, &way), kin_exp(1.5), 1e-5);
    d.top_speed = 2;
    double v = dragged(t, &d, kin_v(0, 0, 0), 2, 1, &way);
    NEAR(t, v, 2, 0.01); /* a step of 1 ms adds 0.003 */
}

TEST_MAIN("field", TEST(closed_form_at_every_width), TEST(potential_is_minus_the_work), TEST(bad_fields_are_refused),
          TEST(drag_decays_and_ends_in_a_steady_fall), TEST(drag_below_zero_drives))
