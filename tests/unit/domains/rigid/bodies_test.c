/* bodies_test.c - bodies of a system: what they weigh, where they are, who moves them, what is refused. */
#include "bodies.h"
#include "kinema/anchor.h"
#include "world/world.h"

/* ---- mass ---- */

static void mass_comes_from_density_or_is_given(test* t) /* C1.4.1a, H9.4 */
{
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, 0, 0});
    kin_system_id id = add_rigid(t, w);
    kin_body_def def = kin_body_def_default();
    def.shape = box_of(1, 2, 3);
    def.density = 10;
    kin_body_state s = kin_rigid_state(w, id, add_body(t, w, id, &def));
    NEAR(t, s.mass, 60, 1e-12);
    NEAR3(t, s.moments, ((kin_vec3){60 / 12.0 * 13, 60 / 12.0 * 10, 60 / 12.0 * 5}), 1e-12); /* the shape's own axes: not sorted */
    def.mass = 6;
    s = kin_rigid_state(w, id, add_body(t, w, id, &def));
    NEAR(t, s.mass, 6, 1e-14);
    NEAR(t, s.moments.x, 6.5, 1e-13);
    def.moments = (kin_vec3){2, 3, 4};
    s = kin_rigid_state(w, id, add_body(t, w, id, &def));
    NEAR3(t, s.moments, ((kin_vec3){2, 3, 4}), 0);
    def = kin_body_def_default();
    def.shape = ball_of(0.5);
    def.material = test_material(t, w, "light", 0.5, 0.5); /* 1000 kg/m^3 */
    NEAR(t, kin_rigid_state(w, id, add_body(t, w, id, &def)).mass, 1000 * 4 / 3.0 * KIN_PI / 8, 1e-9);
    kin_world_destroy(w);
}

/* A hammer: a light handle and a heavy head of materials of their own. The shape's frame is where it was put, the centre elsewhere. */
static void parts_weigh_by_their_material(test* t) /* D9 */
{
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, 0, 0});
    kin_system_id id = add_rigid(t, w);
    kin_shape parts[2];
    kin_body_def def = kin_body_def_default();
    def.shape = hammer_of(t, w, parts);
    def.position = (kin_vec3){1, 2, 3};
    def.orientation = kin_quat_axis_angle((kin_vec3){0, 0, 1}, KIN_PI / 2);
    kin_body_state s = kin_rigid_state(w, id, add_body(t, w, id, &def));
    NEAR(t, s.mass, 10 + 8, 1e-12);
    NEAR3(t, s.pose.position, def.position, 1e-15);
    NEAR3(t, s.center, ((kin_vec3){1, 2 + 0.6 * 8 / 18, 3}), 1e-14);
    NEAR(t, kin_quat_angle(kin_quat_mul(s.pose.orientation, kin_quat_conj(def.orientation))), 0, 1e-7);
    kin_world_destroy(w);
}

