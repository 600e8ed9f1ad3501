/* fields_test.c - the fields of a world act on fluid as on particles: every kind does, after velocities and between all too; masks bound them; a tank in which one
 * has no meaning is refused by name. Threads, lanes and restores: state_test.c. */
#include "math/scalar.h"
#include "system/field.h"
#include "tank.h"
#include "unit/scene/scene_test.h"

#define SPACING 0.1
#define STEP 0.01 /* s */

typedef struct fluid {
    kin_world* world;
    kin_system_id id;
    kin_sph_block blocks[2];
    kin_sph_phase_def phases[2];
    kin_sph_def def;
} fluid;

/* Two blocks of 4 x 4 x 4 particles, 2 m from each other, of two fluids that are one in all but their names. Nothing acts between particles but pressure. */
static fluid begin(test* t, kin_vec3 gravity)
{
    fluid s = {.world = test_world(t, STEP, gravity)};
    const kin_vec3 size = kin_v(4 * SPACING, 4 * SPACING, 4 * SPACING);
    for (int i = 0; i < 2; ++i) {
        s.blocks[i] = tank_box(kin_v(i == 0 ? -1 : 1, 0, 0), size);
        s.phases[i] = kin_sph_phase_def_default();
        s.phases[i].tension = s.phases[i].viscosity = 0;
        s.phases[i].name = s.blocks[i].phase = i == 0 ? "left" : "right";
    }
    s.def = tank_def(0.5 * SPACING, NULL, 0);
    s.def.smoothing = 0;
    return s;
}

static void pour(test* t, fluid* s)
{
    s->def.blocks.data = s->blocks, s->def.blocks.count = 2;
    s->def.phases.data = s->phases, s->def.phases.count = 2;
    s->id = tank_create(t, s->world, &s->def);
}

static void add(test* t, const fluid* s, const char* kind, const void* def)
{
    kin_error error = {0};
    test_check(t, kin_world_add_field(s->world, kind, def, NULL, &error) == KIN_OK, __FILE__, __LINE__, "%s: %s", kind, error.message);
}

typedef struct motion {
    kin_vec3 center, velocity; /* means */
    double fastest, slowest;   /* m/s */
} motion;

static motion motion_of(const fluid* s, int phase)
{
    kin_sph_view v = kin_sph_state(s->world, s->id);
    motion m = {.slowest = 1e300};
    size_t count = 0;
    for (size_t i = 0; i < v.count; ++i) {
        if (v.phase[i] != phase) continue;
        kin_vec3 u = kin_v((double)v.velocity[4 * i], (double)v.velocity[4 * i + 1], (double)v.velocity[4 * i + 2]);
        m.center = kin_add(m.center, tank_position(&v, i));
        m.velocity = kin_add(m.velocity, u);
        m.fastest = kin_max(m.fastest, kin_length(u)), m.slowest = kin_min(m.slowest, kin_length(u));
        ++count;
    }
    m.center = kin_scale(m.center, 1 / (double)count), m.velocity = kin_scale(m.velocity, 1 / (double)count);
    return m;
}

#define FLOATS 1e-6 /* places of about 1 m are floats */
static void near3(test* t, kin_vec3 got, kin_vec3 want, double tolerance)
{
    NEAR(t, got.x, want.x, tolerance);
    NEAR(t, got.y, want.y, tolerance);
    NEAR(t, got.z, want.z, tolerance);
}

/* ---- after velocities ---- */

static void a_limit_of_speed_holds(test* t)
{
    kin_speed_limit_field limit;
    kin_field_default("speed_limit", &limit);
    limit.speed_limit = 0.5;
    for (int solver = KIN_SPH_WCSPH; solver <= KIN_SPH_PBF; ++solver) {
        fluid s = begin(t, kin_v(0, -10, 0));
        s.def.solver = (kin_sph_solver)solver;
        add(t, &s, "speed_limit", &limit);
        pour(t, &s);
        test_plane(t, s.world, kin_v(0, -0.25, 0), kin_v(0, 1, 0), (kin_material_id){0});
        for (int i = 0; i < 10; ++i) {
            test_steps(t, s.world, 1);
            double fastest = motion_of(&s, 0).fastest;
            CHECK(t, fastest <= 0.5 * (1 + FLOATS) && (i < 5 || fastest > 0.4)); /* after 50 ms, of itself */
        }
        kin_world_destroy(s.world);
    }
}

