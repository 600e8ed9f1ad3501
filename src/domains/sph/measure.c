/* measure.c - the budgets of a tank, in a fixed order. Sums run over the particles in their present order, in double. */
#include "domains/sph/face.h"
#include "domains/sph/physics/physics.h"
#include "math/vec3.h"

typedef struct totals {
    double kinetic, potential, mass, heat;
    kin_vec3 momentum, angular;
} totals;

static void count_in(const kin_sph* f, const kin_step* step, size_t i, totals* t)
{
    const kin_sph_phase_def* phase = &f->def.phases.data[f->phase[i]];
    double mass = (double)f->phases[f->phase[i]].mass;
    kin_vec3 x = kin_add(f->origin, kin_v((double)f->x4[4 * i], (double)f->x4[4 * i + 1], (double)f->x4[4 * i + 2]));
    kin_vec3 v = kin_v((double)f->v4[4 * i], (double)f->v4[4 * i + 1], (double)f->v4[4 * i + 2]);
    t->mass += mass;
    t->kinetic += 0.5 * mass * kin_length2(v);
    t->potential += kin_fields_potential(step->fields, mass, x, step->time);
    t->momentum = kin_add_scaled(t->momentum, mass, v);
    t->angular = kin_add_scaled(t->angular, mass, kin_cross(x, v));
    if (f->temperature != NULL) t->heat += mass * phase->heat_capacity * (double)f->temperature[i];
}

static void add_vector(kin_budget* sum, const char* const names[3], const char* unit, kin_vec3 v)
{
    for (int a = 0; a < 3; ++a) kin_budget_add(sum, names[a], unit, kin_component(v, a));
}

void kin_sph_measure(const void* self, const kin_step* step, kin_budget* sum)
{
    static const char* const momentum[3] = {"momentum_x", "momentum_y", "momentum_z"};
    static const char* const angular[3] = {"angular_momentum_x", "angular_momentum_y", "angular_momentum_z"};
    const kin_sph* f = self;
    totals t = {0};
    for (size_t i = 0; i < f->count; ++i) count_in(f, step, i, &t);
    kin_budget_add(sum, "kinetic_energy", "J", t.kinetic);
    kin_budget_add(sum, "potential_energy", "J", t.potential + kin_sph_mutual_potential(f, step));
    kin_budget_add(sum, "elastic_energy", "J", f->seen.elastic);
    kin_budget_add(sum, "dissipated_energy", "J", f->dissipated);
    add_vector(sum, momentum, "kg m/s", t.momentum);
    add_vector(sum, angular, "kg m^2/s", t.angular);
    kin_budget_add(sum, "mass", "kg", t.mass);
    kin_budget_add(sum, "count", "", (double)f->count);
    kin_budget_add(sum, "volume", "m^3", (double)f->count * (double)f->volume);
    kin_budget_add(sum, "density_error", "", f->seen.density_error);
    kin_budget_add(sum, "worst_density", "", f->seen.worst_density);
    kin_budget_add(sum, "divergence_error", "", f->seen.divergence_error);
    kin_budget_add(sum, "iterations", "", f->seen.iterations);
    kin_budget_add(sum, "divergence_iterations", "", f->seen.divergence_iterations);
    kin_budget_add(sum, "ticks", "", f->seen.ticks);
    kin_budget_add(sum, "escaped", "", f->seen.escaped);
    kin_budget_add(sum, "born", "", (double)f->sources->born);
    kin_budget_add(sum, "died", "", (double)f->sources->died);
    kin_budget_add(sum, "heat", "J", t.heat);
}
