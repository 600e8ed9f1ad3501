/* supports_test.c - sleeping bodies and what holds them: whatever can change a support through the public API wakes what lies on it, and kinematic supports of
 * any speed carry stacks, in both modes. */
#include "kinema/rigid.h"
#include "math/quat.h"
#include "support/test.h"
#include "support/world.h"

enum { HIGH = 6 }; /* boxes on a support: more than waking reaches by one disturbance */
#define SIZE 0.3   /* m: of a box, and */
#define FLAT 0.1   /* m: its height */
#define FRICTION 0.6
#define G 9.81
#define CONTACT_TIME 0.25 /* s: what a collider without a velocity is put into is pushed out by soft contacts in a tenth of a second, a stack of them in this */
#define REST 1.5          /* s: until all sleep */

static const kin_rigid_mode modes[] = {KIN_RIGID_REALTIME, KIN_RIGID_EXACT};
static const char* const mode_names[] = {"realtime", "exact"};

/* ---- kinds of supports ---- */

typedef enum support_kind { COLLIDER_KEYS, COLLIDER_POSE, PLANE_KEYS, BODY_KEYS, BODY_VELOCITY, MOTOR, HELD, BELT, KIND_COUNT } support_kind;
static const char* const kind_names[KIND_COUNT] = {"collider with keys",   "collider put",      "plane with keys",     "body with keys",
                                                   "body with a velocity", "body with a motor", "body on a keyed one", "plate on a moving surface"};

typedef enum direction { RISES, SINKS, SIDEWAYS, TURNS, DIRECTION_COUNT } direction;
static const char* const direction_names[DIRECTION_COUNT] = {"rising", "sinking", "sideways", "turning"};

typedef struct stage {
    kin_world* world;
    kin_system_id system;
    kin_material_id material;
    support_kind kind;
    direction way;
    double speed, duration;
    kin_collider_id collider;
    int high;
    uint32_t support, box[HIGH];
} stage;

static kin_vec3 way_of(const stage* s, double t)
{
    const double d = s->speed * kin_max(0, t - REST);
    return s->way == RISES ? kin_v(0, d, 0) : s->way == SINKS ? kin_v(0, -d, 0) : s->way == SIDEWAYS ? kin_v(d, 0, 0) : kin_v(0, 0, 0);
}

static kin_quat turn_of(const stage* s, double t)
{
    return s->way == TURNS ? kin_quat_from_rotation_vector(kin_v(0, s->speed * kin_max(0, t - REST), 0)) : kin_quat_identity();
}

static kin_transform pose_of(const stage* s, kin_vec3 from, double t) { return (kin_transform){kin_add(from, way_of(s, t)), turn_of(s, t)}; }

enum { KEYS = 12 };
static void make_keys(const stage* s, kin_vec3 from, kin_key* keys)
{
    for (int i = 0; i < KEYS; ++i) {
        const double t = i == 0 ? 0 : REST + s->duration * (i - 1) / (KEYS - 2);
        const kin_transform pose = pose_of(s, from, t);
        keys[i] = (kin_key){.time = t, .position = pose.position, .orientation = pose.orientation};
    }
}

static const kin_vec3 slab_size = {2, 0.2, 2}, slab_at = {0, -0.1, 0};

static void make_collider(test* t, stage* s)
{
    kin_key keys[KEYS];
    kin_collider_def def = kin_collider_def_default();
    const bool plane = s->kind == PLANE_KEYS;
    def.material = s->material;
    def.shape = plane ? (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}} : (kin_shape){.kind = KIN_SHAPE_BOX, .size = slab_size};
    def.position = plane ? kin_v(0, 0, 0) : slab_at;
    make_keys(s, def.position, keys);
    if (s->kind != COLLIDER_POSE) def.keys = keys, def.key_count = KEYS, def.smooth = false;
    CHECK(t, kin_world_add_collider(s->world, &def, &s->collider, NULL) == KIN_OK);
}

static uint32_t make_slab(test* t, stage* s, kin_vec3 at, bool keyed, bool moves)
{
    kin_key keys[KEYS];
    kin_body_def def = kin_body_def_default();
    def.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = slab_size};
    def.position = at;
    def.material = s->material;
    def.mass = 50;
    make_keys(s, at, keys);
    if (keyed) def.keys = keys, def.key_count = KEYS, def.smooth = false;
    if (moves) def.mobility = KIN_MOBILITY_ANIMATED;
    return test_body(t, s->world, s->system, &def);
}

