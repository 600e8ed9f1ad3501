/* pieces_test.c - meshes that collide as convex pieces: the pieces fill the mesh, distances in the hollow are those of the mesh, settings act, errors name them. */
#include "base/error.h"
#include "unit/collision/form/forms.h"
#include "unit/geometry/hollows.h"

enum { SOLIDS = 3, METHODS = KIN_PIECES_JOE + 1 };
static const char* const solid_names[SOLIDS] = {"L", "cup", "ring"};

static soup solid_of(int which) { return which == 0 ? l_soup() : which == 1 ? cup_soup(6) : ring_soup(8); }

static bool is_exact(int method) { return method != KIN_PIECES_APPROXIMATE; }

static void check_parts(test* t, const kin_form* f, double volume, bool exact)
{
    double sum = 0;
    CHECK(t, f->part_count > 1);
    for (uint32_t i = 0; i < f->part_count; ++i) {
        CHECK(t, f->parts[i].form->is_convex);
        sum += f->parts[i].form->ops->mass(f->parts[i].form).mass;
    }
    if (exact)
        NEAR(t, sum, volume, 1e-9 * volume);
    else
        CHECK(t, sum > 0.98 * volume && sum < 1.1 * volume);
}

static void pieces_fill_the_mesh(test* t)
{
    for (int k = 0; k < SOLIDS * METHODS; ++k) {
        soup s = solid_of(k / METHODS);
        kin_shape shape = {.kind = KIN_SHAPE_MESH, .mesh = soup_view(&s)};
        kin_form* mesh = make(t, &shape);
        shape.kind = KIN_SHAPE_PIECES;
        shape.pieces.method = (kin_pieces_method)(k % METHODS);
        kin_form* pieces = make(t, &shape);
        kin_mass whole = mesh->ops->mass(mesh), m = pieces->ops->mass(pieces);
        CHECK(t, pieces->kind == KIN_SHAPE_PIECES && pieces->has_inside && !kin_form_is_assembled(pieces));
        check_parts(t, pieces, whole.mass, is_exact(k % METHODS));
        NEAR(t, m.mass, whole.mass, 1e-14 * whole.mass); /* also of hulls that are too large */
        NEAR3(t, m.center, whole.center, 1e-14);
        NEAR(t, m.inertia.yy, whole.inertia.yy, 1e-14 * whole.inertia.yy);
        kin_form_drop(mesh);
        kin_form_drop(pieces);
        soup_free(&s);
    }
}

/* 2000 points about the solid: the pieces are as far as the mesh where it is exact, and inside where the mesh is. */
static void hollows_are_open(test* t)
{
    for (int k = 0; k < SOLIDS * METHODS; ++k) {
        soup s = solid_of(k / METHODS);
        kin_mesh_view view = soup_view(&s);
        kin_shape shape = {.kind = KIN_SHAPE_MESH, .mesh = view};
        kin_form* mesh = make(t, &shape);
        shape.kind = KIN_SHAPE_PIECES;
        shape.pieces = (kin_pieces_def){.method = (kin_pieces_method)(k % METHODS), .concavity = is_exact(k % METHODS) ? 0 : 0.02};
        kin_form* pieces = make(t, &shape);
        dice d = {11};
        double off = is_exact(k % METHODS) ? 1e-9 : 0.02, worst = 0;
        int wrong = 0;
        for (int i = 0; i < 2000; ++i) {
            kin_vec3 x = kin_add(mesh->ops->mass(mesh).center, roll3(&d, 1.5));
            kin_touch a = {0}, b = {0};
            CHECK(t, mesh->ops->closest(mesh, x, 10, &a, 1) == 1 && pieces->ops->closest(pieces, x, 10, &b, 1) == 1);
            if (fabs(a.distance) > off) wrong += (a.distance < 0) != (b.distance < 0);
            if (a.distance > 0) worst = fmax(worst, fabs(a.distance - fmax(b.distance, 0)));
        }
        test_check(t, wrong == 0 && worst <= off, __FILE__, __LINE__, "%s, method %d: %d on the wrong side, off by %g m", solid_names[k / METHODS], k % METHODS,
                   wrong, worst);
        kin_form_drop(mesh);
        kin_form_drop(pieces);
        soup_free(&s);
    }
}

