/* kinds.c - what particles of one sort have in common: names become numbers, curves are read, and who meets whom. */
#include "base/alloc.h"
#include "base/error.h"
#include "domains/particles/particles.h"
#include "system/curve.h"
#include <stdio.h>
#include <string.h>

uint32_t kin_particles_kind_named(const kin_particles* p, const char* name)
{
    if (name == NULL) return 0;
    for (uint32_t i = 0; i < p->kind_count; ++i) {
        if (p->kinds[i].def->name != NULL && strcmp(p->kinds[i].def->name, name) == 0) return i;
    }
    return UINT32_MAX;
}

double kin_kind_phase(const kin_kind* kind, double age, double life) { return kind->def->relative && life > 0 ? age / life : age; }

bool kin_particles_pair_meets(const kin_particles* p, size_t i, size_t j)
{
    const kin_particle_kind *a = p->kinds[p->kind[i]].def, *b = p->kinds[p->kind[j]].def;
    if (p->inside != NULL && (p->inside[i] != 0 || p->inside[j] != 0)) return false; /* on its way out of a solid */
    return p->kind[i] == p->kind[j] ? a->meets_own : a->meets_others && b->meets_others;
}

bool kin_particle_meets_solids(const kin_particles* p, size_t i)
{
    bool out = p->inside != NULL && p->inside[i] != 0;
    return p->mobility[i] == KIN_MOBILITY_DYNAMIC && p->kinds[p->kind[i]].def->meets_solids && !out;
}

kin_surface_deviation kin_kind_surface(const kin_kind* kind, const kin_rng_key* key)
{
    enum { DRAW_SURFACE = KIN_EMIT_DRAWS + 8 };
    const kin_particle_kind* k = kind->def;
    double about[3][2] = {{0, k->restitution_deviation}, {0, k->static_friction_deviation}, {0, k->dynamic_friction_deviation}};
    for (int c = 0; c < 3; ++c) kin_deviation_at_birth(kind->each_step, (uint32_t)KIN_EACH_RESTITUTION << c, about[c], about[c]);
    return (kin_surface_deviation){kin_rng_about(key, DRAW_SURFACE, about[0], -1e300), kin_rng_about(key, DRAW_SURFACE + 1, about[1], -1e300),
                                   kin_rng_about(key, DRAW_SURFACE + 2, about[2], -1e300)};
}

kin_pair kin_particles_pair(const kin_particles* p, size_t i, size_t j)
{
    kin_pair pair = kin_materials_pair(p->materials, (kin_material_id){p->material[i]}, (kin_material_id){p->material[j]});
    return p->surface != NULL ? kin_pair_deviated(pair, p->surface[i], p->surface[j]) : pair;
}

double kin_particle_variable(const kin_particles* p, size_t i, kin_curve_variable over, double age)
{
    if (over >= KIN_CURVE_OVER_ATTRIBUTE) return p->attributes[i * (size_t)p->attribute_count + (size_t)over - KIN_CURVE_OVER_ATTRIBUTE];
    if (over == KIN_CURVE_OVER_SINCE_HIT) return kin_particle_since_hit(p, i, p->birth[i] + age);
    return kin_kind_phase(&p->kinds[p->kind[i]], age, (double)p->life[i]);
}

void kin_particle_grow(kin_particles* p, size_t i, double age)
{
    const kin_kind* kind = &p->kinds[p->kind[i]];
    double phase = kin_kind_phase(kind, age, (double)p->life[i]);
    if (kind->def->size.count > 0)
        p->radius[i] = (double)p->first_radius[i] * kin_curve_at(&kind->def->size, kin_particle_variable(p, i, kind->size_over, age), 1);
    if (kind->def->weight.count > 0) p->mass[i] = (double)p->first_mass[i] * kin_curve_at(&kind->def->weight, phase, 1);
}

static bool ages(const kin_particle_kind* k)
{
    bool ends = k->life[0] > 0 || k->end.hit || k->end.speed > 0 || k->end.region.kind != KIN_REGION_EVERYWHERE;
    return ends || k->splits.count > 0 || k->size.count > 0 || k->weight.count > 0;
}

static kin_result no_such_kind(kin_error* error, const char* where, size_t index, const char* member, const char* name)
{
    char path[64];
    snprintf(path, sizeof path, "%s[%zu].%s", where, index, member);
    return kin_fail(error, KIN_ERROR_ARGUMENT, path, "there is no kind \"%.80s\" in kinds", name);
}

static kin_result resolve_tags(kin_kind* kind, const kin_birth* birth, size_t index, kin_error* error)
{
    char path[40];
    snprintf(path, sizeof path, "kinds[%zu].tags", index);
    kin_result result = KIN_OK;
    for (size_t i = 0; i <= kind->def->tags.count && result == KIN_OK; ++i) {
        const char* name = i < kind->def->tags.count ? kind->def->tags.data[i] : kind->def->name;
        if (name != NULL) result = kin_fields_add_tag(birth->fields, name, &kind->tags, path, error);
    }
    return result;
}

