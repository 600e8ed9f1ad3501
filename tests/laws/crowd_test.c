/* crowd_test.c - laws of particles that are born, die, flock, pull each other, hang on springs, are kicked and leave smoke: same bits for any threads and lanes,
 * after restore, save and load; nothing that counts lives outside the state. */
#include "base/simd.h"
#include "kinema/steer.h"
#include "math/vec3.h"
#include "support/test.h"
#include "support/world.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct crowd {
    const char* integrator;
    const char* simd;
    int threads;
    int64_t stars;
} crowd;

static void add_field(test* t, kin_world* world, const char* kind, const void* def)
{
    kin_error error = {0};
    test_check(t, kin_world_add_field(world, kind, def, NULL, &error) == KIN_OK, __FILE__, __LINE__, "%s: %s", error.where, error.message);
}

static void add_fields(test* t, kin_world* world)
{
    static const char* const birds[] = {"bird"};
    static const kin_ball balls[] = {{{0, 0, 0}, 0.8}};
    kin_attraction_field attraction;
    kin_flock_field flock;
    kin_kicks_field kicks;
    kin_charges_field charges;
    kin_field_default("attraction", &attraction);
    kin_field_default("flock", &flock);
    kin_field_default("kicks", &kicks);
    kin_field_default("charges", &charges);
    attraction.attraction = 0.1;
    attraction.softening = 0.05;
    flock.common.tags.data = birds;
    flock.common.tags.count = 1;
    flock.range[0] = 0.3;
    flock.range[1] = 0.6;
    flock.limit = 5;
    flock.obstacles.ahead = 1;
    flock.obstacles.spheres = (kin_balls){balls, 1};
    kicks.kicks = 0.05;
    kicks.rate = 70;
    charges.charges = 1e-3;
    charges.softening = 0.1;
    add_field(t, world, "attraction", &attraction);
    add_field(t, world, "flock", &flock);
    add_field(t, world, "kicks", &kicks);
    add_field(t, world, "charges", &charges);
    CHECK(t, kin_world_add_drag(world, 0.02, NULL, NULL) == KIN_OK);
}

enum { LINKS = 50 };

static void add_particles(test* t, kin_world* world, const crowd* what)
{
    const kin_curve_key rate = {0, {600}};
    const char* const* names = kin_particles_integrators();
    kin_particles_def def = kin_particles_def_default();
    kin_split_def split = kin_split_def_default();
    kin_particle_kind kinds[3] = {kin_particle_kind_default(), kin_particle_kind_default(), kin_particle_kind_default()};
    kin_particle_group groups[2] = {kin_particle_group_default(), kin_particle_group_default()};
    kin_emitter_def emitter = kin_emitter_def_default();
    kin_particle_spring springs[LINKS];
    for (int i = 0; names[i] != NULL; ++i) {
        if (strcmp(names[i], what->integrator) == 0) def.integrator = i;
    }
    def.tolerance = 1e-3; /* rough: forces that set in at a distance are no smooth law */
    split.age[0] = 0.05;
    split.age[1] = 0.02;
    kinds[0].name = "star";
    kinds[1].name = "bird";
    kinds[2].name = "spark";
    kinds[2].life[0] = 0.1;
    kinds[2].life[1] = 0.05;
    kinds[2].mass[0] = 1e-4;
    kinds[2].mass[1] = 5e-5;
    kinds[2].charge[0] = 0.01;
    kinds[2].deposit = 0.1;
    kinds[2].splits.data = &split;
    kinds[2].splits.count = 1;
    groups[0].kind = "star";
    groups[0].form = KIN_FORM_PLUMMER;
    groups[0].count = what->stars;
    groups[0].mass = 1 / (double)what->stars;
    groups[1].kind = "bird";
    groups[1].count = what->stars / 4;
    groups[1].mass = 1e-4;
    groups[1].box = kin_v(3, 3, 3);
    groups[1].spread = kin_v(1, 1, 1);
    emitter.kind = "spark";
    emitter.shape = (kin_emitter_form){.kind = KIN_EMIT_DISK, .radius = 0.5};
    emitter.speed[0] = 2;
    emitter.speed[1] = 1;
    emitter.aperture = 0.5;
    emitter.jitter = true;
    emitter.rate = (kin_curve){&rate, 1, KIN_CURVE_LINEAR};
    emitter.rate_deviation = 100;
    emitter.table = 37;
    for (int i = 0; i < LINKS; ++i) springs[i] = (kin_particle_spring){.a = i, .b = 2 * i + 1, .stiffness = 0.01, .ratio = 0.1, .rest = -1};
    def.kinds.data = kinds;
    def.kinds.count = 3;
    def.groups = groups;
    def.group_count = 2;
    def.emitters.data = &emitter;
    def.emitters.count = 1;
    def.springs.data = springs;
    def.springs.count = LINKS;
    def.volume.box = kin_v(4, 4, 4);
    def.volume.resolution = 16;
    def.volume.fade = 1;
    def.volume.disperse = 0.01;
    kin_system_id id;
    kin_error error = {0};
    test_check(t, kin_particles_create(world, &def, &id, &error) == KIN_OK, __FILE__, __LINE__, "%s: %s", error.where, error.message);
}

