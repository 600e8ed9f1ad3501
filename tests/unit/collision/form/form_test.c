/* form_test.c - every kind of form: its bounds, its mass, its answers against each other, what it refuses, who owns it. */
#include "collision/form/skin.h"
#include "math/aabb.h"
#include "unit/collision/form/forms.h"
#include "unit/geometry/shapes.h"

/* ---- one of every kind ---- */

enum { SPHERE, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HULL, MESH, HEIGHTS, FIELD, LINES, NURBS, COMPOUND, KINDS };
static const char* const kind_names[KINDS] = {"sphere", "box",     "capsule", "cylinder",           "cone",  "ellipsoid", "hull",
                                              "mesh",   "heights", "field",   "field by scanlines", "nurbs", "compound"};

typedef struct cabinet {
    soup ring;
    kin_vec3 points[14];
    double heights[6 * 5];
    kin_shape parts[3];
    kin_shape shapes[KINDS];
} cabinet;

static void fill_points(cabinet* c)
{
    dice d = {7};
    for (int i = 0; i < 14; ++i) c->points[i] = kin_scale(roll_direction(&d), roll(&d, 0.6, 1.1));
}

/* Of a spindle. */
static const kin_vec3 profile[4] = {{0, -0.8, 0}, {0.9, -0.6, 0}, {0.3, 0.5, 0}, {0, 0.9, 0}};
static const double profile_weights[4] = {1, 2, 0.5, 1};

static void fill(cabinet* c)
{
    c->ring = torus_soup(0.8, 0.3, 24, 12);
    fill_points(c);
    for (int i = 0; i < 30; ++i) c->heights[i] = 0.3 * sin(1.7 * (i % 6)) * cos(1.1 * (i / 6));
    c->parts[0] = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 0.4, 0.6}, .offset = {0.5, 0, 0}};
    c->parts[1] = (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = 0.2, .length = 1.2, .offset = {-0.6, 0.5, 0.1}, .turn = {0.2, 0.1, 0.4, 1}};
    c->parts[2] = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.3, .offset = {0, -0.8, 0.3}};
    c->shapes[SPHERE] = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.7};
    c->shapes[BOX] = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1.2, 0.8, 2}};
    c->shapes[CAPSULE] = (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = 0.4, .length = 1.1};
    c->shapes[CYLINDER] = (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = 0.6, .length = 1.3};
    c->shapes[CONE] = (kin_shape){.kind = KIN_SHAPE_CONE, .radius = 0.8, .length = 1.5};
    c->shapes[ELLIPSOID] = (kin_shape){.kind = KIN_SHAPE_ELLIPSOID, .semi_axes = {0.9, 0.5, 0.7}};
    c->shapes[HULL] = (kin_shape){.kind = KIN_SHAPE_HULL, .points = {c->points, 14}};
    c->shapes[MESH] = (kin_shape){.kind = KIN_SHAPE_MESH, .mesh = soup_view(&c->ring)};
    c->shapes[HEIGHTS] = (kin_shape){.kind = KIN_SHAPE_HEIGHTS, .heights = {.values = {c->heights, 30}, .columns = 6, .size = {2.4, 0, 2}}};
    c->shapes[FIELD] = (kin_shape){.kind = KIN_SHAPE_FIELD, .mesh = soup_view(&c->ring), .resolution = 40};
    c->shapes[LINES] = c->shapes[FIELD];
    c->shapes[LINES].field_method = KIN_FIELD_SCANLINES;
    c->shapes[NURBS] =
        (kin_shape){.kind = KIN_SHAPE_NURBS, .nurbs = {.points = {profile, 4}, .weights = {profile_weights, 4}, .revolve = true, .tolerance = 0.005}};
    c->shapes[COMPOUND] = (kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = c->parts, .part_count = 3};
}

static void empty(cabinet* c) { soup_free(&c->ring); }

/* How far off an answer may be: grids round, closed forms do not. */
static bool has_grid(int kind) { return kind == FIELD || kind == LINES; }
static double slack(int kind) { return has_grid(kind) ? 0.02 : 1e-9; }

/* ---- bounds and skin ---- */