static kin_result resolve_splits(kin_particles* p, size_t index, kin_error* error)
{
    kin_kind* kind = &p->kinds[index];
    size_t count = kind->def->splits.count;
    uint32_t* into = kin_arena_take(&p->arena, (count + 1) * sizeof *into);
    if (into == NULL) return kin_fail_memory(error, "kinds", count * sizeof *into);
    for (size_t i = 0; i < count; ++i) {
        const char* name = kind->def->splits.data[i].into;
        into[i] = name == NULL ? (uint32_t)index : kin_particles_kind_named(p, name);
        if (into[i] == UINT32_MAX) return no_such_kind(error, "kinds", index, "splits", name);
    }
    kind->into = into;
    return KIN_OK;
}

static bool over_hits(const char* name) { return name != NULL && strcmp(name, "since_hit") == 0; }

/* What a curve runs over, by its name in a scene. */
static kin_result resolve_variable(const kin_particles* p, const char* name, size_t index, const char* member, kin_curve_variable* out, kin_error* error)
{
    char path[48];
    snprintf(path, sizeof path, "kinds[%zu].%s", index, member);
    *out = over_hits(name) ? KIN_CURVE_OVER_SINCE_HIT : KIN_CURVE_OVER_AGE;
    if (name == NULL || *out != KIN_CURVE_OVER_AGE || strcmp(name, "age") == 0) return KIN_OK;
    int attribute = kin_kind_attribute(&p->kinds[index], name);
    *out = (kin_curve_variable)(KIN_CURVE_OVER_ATTRIBUTE + attribute);
    if (attribute >= 0) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, path, "\"%.80s\" must be \"age\", \"since_hit\" or the name of one of its attributes", name);
}

static kin_result resolve_variables(kin_particles* p, size_t index, kin_error* error)
{
    kin_kind* kind = &p->kinds[index];
    kin_result result = resolve_variable(p, kind->def->color_by, index, "color_by", &kind->color_over, error);
    if (result == KIN_OK) result = resolve_variable(p, kind->def->opacity_by, index, "opacity_by", &kind->opacity_over, error);
    return result == KIN_OK ? resolve_variable(p, kind->def->size_by, index, "size_by", &kind->size_over, error) : result;
}

int kin_particles_trail_points(const kin_particles_def* def)
{
    for (size_t i = 0; i < def->kinds.count; ++i) {
        if (def->kinds.data[i].trail[0] > 0) return def->trail_points;
    }
    return 0;
}

static uint32_t columns_for(const kin_kind* kind)
{
    const kin_particle_kind* k = kind->def;
    bool charged = k->charge[0] != 0 || k->charge[1] != 0, grows = k->size.count > 0 || k->weight.count > 0;
    bool leans = k->draw == KIN_DRAW_MESH && k->orient == KIN_ORIENT_BANK;
    bool rough = k->restitution_deviation > 0 || k->static_friction_deviation > 0 || k->dynamic_friction_deviation > 0;
    bool hits = k->keep_hits || over_hits(k->color_by) || over_hits(k->opacity_by) || over_hits(k->size_by);
    bool carries = k->draw == KIN_DRAW_MESH && k->carry_up;
    grows = grows || (kind->each_step & (KIN_EACH_RADIUS | KIN_EACH_MASS)) != 0;
    return (carries ? KIN_COLUMN_UP : 0u) | (k->attributes.count > 0 ? KIN_COLUMN_ATTRIBUTES : 0u)
           | ((kind->each_step & KIN_EACH_CHARGE) != 0 ? KIN_COLUMN_FIRST_CHARGE : 0u) | (hits ? KIN_COLUMN_HIT : 0u)
           | (k->trail[0] > 0 ? KIN_COLUMN_TRAIL : 0u) | (rough ? KIN_COLUMN_SURFACE : 0u) | (charged ? KIN_COLUMN_CHARGE : 0u)
           | (grows ? KIN_COLUMN_GROWTH : 0u) | (leans ? KIN_COLUMN_BANK : 0u);
}

static kin_result check_split(const kin_particle_kind* k, size_t index, size_t which, kin_error* error)
{
    char every[64];
    snprintf(every, sizeof every, "kinds[%zu].splits[%zu].every", index, which);
    if (!(2 * k->splits.data[which].every[1] < k->splits.data[which].every[0]) && k->splits.data[which].every[1] > 0)
        return kin_fail(error, KIN_ERROR_ARGUMENT, every, "its deviation, %g, must be less than half of %g steps", k->splits.data[which].every[1],
                        k->splits.data[which].every[0]);
    const kin_split_def* split = &k->splits.data[which];
    char path[64];
    double most = split->number[0] + split->number[1];
    snprintf(path, sizeof path, "kinds[%zu].splits[%zu].number", index, which);
    if (most > KIN_PARTICLE_CHILDREN) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "%g must be <= %d", most, KIN_PARTICLE_CHILDREN);
    snprintf(path, sizeof path, "kinds[%zu].life", index);
    if (k->life[0] > 0 && split->when == KIN_SPLIT_AGE && split->age[0] > k->life[0] + k->life[1])
        return kin_fail(error, KIN_ERROR_ARGUMENT, path, "%g s ends before it splits, at an age of %g s", k->life[0], split->age[0]);
    return KIN_OK;
}