static kin_world* crowded_world(test* t, const crowd* what)
{
    kin_world_def def = kin_world_def_default();
    kin_world* world = NULL;
    kin_error error = {0};
    def.allocator = t->allocator;
    def.threads = what->threads;
    def.simd = what->simd;
    def.gravity = kin_v(0, 0, 0);
    def.seed = 7;
    if (!test_check(t, kin_world_create(&def, &world, &error) == KIN_OK, __FILE__, __LINE__, "%s", error.message)) return NULL;
    kin_material_id material = test_material(t, world, "bouncy", 0.5, 0.2);
    test_plane(t, world, kin_v(0, -1.5, 0), kin_v(0, 1, 0), material);
    add_fields(t, world);
    add_particles(t, world, what);
    return world;
}

static uint64_t hash_after(test* t, const crowd* what, int steps)
{
    kin_world* world = crowded_world(t, what);
    if (world == NULL) return 0;
    test_steps(t, world, steps);
    uint64_t hash = kin_world_state_hash(world);
    kin_world_destroy(world);
    return hash;
}

static void same_bits_for_any_number_of_threads(test* t)
{
    static const int threads[] = {1, 2, 8};
    static const struct {
        const char* method;
        int steps;
    } runs[] = {{"semi_implicit", 12}, {"leapfrog", 12}, {"adaptive_rk45", 2}};
    for (int m = 0; m < 3; ++m) {
        uint64_t first = hash_after(t, &(crowd){runs[m].method, NULL, 1, 2400}, runs[m].steps);
        for (int i = 1; i < 3; ++i) {
            uint64_t hash = hash_after(t, &(crowd){runs[m].method, NULL, threads[i], 2400}, runs[m].steps);
            test_check(t, hash == first, __FILE__, __LINE__, "%s: %d threads give %016llx, one %016llx", runs[m].method, threads[i], (unsigned long long)hash,
                       (unsigned long long)first);
        }
    }
}

static void same_bits_for_any_lanes(test* t)
{
    static const char* const methods[] = {"semi_implicit", "bulirsch_stoer"};
    for (int m = 0; m < 2; ++m) {
        uint64_t first = hash_after(t, &(crowd){methods[m], "none", 1, 300}, 8);
        for (int simd = KIN_SIMD_SSE2; simd <= (int)kin_simd_best(); ++simd) {
            uint64_t hash = hash_after(t, &(crowd){methods[m], kin_simd_name(simd), 1, 300}, 8);
            test_check(t, hash == first, __FILE__, __LINE__, "%s: %s gives %016llx, none %016llx", methods[m], kin_simd_name(simd), (unsigned long long)hash,
                       (unsigned long long)first);
        }
    }
}

