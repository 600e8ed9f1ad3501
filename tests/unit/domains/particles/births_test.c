/* births_test.c - who comes and who goes, through a world. */
#include "many.h"
#include "math/quat.h"

/* r t births, but for a fraction of one; each at most one off at any time. */
static void a_rate_is_kept(test* t)
{
    static const double rates[] = {7.3, 60, 1234.5};
    for (int i = 0; i < 3; ++i) {
        many m;
        kin_world* w = test_world(t, 1.0 / 60, kin_v(0, 0, 0));
        many_begin(&m, 1, 1, 0);
        many_rate(&m, 0, rates[i]);
        kin_system_id id = many_add(t, w, &m);
        for (int step = 1; step <= 90; ++step) {
            test_steps(t, w, 1);
            if (!NEAR(t, (double)alive(w, id), rates[i] * step / 60, 1)) break;
        }
        NEAR(t, measured(w, id, "born"), (double)alive(w, id), 0);
        kin_world_destroy(w);
    }
}

/* H4.4: age is time since birth; at its life span it ends, to within a step. */
static void a_life_span_ends(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    many_begin(&m, 1, 1, 0);
    m.kinds[0].life[0] = 0.1;
    m.emitters[0].burst = 5;
    m.emitters[0].start = 0.05;
    kin_system_id id = many_add(t, w, &m);
    for (int step = 1; step <= 30; ++step) {
        test_steps(t, w, 1);
        double time = kin_world_time(w);
        kin_particles_view view = kin_particles_state(w, id);
        EQUAL(t, alive(w, id), time > 0.055 && time < 0.155 ? 5 : 0);
        for (size_t i = 0; i < view.count; ++i) NEAR(t, view.birth[i], 0.06, 1e-12);
    }
    EQUAL(t, (int)measured(w, id, "died"), 5);
    kin_world_destroy(w);
}

static void hits_speeds_and_regions_end(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, -10, 0));
    test_plane(t, w, kin_v(0, 0, 0), kin_v(0, 1, 0), test_material(t, w, "floor", 0.5, 0.2));
    many_begin(&m, 4, 0, 4);
    static const char* const names[] = {"hit", "slow", "in", "out"};
    for (int i = 0; i < 4; ++i) {
        m.kinds[i].name = names[i];
        m.groups[i].kind = names[i];
        m.groups[i].position = kin_v(i, 1, 0);
        m.groups[i].radius = 0;
    }
    m.kinds[0].end.hit = true;  /* falls 1 m: 0.447 s */
    m.kinds[1].end.speed = 0.5; /* up with 5 m/s: below 0.5 m/s from 0.45 s on; its first tenth of a second does not count */
    m.groups[1].velocity.y = 5;
    m.kinds[2].end.region = (kin_region){.kind = KIN_REGION_BOX, .sizes = {10, 1, 10}}; /* within 0.5 m of the floor: 0.316 s */
    m.kinds[3].end.region = (kin_region){.kind = KIN_REGION_SPHERE, .radius = 2};       /* up with 10 m/s from 1 m: 2 m off (3, 1, 0) at 0.2254 s */
    m.kinds[3].end.center = kin_v(3, 1, 0);
    m.kinds[3].end.outside = true;
    m.groups[3].velocity.y = 10;
    static const double when[] = {0.447, 0.455, 0.3162, 0.2254};
    many_integrator(&m, "average");
    kin_system_id id = many_add(t, w, &m);
    for (int step = 1; step <= 60; ++step) {
        test_steps(t, w, 1);
        for (uint64_t i = 0; i < 4; ++i) {
            bool gone = slot_of(w, id, i) == SIZE_MAX;
            test_check(t, gone == (kin_world_time(w) >= when[i] - 1e-9), __FILE__, __LINE__, "%s at %g s: %s", names[i], kin_world_time(w),
                       gone ? "gone" : "there");
        }
    }
    kin_world_destroy(w);
}