/* Beside its own motion, and momentum does not know of it. */
static void what_is_carried_keeps_its_momentum(test* t)
{
    kin_translate_field translate;
    kin_field_default("translate", &translate);
    translate.translate = kin_v(0.3, 0, -0.1);
    for (int solver = KIN_SPH_WCSPH; solver <= KIN_SPH_PBF; ++solver) {
        fluid s = begin(t, kin_v(0, 0, 0));
        s.def.solver = (kin_sph_solver)solver;
        s.blocks[0].velocity = kin_v(0, 0.2, 0);
        add(t, &s, "translate", &translate);
        pour(t, &s);
        test_steps(t, s.world, 20);
        near3(t, motion_of(&s, 0).center, kin_v(-1 + 0.3 * 20 * STEP, 0.2 * 20 * STEP, -0.1 * 20 * STEP), 10 * FLOATS);
        near3(t, motion_of(&s, 0).velocity, kin_v(0, 0.2, 0), FLOATS);
        kin_world_destroy(s.world);
    }
}

static void ways_are_turned_and_made_shorter(test* t)
{
    kin_rotate_field turn;
    kin_scale_field scale;
    kin_field_default("rotate", &turn), kin_field_default("scale", &scale);
    turn.rotate = 0.5 * KIN_PI, turn.axis = kin_v(0, 0, 1);
    scale.scale = 0.5;
    fluid s = begin(t, kin_v(0, 0, 0));
    s.blocks[0].velocity = kin_v(0.4, 0, 0);
    add(t, &s, "rotate", &turn);
    add(t, &s, "scale", &scale);
    pour(t, &s);
    test_steps(t, s.world, 20);
    near3(t, motion_of(&s, 0).center, kin_v(-1, 0.2 * 20 * STEP, 0), 10 * FLOATS);
    near3(t, motion_of(&s, 0).velocity, kin_v(0.4, 0, 0), FLOATS);
    kin_world_destroy(s.world);
}

/* One kick in the first step, which is one tick: everybody has its speed, each in a direction of its own. */
static void kicks_come_by_the_clock(test* t)
{
    kin_kicks_field kicks;
    kin_field_default("kicks", &kicks);
    kicks.kicks = 0.3, kicks.rate = 1 / STEP;
    fluid s = begin(t, kin_v(0, 0, 0));
    add(t, &s, "kicks", &kicks);
    pour(t, &s);
    test_steps(t, s.world, 1);
    motion m = motion_of(&s, 0);
    NEAR(t, m.fastest, 0.3, FLOATS);
    NEAR(t, m.slowest, 0.3, FLOATS);
    CHECK(t, kin_length(m.velocity) > 0 && kin_length(m.velocity) < 4 * 0.3 / 8); /* of 64 in directions at random: 0.3 / 8 within four deviations */
    kin_world_destroy(s.world);
}

/* It hangs while Newton has it fall by 49 mm. Ticks put it by g h t / 2 lower than the parabola that the field makes up for, h <= STEP. */
static void a_cartoon_hangs_in_the_air(test* t)
{
    kin_cartoon_field cartoon;
    kin_field_default("cartoon", &cartoon);
    cartoon.cartoon = 1;
    fluid s = begin(t, kin_v(0, -9.81, 0));
    add(t, &s, "cartoon", &cartoon);
    pour(t, &s);
    test_steps(t, s.world, 10);
    NEAR(t, motion_of(&s, 0).center.y, 0, 0.5 * 9.81 * STEP * 10 * STEP + FLOATS);
    NEAR(t, motion_of(&s, 0).velocity.y, -9.81 * 10 * STEP, 1e-4);
    kin_world_destroy(s.world);
}

/* ---- between all ---- */

/* Two blocks fall towards each other as two masses do: cubes have no quadrupole, and what is left of their form is (0.4 / 2)^4. */
static void fluids_attract_each_other(test* t)
{
    const double mass = 64 * 1000 * SPACING * SPACING * SPACING, pull = 0.01, time = 10 * STEP;
    kin_attraction_field attraction;
    kin_field_default("attraction", &attraction);
    attraction.attraction = pull * 4 / mass;
    fluid s = begin(t, kin_v(0, 0, 0));
    add(t, &s, "attraction", &attraction);
    pour(t, &s);
    double before = tank_measure(t, s.world, "potential_energy");
    test_steps(t, s.world, 10);
    NEAR(t, motion_of(&s, 0).velocity.x, pull * time, 0.01 * pull * time);
    NEAR(t, motion_of(&s, 0).velocity.x + motion_of(&s, 1).velocity.x, 0, 1e-4 * pull * time);
    CHECK(t, before < -0.5 * mass * mass * attraction.attraction); /* of the two, 2 m apart, and each of itself */
    CHECK(t, tank_measure(t, s.world, "potential_energy") < before);
    kin_world_destroy(s.world);
}

/* ---- masks ---- */