/* Into a fresh world after every step. Above 2048 points the pull is summed by multipoles, whose memory is state too. */
static void restoring_after_each_step_changes_nothing(test* t)
{
    static const crowd what[] = {{"semi_implicit", NULL, 1, 300}, {"adaptive_rk45", NULL, 1, 200}, {"semi_implicit", NULL, 1, 2400}};
    static const int steps[] = {25, 6, 5};
    for (int m = 0; m < 3; ++m) {
        kin_world *straight = crowded_world(t, &what[m]), *restored = crowded_world(t, &what[m]);
        kin_snapshot snapshot = {0};
        for (int i = 0; i < steps[m]; ++i) {
            test_steps(t, straight, 1);
            test_steps(t, restored, 1);
            CHECK(t, kin_world_snapshot(restored, &snapshot, NULL) == KIN_OK);
            kin_world_destroy(restored);
            restored = crowded_world(t, &what[m]);
            CHECK(t, kin_world_restore(restored, &snapshot, NULL) == KIN_OK);
            bool same = kin_world_state_hash(straight) == kin_world_state_hash(restored);
            if (!test_check(t, same, __FILE__, __LINE__, "%s differs after step %d", what[m].integrator, i)) break;
        }
        kin_snapshot_free(&snapshot);
        kin_world_destroy(straight);
        kin_world_destroy(restored);
    }
}

static void a_saved_world_goes_on(test* t)
{
    char path[64];
    crowd what = {"velocity_verlet", NULL, 2, 300};
    kin_world *world = crowded_world(t, &what), *other = crowded_world(t, &what), *clone = NULL;
    snprintf(path, sizeof path, "/tmp/kinema_crowd_%d.world", (int)getpid());
    test_steps(t, world, 9);
    CHECK(t, kin_world_save(world, path, NULL) == KIN_OK);
    CHECK(t, kin_world_load(other, path, NULL) == KIN_OK);
    CHECK(t, kin_world_clone(world, &clone, NULL) == KIN_OK);
    test_steps(t, world, 10);
    test_steps(t, other, 10);
    test_steps(t, clone, 10);
    CHECK(t, kin_world_state_hash(world) == kin_world_state_hash(other));
    CHECK(t, kin_world_state_hash(world) == kin_world_state_hash(clone));
    remove(path);
    kin_world_destroy(world);
    kin_world_destroy(other);
    kin_world_destroy(clone);
}

/* Or the tests above would prove nothing: sparks are born, split and die, smoke is left, a floor is met. */
static void the_crowd_is_alive(test* t)
{
    kin_world* world = crowded_world(t, &(crowd){"semi_implicit", NULL, 1, 300});
    kin_measure list[32];
    double born = 0, died = 0, smoke = 0, hits = 0;
    test_steps(t, world, 25);
    size_t count = kin_world_measure(world, 1, list, 32);
    for (size_t i = 0; i < count && i < 32; ++i) {
        if (strcmp(list[i].name, "born") == 0) born = list[i].value;
        if (strcmp(list[i].name, "died") == 0) died = list[i].value;
        if (strcmp(list[i].name, "volume_mass") == 0) smoke = list[i].value;
        if (strcmp(list[i].name, "hits") == 0) hits = list[i].value;
    }
    CHECK(t, born > 375 + 300); /* beside the stars and birds: 600 a second, and their children */
    CHECK(t, died > 100);
    CHECK(t, smoke > 0);
    CHECK(t, hits > 0);
    kin_world_destroy(world);
}

TEST_MAIN("laws_crowd", TEST(same_bits_for_any_number_of_threads), TEST(same_bits_for_any_lanes), TEST(restoring_after_each_step_changes_nothing),
          TEST(a_saved_world_goes_on), TEST(the_crowd_is_alive))