static uint32_t count_of(test* t, const kin_mesh_view* mesh, kin_pieces_def def)
{
    kin_form* f = make(t, &(kin_shape){.kind = KIN_SHAPE_PIECES, .mesh = *mesh, .pieces = def});
    uint32_t count = f != NULL ? f->part_count : 0;
    kin_form_drop(f);
    return count;
}

/* Coutinho's parameters of section P: each setting changes what is made. */
static void settings_act(test* t)
{
    soup s = cup_soup(12), l = l_soup();
    kin_mesh_view cup = soup_view(&s), prism = soup_view(&l);
    EQUAL(t, count_of(t, &prism, (kin_pieces_def){.method = KIN_PIECES_JOE}), 2);
    EQUAL(t, count_of(t, &prism, (kin_pieces_def){.method = KIN_PIECES_NOTCHES}), 2);
    uint32_t coarse = count_of(t, &cup, (kin_pieces_def){.concavity = 0.3}), fine = count_of(t, &cup, (kin_pieces_def){.concavity = 0.02});
    CHECK(t, coarse < fine);
    EQUAL(t, count_of(t, &cup, (kin_pieces_def){.most_pieces = 3}), 3);
    kin_form* f = NULL;
    kin_shape shape = {.kind = KIN_SHAPE_PIECES, .mesh = cup, .pieces = {.method = KIN_PIECES_JOE, .least_angle = 1.4, .relax = 1}};
    kin_error error = {0};
    CHECK(t, kin_form_create(&t->allocator, &shape, &f, &error) == KIN_ERROR_NUMERICS); /* walls of 30 degrees have no such cuts */
    TEXT(t, error.where, "shape.pieces.method");
    shape.pieces.least_angle = 0;
    shape.pieces.relax = 0;
    kin_form* relaxed = make(t, &shape);
    CHECK(t, relaxed != NULL && relaxed->part_count > 2);
    kin_form_drop(relaxed);
    soup_free(&s);
    soup_free(&l);
}

static void errors_name_what_is_wrong(test* t)
{
    soup s = cup_soup(6), hollow = soup_new(16, 12, 48);
    add_box(&hollow, kin_v(-1, -1, -1), kin_v(1, 1, 1), false);
    add_box(&hollow, kin_v(-0.5, -0.5, -0.5), kin_v(0.5, 0.5, 0.5), true);
    kin_shape shape = {.kind = KIN_SHAPE_PIECES, .mesh = soup_view(&s), .pieces = {.concavity = 1e-4, .most_pieces = 2}};
    check_refused(t, &shape, "shape.pieces.concavity");
    shape.pieces = (kin_pieces_def){.concavity = NAN};
    check_refused(t, &shape, "shape.pieces.concavity");
    shape.pieces = (kin_pieces_def){.candidates = 65};
    check_refused(t, &shape, "shape.pieces.candidates");
    shape.pieces = (kin_pieces_def){.method = (kin_pieces_method)7};
    check_refused(t, &shape, "shape.pieces.method");
    shape.pieces = (kin_pieces_def){.method = KIN_PIECES_JOE};
    shape.mesh = soup_view(&hollow); /* Joe's polyhedra have no voids */
    check_refused(t, &shape, "shape.mesh");
    shape.mesh = soup_view(&s);
    shape.mesh.face_count -= 1; /* open */
    check_refused(t, &shape, "shape.mesh");
    shape.mesh.face_count += 1;
    check_refused(t, &(kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = &shape, .part_count = 1}, "shape.parts[0]");
    soup_free(&s);
    soup_free(&hollow);
}

static void memory_may_run_out(test* t)
{
    soup s = l_soup();
    kin_shape shape = {.kind = KIN_SHAPE_PIECES, .mesh = soup_view(&s), .pieces = {.method = KIN_PIECES_NOTCHES}};
    test_fail_each_allocation(t, make_shape, &shape);
    soup_free(&s);
}

TEST_MAIN("collision/form/pieces", TEST(pieces_fill_the_mesh), TEST(hollows_are_open), TEST(settings_act), TEST(errors_name_what_is_wrong),
          TEST(memory_may_run_out))
