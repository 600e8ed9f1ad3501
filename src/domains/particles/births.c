/* births.c - who comes and who goes, once a step, at its end: ageing, ends, splits, emitters (House & Keyser 4.3-4.4, Coutinho 3.7).
 *
 * First all that happens to the living is noted, then it is done: what is born in a step neither ages nor splits in it. */
#include "base/alloc.h"
#include "domains/particles/meet.h"
#include "math/quat.h"
#include "system/curve.h"
#include "system/field_common.h"
#include <stdio.h>

#define YOUNG 0.1 /* s: a particle this young does not end for being slow: it may just be starting */

/* Something that happens to a particle in this step. Those of one particle follow each other, its death last. */
typedef struct kin_happening {
    uint32_t particle;
    int32_t split; /* -1: it dies */
} kin_happening;

void kin_particles_free_happenings(kin_particles* p) { kin_free(&p->allocator, p->happenings, p->happening_capacity * sizeof *p->happenings); }

bool kin_particles_have_transfers(const void* self)
{
    const kin_particles* p = self;
    bool any = p->emitters != NULL || p->leavers;
    for (size_t i = 0; i < p->kind_count && !any; ++i) any = p->kinds[i].ages || p->kinds[i].each_step != 0;
    return any;
}

/* ---- ageing ---- */

/* H4.4b: by age, by meeting something, by slowing down, by where it is. */
static bool ends(const kin_particles* p, const kin_kind* kind, size_t i, double age, double time)
{
    const kin_particle_end* end = &kind->def->end;
    if (p->life[i] > 0 && age >= (double)p->life[i] * (1 - 0x1p-23)) return true; /* a float: its rounding is worth no step */
    if (end->hit && (p->flags[i] & KIN_PARTICLE_HIT)) return true;
    if (end->speed > 0 && age > YOUNG && kin_length(kin_get3(p->v, i)) < end->speed) return true;
    if (end->region.kind == KIN_REGION_EVERYWHERE) return false;
    return kin_region_holds(&end->region, kin_region_pose(end->center, &end->motion, time), kin_get3(p->x, i)) != end->outside;
}

static kin_rng_key split_key(const kin_step* step, uint64_t serial, size_t split)
{
    return (kin_rng_key){.seed = step->seed, .serial = serial, .system = step->system, .tick = (uint32_t)split + 1};
}

enum { RHYTHM_STEP = 1 }; /* of a split's key, for when it comes again: its other draws know no step or that of the split */

/* At its age first, or at its first step if that is later, then at every k-th step; by whole steps, so that rounding can neither skip one nor count one twice. */
static bool is_of_age(const kin_split_def* split, const kin_rng_key* key, double age, double h)
{
    double since = kin_floor((age - kin_max(kin_split_age(split, key), h)) / h + 1e-9);
    if (since <= 0) return since == 0;
    kin_rng_key rhythm = *key;
    rhythm.step = RHYTHM_STEP;
    return split->keep && kin_every_now(split->every, &rhythm, (uint64_t)kin_min(since, 0x1p53));
}

static bool splits_now(const kin_particles* p, const kin_step* step, const kin_kind* kind, size_t i, size_t split, double age, bool dies)
{
    const kin_split_def* def = &kind->def->splits.data[split];
    kin_rng_key key = split_key(step, p->serial[i], split);
    if ((int)p->depth[i] >= kin_split_depth(def, &key)) return false;
    if (def->when == KIN_SPLIT_DEATH) return dies;
    if (def->when == KIN_SPLIT_HIT) return (p->flags[i] & KIN_PARTICLE_HIT) != 0;
    return is_of_age(def, &key, age, step->h);
}

typedef struct diary {
    size_t count;
    bool failed;
} diary;

static void note(kin_particles* p, diary* d, size_t i, int32_t split)
{
    if (d->failed || !kin_reserve(&p->allocator, (void**)&p->happenings, &p->happening_capacity, d->count + 1, sizeof *p->happenings)) {
        d->failed = true;
        return;
    }
    p->happenings[d->count++] = (kin_happening){(uint32_t)i, split};
}