static void a_region_bounds_it(test* t)
{
    kin_translate_field translate;
    kin_field_default("translate", &translate);
    translate.translate = kin_v(0, 0.3, 0);
    translate.common.region = (kin_region){.kind = KIN_REGION_BOX, .sizes = {2, 4, 4}}; /* its edge is at x = 0 */
    translate.common.center = kin_v(-1, 0, 0);
    fluid s = begin(t, kin_v(0, 0, 0));
    add(t, &s, "translate", &translate);
    pour(t, &s);
    test_steps(t, s.world, 10);
    NEAR(t, motion_of(&s, 0).center.y, 0.3 * 10 * STEP, 10 * FLOATS);
    NEAR(t, motion_of(&s, 1).center.y, 0, FLOATS);
    kin_world_destroy(s.world);
}

/* Forces, changes, ways and pulls of all on one phase alone. */
static void tags_are_the_names_of_phases(test* t)
{
    static const char* const right[] = {"right"};
    kin_gravity_field gravity;
    kin_translate_field translate;
    kin_attraction_field attraction;
    kin_field_default("gravity", &gravity), kin_field_default("translate", &translate), kin_field_default("attraction", &attraction);
    gravity.gravity = kin_v(0, -2, 0), translate.translate = kin_v(0, 0, 0.5), attraction.attraction = 1e-4;
    gravity.common.tags.data = translate.common.tags.data = attraction.common.tags.data = right;
    gravity.common.tags.count = translate.common.tags.count = attraction.common.tags.count = 1;
    fluid s = begin(t, kin_v(0, 0, 0));
    add(t, &s, "gravity", &gravity);
    add(t, &s, "translate", &translate);
    add(t, &s, "attraction", &attraction);
    pour(t, &s);
    test_steps(t, s.world, 10);
    motion left = motion_of(&s, 0), other = motion_of(&s, 1);
    near3(t, left.center, kin_v(-1, 0, 0), FLOATS);
    CHECK(t, left.fastest < 1e-3 * other.fastest);
    NEAR(t, other.velocity.y, -2 * 10 * STEP, 1e-4);
    NEAR(t, other.center.z, 0.5 * 10 * STEP, 10 * FLOATS);
    CHECK(t, other.velocity.x < -FLOATS);
    kin_world_destroy(s.world);
}

/* Fluid is as old as its way out of the opening: felt from 0.15 s on, which is 15 cm at 1 m/s. Without gravity it goes straight on until then. */
static void ages_count_from_the_opening(test* t)
{
    kin_translate_field translate;
    kin_field_default("translate", &translate);
    translate.translate = kin_v(2, 0, 0);
    translate.common.age[0] = 0.15, translate.common.age[1] = 100;
    fluid s = begin(t, kin_v(0, 0, 0));
    kin_sph_inflow inflow = kin_sph_inflow_default();
    inflow.phase = "left";
    inflow.direction = kin_v(0, 1, 0);
    inflow.size[0] = inflow.size[1] = 4 * SPACING;
    inflow.begin = 0.1, inflow.end = 0.1; /* one layer */
    s.def.inflows.data = &inflow, s.def.inflows.count = 1;
    s.blocks[0].phase = "right";
    add(t, &s, "translate", &translate);
    pour(t, &s);
    test_steps(t, s.world, 24);
    near3(t, motion_of(&s, 0).center, kin_v(0, 0.14, 0), 10 * FLOATS);
    test_steps(t, s.world, 11);
    NEAR(t, motion_of(&s, 0).center.x, 2 * 0.1, 2 * STEP + 10 * FLOATS); /* ticks begin and end with it */
    kin_world_destroy(s.world);
}

/* ---- all kinds there are ---- */

typedef struct kind {
    const char *name, *field; /* a scene's */
    bool idle;                /* for want of charge */
} kind;
static const kind kinds[] = {
    {"gravity", "gravity = {0, 1, 0}"},
    {"drag", "drag = 1"},
    {"wind", "wind = {3, 0, 0}"},
    {"attraction", "attraction = 1e-5"},
    {"repel", "repel = 5, containers = { { center = {0, 0, 0}, radius = 2 } }"},
    {"steer", "steer = 2"},
    {"flock", "flock = {0.7, 1.5}, apart = 0.7, match = 0.45, centre = 0.3"},
    {"hunt", "hunt = {'oil'}, sight = 9, speed = 4, limit = 7, tags = {'water'}"},
    {"attractor", "attractor = 1"},
    {"line_attractor", "line_attractor = 1"},
    {"electric", "electric = {0, 1, 0}", true},
    {"magnetic", "magnetic = {0, 1, 0}", true},
    {"source", "source = 1"},
    {"vortex_line", "vortex_line = 1"},
    {"vortex", "vortex = 1, length = 4, radius = 4, base = {0, -2, 0}"},
    {"translate", "translate = {0.1, 0, 0}"},
    {"rotate", "rotate = 0.5, axis = {0, 0, 1}"},
    {"scale", "scale = 0.5"},
    {"kicks", "kicks = 0.1"},
    {"speed_limit", "speed_limit = 0.1"},
    {"cartoon", "cartoon = 1"},
    {"goal", "goal = 'a.obj', stiffness = 10"},
    {"molecules", "molecules = 1, sigma = 0.1, cutoff = 0.3"},
    {"charges", "charges = 1", true},
    {"law", "law = function(x, y, z, vx, vy, vz, t, m, age) return 0, 1 + age, 0 end"},
};