static void bounds_hold_the_skin_and_reach_is_right(test* t)
{
    cabinet c;
    fill(&c);
    for (int kind = 0; kind < KINDS; ++kind) {
        kin_form* form = make(t, &c.shapes[kind]);
        kin_skin skin;
        CHECK(t, kin_skin_init(&t->allocator, form, &skin));
        CHECK(t, skin.vertex_count > 0 && skin.triangle_count > 0);
        kin_aabb box = kin_aabb_grow(form->bounds, 1e-12), seen = kin_aabb_empty();
        double far = 0;
        for (size_t i = 0; i < skin.vertex_count; ++i) {
            if (!kin_aabb_contains(box, skin.positions[i])) test_check(t, false, __FILE__, __LINE__, "%s: a vertex is outside", kind_names[kind]);
            if (fabs(kin_length(skin.normals[i]) - 1) > 1e-9) test_check(t, false, __FILE__, __LINE__, "%s: a normal is not unit", kind_names[kind]);
            far = fmax(far, kin_length(skin.positions[i]));
            seen = kin_aabb_add(seen, skin.positions[i]);
        }
        CHECK(t, far <= form->reach + 1e-12);
        /* and not much too large: a turned part's box, and the reach of its farthest point, may be a little */
        kin_vec3 gap = kin_sub(kin_aabb_size(form->bounds), kin_aabb_size(seen));
        if (kind == HEIGHTS) gap.y = form->bounds.high.y - seen.high.y; /* it is solid below, and found there */
        double loose = kind == COMPOUND ? 0.35 : has_grid(kind) ? 0.12 : 0.01;
        CHECK(t, kin_largest(kin_abs3(gap)) <= loose);
        if (kind != HEIGHTS && form->reach - far > (kind == COMPOUND ? 0.4 : loose))
            test_near(t, __FILE__, __LINE__, kind_names[kind], form->reach, far, loose);
        kin_skin_term(&skin);
        kin_form_drop(form);
    }
    empty(&c);
}

static double skin_volume(const kin_skin* skin)
{
    double sum = 0;
    for (size_t i = 0; i < skin->triangle_count; ++i) {
        const kin_vec3 *a = &skin->positions[skin->triangles[i][0]], *b = &skin->positions[skin->triangles[i][1]], *c = &skin->positions[skin->triangles[i][2]];
        sum += kin_dot(*a, kin_cross(*b, *c)) / 6;
    }
    return sum;
}

/* A closed skin has the form's volume; of 64 sectors it is short by (2 pi / 64)^2 / 6 a round direction. */
static void a_closed_skin_has_the_volume_of_the_form(test* t)
{
    cabinet c;
    fill(&c);
    for (int kind = 0; kind < KINDS; ++kind) {
        if (kind == HEIGHTS) continue;
        kin_form* form = make(t, &c.shapes[kind]);
        kin_skin skin;
        CHECK(t, kin_skin_init(&t->allocator, form, &skin));
        double mass = form->ops->mass(form).mass;
        bool flat = kind == BOX || kind == HULL || kind == MESH || kind == NURBS || has_grid(kind);
        test_near(t, __FILE__, __LINE__, kind_names[kind], skin_volume(&skin) / mass, 1, flat ? 1e-9 : 0.0045);
        CHECK(t, skin_volume(&skin) <= mass * (1 + 1e-9));
        kin_skin_term(&skin);
        kin_form_drop(form);
    }
    empty(&c);
}

/* Rounded by d, a box loses d^2/2 along each edge and 5/6 d^3 at each corner; a cylinder the ring of area d^2/2 about r - d/3, twice (Pappus). */
static void bevelled_edges_take_their_volume(test* t)
{
    const double bevel = 0.1, d = 2 * bevel * 0.25;
    const kin_shape shapes[] = {{.kind = KIN_SHAPE_BOX, .size = {1, 0.5, 0.75}}, {.kind = KIN_SHAPE_CYLINDER, .radius = 0.25, .length = 1}};
    const double volumes[] = {1 * 0.5 * 0.75 - 2 * d * d * (1 + 0.5 + 0.75) + 16.0 / 3 * d * d * d, KIN_PI * 0.25 * 0.25 - 2 * KIN_PI * d * d * (0.25 - d / 3)};
    for (int i = 0; i < 2; ++i) {
        kin_form* form = make(t, &shapes[i]);
        kin_skin skin;
        CHECK(t, kin_skin_init_of(&t->allocator, form, (kin_material_id){0}, bevel, &skin));
        NEAR(t, skin_volume(&skin) / volumes[i], 1, i == 0 ? 1e-12 : 0.0045);
        for (size_t k = 0; k < skin.triangle_count; ++k) { /* convex: all are seen from outside */
            const uint32_t* c = skin.triangles[k];
            const kin_vec3 a = skin.positions[c[0]], n = kin_cross(kin_sub(skin.positions[c[1]], a), kin_sub(skin.positions[c[2]], a));
            CHECK(t, kin_dot(n, a) > 0 && kin_dot(n, skin.normals[c[0]]) > 0);
        }
        kin_skin_term(&skin);
        kin_form_drop(form);
    }
}

