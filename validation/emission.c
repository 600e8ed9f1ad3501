/* emission.c - births over time (House & Keyser 4.3, Coutinho 3.7.2), what points fall apart into, and when they end (4.4.2). */
#include "math/scalar.h"
#include "math/vec3.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include <stdio.h>

/* One emitter at the origin, at rest, nothing else; `kind` may be NULL. */
static kin_rig emit(kin_case_run* run, const kin_emitter_def* emitter, const kin_particle_kind* kind, double h)
{
    kin_rig r = kin_rig_begin(run, "euler", h);
    r.def.gravity = kin_v(0, 0, 0);
    r.particles.emitters.data = emitter;
    r.particles.emitters.count = 1;
    r.particles.kinds.data = kind;
    r.particles.kinds.count = kind != NULL;
    kin_rig_open(&r);
    kin_rig_create(&r);
    return r;
}

/* ---- streams: r t births after t, whatever the step (H4.3a) ---- */

static void stream(kin_case_run* run, double rate, double h)
{
    const kin_curve_key key = {0, {rate}};
    char quantity[64];
    double worst = 0;
    kin_emitter_def emitter = kin_emitter_def_default();
    emitter.rate = (kin_curve){&key, 1, KIN_CURVE_LINEAR};
    kin_rig r = emit(run, &emitter, NULL, h);
    for (int i = 1; i * h <= 3 && kin_rig_ok(&r); ++i) {
        kin_rig_step(&r);
        worst = kin_max(worst, kin_abs((double)kin_rig_count(&r) - rate * i * h));
    }
    snprintf(quantity, sizeof quantity, "most |count - r t| in 3 s, r = %g, h = %.4g", rate, h);
    kin_case_row(run, "stream", quantity, worst, 0, 1, "House & Keyser 4.3, H4.3a: r t +- 1");
    kin_rig_close(&r);
}

/* A rate from 0 to 200 in 2 s: t^2 50 births. */
static void rising_stream(kin_case_run* run)
{
    const kin_curve_key keys[2] = {{0, {0}}, {2, {200}}};
    double worst = 0;
    kin_emitter_def emitter = kin_emitter_def_default();
    emitter.rate = (kin_curve){keys, 2, KIN_CURVE_LINEAR};
    kin_rig r = emit(run, &emitter, NULL, 0.03);
    for (int i = 1; i <= 60; ++i) {
        kin_rig_step(&r);
        worst = kin_max(worst, kin_abs((double)kin_rig_count(&r) - 50 * kin_square(0.03 * i)));
    }
    kin_case_row(run, "stream", "most |count - 50 t^2|, rate rising by keys", worst, 0, 1, "House & Keyser 4.3, H4.3a");
    kin_rig_close(&r);
}

/* ---- bursts at start + k period, up to stop ---- */

static void bursts(kin_case_run* run)
{
    static const struct {
        int steps;
        double count;
    } want[] = {{50, 0}, {51, 7}, {75, 7}, {76, 14}, {101, 21}, {200, 21}}; /* at 0.5, 0.75 and 1 s; the step that begins there bears them */
    kin_emitter_def emitter = kin_emitter_def_default();
    emitter.burst = 7;
    emitter.start = 0.5;
    emitter.period = 0.25;
    emitter.stop = 1.2;
    kin_rig r = emit(run, &emitter, NULL, 0.01);
    for (int i = 0, steps = 0; i < 6; ++i) {
        char quantity[64];
        for (; steps < want[i].steps; ++steps) kin_rig_step(&r);
        snprintf(quantity, sizeof quantity, "born after %d steps of 0.01 s", steps);
        kin_case_row(run, "bursts", quantity, (double)kin_rig_count(&r), want[i].count, 0, "House & Keyser 4.3: periodic bursts");
    }
    kin_rig_close(&r);
    emitter = kin_emitter_def_default();
    emitter.burst = 100;
    r = emit(run, &emitter, NULL, 0.01);
    kin_rig_steps(&r, 50);
    kin_case_row(run, "flash", "born in one flash", (double)kin_rig_count(&r), 100, 0, "House & Keyser 4.3: single flash");
    kin_rig_close(&r);
}

/* ---- delay 3: at steps 0, 3, 6 ---- */

static void delay(kin_case_run* run)
{
    static const double born[] = {1, 0, 0, 3, 0, 0, 3, 0};
    const kin_curve_key key = {0, {50}};
    kin_emitter_def emitter = kin_emitter_def_default();
    emitter.rate = (kin_curve){&key, 1, KIN_CURVE_LINEAR};
    emitter.every[0] = 3;
    kin_rig r = emit(run, &emitter, NULL, 0.02);
    for (int step = 0; step < 8; ++step) {
        char quantity[64];
        double before = (double)kin_rig_count(&r);
        kin_rig_step(&r);
        snprintf(quantity, sizeof quantity, "born in step %d, delay 3, one due a step", step);
        kin_case_row(run, "delay", quantity, (double)kin_rig_count(&r) - before, born[step], 0, "Coutinho 3.7.2: at 0, 3, 6");
    }
    kin_rig_close(&r);
}