static void age_one(kin_particles* p, const kin_step* step, size_t i, diary* d)
{
    const kin_kind* kind = &p->kinds[p->kind[i]];
    if (p->flags[i] & KIN_PARTICLE_LEFT) note(p, d, i, -1);
    if (!kind->ages || p->mobility[i] == KIN_MOBILITY_INACTIVE) return;
    double age = step->time + step->h - p->birth[i];
    if (p->columns & KIN_COLUMN_GROWTH) kin_particle_grow(p, i, age);
    bool dies = ends(p, kind, i, age, step->time + step->h), falls_apart = false;
    for (size_t s = 0; s < kind->def->splits.count; ++s) {
        if (!splits_now(p, step, kind, i, s, age, dies)) continue;
        note(p, d, i, (int32_t)s);
        falls_apart = falls_apart || !kind->def->splits.data[s].keep;
    }
    if (dies || falls_apart) note(p, d, i, -1);
}

/* ---- births ---- */

/* Room for one more within max_particles; false: the population is at its cap, or memory is out. */
static bool make_room(kin_particles* p)
{
    size_t most = (size_t)p->def.max_particles, wish = 2 * p->capacity < 1024 ? 1024 : 2 * p->capacity;
    if (p->count - p->free_count >= most) return false;
    if (p->free_count > 0 || p->count < p->capacity) return true;
    return kin_particles_reserve(p, wish < most ? wish : most);
}

static double life_of(const kin_particle_kind* kind, const kin_rng_key* key, uint32_t draw, double more)
{
    const double life[2] = {kind->life[0], kind->life[1] + more};
    return kind->life[0] > 0 ? kin_rng_about(key, draw, life, 1e-9) : 0;
}

enum { DRAW_RADIUS = KIN_EMIT_DRAWS, DRAW_MASS, DRAW_LIFE, DRAW_CHARGE };

/* What its kind says of it; place, velocity and time are the caller's. */
static kin_particle_birth birth_of(const kin_particles* p, uint32_t kind, const kin_rng_key* key, double more_life)
{
    const kin_particle_kind* def = p->kinds[kind].def;
    double mass[2], radius[2], charge[2];
    kin_deviation_at_birth(p->kinds[kind].each_step, KIN_EACH_MASS, def->mass, mass);
    kin_deviation_at_birth(p->kinds[kind].each_step, KIN_EACH_RADIUS, def->radius, radius);
    kin_deviation_at_birth(p->kinds[kind].each_step, KIN_EACH_CHARGE, def->charge, charge);
    kin_particle_birth b = {
        .mass = kin_rng_about(key, DRAW_MASS, mass, 0),
        .radius = kin_rng_about(key, DRAW_RADIUS, radius, 0),
        .charge = kin_rng_about(key, DRAW_CHARGE, charge, -1e300),
        .life = life_of(def, key, DRAW_LIFE, more_life),
        .surface = kin_kind_surface(&p->kinds[kind], key),
        .kind = kind,
        .material = def->material.index1,
        .mobility = KIN_MOBILITY_DYNAMIC,
    };
    kin_kind_draw_attributes(&p->kinds[kind], key, b.attributes);
    return b;
}

/* What is left of a parent that may be dead, and its slot taken. */
typedef struct parent {
    kin_vec3 x, v;
    double mass, radius;
    double attributes[KIN_PARTICLE_ATTRIBUTES];
    uint32_t kind, depth, index;
    uint64_t serial;
    bool lives;
} parent;

static parent parent_at(const kin_particles* p, size_t i)
{
    parent from = {.x = kin_get3(p->x, i),
                   .v = kin_get3(p->v, i),
                   .mass = p->mass[i],
                   .radius = p->radius[i],
                   .kind = p->kind[i],
                   .depth = p->depth[i],
                   .index = (uint32_t)i,
                   .serial = p->serial[i],
                   .lives = true};
    for (int k = 0; p->attributes != NULL && k < p->attribute_count; ++k) from.attributes[k] = p->attributes[i * (size_t)p->attribute_count + (size_t)k];
    return from;
}

static kin_particle_birth child_of(const kin_particles* p, const kin_step* step, const parent* from, size_t index, const kin_newborn* child,
                                   const kin_rng_key* key)
{
    const kin_kind* kind = &p->kinds[from->kind];
    const kin_split_def* def = &kind->def->splits.data[index];
    kin_particle_birth b = birth_of(p, kind->into[index], key, def->life);
    b.x = child->x;
    b.v = child->v;
    b.time = step->time + step->h;
    b.depth = from->depth + 1;
    b.radius = child->size * from->radius;
    kin_kind_inherit_attributes(kind, from->attributes, &p->kinds[b.kind], b.attributes);
    return b;
}

