/* rigid.c - rigid bodies from a program: a stack of crates, a ball on a rope that swings into it, what touched what, and what a ray meets before and after.
 *
 *     cc rigid.c $(pkg-config --cflags --libs kinema) -o rigid && ./rigid */
#include <kinema/kinema.h>
#include <kinema/rigid.h>
#include <stdio.h>

enum { CRATES = 5, BALL = CRATES, STEPS = 240 };

static int fail(const kin_error* error)
{
    char text[1100];
    kin_error_text(error, text, sizeof text);
    fprintf(stderr, "rigid: %s\n", text);
    return 1;
}

/* The floor is a collider: it stands still and bodies meet it. */
static bool add_floor(kin_world* world, kin_error* error)
{
    kin_collider_def def = kin_collider_def_default();
    def.name = "floor";
    def.shape = (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}};
    return kin_world_add_collider(world, &def, NULL, error) == KIN_OK;
}

/* Five crates of half a metre, one on the other: bodies 0 to 4. */
static bool add_crates(kin_world* world, kin_system_id rigid, kin_error* error)
{
    kin_body_def crate = kin_body_def_default();
    crate.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.5, 0.5, 0.5}};
    crate.density = 200;
    for (int i = 0; i < CRATES; ++i) {
        crate.position = (kin_vec3){0, 0.25 + 0.5 * i, 0};
        if (kin_rigid_add_body(world, rigid, &crate, NULL, error) != KIN_OK) return false;
    }
    return true;
}

/* A ball of 60 kg, body 5, drawn back 60 degrees on a rope of 2 m; the rope breaks at 5 kN. */
static bool add_ball(kin_world* world, kin_system_id rigid, uint32_t* rope, kin_error* error)
{
    const kin_vec3 hook = {-0.6, 3.3, 0};
    kin_body_def ball = kin_body_def_default();
    ball.name = "ball";
    ball.shape = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.3};
    ball.mass = 60;
    ball.position = (kin_vec3){hook.x - 2 * 0.8660254, hook.y - 2 * 0.5, 0};
    if (kin_rigid_add_body(world, rigid, &ball, NULL, error) != KIN_OK) return false;
    kin_joint_def joint = kin_joint_def_default();
    joint.kind = KIN_JOINT_ROPE;
    joint.body_a = "ball";
    joint.b = -1; /* the world */
    joint.anchor = ball.position;
    joint.anchor_b = hook;
    joint.has_anchor_b = true;
    joint.break_force = 5000;
    return kin_rigid_add_joint(world, rigid, &joint, rope, error) == KIN_OK;
}

/* Elements of a system and colliders are both anchors; a collider has no system. */
static const char* name_of(kin_anchor who, char text[32])
{
    if (who.system == 0) return "floor";
    if (who.element == BALL) return "ball";
    snprintf(text, 32, "crate %u", (unsigned)who.element);
    return text;
}

/* Hits are meetings faster than the system's bounce_speed; there are events of touches, sensors, joints and fractures besides. */
static void print_hits(const kin_world* world)
{
    size_t count;
    const kin_touch_event* events = kin_world_touch_events(world, &count);
    for (size_t i = 0; i < count; ++i) {
        char a[32], b[32];
        if (events[i].kind != KIN_TOUCH_HIT || events[i].speed < 2) continue;
        printf("%.3f s  %s hits %s at %.1f m/s\n", kin_world_time(world), name_of(events[i].a, a), name_of(events[i].b, b), events[i].speed);
    }
}

static void print_ray(const kin_world* world)
{
    char text[32];
    kin_query_hit hit = kin_world_ray(world, (kin_vec3){0, 10, 0}, (kin_vec3){0, -1, 0}, 20);
    printf("from above: %s, %.2f m up\n", name_of(hit.anchor, text), hit.point.y);
}

static bool run(kin_world* world, kin_system_id rigid, uint32_t rope, kin_error* error)
{
    kin_vec3 pull, torque;
    for (int step = 0; step < STEPS; ++step) {
        if (kin_world_step(world, NULL, error) != KIN_OK) return false;
        if (step == 0) print_ray(world);
        print_hits(world);
    }
    print_ray(world);
    for (uint32_t i = 0; i < kin_rigid_count(world, rigid); ++i) {
        kin_body_state s = kin_rigid_state(world, rigid, i);
        printf("body %u  %6.2f %6.2f %6.2f m  %s\n", (unsigned)i, s.center.x, s.center.y, s.center.z, s.awake ? "awake" : "asleep");
    }
    if (kin_joint_load(world, rigid, rope, &pull, &torque)) printf("the rope holds %.0f N down, %.0f N aside\n", -pull.y, pull.x);
    return true;
}

int main(void)
{
    kin_error error = {0};
    kin_world* world;
    kin_world_def def = kin_world_def_default();
    if (kin_world_create(&def, &world, &error) != KIN_OK) return fail(&error);
    kin_rigid_def bodies = kin_rigid_def_default();
    kin_system_id rigid;
    uint32_t rope;
    bool ok = add_floor(world, &error) && kin_rigid_create(world, &bodies, &rigid, &error) == KIN_OK && add_crates(world, rigid, &error)
              && add_ball(world, rigid, &rope, &error) && run(world, rigid, rope, &error);
    kin_world_destroy(world);
    return ok ? 0 : fail(&error);
}