/* Meeting a solid counts whoever resolves it: alone, in sweeps, in islands. */
static void a_hit_ends_with_every_contacts(test* t)
{
    for (int contacts = KIN_CONTACTS_NONE; contacts <= KIN_CONTACTS_EXACT; ++contacts) {
        many m;
        kin_world* w = test_world(t, 0.01, kin_v(0, -10, 0));
        test_plane(t, w, kin_v(0, 0, 0), kin_v(0, 1, 0), test_material(t, w, "floor", 0.5, 0.2));
        many_begin(&m, 1, 0, 2);
        m.def.contacts = (kin_contacts)contacts;
        m.kinds[0].end.hit = true;
        for (int i = 0; i < 2; ++i) {
            m.groups[i].position = kin_v(0.0, 0.5 + 0.1999 * i, 0); /* one on top of the other all the way down */
            m.groups[i].radius = 0.1;
        }
        kin_system_id id = many_add(t, w, &m);
        test_steps(t, w, 20);
        EQUAL(t, alive(w, id), 2);
        test_steps(t, w, 12); /* at 0.283 s the lower one is down */
        test_check(t, slot_of(w, id, 0) == SIZE_MAX, __FILE__, __LINE__, "contacts %d: it met the floor and is still there", contacts);
        kin_world_destroy(w);
    }
}

/* C3.7: children begin where the parent is, each generation with half the size; of its own kind they share its mass. */
static void splits_by_age_share_the_mass(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    many_begin(&m, 1, 0, 1);
    m.kinds[0].splits.data = m.splits;
    m.kinds[0].splits.count = 1;
    m.splits[0].age[0] = 0.1;
    m.splits[0].number[0] = 3;
    m.splits[0].depth[0] = 2;
    m.groups[0].velocity = kin_v(1, 0, 0);
    m.groups[0].mass = 9;
    m.groups[0].radius = 0.4;
    kin_system_id id = many_add(t, w, &m);
    test_steps(t, w, 9);
    EQUAL(t, alive(w, id), 1);
    test_steps(t, w, 1);
    EQUAL(t, alive(w, id), 3);
    for (uint64_t serial = 1; serial <= 3; ++serial) {
        size_t i = slot_of(w, id, serial);
        kin_particles_view view = kin_particles_state(w, id);
        if (!CHECK(t, i != SIZE_MAX)) continue;
        NEAR3(t, kin_particle_position(w, id, i), kin_v(0.1, 0, 0), 1e-12);
        NEAR(t, kin_length(kin_particle_velocity(w, id, i)), 1, 1e-12);
        CHECK(t, kin_particle_velocity(w, id, i).x >= kin_cos(0.5) - 1e-12); /* within `direction` of the parent's */
        NEAR(t, view.mass[i], 3, 1e-12);
        NEAR(t, view.radius[i], 0.2, 1e-12);
    }
    test_steps(t, w, 10);
    EQUAL(t, alive(w, id), 9);
    NEAR(t, measured(w, id, "mass"), 9, 1e-12);
    test_steps(t, w, 50); /* the third generation does not split */
    EQUAL(t, alive(w, id), 9);
    EQUAL(t, (int)measured(w, id, "born"), 1 + 3 + 9);
    EQUAL(t, (int)measured(w, id, "died"), 1 + 3);
    kin_world_destroy(w);
}

/* However many splits come at once, and whether the parent goes or stays: of its own kind they share what there is. */
static void mass_is_shared_once(test* t)
{
    for (int keep = 0; keep <= 1; ++keep) {
        many m;
        kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
        many_begin(&m, 1, 0, 1);
        m.kinds[0].splits.data = m.splits;
        m.kinds[0].splits.count = 3;
        for (int i = 0; i < 3; ++i) {
            m.splits[i].age[0] = 0.1;
            m.splits[i].every[0] = 1000;
            m.splits[i].number[0] = 2 + i;
            m.splits[i].keep = keep;
        }
        m.splits[2].when = KIN_SPLIT_DEATH;
        m.splits[2].keep = true; /* it goes all the same */
        m.groups[0].mass = 6;
        m.groups[0].life = 0.1;
        kin_system_id id = many_add(t, w, &m);
        test_steps(t, w, 12);
        EQUAL(t, alive(w, id), 2 + 3 + 4);
        NEAR(t, measured(w, id, "mass"), 6, 1e-12);
        kin_world_destroy(w);
    }
}