/* Driven by a slider or a hinge with a motor that does not yield. */
static void make_motor(test* t, stage* s)
{
    kin_joint_def def = kin_joint_def_default();
    s->support = make_slab(t, s, slab_at, false, false);
    def.kind = s->way == TURNS ? KIN_JOINT_HINGE : KIN_JOINT_SLIDER;
    def.a = s->support, def.b = -1;
    def.anchor = slab_at;
    def.axis = s->way == SIDEWAYS ? kin_v(1, 0, 0) : kin_v(0, 1, 0);
    def.freedom[0] = (kin_joint_freedom){.motor = true, .speed = 0, .most = 1e5};
    CHECK(t, kin_rigid_add_joint(s->world, s->system, &def, NULL, NULL) == KIN_OK);
}

static void make_held(test* t, stage* s)
{
    kin_joint_def def = kin_joint_def_default();
    const kin_vec3 below = {0, -1, 0};
    s->support = make_slab(t, s, slab_at, false, false);
    def.kind = KIN_JOINT_FIXED;
    def.a = s->support, def.b = make_slab(t, s, below, true, false);
    def.anchor = slab_at;
    CHECK(t, kin_rigid_add_joint(s->world, s->system, &def, NULL, NULL) == KIN_OK);
}

static void make_belt(test* t, stage* s)
{
    kin_body_def def = kin_body_def_default();
    def.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {20, 0.2, 2}};
    def.position = kin_v(0, -0.3, 0);
    def.material = s->material;
    def.mobility = KIN_MOBILITY_STATIC;
    def.surface_velocity = kin_v(s->speed, 0, 0);
    test_body(t, s->world, s->system, &def);
    s->support = make_slab(t, s, slab_at, false, false);
}

static stage begin(test* t, kin_rigid_mode mode, support_kind kind, direction way, double speed)
{
    stage s = {.kind = kind, .way = way, .speed = speed, .high = mode == KIN_RIGID_EXACT ? 3 : HIGH};
    kin_rigid_def def = kin_rigid_def_default();
    def.mode = mode;
    s.world = test_world(t, 1.0 / 60, kin_v(0, -G, 0));
    s.material = test_material(t, s.world, "stuff", 0, FRICTION);
    s.duration = kin_min(kin_max(0.002 / speed, 1), 30);
    CHECK(t, kin_rigid_create(s.world, &def, &s.system, NULL) == KIN_OK);
    switch (kind) {
    case MOTOR: make_motor(t, &s); break;
    case HELD: make_held(t, &s); break;
    case BELT: make_belt(t, &s); break;
    case BODY_KEYS: s.support = make_slab(t, &s, slab_at, true, true); break;
    case BODY_VELOCITY: s.support = make_slab(t, &s, slab_at, false, true); break;
    default: make_collider(t, &s);
    }
    for (int i = 0; i < s.high; ++i)
        s.box[i] = test_plain_body(t, s.world, s.system, s.material, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {SIZE, FLAT, SIZE}}, 9,
                                   kin_v(0.1, FLAT * (i + 0.5), 0), kin_v(0, 0, 0));
    return s;
}

/* What has to be done by hand before a step. */
static void drive(test* t, stage* s, bool starts)
{
    const double now = kin_world_time(s->world), next = now + 1.0 / 60;
    if (s->kind == COLLIDER_POSE && next > REST) kin_collider_set_pose(s->world, s->collider, pose_of(s, slab_at, next));
    if (!starts) return;
    if (s->kind == BODY_VELOCITY) {
        const kin_vec3 v = kin_scale(way_of(s, REST + 1), s->way == TURNS ? 0 : 1), w = s->way == TURNS ? kin_v(0, s->speed, 0) : kin_v(0, 0, 0);
        kin_rigid_place(s->world, s->system, s->support, (kin_transform){slab_at, kin_quat_identity()}, v, w);
    }
    if (s->kind == MOTOR) {
        kin_joint_freedom f[2] = {{.motor = true, .speed = s->way == SINKS ? -s->speed : s->speed, .most = 1e5}, {0}};
        CHECK(t, kin_joint_set(s->world, s->system, 0, f, kin_v(0, 0, 0), NULL) == KIN_OK);
    }
}

static kin_transform support_pose(const stage* s)
{
    const bool is_collider = s->kind == COLLIDER_KEYS || s->kind == COLLIDER_POSE || s->kind == PLANE_KEYS;
    if (!is_collider) return kin_rigid_state(s->world, s->system, s->support).pose;
    return pose_of(s, s->kind == PLANE_KEYS ? kin_v(0, 0, 0) : slab_at, kin_world_time(s->world));
}

/* Where a box is, seen from the support. */
static kin_vec3 seen(const stage* s, int i) { return kin_unapply(support_pose(s), kin_rigid_state(s->world, s->system, s->box[i]).pose.position); }