static kin_result check_kind(const kin_birth* birth, const kin_particle_kind* k, size_t index, kin_error* error)
{
    char path[48];
    snprintf(path, sizeof path, "kinds[%zu].mesh", index);
    if (k->draw == KIN_DRAW_MESH && k->mesh.vertices == NULL) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "is missing: draw is \"mesh\"");
    snprintf(path, sizeof path, "kinds[%zu].material", index);
    if (k->material.index1 >= birth->materials->count) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "no such material");
    snprintf(path, sizeof path, "kinds[%zu].color_deviation", index);
    if (k->color_deviation > 0 && k->color.count == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "needs a color to be off from");
    snprintf(path, sizeof path, "kinds[%zu].mass", index);
    if (k->mass[0] <= k->mass[1]) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "%g - %g must be > 0 (kg)", k->mass[0], k->mass[1]);
    kin_result result = KIN_OK;
    for (size_t i = 0; i < k->splits.count && result == KIN_OK; ++i) result = check_split(k, index, i, error);
    return result;
}

static kin_result make_emitters(kin_particles* p, const kin_birth* birth, kin_error* error)
{
    size_t count = p->def.emitters.count;
    p->element_motion = birth->element_motion;
    p->world = birth->world;
    if (count == 0) return KIN_OK;
    kin_result result = kin_emitters_create(&p->allocator, p->def.emitters.data, count, &p->emitters, error);
    if (result != KIN_OK) return result;
    p->emitter_kinds = kin_arena_take(&p->arena, count * sizeof *p->emitter_kinds);
    p->emitter_solids = kin_arena_take(&p->arena, count * sizeof *p->emitter_solids);
    p->alive = kin_arena_take(&p->arena, count * sizeof *p->alive);
    if (p->emitter_kinds == NULL || p->emitter_solids == NULL || p->alive == NULL) return kin_fail_memory(error, "emitters", count * 16);
    for (size_t i = 0; i < count; ++i) {
        const kin_emitter_def* e = &p->def.emitters.data[i];
        p->alive[i] = 0;
        p->emitter_kinds[i] = kin_particles_kind_named(p, e->kind);
        if (p->emitter_kinds[i] == UINT32_MAX) return no_such_kind(error, "emitters", i, "kind", e->kind);
        p->emitter_solids[i] = e->collider == NULL ? UINT32_MAX : birth->solid_named(birth->world, e->collider);
        char path[48];
        snprintf(path, sizeof path, "emitters[%zu].system", i);
        if (e->system != NULL && e->collider != NULL) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "it moves with a collider already");
        snprintf(path, sizeof path, "emitters[%zu].collider", i);
        if (e->collider != NULL && p->emitter_solids[i] == UINT32_MAX)
            return kin_fail(error, KIN_ERROR_ARGUMENT, path, "there is no collider \"%.80s\"", e->collider);
    }
    return KIN_OK;
}

/* Without kinds there is one, with all defaults. */
static kin_result default_kind(kin_particles* p, kin_error* error)
{
    kin_particle_kind* kind = kin_arena_take(&p->arena, sizeof *kind);
    if (kind == NULL) return kin_fail_memory(error, "kinds", sizeof *kind);
    *kind = kin_particle_kind_default();
    p->def.kinds.data = kind;
    p->def.kinds.count = 1;
    return KIN_OK;
}

kin_result kin_particles_make_kinds(kin_particles* p, const kin_birth* birth, kin_error* error)
{
    kin_result result = p->def.kinds.count == 0 ? default_kind(p, error) : KIN_OK;
    if (result != KIN_OK) return result;
    p->kind_count = p->def.kinds.count;
    p->trail_points = kin_particles_trail_points(&p->def);
    if (p->kind_count > UINT16_MAX)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "kinds", "there are %zu; at most %d can be told apart", p->kind_count, UINT16_MAX);
    p->kinds = kin_arena_take(&p->arena, p->kind_count * sizeof *p->kinds);
    if (p->kinds == NULL) return kin_fail_memory(error, "kinds", p->kind_count * sizeof *p->kinds);
    for (size_t i = 0; i < p->kind_count; ++i) {
        const kin_particle_kind* def = &p->def.kinds.data[i];
        p->kinds[i] = (kin_kind){.def = def, .reach = def->radius[0] + def->radius[1], .ages = ages(def)};
        result = check_kind(birth, def, i, error);
        if (result == KIN_OK) result = kin_kind_each_step(def, i, &p->kinds[i].each_step, error);
        p->columns |= columns_for(&p->kinds[i]);
        if (result == KIN_OK) result = resolve_tags(&p->kinds[i], birth, i, error);
        if (result != KIN_OK) return result;
    }
    if (result == KIN_OK) result = kin_particles_name_attributes(p, error);
    for (size_t i = 0; i < p->kind_count && result == KIN_OK; ++i) result = resolve_variables(p, i, error);
    for (size_t i = 0; i < p->kind_count && result == KIN_OK; ++i) result = resolve_splits(p, i, error);
    return result == KIN_OK ? make_emitters(p, birth, error) : result;
}