/* Children of the parent's own kind share its mass, with it if it lives on; of another, they are as that kind says. Returns how many found no room. */
static int split(kin_particles* p, const kin_step* step, parent* from, size_t index)
{
    kin_newborn children[KIN_PARTICLE_CHILDREN];
    const kin_split_def* def = &p->kinds[from->kind].def->splits.data[index];
    kin_rng_key key = split_key(step, from->serial, index);
    key.step = step->index;
    int count = kin_split_children(def, &key, from->x, from->v, children, KIN_PARTICLE_CHILDREN), born = 0;
    double share = 1.0 / (count + from->lives);
    for (; born < count && make_room(p); ++born) {
        kin_rng_key own = key;
        own.tick = (uint32_t)(index + 1) * KIN_PARTICLE_CHILDREN + (uint32_t)born;
        kin_particle_birth b = child_of(p, step, from, index, &children[born], &own);
        if (def->into == NULL) b.mass = share * from->mass;
        kin_particles_bear(p, &b);
    }
    if (def->into == NULL && from->lives) {
        from->mass = p->mass[from->index] *= 1 - born * share;
        if (p->columns & KIN_COLUMN_GROWTH) p->first_mass[from->index] *= (float)(1 - born * share);
    }
    return count - born;
}

/* Who asks whether a place is taken, for emitters that keep clear of older points. */
typedef struct crowd {
    kin_neighbours* near;
    double reach; /* m: the largest radius there is */
    const kin_particles* p;
} crowd;

static bool is_crowded(void* context, kin_vec3 at, double radius)
{
    const crowd* c = context;
    uint32_t found[64];
    uint32_t count = kin_neighbours_query(c->near, at, radius + c->reach, found, 64);
    for (uint32_t k = 0; k < count && k < 64; ++k) {
        if (c->p->mobility[found[k]] == KIN_MOBILITY_INACTIVE) continue;
        if (kin_distance(at, kin_get3(c->p->x, found[k])) < radius + c->p->radius[found[k]]) return true;
    }
    return false;
}

static bool find_crowd(kin_particles* p, kin_step* step, crowd* out)
{
    bool ready = p->crowd != NULL || kin_neighbours_create(&p->allocator, &(kin_neighbours_def){.kind = KIN_NEIGHBOURS_HASH}, &p->crowd, NULL) == KIN_OK;
    *out = (crowd){.p = p, .near = p->crowd};
    for (size_t i = 0; i < p->count; ++i) out->reach = kin_max(out->reach, p->radius[i]);
    return ready
           && kin_neighbours_update(p->crowd, step->jobs, kin_points_of_arrays(p->x[0], p->x[1], p->x[2]), (uint32_t)p->count, kin_max(2 * out->reach, 1e-6),
                                    NULL)
                  == KIN_OK;
}

/* What an emitter moves with, over the step. False: it is not there. */
static bool carry(const kin_particles* p, const kin_step* step, size_t e, kin_emit_step* s)
{
    const kin_emitter_def* def = kin_emitter_def_of(p->emitters, e);
    kin_motion now;
    if (p->emitter_solids[e] != UINT32_MAX) {
        s->start = kin_solids_pose(step->solids, p->emitter_solids[e], 0);
        s->end = kin_solids_pose(step->solids, p->emitter_solids[e], 1);
    } else if (def->system != NULL) {
        if (!p->element_motion(p->world, def->system, (uint32_t)def->element, &now)) return false;
        s->end = now.pose;
        s->start.position = kin_add_scaled(now.pose.position, -step->h, now.velocity);
        s->start.orientation = kin_quat_integrate(now.pose.orientation, now.spin, -step->h);
    }
    return true;
}

/* C3.7.1, d_max of eq. 3.81: of the release at hand. */
static double largest_radius(const kin_particles* p, uint32_t kind, const kin_emit_step* s, size_t e, int64_t count)
{
    const double* radius = p->kinds[kind].def->radius;
    double largest = 0;
    if (radius[1] == 0) return radius[0];
    for (int64_t k = 0; k < count; ++k) {
        kin_rng_key key = kin_emit_key(s, e, kin_emitter_next(p->emitters, e) + (uint64_t)k);
        largest = kin_max(largest, kin_rng_about(&key, DRAW_RADIUS, radius, 0));
    }
    return largest;
}