/* The most that a box leaves its height on what is under it, and, where that gives its velocity, its place. Impacts and slip of a jerky start are not counted: an
 * abrupt v is followed in 2 v / g when it sinks, and with a slip of v^2 / 2 mu g when it goes aside. */
static double carry(test* t, kin_rigid_mode mode, support_kind kind, direction way, double speed)
{
    stage s = begin(t, mode, kind, way, speed);
    const int rest = (int)(REST * 60), steps = (int)(s.duration * 60);
    kin_vec3 was[HIGH];
    double worst = 0;
    for (int i = 0; i < rest; ++i) drive(t, &s, false), test_steps(t, s.world, 1);
    for (int i = 0; i < s.high; ++i) {
        was[i] = seen(&s, i);
        if (kind != BELT) CHECK(t, !kin_rigid_state(s.world, s.system, s.box[i]).awake);
    }
    for (int k = 0; k < steps; ++k) {
        const double settled = 4 * speed / G + 0.3, slip = 2 * speed * speed / (2 * FRICTION * G);
        drive(t, &s, k == 0), test_steps(t, s.world, 1);
        if (k / 60.0 < settled) continue;
        double below = 0;
        for (int i = 0; i < s.high; ++i) {
            const kin_vec3 d = kin_sub(seen(&s, i), was[i]);
            const bool follows = kind != COLLIDER_POSE && kind != PLANE_KEYS && mode == KIN_RIGID_REALTIME && speed < 0.5;
            worst = kin_max(worst, kin_abs(d.y - below));
            below = d.y;
            if (follows) worst = kin_max(worst, kin_length(kin_v(d.x, 0, d.z)) - slip);
        }
    }
    kin_world_destroy(s.world);
    return worst;
}

/* Slip is not looked at in exact mode: a stack that is jerked is shaken by its impulses. */
static void moving_supports_carry_stacks(test* t)
{
    static const double speeds[] = {1e-4, 1e-3, 1e-2, 0.1, 1};
    for (int k = 0; k < KIND_COUNT; ++k) {
        for (int d = 0; d < DIRECTION_COUNT; ++d) {
            for (int v = 0; v < 5; ++v) {
                if (k == BELT && d != SIDEWAYS) continue;
                const double worst = carry(t, KIN_RIGID_REALTIME, (support_kind)k, (direction)d, speeds[v]),
                             most = k == COLLIDER_POSE ? CONTACT_TIME * speeds[v] : 0;
                test_check(t, worst < 1e-3 + most, __FILE__, __LINE__, "%s, %s at %g: off by %g m", kind_names[k], direction_names[d], speeds[v], worst);
            }
        }
    }
}

static void moving_supports_carry_exact_stacks(test* t)
{
    for (int k = 0; k < BELT; ++k) {
        for (int d = 0; d < TURNS; ++d) {
            const double worst = carry(t, KIN_RIGID_EXACT, (support_kind)k, (direction)d, 0.01);
            test_check(t, worst < 1e-3, __FILE__, __LINE__, "%s, %s: off by %g m", kind_names[k], direction_names[d], worst);
        }
    }
}

/* ---- all that can happen to sleeping bodies ---- */

/* Five boxes on a ledge, a ball that hangs, a door with a motor that is off; all asleep. */
typedef struct room {
    kin_world* world;
    kin_system_id system;
    uint32_t ledge, box[5], ball, door;
    uint32_t rod, hinge;
    kin_collider_id floor;
    bool refuses;
    double wind_begins;
} room;

static kin_anchor of(const room* r, uint32_t body) { return (kin_anchor){.system = r->system.index1, .element = body}; }
static bool refuse(void* context, kin_touch_pair* pair)
{
    (void)pair;
    return !*(const bool*)context;
}
static bool refuse_all(void* context, kin_touch_pair* pair)
{
    (void)context, (void)pair;
    return false;
}

static void gust(void* context, const kin_law_points* p)
{
    for (int i = 0; i < p->count; ++i) p->ax[i] += p->time > *(const double*)context ? 9 : 0;
}