static void skin_of_a_material_has_its_parts_alone(test* t)
{
    cabinet c;
    fill(&c);
    c.parts[1].material.index1 = 4;
    kin_form* form = make(t, &c.shapes[COMPOUND]);
    kin_skin all, own, rest, none;
    CHECK(t, kin_skin_init(&t->allocator, form, &all));
    CHECK(t, kin_skin_init_of(&t->allocator, form, (kin_material_id){4}, 0, &own));
    CHECK(t, kin_skin_init_of(&t->allocator, form, (kin_material_id){0}, 0, &rest));
    CHECK(t, kin_skin_init_of(&t->allocator, form, (kin_material_id){9}, 0, &none));
    EQUAL(t, own.triangle_count + rest.triangle_count, all.triangle_count);
    NEAR(t, skin_volume(&own), KIN_PI * 0.2 * 0.2 * 1.2, 0.0045 * 0.16);
    EQUAL(t, none.triangle_count, 0);
    kin_skin_term(&all);
    kin_skin_term(&own);
    kin_skin_term(&rest);
    kin_skin_term(&none);
    kin_form_drop(form);
    empty(&c);
}

/* ---- mass ---- */

static void masses_are_those_of_the_closed_forms(test* t)
{
    cabinet c;
    fill(&c);
    const double volumes[] = {
        4 * KIN_PI / 3 * 0.343, 1.2 * 0.8 * 2, KIN_PI * 0.16 * 1.1 + 4 * KIN_PI / 3 * 0.064, KIN_PI * 0.36 * 1.3, KIN_PI * 0.64 * 1.5 / 3,
    };
    for (int kind = SPHERE; kind <= CONE; ++kind) {
        kin_form* form = make(t, &c.shapes[kind]);
        NEAR(t, form->ops->mass(form).mass, volumes[kind], 1e-12);
        kin_form_drop(form);
    }
    kin_form *mesh = make(t, &c.shapes[MESH]), *field = make(t, &c.shapes[FIELD]), *heights = make(t, &c.shapes[HEIGHTS]);
    NEAR(t, field->ops->mass(field).mass, mesh->ops->mass(mesh).mass, 1e-12); /* a field weighs as its mesh does */
    EQUAL(t, heights->ops->mass(heights).mass == 0, true);
    kin_form* compound = make(t, &c.shapes[COMPOUND]);
    kin_mass m = compound->ops->mass(compound);
    double box = 1 * 0.4 * 0.6, rod = KIN_PI * 0.04 * 1.2, ball = 4 * KIN_PI / 3 * 0.027;
    NEAR(t, m.mass, box + rod + ball, 1e-12);
    NEAR(t, m.center.x, (0.5 * box - 0.6 * rod) / (box + rod + ball), 1e-12);
    NEAR(t, m.center.y, (0.5 * rod - 0.8 * ball) / (box + rod + ball), 1e-12);
    kin_form_drop(mesh);
    kin_form_drop(field);
    kin_form_drop(heights);
    kin_form_drop(compound);
    empty(&c);
}

/* ---- answers against each other ---- */

/* Where a ray meets the surface the distance is 0; before that it never changes its sign. */
static void check_ray(test* t, int kind, const kin_form* form, dice* d, int* hits)
{
    kin_vec3 origin = roll3(d, 2), direction = kin_scale(kin_sub(roll3(d, 0.8), origin), roll(d, 0.3, 2));
    kin_touch hit, near, start;
    if (!form->ops->ray(form, origin, direction, 10, &hit)) return;
    *hits += 1;
    EQUAL(t, form->ops->closest(form, hit.point, 1, &near, 1), 1);
    if (fabs(near.distance) > slack(kind)) test_near(t, __FILE__, __LINE__, kind_names[kind], near.distance, 0, slack(kind));
    NEAR3(t, hit.point, kin_add_scaled(origin, hit.t, direction), slack(kind));
    NEAR(t, kin_length(hit.normal), 1, 1e-6);
    EQUAL(t, form->ops->closest(form, origin, 10, &start, 1), 1);
    CHECK(t, hit.t * kin_length(direction) >= fabs(start.distance) - slack(kind)); /* nothing is nearer than the nearest point */
}