/* A parent that lives on splits at its age and at every third step after: at k, k + 3, k + 6. */
static void split_delay(kin_case_run* run, double h)
{
    const int first = 10;
    int wrong = 0;
    kin_split_def split = kin_split_def_default();
    split.number[0] = 1;
    split.age[0] = first * h;
    split.every[0] = 3;
    split.keep = true;
    kin_particle_kind kind = kin_particle_kind_default();
    kind.splits.data = &split;
    kind.splits.count = 1;
    kin_rig r = kin_rig_begin(run, "euler", h);
    r.def.gravity = kin_v(0, 0, 0);
    r.particles.kinds.data = &kind;
    r.particles.kinds.count = 1;
    kin_rig_open(&r);
    kin_rig_ball(&r, kin_v(0, 0, 0), kin_v(1, 0, 0));
    for (int i = 1; i <= first + 30; ++i) {
        double before = kin_rig_measure(&r, "count");
        kin_rig_step(&r);
        bool due = i >= first && (i - first) % 3 == 0;
        wrong += kin_rig_measure(&r, "count") - before != (due ? 1 : 0);
    }
    char quantity[64];
    snprintf(quantity, sizeof quantity, "steps of 40 with a wrong number of splits, h = %.4g", h);
    kin_case_row(run, "split delay", quantity, kin_rig_ok(&r) ? wrong : -1, 0, 0, "Coutinho 3.7.2: split delay");
    kin_rig_close(&r);
}

/* ---- spawn: max counts the active ---- */

static void spawn(kin_case_run* run)
{
    const kin_curve_key key = {0, {1000}};
    double most = 0;
    kin_particle_kind kind = kin_particle_kind_default();
    kind.life[0] = 0.25;
    kin_emitter_def emitter = kin_emitter_def_default();
    emitter.rate = (kin_curve){&key, 1, KIN_CURVE_LINEAR};
    emitter.max_alive[0] = 50;
    kin_rig r = emit(run, &emitter, &kind, 0.01);
    for (int i = 0; i < 100; ++i) {
        kin_rig_step(&r);
        most = kin_max(most, kin_rig_measure(&r, "count"));
    }
    kin_case_row(run, "spawn", "most alive at once, at most 50", most, 50, 0, "Coutinho 3.7.2: max counts the active");
    /* 50 are born in 5 steps and live for 25: the next come as they go, four rounds in 100 steps. */
    kin_case_row(run, "spawn", "born in all, in rounds of 25 steps", kin_rig_measure(&r, "born"), 200, 0, "Coutinho 3.7.2: reuse");
    kin_rig_close(&r);
    emitter.max_alive[0] = 0;
    emitter.max_total[0] = 50;
    r = emit(run, &emitter, &kind, 0.01);
    kin_rig_steps(&r, 100);
    kin_case_row(run, "max emission", "born in all, at most 50", kin_rig_measure(&r, "born"), 50, 0, "Coutinho 3.7.2: max emission");
    kin_rig_close(&r);
}

void kin_case_emission(kin_case_run* run)
{
    static const double rates[] = {3, 37.5, 1000.0 / 3}, steps[] = {1.0 / 24, 1.0 / 60, 0.01, 0.007};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 4; ++k) stream(run, rates[i], steps[k]);
    }
    rising_stream(run);
    bursts(run);
    delay(run);
    for (int k = 0; k < 4; ++k) split_delay(run, steps[k]);
    spawn(run);
}

/* ---- splits of the own kind share mass and, all going ahead, momentum ---- */

static void split_mass(kin_case_run* run, bool keep, double count)
{
    const char* method = keep ? "parent stays" : "parent goes";
    kin_split_def split = kin_split_def_default();
    split.number[0] = 4;
    split.age[0] = 0.1;
    split.depth[0] = 2;
    split.direction = 0;
    split.keep = keep;
    split.every[0] = 1000; /* no second time */
    kin_particle_kind kind = kin_particle_kind_default();
    kind.splits.data = &split;
    kind.splits.count = 1;
    kin_rig r = kin_rig_begin(run, "euler", 0.01);
    r.def.gravity = kin_v(0, 0, 0);
    r.particles.kinds.data = &kind;
    r.particles.kinds.count = 1;
    r.group.mass = 3;
    r.group.radius = 0.1;
    kin_rig_open(&r);
    kin_rig_ball(&r, kin_v(0, 0, 0), kin_v(1, 2, 3));
    kin_rig_steps(&r, 50);
    kin_case_row(run, method, "number after two splits into 4", kin_rig_measure(&r, "count"), count, 0, "Coutinho 3.7.2: split number, depth");
    kin_case_row(run, method, "mass (kg)", kin_rig_measure(&r, "mass"), 3, count * 4.5e-16, "conservation of mass"); /* an ulp of 3 for each sum */
    kin_case_row(run, method, "momentum, all going ahead (kg m/s)", kin_length(kin_rig_momentum(&r)), 3 * kin_sqrt(14), count * 2e-15,
                 "conservation of momentum");
    kin_rig_close(&r);
}