/* Trails: a parent that is kept leaves one of another kind behind at every k-th step. */
static void a_kept_parent_leaves_a_trail(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    many_begin(&m, 2, 0, 1);
    m.kinds[0].name = "rocket";
    m.kinds[1].name = "spark";
    m.kinds[1].mass[0] = 0.01;
    m.kinds[0].splits.data = m.splits;
    m.kinds[0].splits.count = 1;
    m.splits[0] =
        (kin_split_def){.into = "spark", .number = {1, 0}, .age = {0.05, 0}, .every = {5, 0}, .depth = {1, 0}, .speed = {0, 0}, .size = {0.5, 0}, .keep = true};
    m.groups[0].velocity = kin_v(2, 0, 0);
    kin_system_id id = many_add(t, w, &m);
    test_steps(t, w, 50); /* at 0.05, 0.10, ... 0.50 s */
    EQUAL(t, alive(w, id), 1 + 10);
    kin_particles_view view = kin_particles_state(w, id);
    for (uint64_t k = 1; k <= 10; ++k) {
        size_t i = slot_of(w, id, k);
        if (!CHECK(t, i != SIZE_MAX)) continue;
        EQUAL(t, view.kind[i], 1);
        NEAR(t, view.mass[i], 0.01, 1e-15);
        NEAR3(t, kin_particle_position(w, id, i), kin_v(0.1 * (double)k, 0, 0), 1e-12);
    }
    NEAR(t, view.mass[0], 1, 0); /* it gave nothing of its own */
    kin_world_destroy(w);
}

static void splits_at_hits_and_deaths(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, -10, 0));
    test_plane(t, w, kin_v(0, 0, 0), kin_v(0, 1, 0), test_material(t, w, "floor", 0.5, 0));
    many_begin(&m, 2, 0, 2);
    m.kinds[0].name = "drop";
    m.kinds[1].name = "spark";
    m.kinds[0].splits.data = m.splits;
    m.kinds[0].splits.count = 2;
    m.splits[0].when = KIN_SPLIT_HIT;
    m.splits[0].number[0] = 4;
    m.splits[1].when = KIN_SPLIT_DEATH;
    m.splits[1].into = "spark";
    m.splits[1].number[0] = 7;
    m.groups[0].position.y = 0.2; /* falls 0.15 m: hits at 0.173 s */
    m.groups[1].position = kin_v(5, 100, 0);
    m.groups[1].life = 0.305;
    many_integrator(&m, "average");
    kin_system_id id = many_add(t, w, &m);
    test_steps(t, w, 17);
    EQUAL(t, alive(w, id), 2);
    test_steps(t, w, 1);
    EQUAL(t, alive(w, id), 4 + 1);
    test_steps(t, w, 13);
    EQUAL(t, alive(w, id), 4 + 7); /* depth 1: the children do not split at their own hits */
    kin_world_destroy(w);
}

/* Cyclic spawns without end stop at max_particles, and the report says so. */
static void a_cap_stops_cycles(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    many_begin(&m, 2, 0, 1);
    m.def.max_particles = 100;
    m.kinds[0].name = "a";
    m.kinds[1].name = "b";
    for (int i = 0; i < 2; ++i) {
        m.kinds[i].splits.data = &m.splits[i];
        m.kinds[i].splits.count = 1;
        m.splits[i].into = i == 0 ? "b" : "a";
        m.splits[i].age[0] = 0.02;
        m.splits[i].depth[0] = 64;
    }
    kin_system_id id = many_add(t, w, &m);
    int capped = 0;
    for (int i = 0; i < 60; ++i) {
        kin_step_report report;
        EQUAL(t, kin_world_step(w, &report, NULL), KIN_OK);
        CHECK(t, alive(w, id) <= 100);
        if (report.capped == 0) continue;
        capped += report.capped;
        HAS(t, report.note, "births refused: max_particles (100) are alive");
        CHECK(t, alive(w, id) > 50); /* those that fall apart make room for some of their children */
    }
    CHECK(t, capped > 0);
    kin_world_destroy(w);
}

/* H4.4a: slots of the dead are used again, under new serials; active + free = count at all times. */
static void slots_are_used_again(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    many_begin(&m, 1, 1, 0);
    many_rate(&m, 0, 500);
    m.kinds[0].life[0] = 0.2;
    m.kinds[0].life[1] = 0.1;
    kin_system_id id = many_add(t, w, &m);
    uint64_t newest = 0;
    for (int step = 0; step < 200; ++step) {
        test_steps(t, w, 1);
        kin_particles_view view = kin_particles_state(w, id);
        size_t active = 0;
        uint64_t most = 0;
        for (size_t i = 0; i < view.count; ++i) {
            active += view.mobility[i] != KIN_MOBILITY_INACTIVE;
            if (view.serial[i] > most) most = view.serial[i];
            for (size_t k = 0; k < i; ++k) {
                if (view.mobility[i] != KIN_MOBILITY_INACTIVE && view.serial[k] == view.serial[i]) CHECK(t, false);
            }
        }
        CHECK(t, most >= newest);
        newest = most;
        EQUAL(t, active, alive(w, id));
        EQUAL(t, (int)measured(w, id, "born") - (int)measured(w, id, "died"), active);
    }
    CHECK(t, kin_particles_state(w, id).count < 170); /* 500/s x 0.3 s, not 1000 births */
    EQUAL(t, (int)measured(w, id, "born"), 1000);
    kin_world_destroy(w);
}