/* A sphere stops where the surface is a radius away; a closer look at its nearest point finds the same. */
static void check_sweep(test* t, int kind, const kin_form* form, dice* d, int* hits)
{
    double radius = roll(d, 0.01, 0.2);
    kin_path path = {.a = roll3(d, 3), .radius = radius};
    kin_touch hit, near, start;
    path.d = kin_sub(roll3(d, 0.8), path.a);
    kin_path_slack(&path, 3, 1e-6);
    if (form->ops->closest(form, path.a, 10, &start, 1) == 0 || start.distance <= radius + slack(kind)) return; /* from outside alone */
    if (!form->ops->sweep(form, &path, &hit)) return;
    *hits += 1;
    kin_vec3 center = kin_add_scaled(path.a, hit.t, path.d);
    EQUAL(t, form->ops->closest(form, center, 1, &near, 1), 1);
    if (fabs(near.distance - radius) > 1e-6 + slack(kind)) test_near(t, __FILE__, __LINE__, kind_names[kind], near.distance, radius, 1e-6 + slack(kind));
    CHECK(t, hit.t >= 0 && hit.t <= 1);
    CHECK(t, kin_dot(hit.normal, path.d) <= 1e-9 + slack(kind));
}

/* The nearest point lies on the surface, as far away as it is said to be. */
static void check_closest(test* t, int kind, const kin_form* form, dice* d)
{
    kin_vec3 x = roll3(d, 1.6);
    kin_touch near, again;
    EQUAL(t, form->ops->closest(form, x, 10, &near, 1), 1);
    if (fabs(kin_distance(x, near.point) - fabs(near.distance)) > slack(kind))
        test_near(t, __FILE__, __LINE__, kind_names[kind], kin_distance(x, near.point), fabs(near.distance), slack(kind));
    EQUAL(t, form->ops->closest(form, near.point, 1, &again, 1), 1);
    if (fabs(again.distance) > slack(kind)) test_near(t, __FILE__, __LINE__, kind_names[kind], again.distance, 0, slack(kind));
    EQUAL(t, form->ops->closest(form, x, fmax(0.99 * near.distance, 0), &again, 1), near.distance <= 0); /* out of reach, or inside */
}

static void answers_agree_with_each_other(test* t)
{
    cabinet c;
    fill(&c);
    for (int kind = 0; kind < KINDS; ++kind) {
        kin_form* form = make(t, &c.shapes[kind]);
        dice d = {(uint64_t)(100 + kind)};
        int rays = 0, sweeps = 0;
        for (int i = 0; i < 400; ++i) {
            check_ray(t, kind, form, &d, &rays);
            check_sweep(t, kind, form, &d, &sweeps);
            check_closest(t, kind, form, &d);
        }
        CHECK(t, rays > 100 && sweeps > 60); /* most are aimed at it */
        kin_form_drop(form);
    }
    empty(&c);
}

/* A ball slides a foot along the inside of a ring, put back on the surface and turned into it at every hit: a few hits, not one every micrometre. */
static void what_slides_on_a_field_meets_it_seldom(test* t)
{
    cabinet c;
    fill(&c);
    kin_form* form = make(t, &c.shapes[FIELD]);
    const double radius = 0.05;
    kin_vec3 x = {0.8 - 0.3 - radius, 0.02, 0}, way = {0.01, 0, 0.3};
    int hits = 0;
    for (kin_touch hit; hits < 1000; ++hits) {
        kin_path path = {.a = x, .d = way, .radius = radius};
        kin_path_slack(&path, 1, 1e-6);
        if (!form->ops->sweep(form, &path, &hit)) break;
        x = kin_add_scaled(hit.point, radius + 1e-9, hit.normal);
        way = kin_scale(way, 1 - hit.t);
        way = kin_add_scaled(way, -kin_dot(way, hit.normal), hit.normal);
    }
    kin_touch near;
    EQUAL(t, form->ops->closest(form, kin_add(x, way), 1, &near, 1), 1);
    CHECK(t, hits >= 1 && hits < 60);
    NEAR(t, near.distance, radius, 1e-3); /* still on the wall */
    kin_form_drop(form);
    empty(&c);
}