/* A full tensor, a centre of its own, any orientation: a push over one step changes velocities by F h / m and I^-1 (r x F) h. */
static void a_tensor_and_a_centre_of_its_own_answer_forces(test* t)
{
    const double h = 0.01;
    kin_world* w = test_world(t, h, (kin_vec3){0, 0, 0});
    kin_system_id id = add_rigid(t, w);
    kin_body_def def = kin_body_def_default();
    def.shape = box_of(1, 2, 3);
    def.position = (kin_vec3){0.3, -1, 2};
    def.orientation = kin_quat_normalize((kin_quat){0.3, -0.5, 0.2, 0.7});
    def.mass = 4;
    def.moments = (kin_vec3){3, 4, 5};
    def.products = (kin_vec3){0.5, -0.3, 0.8};
    def.center = (kin_vec3){0.2, -0.7, 0.4};
    def.has_center = true;
    uint32_t body = add_body(t, w, id, &def);
    kin_vec3 center = kin_add(def.position, kin_rotate(def.orientation, def.center)), at = {1, 1, 1}, force = {5, -3, 7};
    kin_body_state s = kin_rigid_state(w, id, body);
    NEAR3(t, s.center, center, 1e-15);
    NEAR3(t, s.pose.position, def.position, 1e-15);
    NEAR(t, s.moments.x + s.moments.y + s.moments.z, 12, 1e-13);
    kin_rigid_apply(w, id, body, force, at, kin_v(0, 0, 0));
    CHECK(t, kin_world_step(w, NULL, NULL) == KIN_OK);
    s = kin_rigid_state(w, id, body);
    kin_mat3 inertia = {{3, 0.5, -0.3}, {0.5, 4, 0.8}, {-0.3, 0.8, 5}}, inverse;
    CHECK(t, kin_mat3_inverse(inertia, &inverse));
    kin_vec3 torque = kin_unrotate(def.orientation, kin_cross(kin_sub(at, center), force));
    kin_vec3 spin = kin_rotate(def.orientation, kin_mat3_apply(inverse, kin_scale(torque, h)));
    NEAR3(t, s.velocity, kin_scale(force, h / 4), 1e-7);
    NEAR3(t, s.spin, spin, 2e-3 * kin_length(spin)); /* it turns by 1e-3 while the torque acts */
    def = kin_body_def_default();
    def.shape = ball_of(0.5);
    def.mass = 10;
    def.center = (kin_vec3){0, -0.2, 0};
    def.has_center = true;
    s = kin_rigid_state(w, id, add_body(t, w, id, &def));
    NEAR3(t, s.moments, ((kin_vec3){1, 1, 1}), 1e-14); /* 2/5 m r^2, about its own centre */
    kin_world_destroy(w);
}

typedef struct refused {
    const char *where, *says;
    void (*spoil)(kin_body_def* def);
} refused;

static void no_volume(kin_body_def* d)
{
    static const kin_vec3 points[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    static const uint32_t corners[] = {0, 2, 1};
    d->shape = (kin_shape){.kind = KIN_SHAPE_MESH, .mesh = {.vertices = points, .vertex_count = 3, .corners = corners, .face_count = 1}};
}
static void endless(kin_body_def* d) { d->shape = (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}}; }
static void no_size(kin_body_def* d) { d->shape.radius = 0; }
static void nan_place(kin_body_def* d) { d->position.y = 0.0 / 0.0; }
static void no_turn(kin_body_def* d) { d->orientation = (kin_quat){0, 0, 0, 0}; }
static void negative(kin_body_def* d) { d->mass = -1; }
static void impossible(kin_body_def* d) { d->moments = (kin_vec3){1, 1, 3}; }
static void twisted(kin_body_def* d) { d->moments = (kin_vec3){1, 1, 1}, d->products = (kin_vec3){0.9, 0.9, 0}; }
static void products_alone(kin_body_def* d) { d->products = (kin_vec3){0.1, 0, 0}; }
static void stranger(kin_body_def* d) { d->material.index1 = 77; }
static void taken(kin_body_def* d) { d->name = "first"; }
static void one_piece(kin_body_def* d) { d->fracture.pieces = 1; }
static void static_keys(kin_body_def* d)
{
    static const kin_key keys[] = {{0, {0, 0, 0}, {0, 0, 0, 1}}};
    d->keys = keys, d->key_count = 1, d->mobility = KIN_MOBILITY_STATIC;
}
static void falling_keys(kin_body_def* d)
{
    static const kin_key keys[] = {{1, {0, 0, 0}, {0, 0, 0, 1}}, {1, {0, 0, 0}, {0, 0, 0, 1}}};
    d->keys = keys, d->key_count = 2;
}