/* A second generation has the half of the half of the radius. */
static void split_size(kin_case_run* run)
{
    kin_split_def split = kin_split_def_default();
    split.depth[0] = 2;
    split.age[0] = 0.1;
    split.size[0] = 0.5;
    kin_particle_kind kind = kin_particle_kind_default();
    kind.splits.data = &split;
    kind.splits.count = 1;
    kin_rig r = kin_rig_begin(run, "euler", 0.01);
    r.particles.kinds.data = &kind;
    r.particles.kinds.count = 1;
    r.group.radius = 0.4;
    kin_rig_open(&r);
    kin_rig_ball(&r, kin_v(0, 0, 0), kin_v(1, 0, 0));
    kin_rig_steps(&r, 25);
    kin_particles_view view = kin_particles_state(r.world, r.system);
    double largest = 0;
    for (size_t i = 0; i < view.count; ++i) largest = view.mobility[i] != KIN_MOBILITY_INACTIVE ? kin_max(largest, view.radius[i]) : largest;
    kin_case_row(run, "parent goes", "radius after two splits, from 0.4 (m)", largest, 0.1, 1e-16, "Coutinho 3.7.2: split size");
    kin_rig_close(&r);
}

void kin_case_splits(kin_case_run* run)
{
    split_mass(run, false, 16);
    split_mass(run, true, 21); /* 1 + 4 + 16: who has split stays */
    split_size(run);
}

/* ---- ends (H4.4b): seen at the end of the step in which they fall due ---- */

typedef struct end_setup {
    const char* quantity;
    kin_particle_kind kind;
    kin_vec3 x, v, gravity;
    double drag;
    double want; /* s */
} end_setup;

static void ends_at(kin_case_run* run, const end_setup* s)
{
    const double h = 0.01;
    double time = 0;
    kin_rig r = kin_rig_begin(run, "average", h);
    r.def.gravity = s->gravity;
    r.particles.kinds.data = &s->kind;
    r.particles.kinds.count = 1;
    r.restitution = 0.5;
    kin_rig_open(&r);
    if (s->kind.end.hit) kin_rig_plane(&r, kin_v(0, 0, 0), kin_v(0, 1, 0));
    if (s->drag > 0) kin_rig_drag(&r, s->drag);
    kin_rig_ball(&r, s->x, s->v);
    for (; time < 10 && kin_rig_ok(&r) && kin_rig_measure(&r, "count") > 0; time += h) kin_rig_step(&r);
    kin_case_row(run, "ends", s->quantity, time, s->want, h * (1 + 1e-9), "House & Keyser 4.4.2");
    kin_rig_close(&r);
}

void kin_case_ends(kin_case_run* run)
{
    const kin_vec3 down = {0, -10, 0}, none = {0, 0, 0}, high = {0, 1, 0}, ahead = {1, 0, 0};
    kin_particle_kind plain = kin_particle_kind_default();
    end_setup age = {"by age, life 0.505 s", plain, none, ahead, none, 0, 0.505};
    age.kind.life[0] = 0.505;
    ends_at(run, &age);
    end_setup height = {"by height: a fall of 1 m (s)", plain, high, none, down, 0, kin_sqrt(0.2)};
    height.kind.end.region = (kin_region){.kind = KIN_REGION_PLANE, .normal = {0, 1, 0}};
    ends_at(run, &height);
    end_setup far = {"outside a sphere of 2 m at 0.7 m/s (s)", plain, none, {0.7, 0, 0}, none, 0, 2 / 0.7};
    far.kind.end.region = (kin_region){.kind = KIN_REGION_SPHERE, .radius = 2};
    far.kind.end.outside = true;
    ends_at(run, &far);
    end_setup slow = {"by speed: v = e^(-t) below 0.1 (s)", plain, none, ahead, none, 1, kin_ln(10)};
    slow.kind.end.speed = 0.1;
    ends_at(run, &slow);
    end_setup hit = {"by a hit: a fall of 1 m onto a floor (s)", plain, high, none, down, 0, kin_sqrt(0.2)};
    hit.kind.end.hit = true;
    ends_at(run, &hit);
}