static void endless_rays_that_miss_find_nothing(test* t)
{
    cabinet c;
    fill(&c);
    for (int kind = 0; kind < KINDS; ++kind) {
        kin_form* form = make(t, &c.shapes[kind]);
        kin_touch hit;
        if (form->ops->ray(form, kin_v(0, 5, 0), kin_v(0.1, 1, 0), INFINITY, &hit)) test_check(t, false, __FILE__, __LINE__, "%s: hit", kind_names[kind]);
        if (!form->ops->ray(form, kin_v(0.81, 5, 0.02), kin_v(0, -1, 0), INFINITY, &hit) && kind != SPHERE && kind != BOX && kind != CAPSULE
            && kind != CYLINDER)
            CHECK(t, kind == CONE || kind == HULL || kind == NURBS);
        kin_form_drop(form);
    }
    empty(&c);
}

/* ---- scale, turn, offset ---- */

static kin_shape placed(kin_shape shape, kin_transform pose)
{
    shape.offset = pose.position;
    shape.turn = pose.orientation;
    return shape;
}

/* The answers of a form that is placed are those of the plain one to questions that are moved the other way. */
static void offset_and_turn_move_the_answers(test* t)
{
    cabinet c;
    fill(&c);
    kin_transform pose = {{0.4, -0.3, 0.9}, kin_quat_normalize((kin_quat){0.3, -0.5, 0.2, 0.7})};
    for (int kind = 0; kind < KINDS; ++kind) {
        kin_shape moved = placed(c.shapes[kind], pose);
        kin_form *plain = make(t, &c.shapes[kind]), *form = make(t, &moved);
        double tolerance = has_grid(kind) ? 0.05 : 1e-9; /* its grid lies along other axes: a cell */
        dice d = {(uint64_t)(7 + kind)};
        for (int i = 0; i < 60; ++i) {
            kin_vec3 x = roll3(&d, 1.5), ray = roll_direction(&d);
            kin_touch a, b;
            EQUAL(t, plain->ops->closest(plain, x, 10, &a, 1), 1);
            EQUAL(t, form->ops->closest(form, kin_apply(pose, x), 10, &b, 1), 1);
            if (fabs(b.distance - a.distance) > tolerance) test_near(t, __FILE__, __LINE__, kind_names[kind], b.distance, a.distance, tolerance);
            bool hit_a = plain->ops->ray(plain, x, ray, 10, &a), hit_b = form->ops->ray(form, kin_apply(pose, x), kin_rotate(pose.orientation, ray), 10, &b);
            if (has_grid(kind)) continue; /* a graze may go either way */
            EQUAL(t, hit_b, hit_a);
            if (hit_a && hit_b) NEAR3(t, b.point, kin_apply(pose, a.point), 1e-8);
        }
        kin_mass m = kin_mass_transform(plain->ops->mass(plain), pose), n = form->ops->mass(form);
        NEAR(t, n.mass, m.mass, 1e-12);
        if (m.mass > 0) NEAR3(t, n.center, m.center, 1e-12);
        kin_form_drop(plain);
        kin_form_drop(form);
    }
    empty(&c);
}

/* Twice as large: the answers to questions asked twice as far away are twice as far. */
static void scale_stretches_the_answers(test* t)
{
    cabinet c;
    fill(&c);
    for (int kind = 0; kind < KINDS; ++kind) {
        kin_shape big = c.shapes[kind];
        big.scale = kin_v(2, 2, 2);
        big.nurbs.tolerance *= 2; /* the same triangles */
        kin_form *plain = make(t, &c.shapes[kind]), *form = make(t, &big);
        dice d = {(uint64_t)(70 + kind)};
        NEAR(t, form->reach, 2 * plain->reach, 1e-12);
        for (int i = 0; i < 60; ++i) {
            kin_vec3 x = roll3(&d, 1.5);
            kin_touch a, b;
            EQUAL(t, plain->ops->closest(plain, x, 10, &a, 1), 1);
            EQUAL(t, form->ops->closest(form, kin_scale(x, 2), 20, &b, 1), 1);
            if (fabs(b.distance - 2 * a.distance) > 1e-9) test_near(t, __FILE__, __LINE__, kind_names[kind], b.distance, 2 * a.distance, 1e-9);
        }
        NEAR(t, form->ops->mass(form).mass, 8 * plain->ops->mass(plain).mass, 1e-11);
        kin_form_drop(plain);
        kin_form_drop(form);
    }
    kin_shape drum = c.shapes[CYLINDER], slab = c.shapes[BOX];
    drum.scale = kin_v(2, 0.5, 2);
    slab.scale = kin_v(1, 2, 3);
    kin_form *form = make(t, &drum), *box = make(t, &slab);
    NEAR3(t, form->convex.half, kin_v(1.2, 0.325, 1.2), 1e-15);
    NEAR3(t, box->convex.half, kin_v(0.6, 0.8, 3), 1e-15);
    kin_form_drop(form);
    kin_form_drop(box);
    empty(&c);
}