static void bad_bodies_are_refused_by_name(test* t)
{
    static const refused all[] = {{"shape", "no volume", no_volume},  {"shape", "plane", endless},       {"shape.radius", "> 0", no_size},
                                  {"position[1]", "nan", nan_place},  {"orientation", "zero", no_turn},  {"mass", ">= 0", negative},
                                  {"moments", "exceeds", impossible}, {"moments", "", twisted},          {"products", "moments", products_alone},
                                  {"material", "no such", stranger},  {"name", "earlier", taken},        {"fracture.pieces", ">= 2", one_piece},
                                  {"keys", "static", static_keys},    {"keys[1]", "later", falling_keys}};
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, 0, 0});
    kin_system_id id = add_rigid(t, w);
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        kin_body_def def = kin_body_def_default();
        def.shape = ball_of(0.5);
        if (i == 0) {
            def.name = "first";
            add_body(t, w, id, &def);
            def.name = NULL;
        }
        kin_error error = {0};
        uint32_t body = 0;
        all[i].spoil(&def);
        CHECK(t, kin_rigid_add_body(w, id, &def, &body, &error) == KIN_ERROR_ARGUMENT);
        TEXT(t, error.where, all[i].where);
        HAS(t, error.message, all[i].says);
    }
    kin_body_def thin = kin_body_def_default(); /* open, but mass and moments are given */
    no_volume(&thin);
    thin.mass = 2;
    thin.moments = (kin_vec3){1, 1, 1};
    NEAR(t, kin_rigid_state(w, id, add_body(t, w, id, &thin)).mass, 2, 0);
    kin_body_def ground = kin_body_def_default(); /* not moved by forces: nothing to weigh */
    endless(&ground);
    ground.mobility = KIN_MOBILITY_STATIC;
    add_body(t, w, id, &ground);
    EQUAL(t, kin_rigid_body(w, id, "first"), 0);
    EQUAL(t, kin_rigid_body(w, id, "second"), UINT32_MAX);
    kin_world_destroy(w);
}

/* ---- motion ---- */

static void free_flight_is_straight_and_forces_act_for_one_step(test* t) /* H9.6 */
{
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, 0, 0});
    kin_system_id id = add_rigid(t, w);
    kin_body_def def = kin_body_def_default();
    def.shape = ball_of(0.5);
    def.mass = 2;
    def.velocity = (kin_vec3){1, 2, 3};
    def.spin = (kin_vec3){0, 4, 0};
    uint32_t body = add_body(t, w, id, &def);
    test_steps(t, w, 100);
    kin_body_state s = kin_rigid_state(w, id, body);
    NEAR3(t, s.pose.position, def.velocity, 1e-4); /* lanes are floats */
    NEAR3(t, s.spin, def.spin, 1e-6);
    CHECK(t, s.awake);
    kin_vec3 at = kin_add(s.center, (kin_vec3){0.5, 0, 0}), force = {0, 0, 10};
    kin_rigid_apply(w, id, body, force, at, (kin_vec3){0, 0, 0.4});
    test_steps(t, w, 1);
    kin_body_state pushed = kin_rigid_state(w, id, body);
    NEAR3(t, kin_sub(pushed.velocity, s.velocity), ((kin_vec3){0, 0, 0.05}), 1e-6);
    NEAR3(t, kin_sub(pushed.spin, s.spin), ((kin_vec3){0, -0.05 / 0.2, 0.004 / 0.2}), 1e-5); /* I = 2/5 m r^2 = 0.2 */
    test_steps(t, w, 1);
    NEAR3(t, kin_rigid_state(w, id, body).velocity, pushed.velocity, 1e-6);
    kin_world_destroy(w);
}

static void weight_is_scaled_and_drag_slows(test* t)
{
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, -10, 0});
    kin_system_id id = add_rigid(t, w);
    kin_body_def def = kin_body_def_default();
    def.shape = ball_of(0.5);
    def.mass = 2;
    uint32_t plain = add_body(t, w, id, &def);
    def.position.x = 5;
    def.gravity_scale = -0.5;
    uint32_t light = add_body(t, w, id, &def);
    def.position.x = 10;
    def.gravity_scale = 1;
    def.drag = 20; /* falls at m g / d = 1 m/s in the end */
    uint32_t slow = add_body(t, w, id, &def);
    test_steps(t, w, 100);
    NEAR(t, kin_rigid_state(w, id, plain).velocity.y, -10, 1e-4);
    NEAR(t, kin_rigid_state(w, id, light).velocity.y, 5, 1e-4);
    NEAR(t, kin_rigid_state(w, id, slow).velocity.y, -1, 1e-3);
    kin_world_destroy(w);
}