/* max_alive lets as many be born as die; max_total ends it. */
static void limits_of_an_emitter(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    many_begin(&m, 1, 2, 0);
    many_rate(&m, 0, 1000);
    many_rate(&m, 1, 1000);
    m.kinds[0].life[0] = 0.1;
    m.emitters[0].max_alive[0] = 30;
    m.emitters[1].max_total[0] = 25;
    kin_system_id id = many_add(t, w, &m);
    for (int step = 1; step <= 100; ++step) {
        test_steps(t, w, 1);
        CHECK(t, alive(w, id) <= 30 + 25);
        if (step > 20) CHECK(t, alive(w, id) <= 30 && alive(w, id) >= 20);
    }
    CHECK(t, measured(w, id, "born") > 25 + 200);
    kin_world_destroy(w);
}

static kin_collider_id moving_box(test* t, kin_world* w)
{
    const kin_key keys[2] = {{0, {0, 0, 0}, {0, 0, 0, 1}}, {1, {2, 0, 0}, {0, 0, 0, 1}}};
    kin_collider_def def = kin_collider_def_default();
    kin_collider_id id;
    def.name = "sled";
    def.shape.kind = KIN_SHAPE_BOX;
    def.shape.size = kin_v(0.1, 0.1, 0.1);
    def.keys = keys;
    def.key_count = 2;
    def.smooth = false;
    EQUAL(t, kin_world_add_collider(w, &def, &id, NULL), KIN_OK);
    return id;
}

/* Newborns begin where the collider is at the end of the step, with its velocity. */
static void an_emitter_rides_a_collider(test* t)
{
    for (int share = 0; share <= 1; ++share) {
        many m;
        kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
        moving_box(t, w);
        many_begin(&m, 1, 1, 0);
        many_rate(&m, 0, 100);
        m.emitters[0].collider = "sled";
        m.emitters[0].position = kin_v(0, 0.5, 0);
        m.emitters[0].inherit = share;
        kin_system_id id = many_add(t, w, &m);
        test_steps(t, w, 20);
        kin_particles_view view = kin_particles_state(w, id);
        EQUAL(t, view.count, 20);
        for (size_t i = 0; i < view.count; ++i) {
            double born_at = 2 * view.birth[i], since = kin_world_time(w) - view.birth[i];
            NEAR3(t, kin_particle_position(w, id, i), kin_v(born_at + share * 2 * since, 0.5, 0), 1e-9);
            NEAR3(t, kin_particle_velocity(w, id, i), kin_v(share * 2, 0, 0), 1e-9);
        }
        kin_world_destroy(w);
    }
}

static void clearance_keeps_newborns_apart(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    test_box(t, w, kin_v(0, 0, 0), kin_v(0.5, 0.5, 0.5), (kin_material_id){0});
    many_begin(&m, 1, 1, 0);
    m.kinds[0].radius[0] = 0.1;
    m.emitters[0].shape = (kin_emitter_form){.kind = KIN_EMIT_BOX, .size = {2, 2, 2}};
    m.emitters[0].clearance = true;
    many_rate(&m, 0, 2000);
    kin_system_id id = many_add(t, w, &m);
    test_steps(t, w, 30);
    kin_particles_view view = kin_particles_state(w, id);
    CHECK(t, view.count > 100 && view.count < 600);
    for (size_t i = 0; i < view.count; ++i) {
        kin_vec3 x = kin_particle_position(w, id, i);
        kin_vec3 out = {kin_max(kin_abs(x.x) - 0.25, 0), kin_max(kin_abs(x.y) - 0.25, 0), kin_max(kin_abs(x.z) - 0.25, 0)};
        if (!CHECK(t, kin_length(out) >= 0.1 - 1e-9)) break;
        for (size_t k = 0; k < i; ++k) {
            if (!CHECK(t, kin_distance(x, kin_particle_position(w, id, k)) >= 0.2 - 1e-9)) return;
        }
    }
    kin_world_destroy(w);
}