static void a_compound_of_one_is_its_part(test* t)
{
    cabinet c;
    fill(&c);
    for (int kind = 0; kind < COMPOUND; ++kind) {
        kin_shape one = {.kind = KIN_SHAPE_COMPOUND, .parts = &c.shapes[kind], .part_count = 1};
        kin_form *plain = make(t, &c.shapes[kind]), *form = make(t, &one);
        dice d = {(uint64_t)(40 + kind)};
        for (int i = 0; i < 100; ++i) {
            kin_vec3 x = roll3(&d, 1.5), ray = roll_direction(&d);
            kin_touch a, b;
            EQUAL(t, form->ops->closest(form, x, 10, &b, 1), plain->ops->closest(plain, x, 10, &a, 1));
            NEAR(t, b.distance, a.distance, 0);
            NEAR3(t, b.normal, a.normal, 0);
            bool hit = plain->ops->ray(plain, x, ray, 10, &a);
            EQUAL(t, form->ops->ray(form, x, ray, 10, &b), hit);
            if (hit) NEAR(t, b.t, a.t, 1e-12);
        }
        EQUAL(t, form->has_inside, plain->has_inside);
        NEAR(t, form->reach, plain->reach, 0);
        kin_form_drop(plain);
        kin_form_drop(form);
    }
    empty(&c);
}

/* Two boxes that share a wall: it is not surface, from inside or from outside. */
static void walls_between_parts_are_no_surface(test* t)
{
    const kin_shape parts[2] = {{.kind = KIN_SHAPE_BOX, .size = {2, 1, 1}, .offset = {-0.9, 0, 0}},
                                {.kind = KIN_SHAPE_BOX, .size = {2, 1, 1}, .offset = {0.9, 0, 0}}};
    kin_shape shape = {.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 2};
    kin_form* form = make(t, &shape);
    kin_touch hit;
    CHECK(t, form->ops->ray(form, kin_v(-1.5, 0, 0), kin_v(1, 0, 0), 10, &hit)); /* from within the one through the other */
    NEAR(t, hit.t, 3.4, 1e-8);
    EQUAL(t, hit.part, 1);
    CHECK(t, form->ops->ray(form, kin_v(-5, 0, 0), kin_v(1, 0, 0), 10, &hit));
    NEAR(t, hit.t, 3.1, 1e-12);
    EQUAL(t, hit.part, 0);
    EQUAL(t, form->ops->closest(form, kin_v(0, 0.45, 0), 1, &hit, 1), 1);
    NEAR(t, hit.distance, -0.05, 1e-12);
    NEAR3(t, hit.normal, kin_v(0, 1, 0), 1e-12);
    kin_form_drop(form);
}

/* ---- swept boxes ---- */

static void swept_boxes_hold_every_pose_between(test* t)
{
    cabinet c;
    fill(&c);
    for (int kind = 0; kind < KINDS; ++kind) {
        kin_form* form = make(t, &c.shapes[kind]);
        kin_skin skin;
        dice d = {(uint64_t)(9 + kind)};
        CHECK(t, kin_skin_init(&t->allocator, form, &skin));
        for (int trial = 0; trial < 20; ++trial) {
            kin_transform from = {roll3(&d, 2), kin_quat_axis_angle(roll_direction(&d), roll(&d, 0, 3))};
            kin_transform to = {roll3(&d, 2), kin_quat_axis_angle(roll_direction(&d), roll(&d, 0, 3))};
            kin_screw motion = kin_screw_between(from, to);
            kin_aabb box = kin_aabb_grow(kin_form_swept_box(form, &motion), 1e-12);
            int outside = 0;
            for (int k = 0; k <= 12; ++k) {
                kin_transform pose = kin_screw_at(&motion, k / 12.0);
                for (size_t i = 0; i < skin.vertex_count; i += 7) outside += !kin_aabb_contains(box, kin_apply(pose, skin.positions[i]));
            }
            EQUAL(t, outside, 0);
        }
        kin_skin_term(&skin);
        kin_form_drop(form);
    }
    empty(&c);
}