static void anchors_are_local_to_the_shape(test* t)
{
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, 0, 0});
    kin_system_id id = add_rigid(t, w);
    kin_body_def def = kin_body_def_default();
    def.shape = box_of(1, 1, 1);
    def.shape.offset = (kin_vec3){0.5, 0, 0}; /* its centre is not its origin */
    def.mass = 3;
    def.position = (kin_vec3){1, 0, 0};
    def.orientation = kin_quat_axis_angle((kin_vec3){0, 0, 1}, KIN_PI / 2);
    def.spin = (kin_vec3){0, 0, 2};
    uint32_t body = add_body(t, w, id, &def);
    kin_anchor corner = {id.index1, body, {1, 0.5, 0}};
    kin_motion m;
    kin_world_motion_at(w, &corner, 1, 0, &m);
    NEAR3(t, m.pose.position, ((kin_vec3){0.5, 1, 0}), 1e-14);
    NEAR3(t, m.velocity, ((kin_vec3){-1, -1, 0}), 1e-14); /* 2 x (corner - centre), centre (1, 0.5) */
    NEAR3(t, kin_rotate(m.pose.orientation, (kin_vec3){1, 0, 0}), ((kin_vec3){0, 1, 0}), 1e-14);
    kin_wrench impulse = {{1, 0, 0.5}, {0, 0.1, 0}};
    kin_twist dv;
    kin_world_respond(w, &corner, &impulse, 1, &dv);
    CHECK(t, kin_world_push(w, corner, impulse.impulse, NULL) == KIN_OK); /* without the angular part */
    impulse.angular = (kin_vec3){0, 0, 0};
    kin_twist linear;
    kin_world_respond(w, &corner, &impulse, 1, &linear);
    test_steps(t, w, 1);
    kin_motion after;
    kin_world_motion_at(w, &corner, 1, 0, &after); /* the path of the last interval: it began where the push was */
    kin_body_state s = kin_rigid_state(w, id, body);
    NEAR3(t, kin_sub(s.spin, def.spin), linear.spin, 2e-3); /* it turned a little since, with its inertia */
    CHECK(t, kin_length(kin_sub(dv.spin, linear.spin)) > 0.1);
    kin_world_destroy(w);
}

static void mobility_decides_who_moves_it(test* t)
{
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, -10, 0});
    kin_system_id id = add_rigid(t, w);
    kin_body_def def = kin_body_def_default();
    def.shape = ball_of(0.5);
    uint32_t body = add_body(t, w, id, &def);
    CHECK(t, kin_world_set_mobility(w, (kin_anchor){id.index1, body, {0, 0, 0}}, KIN_MOBILITY_STATIC, NULL) == KIN_OK);
    test_steps(t, w, 10);
    kin_body_state s = kin_rigid_state(w, id, body);
    NEAR3(t, s.pose.position, def.position, 0);
    NEAR(t, s.mass, 0, 0);
    CHECK(t, kin_world_set_mobility(w, (kin_anchor){id.index1, body, {0, 0, 0}}, KIN_MOBILITY_DYNAMIC, NULL) == KIN_OK);
    test_steps(t, w, 10);
    NEAR(t, kin_rigid_state(w, id, body).velocity.y, -1, 1e-5);
    kin_rigid_place(w, id, body, (kin_transform){{5, 5, 5}, {0, 0, 0, 1}}, (kin_vec3){1, 0, 0}, (kin_vec3){0, 0, 1});
    s = kin_rigid_state(w, id, body);
    NEAR3(t, s.pose.position, ((kin_vec3){5, 5, 5}), 1e-15);
    NEAR3(t, s.velocity, ((kin_vec3){1, 0, 0}), 0);
    kin_rigid_remove_body(w, id, body);
    EQUAL(t, kin_rigid_count(w, id), 1);
    NEAR(t, measure_of(w, id, "count"), 0, 0);
    test_steps(t, w, 1);
    kin_moved moved[4];
    EQUAL(t, kin_world_moved(w, moved, 4), 0);
    kin_world_destroy(w);
}

static void who_leaves_the_bounds_is_out(test* t) /* C1.4.1c */
{
    kin_world_def wd = kin_world_def_default();
    kin_world* w;
    wd.allocator = t->allocator;
    wd.bounds = KIN_BOUNDS_DEACTIVATE;
    wd.bounds_low = (kin_vec3){-2, -2, -2};
    wd.bounds_high = (kin_vec3){2, 2, 2};
    CHECK(t, kin_world_create(&wd, &w, NULL) == KIN_OK);
    kin_system_id id = add_rigid(t, w);
    kin_body_def def = kin_body_def_default();
    def.shape = ball_of(0.1);
    uint32_t body = add_body(t, w, id, &def);
    test_steps(t, w, 60);
    CHECK(t, kin_rigid_state(w, id, body).mobility == KIN_MOBILITY_INACTIVE);
    kin_vec3 there = kin_rigid_state(w, id, body).center;
    CHECK(t, there.y < -2 && there.y > -2.5);
    test_steps(t, w, 10);
    NEAR3(t, kin_rigid_state(w, id, body).center, there, 0);
    kin_world_destroy(w);
}