typedef void act_fn(test* t, room* r);
static void remove_ledge(test* t, room* r) { (void)t, kin_rigid_remove_body(r->world, r->system, r->ledge); }
static void put_ledge(test* t, room* r)
{
    (void)t, kin_rigid_place(r->world, r->system, r->ledge, (kin_transform){{0, -3, 0}, {0, 0, 0, 1}}, kin_v(0, 0, 0), kin_v(0, 0, 0));
}
static void sink_ledge(test* t, room* r)
{
    (void)t, kin_rigid_place(r->world, r->system, r->ledge, (kin_transform){{0, -0.15, 0}, {0, 0, 0, 1}}, kin_v(0, 0, 0), kin_v(0, 0, 0));
}
static void free_ledge(test* t, room* r) { CHECK(t, kin_world_set_mobility(r->world, of(r, r->ledge), KIN_MOBILITY_DYNAMIC, NULL) == KIN_OK); }
static void switch_ledge_off(test* t, room* r) { CHECK(t, kin_world_set_mobility(r->world, of(r, r->ledge), KIN_MOBILITY_INACTIVE, NULL) == KIN_OK); }
static void move_ledge(test* t, room* r) { CHECK(t, kin_world_place(r->world, of(r, r->ledge), kin_v(0, -1, 0), kin_v(0, 0, 0), NULL) == KIN_OK); }
static void turn_gravity(test* t, room* r) { CHECK(t, kin_world_set_vector(r->world, "gravity", kin_v(9, -1, 0), NULL) == KIN_OK); }
static void add_gravity(test* t, room* r) { CHECK(t, kin_world_add_gravity(r->world, kin_v(8, 0, 0), NULL, NULL) == KIN_OK); }
static void set_field(test* t, room* r) { CHECK(t, kin_world_set_vector(r->world, "fields[0].gravity", kin_v(8, 9, 0), NULL) == KIN_OK); }
static void begin_wind(test* t, room* r) { (void)t, r->wind_begins = kin_world_time(r->world); }
static void filter(test* t, room* r) { (void)t, kin_world_set_touch_filter(r->world, refuse, &r->refuses), r->refuses = true; }
static void change_filter(test* t, room* r) { (void)t, kin_world_set_touch_filter(r->world, refuse_all, NULL); }
static void push_top(test* t, room* r)
{
    (void)t, kin_rigid_apply(r->world, r->system, r->box[4], kin_v(3000, 0, 0), kin_rigid_state(r->world, r->system, r->box[4]).center, kin_v(0, 0, 0));
}
static void push_by_world(test* t, room* r) { CHECK(t, kin_world_push(r->world, of(r, r->box[4]), kin_v(20, 0, 0), NULL) == KIN_OK); }
static void place_top(test* t, room* r) { CHECK(t, kin_world_place(r->world, of(r, r->box[4]), kin_v(0, 2, 0), kin_v(0, 0, 0), NULL) == KIN_OK); }
static void attach_top(test* t, room* r)
{
    kin_attachment_def def = kin_attachment_def_default();
    def.a = of(r, r->box[4]), def.to_point = true, def.point = kin_v(0, 3, 0);
    CHECK(t, kin_world_attach(r->world, &def, NULL, NULL) == KIN_OK);
}
static void remove_lowest(test* t, room* r) { (void)t, kin_rigid_remove_body(r->world, r->system, r->box[0]); }
static void cut_rod(test* t, room* r) { (void)t, kin_rigid_remove_joint(r->world, r->system, r->rod); }
static void start_motor(test* t, room* r)
{
    const kin_joint_freedom f[2] = {{.motor = true, .speed = 0.02, .most = 100}, {0}};
    CHECK(t, kin_joint_set(r->world, r->system, r->hinge, f, kin_v(0, 0, 0), NULL) == KIN_OK);
}
static void tie_ball(test* t, room* r)
{
    kin_joint_def def = kin_joint_def_default();
    def.kind = KIN_JOINT_MOUSE, def.a = r->ball, def.b = -1, def.anchor = kin_v(5, 1, 0), def.target = kin_v(6, 1, 0);
    def.freedom[0] = (kin_joint_freedom){.stiffness = 500, .damping = 50, .most = 1e4};
    CHECK(t, kin_rigid_add_joint(r->world, r->system, &def, NULL, NULL) == KIN_OK);
}
static void free_box(test* t, room* r)
{
    kin_body_def def = kin_body_def_default();
    def.shape = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.1}, def.position = kin_v(-0.6, 0.45, 0), def.velocity = kin_v(15, 0, 0), def.mass = 20;
    test_body(t, r->world, r->system, &def);
}