/* ---- refusals ---- */

static void refuse(test* t, kin_shape shape, const char* where, const char* message)
{
    kin_form* form;
    kin_error error = {0};
    EQUAL(t, kin_form_create(&t->allocator, &shape, &form, &error), KIN_ERROR_ARGUMENT);
    CHECK(t, form == NULL);
    TEXT(t, error.where, where);
    HAS(t, error.message, message);
    EQUAL(t, kin_form_create(&t->allocator, &shape, &form, NULL), KIN_ERROR_ARGUMENT);
}

static void bad_numbers_are_refused(test* t)
{
    refuse(t, (kin_shape){.kind = (kin_shape_kind)99}, "shape.kind", "99 is no shape");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = -1}, "shape.radius", "-1 must be > 0 (m)");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = NAN}, "shape.radius", "must be > 0");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 1, .scale = {1, 2, 1}}, "shape.scale",
           "(1, 2, 1) would not leave a sphere; all three must be equal");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 1, .scale = {1, -1, 1}}, "shape.scale", "(1, -1, 1) must be > 0");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 1, .offset = {NAN, 0, 0}}, "shape.offset", "must be finite (m)");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 1, .turn = {INFINITY, 0, 0, 1}}, "shape.turn", "must be finite");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = -1, .offset = {1, 0, 0}}, "shape.radius", "-1 must be > 0 (m)"); /* placed, yet no part */
    refuse(t, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 0, 1}}, "shape.size.y", "0 must be > 0 (m)");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = 1, .length = -2}, "shape.length", "-2 must be >= 0 (m)");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = 1, .length = 1, .scale = {1, 2, 1}}, "shape.scale", "would not leave a capsule");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = 1}, "shape.length", "0 must be > 0 (m)");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = 1, .length = 1, .scale = {1, 1, 2}}, "shape.scale", "x and z must be equal");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_ELLIPSOID, .semi_axes = {1, 0, 1}}, "shape.semi_axes.y", "0 must be > 0 (m)");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_CONE, .radius = 0, .length = 1}, "shape.radius", "0 must be > 0 (m)");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_PLANE}, "shape.normal", "(0, 0, 0) has no direction");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, NAN, 0}}, "shape.normal", "has no direction");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}, .offset = {0, 1, 0}}, "shape.offset", "a plane has none");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}, .turn = {1, 0, 0, 0}}, "shape.offset", "a plane has none");
}

static void bad_data_are_refused(test* t)
{
    cabinet c;
    fill(&c);
    const kin_vec3 flat[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
    const uint32_t corners[3] = {0, 1, 7};
    refuse(t, (kin_shape){.kind = KIN_SHAPE_MESH}, "shape.mesh", "has no vertices");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_MESH, .mesh = {flat, 4, NULL, corners, 1}}, "shape.mesh", "7");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_HULL}, "shape.points", "a hull needs points, or a mesh");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_HULL, .points = {flat, 4}}, "shape.points", "");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_FIELD, .resolution = 3}, "shape.resolution", "3 must be >= 4 and <= 1024");
    refuse(t, (kin_shape){.kind = KIN_SHAPE_HEIGHTS}, "shape.heights", "needs heights or a picture");
    kin_shape ground = c.shapes[HEIGHTS];
    ground.heights.columns = 7;
    refuse(t, ground, "shape.heights.columns", "7 does not make at least 2 whole rows of 30 heights");
    ground.heights.columns = 6;
    ground.heights.size.z = 0;
    refuse(t, ground, "shape.heights.size", "must be > 0 (m)");
    ground = c.shapes[HEIGHTS];
    c.heights[3] = NAN;
    refuse(t, ground, "shape.heights", "the height of sample (3, 0) is nan m");
    empty(&c);
}

static void open_fields_are_refused(test* t)
{
    soup open = box_soup(kin_v(1, 1, 1));
    open.face_count -= 1; /* the lid is off */
    refuse(t, (kin_shape){.kind = KIN_SHAPE_FIELD, .mesh = soup_view(&open)}, "shape.mesh", "the mesh is open at edge");
    soup_free(&open);
}