/* Where particles are after some steps. NULL: without a field. */
static uint64_t fate(test* t, const char* field)
{
    char lua[1000];
    scene_bench b;
    kin_world_def def = kin_world_def_default();
    kin_world* world = NULL;
    uint64_t hash = 1469598103934665603u;
    snprintf(lua, sizeof lua,
             "return { colliders = { { shape = { sphere = 0.5 }, position = {1.5, 0, 0} } }, fields = { %s%s%s },\n"
             "  systems = { { type = 'sph', radius = 0.05, air_drag = 10, phases = { { fluid = 'water' }, { name = 'oil', fluid = 'water' } },\n"
             "    blocks = { { shape = { box = {0.4, 0.4, 0.4} }, velocity = {1, 0, 0} }, { phase = 'oil', shape = { box = {0.4, 0.4, 0.4} }, position = {0, "
             "1, 0} } } } } }",
             field != NULL ? "{ " : "", field != NULL ? field : "", field != NULL ? " }" : "");
    scene_begin(t, &b);
    scene_write(t, &b, "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    kin_result result = scene_try(t, &b, "a.lua", lua);
    if (result == KIN_OK) result = kin_scene_build(b.scene, &def, &world, &b.error);
    if (test_check(t, result == KIN_OK, __FILE__, __LINE__, "%s: %s: %s", field, b.error.where, b.error.message)) {
        test_steps(t, world, 3);
        kin_sph_view v = kin_sph_state(world, kin_world_system(world, "sph"));
        const unsigned char* bytes = (const unsigned char*)v.position;
        for (size_t i = 0; i < v.count * 4 * sizeof *v.position; ++i)
            if (i % 16 < 12) hash = (hash ^ bytes[i]) * 1099511628211u; /* the fourth is to be ignored */
    }
    kin_world_destroy(world);
    scene_end(&b);
    return hash;
}

static void every_kind_acts(test* t)
{
    const size_t count = sizeof kinds / sizeof *kinds;
    const uint64_t alone = fate(t, NULL);
    for (size_t i = 0; kin_field_registry[i] != NULL; ++i) {
        const kind* k = NULL;
        for (size_t n = 0; n < count; ++n) k = strcmp(kinds[n].name, kin_field_registry[i]->name) == 0 ? &kinds[n] : k;
        if (!test_check(t, k != NULL, __FILE__, __LINE__, "what does %s do to fluids?", kin_field_registry[i]->name)) continue;
        bool same = fate(t, k->field) == alone;
        test_check(t, same == k->idle, __FILE__, __LINE__, "%s %s", k->name, same ? "does nothing" : "acts on what has no charge");
    }
}

/* ---- where one has no meaning ---- */

static void a_periodic_tank_takes_no_forces_between_all(test* t)
{
    static const char* const stars[] = {"stars"};
    kin_attraction_field attraction;
    kin_error error = {0};
    kin_field_default("attraction", &attraction);
    attraction.attraction = 1;
    fluid s = begin(t, kin_v(0, 0, 0));
    s.def.periodic.x = 8;
    attraction.common.tags.data = stars, attraction.common.tags.count = 1;
    add(t, &s, "attraction", &attraction); /* of others */
    pour(t, &s);
    test_steps(t, s.world, 1);
    attraction.common.tags.count = 0;
    add(t, &s, "attraction", &attraction); /* later than the tank */
    CHECK(t, kin_world_step(s.world, NULL, &error) == KIN_ERROR_NUMERICS);
    HAS(t, error.message, "\"attraction\" (fields[1])");
    HAS(t, error.message, "sph");
    s.def.name = "other";
    CHECK(t, kin_sph_create(s.world, &s.def, NULL, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "periodic");
    HAS(t, error.message, "\"attraction\" (fields[1])");
    kin_world_destroy(s.world);
}

TEST_MAIN("sph fields", TEST(a_limit_of_speed_holds), TEST(what_is_carried_keeps_its_momentum), TEST(ways_are_turned_and_made_shorter),
          TEST(kicks_come_by_the_clock), TEST(a_cartoon_hangs_in_the_air), TEST(fluids_attract_each_other), TEST(a_region_bounds_it),
          TEST(tags_are_the_names_of_phases), TEST(ages_count_from_the_opening), TEST(every_kind_acts), TEST(a_periodic_tank_takes_no_forces_between_all))
