/* failures.c - what cannot be computed is said, with place and time: steps that would have to be too short, masses at one place, populations at their cap. */
#include "math/scalar.h"
#include "math/vec3.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool has(const char* text, const char* part) { return strstr(text, part) != NULL; }

/* The number that follows a phrase of a message, or NAN. */
static double number_after(const char* text, const char* phrase)
{
    double value;
    const char* at = strstr(text, phrase);
    return at != NULL && sscanf(at + strlen(phrase), "%lf", &value) == 1 ? value : NAN;
}

/* A fall into a point that pulls by 1/r^2, from rest at r: at r = 0 after pi/2 sqrt(r^3 / 2 Ga). The step shrinks as r^(3/2), so it is too short shortly before:
 * where 1e-4 s are, r is some (1e-4)^(2/3) = 0.002 m and the time left of that order, 1e-4. */
static void too_short(kin_case_run* run, const char* method)
{
    const double least = 1e-4, want = KIN_PI / 2 * kin_sqrt(0.5);
    kin_attractor_field def;
    kin_error error = {0};
    kin_step_report report = {0};
    kin_result result = KIN_OK;
    kin_field_default("attractor", &def);
    def.attractor = 1;
    def.core = 1e-9;
    kin_rig r = kin_rig_begin(run, method, 0.01);
    r.def.gravity = kin_v(0, 0, 0);
    r.particles.tolerance = 1e-9;
    r.particles.min_step = least;
    kin_rig_open(&r);
    kin_rig_field(&r, "attractor", &def);
    kin_rig_ball(&r, kin_v(0, 1, 0), kin_v(0, 0, 0));
    for (int i = 0; i < 200 && kin_rig_ok(&r) && result == KIN_OK; ++i) result = kin_world_step(r.world, &report, &error);
    const char* source = "House & Keyser 7.6; stated by the engine";
    kin_case_row(run, method, "fall into a point: the run stops", result, KIN_ERROR_NUMERICS, 0, source);
    kin_case_row(run, method, "the message's time (s)", number_after(error.message, "t = "), want, 100 * least, "free fall: pi/2 sqrt(r^3 / 2 Ga)");
    kin_case_row(run, method, "the message names the worst component", has(error.message, "y is worst"), true, 0, source);
    kin_case_row(run, method, "the world is as before the step (s)", kin_world_time(r.world), kin_floor(number_after(error.message, "t = ") / 0.01) * 0.01,
                 1e-12, source);
    kin_rig_close(&r);
}

static void coincident(kin_case_run* run, kin_attraction_method method, const char* name)
{
    kin_particle_group groups[3] = {kin_particle_group_default(), kin_particle_group_default(), kin_particle_group_default()};
    kin_attraction_field def;
    kin_error error = {0};
    kin_step_report report = {0};
    kin_field_default("attraction", &def);
    def.attraction = 1;
    def.method = method;
    groups[2].position = kin_v(2, 0, 0);
    kin_rig r = kin_rig_begin(run, "semi_implicit", 0.01);
    r.def.gravity = kin_v(0, 0, 0);
    r.particles.groups = groups;
    r.particles.group_count = 3;
    kin_rig_open(&r);
    kin_rig_field(&r, "attraction", &def);
    kin_rig_create(&r);
    kin_result result = kin_rig_ok(&r) ? kin_world_step(r.world, &report, &error) : KIN_ERROR_NUMERICS;
    const char* source = "1/r^2 at r = 0; stated by the engine";
    kin_case_row(run, name, "masses at one place, no softening: the step is done", result, KIN_OK, 0, source);
    kin_case_row(run, name, "the pull of the third alone (m/s)", kin_rig_v_at(&r, 0).x, 0.01 / 4, 1e-17, "Newton: G m / r^2");
    kin_case_row(run, name, "it is warned of", report.warnings > 0 && has(report.note, "at one place"), true, 0, source);
    kin_rig_close(&r);
}

/* Everything splits into two that stay, each step, without an end of generations that matters: stopped by the cap, and said. */
static void cyclic_spawns(kin_case_run* run)
{
    kin_error error = {0};
    kin_step_report report = {0};
    kin_result result = KIN_OK;
    kin_split_def splits[2] = {kin_split_def_default(), kin_split_def_default()};
    kin_particle_kind kinds[2] = {kin_particle_kind_default(), kin_particle_kind_default()};
    for (int i = 0; i < 2; ++i) {
        splits[i].into = i == 0 ? "b" : "a";
        splits[i].age[0] = 0.01;
        splits[i].keep = true;
        splits[i].depth[0] = 64;
        kinds[i].name = i == 0 ? "a" : "b";
        kinds[i].splits.data = &splits[i];
        kinds[i].splits.count = 1;
    }
    kin_rig r = kin_rig_begin(run, "semi_implicit", 0.01);
    r.particles.kinds.data = kinds;
    r.particles.kinds.count = 2;
    r.particles.max_particles = 1000;
    kin_rig_open(&r);
    kin_rig_ball(&r, kin_v(0, 0, 0), kin_v(1, 0, 0));
    int capped = 0;
    for (int i = 0; i < 30 && kin_rig_ok(&r) && result == KIN_OK; ++i) {
        result = kin_world_step(r.world, &report, &error);
        capped += report.capped > 0;
    }
    kin_case_row(run, "splits", "a makes b makes a: the run goes on", result, KIN_OK, 0, "stated by the engine");
    kin_case_row(run, "splits", "alive after 30 steps", kin_rig_measure(&r, "count"), 1000, 0, "max_particles");
    kin_case_row(run, "splits", "the cap is reported", capped > 0 && has(report.note, "births refused: max_particles (1000)"), true, 0, "stated by the engine");
    kin_rig_close(&r);
}

void kin_case_adaptive(kin_case_run* run)
{
    too_short(run, "adaptive_rk45");
    too_short(run, "adaptive_rk4");
    too_short(run, "bulirsch_stoer");
    coincident(run, KIN_ATTRACTION_DIRECT, "direct");
    coincident(run, KIN_ATTRACTION_MULTIPOLE, "multipole");
    cyclic_spawns(run);
}