/* What leaves the world's box makes room like all that ends: a fountain does not run dry. */
static void who_leaves_the_world_dies(test* t)
{
    many m;
    kin_world_def def = kin_world_def_default();
    kin_world* w;
    def.allocator = t->allocator;
    def.threads = 1;
    def.time_step = 0.01;
    def.bounds = KIN_BOUNDS_DEACTIVATE;
    def.bounds_low = kin_v(-1, -1, -1);
    def.bounds_high = kin_v(1, 1, 1);
    EQUAL(t, kin_world_create(&def, &w, NULL), KIN_OK);
    many_begin(&m, 1, 1, 0);
    many_rate(&m, 0, 200);
    m.emitters[0].speed[0] = 2;
    m.def.max_particles = 200;
    kin_system_id id = many_add(t, w, &m);
    for (int i = 0; i < 400; ++i) {
        kin_step_report report;
        EQUAL(t, kin_world_step(w, &report, NULL), KIN_OK);
        EQUAL(t, report.capped, 0);
    }
    EQUAL(t, (int)measured(w, id, "born"), 800);
    EQUAL(t, (int)measured(w, id, "born") - (int)measured(w, id, "died"), alive(w, id));
    CHECK(t, alive(w, id) > 50 && kin_particles_state(w, id).count <= 200);
    kin_world_destroy(w);
}

/* A dead one's slot is nobody's: it cannot be placed or woken. */
static void the_dead_stay_dead(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    many_begin(&m, 1, 0, 1);
    m.groups[0].life = 0.05;
    m.kinds[0].life[0] = 1;
    kin_system_id id = many_add(t, w, &m);
    test_steps(t, w, 10);
    EQUAL(t, alive(w, id), 0);
    kin_anchor anchor = {id.index1, 0, {0, 0, 0}};
    kin_world_set_mobility(w, anchor, KIN_MOBILITY_DYNAMIC, NULL);
    kin_world_place(w, anchor, kin_v(1, 1, 1), kin_v(0, 0, 0), NULL);
    kin_world_step(w, NULL, NULL);
    EQUAL(t, alive(w, id), 0);
    EQUAL(t, kin_world_moved(w, NULL, 0), 0);
    kin_world_destroy(w);
}

/* What held on to one that ends lets go, and says so. */
static void attachments_let_go_of_the_dead(test* t)
{
    many m;
    kin_attachment_def hold = kin_attachment_def_default();
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    many_begin(&m, 1, 1, 1);
    m.groups[0].life = 0.05;
    m.kinds[0].life[0] = 1;
    m.emitters[0].burst = 1;
    m.emitters[0].start = 0.1;
    m.emitters[0].position = kin_v(5, 0, 0);
    kin_system_id id = many_add(t, w, &m);
    hold.a = (kin_anchor){id.index1, 0, {0, 0, 0}};
    hold.to_point = true;
    EQUAL(t, kin_world_add_attachment(w, &hold, NULL, NULL), KIN_OK);
    int warnings = 0;
    for (int i = 0; i < 20; ++i) {
        kin_step_report report;
        EQUAL(t, kin_world_step(w, &report, NULL), KIN_OK);
        warnings += report.warnings;
        if (report.warnings > 0) HAS(t, report.note, "the attachment's element is gone");
    }
    EQUAL(t, warnings, 1);
    EQUAL(t, slot_of(w, id, 1), 0); /* the newborn has its slot, and stands where it was born */
    NEAR3(t, kin_particle_position(w, id, 0), kin_v(5, 0, 0), 0);
    kin_world_destroy(w);
}