/* ---- keys ---- */

static void animated_bodies_follow_their_keys_or_their_velocity(test* t)
{
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, -10, 0});
    kin_system_id id = add_rigid(t, w);
    kin_quat none = {0, 0, 0, 1};
    kin_key keys[] = {{0, {0, 1, 0}, none}, {1, {2, 1, 0}, kin_quat_axis_angle((kin_vec3){0, 1, 0}, 1)}};
    kin_body_def def = kin_body_def_default();
    def.shape = box_of(1, 1, 1);
    def.shape.offset = (kin_vec3){0, 0.5, 0};
    def.keys = keys;
    def.key_count = 2;
    def.smooth = false;
    uint32_t keyed = add_body(t, w, id, &def);
    def.key_count = 0;
    def.mobility = KIN_MOBILITY_ANIMATED;
    def.position = (kin_vec3){0, 5, 0};
    def.velocity = (kin_vec3){0, 0, 3};
    def.spin = (kin_vec3){0, 2, 0};
    uint32_t driven = add_body(t, w, id, &def);
    test_steps(t, w, 50);
    kin_body_state s = kin_rigid_state(w, id, keyed);
    NEAR3(t, s.pose.position, ((kin_vec3){1, 1, 0}), 1e-12);
    NEAR3(t, s.velocity, ((kin_vec3){2, 0, 0}), 1e-10);
    NEAR3(t, s.spin, ((kin_vec3){0, 1, 0}), 1e-10);
    CHECK(t, s.mobility == KIN_MOBILITY_ANIMATED);
    s = kin_rigid_state(w, id, driven);
    NEAR3(t, s.pose.position, ((kin_vec3){0, 5, 1.5}), 1e-12);
    NEAR3(t, kin_rotate(s.pose.orientation, (kin_vec3){1, 0, 0}), ((kin_vec3){kin_cos(1), 0, -kin_sin(1)}), 1e-12);
    kin_moved moved[4];
    EQUAL(t, kin_world_moved(w, moved, 4), 2);
    test_steps(t, w, 60);
    EQUAL(t, kin_world_moved(w, moved, 4), 1); /* the first has arrived */
    kin_world_destroy(w);
}

typedef struct log_of {
    int warnings;
    char last[256];
} log_of;
static void hear(void* context, kin_log_level level, const char* text)
{
    log_of* l = context;
    if (level != KIN_LOG_WARNING) return;
    l->warnings += 1;
    snprintf(l->last, sizeof l->last, "%s", text);
}

/* A press comes down on a ball that lies on the floor, and goes on. */
static void a_script_that_leaves_no_room_is_told(test* t) /* C1.4.1b */
{
    log_of heard = {0};
    kin_world_def wd = kin_world_def_default();
    kin_world* w;
    wd.allocator = t->allocator;
    wd.log = (kin_log){.write = hear, .context = &heard};
    CHECK(t, kin_world_create(&wd, &w, NULL) == KIN_OK);
    test_plane(t, w, (kin_vec3){0, 0, 0}, (kin_vec3){0, 1, 0}, (kin_material_id){0});
    kin_system_id id = add_rigid(t, w);
    kin_body_def def = kin_body_def_default();
    def.shape = ball_of(0.2);
    def.position.y = 0.2;
    add_body(t, w, id, &def);
    kin_quat none = {0, 0, 0, 1};
    kin_key keys[] = {{0, {0, 1, 0}, none}, {2, {0, 0.15, 0}, none}};
    def.shape = box_of(2, 0.2, 2);
    def.keys = keys;
    def.key_count = 2;
    def.smooth = false;
    add_body(t, w, id, &def);
    test_steps(t, w, 60); /* at 0.575: they touch at 0.5 */
    EQUAL(t, heard.warnings, 0);
    kin_step_report report = {0};
    int warned = 0;
    for (int i = 0; i < 58; ++i) {
        CHECK(t, kin_world_step(w, &report, NULL) == KIN_OK);
        warned += report.warnings;
    }
    CHECK(t, warned >= 1 && warned <= 4); /* when it began, not in every step */
    HAS(t, heard.last, "rigid[0]");
    HAS(t, heard.last, "no room");
    kin_world_destroy(w);
}