static void bad_parts_are_named(test* t)
{
    kin_shape parts[3] = {{.kind = KIN_SHAPE_SPHERE, .radius = 1}, {.kind = KIN_SHAPE_SPHERE, .radius = 1}, {.kind = KIN_SHAPE_SPHERE, .radius = -3}};
    kin_shape whole = {.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 3};
    refuse(t, whole, "shape.parts[2].radius", "-3 must be > 0 (m)");
    parts[2] = (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}};
    refuse(t, whole, "shape.parts[2]", "a part may be neither a plane nor a compound");
    parts[2] = (kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 1};
    refuse(t, whole, "shape.parts[2]", "a part may be neither a plane nor a compound");
    parts[2] = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 1, .offset = {NAN, 0, 0}};
    refuse(t, whole, "shape.parts[2].offset", "must be finite");
    parts[2] = parts[0];
    whole.scale = kin_v(1, 2, 1);
    refuse(t, whole, "shape.scale", "all three must be equal");
    whole.part_count = 0;
    refuse(t, whole, "shape.parts", "a compound has at least one part, not 0");
}

/* ---- memory ---- */

static bool make_and_skin(test* t, void* context)
{
    kin_form* form;
    kin_skin skin;
    kin_error error = {0};
    kin_result result = kin_form_create(&t->allocator, context, &form, &error);
    if (result != KIN_OK) {
        EQUAL(t, result, KIN_ERROR_MEMORY);
        CHECK(t, form == NULL && error.message[0] != 0);
        return false;
    }
    CHECK(t, kin_form_bytes(form) >= sizeof *form);
    bool ok = kin_skin_init(&t->allocator, form, &skin);
    if (ok) kin_skin_term(&skin);
    kin_form_drop(form);
    return ok;
}

static void failing_allocations_leak_nothing(test* t)
{
    cabinet c;
    fill(&c);
    c.shapes[FIELD].resolution = c.shapes[LINES].resolution = 8;
    c.shapes[NURBS].nurbs.tolerance = 0.1;
    for (int kind = 0; kind < KINDS; ++kind) test_fail_each_allocation(t, make_and_skin, &c.shapes[kind]);
    kin_shape moved = placed(c.shapes[CONE], (kin_transform){{1, 0, 0}, {0, 1, 0, 1}});
    test_fail_each_allocation(t, make_and_skin, &moved);
    empty(&c);
}

static void the_last_owner_frees(test* t)
{
    cabinet c;
    fill(&c);
    kin_form* form = make(t, &c.shapes[COMPOUND]);
    size_t blocks = t->live_blocks;
    CHECK(t, kin_form_keep(form) == form);
    kin_form_drop(form);
    EQUAL(t, t->live_blocks, blocks);
    kin_form_drop(form);
    EQUAL(t, t->live_blocks, 0);
    kin_form_drop(NULL);
    empty(&c);
}

static void materials_are_the_parts_or_the_wholes(test* t)
{
    const kin_shape parts[2] = {{.kind = KIN_SHAPE_SPHERE, .radius = 1, .material = {5}}, {.kind = KIN_SHAPE_SPHERE, .radius = 1}};
    kin_form* form = make(t, &(kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 2, .material = {3}});
    kin_form* moved = make(t, &(kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 1, .offset = {1, 0, 0}, .material = {6}});
    EQUAL(t, kin_form_material(form, 0).index1, 5);
    EQUAL(t, kin_form_material(form, 1).index1, 3);
    EQUAL(t, kin_form_material(moved, 0).index1, 6);
    kin_form_drop(form);
    kin_form_drop(moved);
}

TEST_MAIN("form", TEST(bounds_hold_the_skin_and_reach_is_right), TEST(a_closed_skin_has_the_volume_of_the_form), TEST(bevelled_edges_take_their_volume),
          TEST(skin_of_a_material_has_its_parts_alone), TEST(masses_are_those_of_the_closed_forms), TEST(answers_agree_with_each_other),
          TEST(what_slides_on_a_field_meets_it_seldom), TEST(endless_rays_that_miss_find_nothing), TEST(offset_and_turn_move_the_answers),
          TEST(scale_stretches_the_answers), TEST(a_compound_of_one_is_its_part), TEST(walls_between_parts_are_no_surface),
          TEST(swept_boxes_hold_every_pose_between), TEST(bad_numbers_are_refused), TEST(bad_data_are_refused), TEST(open_fields_are_refused),
          TEST(bad_parts_are_named), TEST(failing_allocations_leak_nothing), TEST(the_last_owner_frees), TEST(materials_are_the_parts_or_the_wholes))