/* Room for births is made beforehand: at its cap an emitter whose points die and are born takes nothing from the machine. */
static void no_allocation_at_the_cap(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, -10, 0));
    test_plane(t, w, kin_v(0, -1, 0), kin_v(0, 1, 0), (kin_material_id){0});
    many_begin(&m, 2, 2, 0);
    m.kinds[0].name = "drop";
    m.kinds[1].name = "spray";
    m.kinds[0].life[0] = 0.4;
    m.kinds[1].life[0] = 0.1;
    m.kinds[0].splits.data = m.splits;
    m.kinds[0].splits.count = 1;
    m.splits[0] =
        (kin_split_def){.into = "spray", .when = KIN_SPLIT_DEATH, .number = {2, 0}, .every = {1, 0}, .depth = {1, 0}, .speed = {1, 0}, .size = {0.5, 0}};
    for (size_t e = 0; e < 2; ++e) {
        many_rate(&m, e, 500);
        m.emitters[e].max_alive[0] = 60;
        m.emitters[e].aim = KIN_AIM_ALL;
        m.emitters[e].speed[0] = 3;
    }
    m.emitters[1].clearance = true;
    m.emitters[1].shape = (kin_emitter_form){.kind = KIN_EMIT_BALL, .radius = 2};
    kin_system_id id = many_add(t, w, &m);
    test_steps(t, w, 200);
    uint64_t before = t->allocations;
    double born = measured(w, id, "born");
    test_steps(t, w, 200);
    EQUAL(t, t->allocations - before, 0);
    CHECK(t, measured(w, id, "born") > born + 100);
    kin_world_destroy(w);
}

/* On a body that flies and turns, and on a particle: born where it is, with the velocity of that place, at any instant of the step. */
static void emitters_ride_on_elements(test* t)
{
    for (int on = 0; on < 3; ++on) { /* a real-time body, an exact one, a particle */
        kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
        const kin_vec3 v = {3, 1, 0}, spin = {0, 2, 0}, arm = {0.5, 0.1, 0};
        many m;
        many_begin(&m, 1, 1, 0);
        many_rate(&m, 0, 1000);
        m.emitters[0].system = "carrier"; /* which comes later */
        m.emitters[0].position = arm;
        m.emitters[0].jitter = false;
        m.kinds[0].meets_solids = false;
        kin_system_id drops = many_add(t, w, &m), carrier;
        if (on == 2) {
            many one;
            many_begin(&one, 1, 0, 1);
            one.def.name = "carrier";
            one.groups[0].velocity = v;
            carrier = many_add(t, w, &one);
        } else {
            kin_rigid_def def = kin_rigid_def_default();
            kin_body_def body = kin_body_def_default();
            def.name = "carrier";
            def.mode = on == 0 ? KIN_RIGID_REALTIME : KIN_RIGID_EXACT;
            body.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.2, 0.2, 0.2}};
            body.velocity = v;
            body.spin = spin;
            EQUAL(t, kin_rigid_create(w, &def, &carrier, NULL), KIN_OK);
            test_body(t, w, carrier, &body);
        }
        for (int k = 1; k <= 50; ++k) {
            size_t before = alive(w, drops);
            test_steps(t, w, 1);
            double time = 0.01 * k, angle = on == 2 ? 0 : 2 * time;
            kin_vec3 r = kin_rotate(kin_quat_axis_angle(kin_axis(1), angle), arm), at = kin_add_scaled(r, time, v);
            kin_vec3 u = kin_add(v, on == 2 ? kin_v(0, 0, 0) : kin_cross(spin, r));
            EQUAL(t, alive(w, drops) - before, 10);
            NEAR3(t, kin_particle_position(w, drops, before), at, 1e-6);
            NEAR3(t, kin_particle_velocity(w, drops, before), u, on == 2 ? 1e-12 : 0.02 * 2 * 2 * 0.5); /* the chord of a step */
        }
        kin_world_destroy(w);
    }
}

/* What is named but not there emits nothing, and is said. */
static void a_carrier_may_be_missing(test* t)
{
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_step_report report;
    many m;
    many_begin(&m, 1, 1, 0);
    many_rate(&m, 0, 1000);
    m.emitters[0].system = "nowhere";
    kin_system_id drops = many_add(t, w, &m);
    EQUAL(t, kin_world_step(w, &report, NULL), KIN_OK);
    EQUAL(t, alive(w, drops), 0);
    HAS(t, report.note, "emits nothing");
    m.emitters[0].collider = "floor";
    MANY_REFUSED(t, &m, "emitters[0].system", "collider already");
    kin_world_destroy(w);
}