/* Returns how many found no room. */
static int64_t emit(kin_particles* p, kin_step* step, size_t e)
{
    uint32_t kind = p->emitter_kinds[e];
    kin_emit_step s = {step->seed,
                       step->system,
                       step->index,
                       step->time,
                       step->h,
                       p->kinds[kind].reach,
                       .start = kin_transform_identity(),
                       .end = kin_transform_identity(),
                       .solids = step->solids};
    crowd around = {0};
    if (!carry(p, step, e, &s)) {
        kin_step_warn(step, e, "an emitter's system or element is not there: it emits nothing");
        return 0;
    }
    int64_t due = kin_emitter_due(p->emitters, e, &s, p->alive[e]);
    if (due <= 0) return 0;
    int64_t room = p->def.max_particles - (int64_t)(p->count - p->free_count), take = due < room ? due : room;
    if (take <= 0 || !kin_reserve(&p->allocator, (void**)&p->newborns, &p->newborn_capacity, (size_t)take, sizeof *p->newborns)) return due;
    if (kin_emitter_def_of(p->emitters, e)->clearance) {
        if (!find_crowd(p, step, &around)) return due; /* no memory: rather none than one too close */
        s.crowded = is_crowded;
        s.context = &around;
    }
    s.radius = largest_radius(p, kind, &s, e, take);
    int64_t count = kin_emitter_bear(p->emitters, e, &s, take, p->newborns), k = 0;
    for (; k < count && make_room(p); ++k) {
        kin_rng_key key = kin_emit_key(&s, e, p->newborns[k].number);
        kin_particle_birth b = birth_of(p, kind, &key, 0);
        b.x = p->newborns[k].x;
        b.v = p->newborns[k].v;
        b.time = step->time + step->h - p->newborns[k].age;
        b.source = (uint32_t)e + 1;
        kin_particles_bear(p, &b);
    }
    return due - take + count - k;
}

/* Springs and impulses of those that go, before their slots are used again. */
static void drop_ties(kin_particles* p, size_t count)
{
    bool any = false;
    for (size_t k = 0; k < count; ++k) {
        if (p->happenings[k].split >= 0) continue;
        p->flags[p->happenings[k].particle] |= KIN_PARTICLE_LEFT;
        any = true;
    }
    size_t springs = 0;
    for (size_t i = 0; any && i < p->spring_count; ++i) {
        if (!((p->flags[p->springs[i].a] | p->flags[p->springs[i].b]) & KIN_PARTICLE_LEFT)) p->springs[springs++] = p->springs[i];
    }
    if (any) p->spring_count = springs;
    if (any && p->meetings != NULL) kin_meetings_forget(p);
}

/* How often the mass of one that dies is shared out: at least once. */
static int own_splits(const kin_particles* p, const kin_happening* list, size_t count)
{
    const kin_particle_kind* kind = p->kinds[p->kind[list->particle]].def;
    int own = 0;
    for (size_t k = 0; k < count; ++k) own += list[k].split >= 0 && kind->splits.data[list[k].split].into == NULL;
    return own > 0 ? own : 1;
}

/* All that happens to one particle. Who dies makes room for its children. Returns the first happening of the next. */
static size_t befall(kin_particles* p, const kin_step* step, size_t first, size_t count, int64_t* refused)
{
    size_t end = first;
    uint32_t who = p->happenings[first].particle;
    parent from = parent_at(p, who);
    while (end < count && p->happenings[end].particle == who) ++end;
    from.lives = p->happenings[end - 1].split >= 0;
    if (!from.lives) {
        from.mass /= own_splits(p, &p->happenings[first], end - first);
        kin_particles_kill(p, who);
    }
    for (size_t k = first; k < end; ++k) {
        if (p->happenings[k].split >= 0) *refused += split(p, step, &from, (size_t)p->happenings[k].split);
    }
    return end;
}

/* Without memory to note it, what happens to the living waits for the next step. */
static int64_t live_on(kin_particles* p, kin_step* step)
{
    diary d = {0};
    int64_t refused = 0;
    for (size_t i = 0; i < p->count; ++i) age_one(p, step, i, &d);
    if (d.failed) {
        kin_step_warn(step, 0, "no memory for births and deaths: they wait");
        return 0;
    }
    drop_ties(p, d.count);
    for (size_t k = 0; k < d.count;) k = befall(p, step, k, d.count, &refused);
    p->leavers = false;
    return refused;
}

void kin_particles_transfer(void* self, kin_step* step)
{
    kin_particles* p = self;
    int64_t refused = live_on(p, step);
    for (size_t e = 0; e < p->def.emitters.count; ++e) refused += emit(p, step, e);
    kin_particles_deviate(p, step->seed, step->system, step->index + 1, step->time + step->h);
    if (refused == 0) return;
    char what[100];
    snprintf(what, sizeof what, "births refused: max_particles (%lld) are alive", (long long)p->def.max_particles);
    kin_step_note_cap(step, refused, what);
}