/* ---- joints by name and number ---- */

static void joints_find_their_bodies(test* t)
{
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, -10, 0});
    kin_system_id id = add_rigid(t, w);
    kin_body_def def = kin_body_def_default();
    def.shape = box_of(1, 0.1, 0.1);
    def.name = "door";
    def.position = (kin_vec3){0.5, 0, 0};
    uint32_t door = add_body(t, w, id, &def);
    kin_joint_def j = kin_joint_def_default();
    kin_error error = {0};
    uint32_t joint;
    j.kind = KIN_JOINT_HINGE;
    j.axis = (kin_vec3){0, 0, 1};
    j.body_a = "dor";
    CHECK(t, kin_rigid_add_joint(w, id, &j, &joint, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "a");
    HAS(t, error.message, "\"dor\"");
    j.body_a = "door";
    CHECK(t, kin_rigid_add_joint(w, id, &j, &joint, &error) == KIN_ERROR_ARGUMENT); /* b is body 1 */
    TEXT(t, error.where, "b");
    HAS(t, error.message, "there is no body 1");
    j.b = door;
    CHECK(t, kin_rigid_add_joint(w, id, &j, &joint, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "another body");
    j.b = -1;
    CHECK(t, kin_rigid_add_joint(w, id, &j, &joint, &error) == KIN_OK);
    NEAR(t, kin_joint_value(w, id, joint, 0), 0, 1e-12);
    NEAR(t, measure_of(w, id, "joints"), 1, 0);
    kin_joint_freedom motor[2] = {{.motor = true, .speed = 1, .most = -1}};
    CHECK(t, kin_joint_set(w, id, joint, motor, (kin_vec3){0, 0, 0}, &error) == KIN_ERROR_ARGUMENT);
    kin_vec3 force, torque;
    CHECK(t, kin_joint_load(w, id, joint, &force, &torque));
    kin_rigid_remove_joint(w, id, joint);
    CHECK(t, !kin_joint_load(w, id, joint, &force, &torque));
    kin_world_destroy(w);
}

static void one_solver_one_set_of_settings(test* t)
{
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, 0, 0});
    kin_rigid_def def = kin_rigid_def_default();
    kin_error error = {0};
    def.name = "a";
    def.substeps = 8;
    CHECK(t, kin_rigid_create(w, &def, NULL, &error) == KIN_OK);
    kin_body_def ball = kin_body_def_default();
    ball.shape = ball_of(1);
    add_body(t, w, (kin_system_id){1, 1}, &ball);
    def.name = "b";
    CHECK(t, kin_rigid_create(w, &def, NULL, &error) == KIN_OK);
    def.name = "c";
    def.substeps = 4; /* the default: says nothing */
    CHECK(t, kin_rigid_create(w, &def, NULL, &error) == KIN_OK);
    def.name = "d";
    def.substeps = 5;
    CHECK(t, kin_rigid_create(w, &def, NULL, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "substeps");
    kin_world_destroy(w);
}

TEST_MAIN("rigid bodies", TEST(mass_comes_from_density_or_is_given), TEST(parts_weigh_by_their_material), TEST(a_tensor_and_a_centre_of_its_own_answer_forces),
          TEST(bad_bodies_are_refused_by_name), TEST(free_flight_is_straight_and_forces_act_for_one_step), TEST(weight_is_scaled_and_drag_slows),
          TEST(anchors_are_local_to_the_shape), TEST(mobility_decides_who_moves_it), TEST(who_leaves_the_bounds_is_out),
          TEST(animated_bodies_follow_their_keys_or_their_velocity), TEST(a_script_that_leaves_no_room_is_told), TEST(joints_find_their_bodies),
          TEST(one_solver_one_set_of_settings))