/* C3.7.1, eq. 3.81: the grid of a release has cells of twice the largest radius of that release, so it grows and shrinks; nobody overlaps. */
static void a_grid_fits_its_release(test* t)
{
    many m;
    double least = 1e9, most = 0;
    kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
    many_begin(&m, 1, 1, 0);
    m.kinds[0].radius[0] = 0.05;
    m.kinds[0].radius[1] = 0.04;
    m.kinds[0].life[0] = 0.05;
    m.emitters[0].shape.kind = KIN_EMIT_QUAD;
    m.emitters[0].shape.sides[0] = m.emitters[0].shape.sides[1] = 1;
    m.emitters[0].placement = KIN_PLACE_GRID;
    m.emitters[0].burst = 4;
    m.emitters[0].period = 0.1;
    kin_system_id id = many_add(t, w, &m);
    for (int k = 0; k < 30; ++k) {
        test_steps(t, w, 1);
        kin_particles_view v = kin_particles_state(w, id);
        double largest = 0, apart = 1e9;
        for (size_t i = 0; i < v.count; ++i) {
            if (v.mobility[i] == KIN_MOBILITY_INACTIVE) continue;
            largest = kin_max(largest, v.radius[i]);
            for (size_t j = 0; j < i; ++j) {
                if (v.mobility[j] != KIN_MOBILITY_INACTIVE) apart = kin_min(apart, kin_abs(v.x[i] - v.x[j]) + kin_abs(v.z[i] - v.z[j]));
            }
        }
        NEAR(t, apart, 2 * largest, 1e-12);
        least = kin_min(least, largest);
        most = kin_max(most, largest);
    }
    CHECK(t, most > 1.2 * least);
    kin_world_destroy(w);
}

/* Sliding to rest from v takes v^2 / (2 mu g): with a deviation of the material's mu each stops elsewhere, within (mu_floor + mu +- deviation) / 2, about the mean. */
static void friction_differs_from_one_to_the_next(test* t)
{
    enum { COUNT = 200 };
    many m;
    double sum = 0, v0 = 2, g = 10, mu = 0.5, off = 0.2, least = 1e9, most = 0;
    kin_world* w = test_world(t, 0.01, kin_v(0, -g, 0));
    kin_collider_def floor = kin_collider_def_default();
    kin_material_def rough = kin_material_def_default();
    rough.name = "rough";
    rough.restitution = 0;
    rough.static_friction[0] = rough.static_friction[1] = 0.8;
    rough.dynamic_friction[0] = rough.dynamic_friction[1] = mu;
    CHECK(t, kin_world_add_material(w, &rough, &floor.material, NULL) == KIN_OK);
    floor.shape.kind = KIN_SHAPE_PLANE;
    floor.shape.normal = kin_v(0, 1, 0);
    kin_world_add_collider(w, &floor, &(kin_collider_id){0}, NULL);
    many_begin(&m, 1, 0, 1);
    m.kinds[0].material = floor.material;
    m.kinds[0].dynamic_friction_deviation = 2 * off;
    m.groups[0].count = COUNT;
    m.groups[0].box = kin_v(0, 0, 50);
    m.groups[0].position = kin_v(0, 0.05, 0);
    m.groups[0].velocity = kin_v(v0, 0, 0);
    kin_system_id id = many_add(t, w, &m);
    test_steps(t, w, 300);
    kin_particles_view v = kin_particles_state(w, id);
    for (size_t i = 0; i < COUNT; ++i) {
        CHECK(t, v.resting[i]);
        double found = v0 * v0 / (2 * g * v.x[i]);
        CHECK(t, found > mu - off - 0.02 && found < mu + off + 0.02); /* 0.01: the first step, in which it is not held yet, and the skin */
        sum += found;
        least = kin_min(least, found);
        most = kin_max(most, found);
    }
    NEAR(t, sum / COUNT, mu, 4 * off / 3 / kin_sqrt(COUNT) + 0.01);
    CHECK(t, most - least > off);
    kin_world_destroy(w);
}

TEST_MAIN("births", TEST(emitters_ride_on_elements), TEST(a_carrier_may_be_missing), TEST(a_rate_is_kept), TEST(a_life_span_ends),
          TEST(hits_speeds_and_regions_end), TEST(a_hit_ends_with_every_contacts), TEST(splits_by_age_share_the_mass), TEST(mass_is_shared_once),
          TEST(a_kept_parent_leaves_a_trail), TEST(splits_at_hits_and_deaths), TEST(a_cap_stops_cycles), TEST(slots_are_used_again), TEST(limits_of_an_emitter),
          TEST(an_emitter_rides_a_collider), TEST(clearance_keeps_newborns_apart), TEST(who_leaves_the_world_dies), TEST(the_dead_stay_dead),
          TEST(attachments_let_go_of_the_dead), TEST(no_allocation_at_the_cap), TEST(a_grid_fits_its_release), TEST(friction_differs_from_one_to_the_next))