static const struct {
    const char* what;
    act_fn* act;
    enum { TOP, BALL, DOOR } moves;
} acts[] = {
    {"its support is removed", remove_ledge, TOP},
    {"its support is placed elsewhere", put_ledge, TOP},
    {"its support sinks by 5 cm", sink_ledge, TOP},
    {"its support becomes dynamic", free_ledge, TOP},
    {"its support becomes inactive", switch_ledge_off, TOP},
    {"its support is moved by command", move_ledge, TOP},
    {"gravity turns", turn_gravity, TOP},
    {"a field is added", add_gravity, TOP},
    {"a field is set", set_field, TOP},
    {"a law begins to act", begin_wind, TOP},
    {"a filter comes", filter, TOP},
    {"the filter is another", change_filter, TOP},
    {"it is pushed", push_top, TOP},
    {"it is pushed by command", push_by_world, TOP},
    {"it is placed", place_top, TOP},
    {"it is attached", attach_top, TOP},
    {"the lowest of a stack is removed", remove_lowest, TOP},
    {"a body hits the stack", free_box, TOP},
    {"its joint is removed", cut_rod, BALL},
    {"a joint is added", tie_ball, BALL},
    {"gravity turns", turn_gravity, BALL},
    {"a motor starts, slower than sleep", start_motor, DOOR},
};

static void make_room(test* t, room* r, kin_rigid_mode mode, bool filtered)
{
    kin_rigid_def def = kin_rigid_def_default();
    kin_material_id m;
    def.mode = mode;
    *r = (room){.wind_begins = 1e9};
    r->world = test_world(t, 1.0 / 60, kin_v(0, -G, 0));
    m = test_material(t, r->world, "stuff", 0, FRICTION);
    CHECK(t, kin_world_add_gravity(r->world, kin_v(0, 0, 0), NULL, NULL) == KIN_OK);
    CHECK(t, kin_world_add_law(r->world, gust, &r->wind_begins, NULL, NULL) == KIN_OK);
    CHECK(t, kin_rigid_create(r->world, &def, &r->system, NULL) == KIN_OK);
    if (filtered) kin_world_set_touch_filter(r->world, refuse, &r->refuses);
    kin_body_def body = kin_body_def_default();
    body.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {2, 0.2, 2}};
    body.position = kin_v(0, -0.1, 0), body.mass = 50, body.material = m, body.mobility = KIN_MOBILITY_STATIC;
    r->ledge = test_body(t, r->world, r->system, &body);
    for (int i = 0; i < 5; ++i)
        r->box[i] = test_plain_body(t, r->world, r->system, m, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {SIZE, FLAT, SIZE}}, 9, kin_v(0, FLAT * (i + 0.5), 0),
                                    kin_v(0, 0, 0));
    r->ball = test_plain_body(t, r->world, r->system, m, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.2}, 9, kin_v(5, 1, 0), kin_v(0, 0, 0));
    r->door = test_plain_body(t, r->world, r->system, m, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 1, 0.1}}, 9, kin_v(8, 1, 0), kin_v(0, 0, 0));
    kin_joint_def joint = kin_joint_def_default();
    joint.a = r->ball, joint.b = -1, joint.anchor = kin_v(5, 2, 0);
    CHECK(t, kin_rigid_add_joint(r->world, r->system, &joint, &r->rod, NULL) == KIN_OK);
    joint.kind = KIN_JOINT_HINGE, joint.a = r->door, joint.anchor = kin_v(7.5, 1, 0), joint.axis = kin_v(0, 1, 0);
    CHECK(t, kin_rigid_add_joint(r->world, r->system, &joint, &r->hinge, NULL) == KIN_OK);
    test_steps(t, r->world, 90);
}

static kin_vec3 rim(const kin_body_state* s) { return kin_apply(s->pose, kin_v(0.5, 0, 0)); }

/* Each on a world of its own: asleep before, and a centimetre away half a second after it (a motor, by its speed). */
static void whatever_happens_wakes(test* t)
{
    for (int m = 0; m < 2; ++m) {
        for (size_t k = 0; k < sizeof acts / sizeof *acts; ++k) {
            room r;
            make_room(t, &r, modes[m], acts[k].act == change_filter);
            const uint32_t body = acts[k].moves == TOP ? r.box[4] : acts[k].moves == BALL ? r.ball : r.door;
            const kin_body_state before = kin_rigid_state(r.world, r.system, body);
            test_check(t, !before.awake, __FILE__, __LINE__, "%s: awake before %s", mode_names[m], acts[k].what);
            acts[k].act(t, &r);
            test_steps(t, r.world, 30);
            const kin_body_state after = kin_rigid_state(r.world, r.system, body);
            const double gone = kin_distance(rim(&before), rim(&after));
            test_check(t, gone > (acts[k].moves == DOOR ? 0.008 : 0.01), __FILE__, __LINE__, "%s: sleeps on when %s: gone %g m", mode_names[m], acts[k].what,
                       gone);
            kin_world_destroy(r.world);
        }
    }
}

TEST_MAIN("laws_supports", TEST(moving_supports_carry_stacks), TEST(moving_supports_carry_exact_stacks), TEST(whatever_happens_wakes))
