/* island.c - who may meet whom within the interval, and what is made of it: exact contacts.
 *
 * An island is a set of particles whose paths come near each other, or that springs tie together. Each is advanced on its own (advance.c). A bounce may send a
 * member off its free path, to where another particle is: then the two islands are joined and done again from the start of the interval, until all that was
 * passed through keeps apart. So the result is that of going back with everything to every hit, while whoever met nobody keeps his free motion bit for bit (C3.2,
 * C1.4.3). Particles that hit only solids are followed too, for where they go, but left to the pass over solids. */
#include "domains/particles/island.h"
#include "base/sort.h"
#include "domains/particles/advance.h"
#include "math/aabb.h"
#include <string.h>

typedef struct shore {
    const kin_particles* p;
    const kin_step* step;
    kin_arena* arena;
    size_t count;
    kin_aabb* reach; /* of each particle over the interval */
    uint32_t* root;  /* islands: the lowest member */
    uint32_t* size;  /* by root: members when it was last advanced; 0: never */
    uint32_t* order; /* particles by island, ascending within */
    uint32_t* first; /* of each island in order; one more at the end */
    size_t islands;
    kin_vec3 *x, *v;         /* the end of the interval of those in islands */
    uint8_t* struck;         /* met a solid */
    kin_particle_hit* hit;   /* its last collision; NULL: they are not kept */
    kin_grain_given* given;  /* by particle, KIN_PARTICLE_CONTACTS each; NULL: no solid gives way */
    struct outcome* outcome; /* by island of the present round */
    struct outcome* kept;    /* by root */
} shore;

typedef struct outcome {
    double dissipated;
    uint64_t hits;
    bool met, resting, capped, failed;
    uint32_t lost; /* as in kin_island */
    double lost_speed;
} outcome;

static bool take_arrays(shore* s)
{
    size_t n = s->count;
    s->reach = kin_arena_take(s->arena, n * sizeof *s->reach);
    s->root = kin_arena_take(s->arena, n * sizeof *s->root);
    s->size = kin_arena_take(s->arena, n * sizeof *s->size);
    s->order = kin_arena_take(s->arena, n * sizeof *s->order);
    s->first = kin_arena_take(s->arena, (n + 1) * sizeof *s->first);
    s->x = kin_arena_take(s->arena, n * sizeof *s->x);
    s->v = kin_arena_take(s->arena, n * sizeof *s->v);
    s->kept = kin_arena_take(s->arena, n * sizeof *s->kept);
    s->struck = kin_arena_take(s->arena, n);
    if (s->p->columns & KIN_COLUMN_HIT) {
        s->hit = kin_arena_take(s->arena, n * sizeof *s->hit);
        if (s->hit == NULL) return false;
    }
    if (!s->reach || !s->root || !s->size || !s->order || !s->first || !s->x || !s->v || !s->kept || !s->struck) return false;
    if (kin_solids_any_gives(s->step->solids)) {
        s->given = kin_arena_take(s->arena, n * KIN_PARTICLE_CONTACTS * sizeof *s->given);
        if (s->given == NULL) return false;
    }
    memset(s->size, 0, n * sizeof *s->size);
    memset(s->kept, 0, n * sizeof *s->kept);
    return true;
}

static bool active(const shore* s, size_t i) { return s->p->mobility[i] != KIN_MOBILITY_INACTIVE; }
static bool dynamic(const shore* s, size_t i) { return s->p->mobility[i] == KIN_MOBILITY_DYNAMIC; }

static kin_flight free_flight(const shore* s, size_t i)
{
    const kin_particles* p = s->p;
    bool straight = p->straight || !dynamic(s, i);
    return (kin_flight){kin_get3(p->x, i), kin_get3(p->v, i), kin_get3(p->next_x, i), kin_get3(p->next_v, i), s->step->h, straight};
}

static void begin(shore* s)
{
    for (size_t i = 0; i < s->count; ++i) {
        kin_flight f = free_flight(s, i);
        s->reach[i] = kin_flight_reach(s->p, &f, s->p->radius[i]);
        s->root[i] = (uint32_t)i;
    }
}

/* ---- who meets whom ---- */

static uint32_t root_of(uint32_t* root, uint32_t i)
{
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
}

static void join(shore* s, uint32_t i, uint32_t j)
{
    uint32_t a = root_of(s->root, i), b = root_of(s->root, j);
    s->root[a > b ? a : b] = a > b ? b : a;
}

static bool may_meet(const shore* s, uint32_t i, uint32_t j)
{
    return (dynamic(s, i) || dynamic(s, j)) && kin_aabb_overlaps(s->reach[i], s->reach[j]) && kin_particles_pair_meets(s->p, i, j);
}

/* Doubles as unsigned numbers in the same order. */
static uint64_t rank_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* Boxes sorted along x: whatever begins before another ends may overlap it. */
static void join_near(shore* s, uint64_t* keys, uint64_t* spare_keys, uint32_t* spare)
{
    size_t n = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        if (!active(s, i)) continue;
        keys[n] = rank_of(s->reach[i].low.x);
        s->order[n++] = i;
    }
    kin_sort_keys(keys, s->order, spare_keys, spare, n);
    for (size_t a = 0; a < n; ++a) {
        uint32_t i = s->order[a];
        for (size_t b = a + 1; b < n && s->reach[s->order[b]].low.x <= s->reach[i].high.x; ++b) {
            if (may_meet(s, i, s->order[b])) join(s, i, s->order[b]);
        }
    }
}

static void join_tied(shore* s)
{
    for (size_t i = 0; i < s->p->spring_count; ++i) {
        if (active(s, s->p->springs[i].a) && active(s, s->p->springs[i].b)) join(s, s->p->springs[i].a, s->p->springs[i].b);
    }
}

/* A particle alone is an island when a solid may turn it. */
static bool is_alone(const shore* s, uint32_t i)
{
    kin_flight f = free_flight(s, i);
    if (!kin_particle_meets_solids(s->p, i)) return true;
    return !(s->p->flags[i] & KIN_PARTICLE_TOUCHING) && kin_flight_is_clear(&f, s->step, &(kin_particle){.radius = s->p->radius[i]});
}

/* Islands that are new or have grown, each a run of `order`. */
static bool list_islands(shore* s, uint32_t* members)
{
    memset(members, 0, s->count * sizeof *members);
    for (uint32_t i = 0; i < s->count; ++i) members[root_of(s->root, i)] += 1;
    uint32_t at = 0;
    s->islands = 0;
    for (uint32_t i = 0; i < s->count; ++i) { /* members becomes where each island's run begins, or UINT32_MAX */
        uint32_t size = members[i];
        bool fresh = s->root[i] == i && size != s->size[i] && active(s, i) && (size > 1 || !is_alone(s, i));
        if (s->root[i] == i) s->size[i] = size;
        members[i] = fresh ? at : UINT32_MAX;
        if (!fresh) continue;
        s->first[s->islands++] = at;
        at += size;
    }
    s->first[s->islands] = at;
    for (uint32_t i = 0; i < s->count; ++i) {
        uint32_t root = root_of(s->root, i);
        if (members[root] != UINT32_MAX) s->order[members[root]++] = i;
    }
    return s->islands > 0;
}

/* ---- advancing them ---- */

/* An island may be done again from the start: nothing was given yet. */
static void clear_given(const shore* s, uint32_t who)
{
    const kin_reaction none = {.solid = UINT32_MAX};
    for (int k = 0; s->given != NULL && k < KIN_PARTICLE_CONTACTS; ++k) s->given[KIN_PARTICLE_CONTACTS * who + (uint32_t)k] = (kin_grain_given){none, none};
}

static void advance_one(const shore* s, size_t k, kin_arena* arena)
{
    uint32_t first = s->first[k];
    int count = (int)(s->first[k + 1] - first);
    kin_arena_mark mark = kin_arena_begin(arena);
    kin_island island = {.p = s->p, .step = s->step, .members = s->order + first, .count = count, .arena = arena, .given = s->given};
    for (int i = 0; i < count; ++i) clear_given(s, island.members[i]);
    island.reached = kin_arena_take(arena, (size_t)count * sizeof *island.reached);
    island.struck = kin_arena_take(arena, (size_t)count);
    if (island.struck != NULL) memset(island.struck, 0, (size_t)count);
    if (s->hit != NULL) island.hit = kin_arena_take(arena, (size_t)count * sizeof *island.hit);
    if (island.hit != NULL) memset(island.hit, 0, (size_t)count * sizeof *island.hit);
    bool ok = island.reached != NULL && island.struck != NULL && (s->hit == NULL || island.hit != NULL) && kin_island_advance(&island);
    for (int i = 0; ok && i < count; ++i) {
        uint32_t who = island.members[i];
        s->x[who] = kin_member_x(&island, island.y, (uint32_t)i);
        s->v[who] = kin_member_v(&island, island.y, (uint32_t)i);
        s->reach[who] = kin_aabb_union(s->reach[who], island.reached[i]);
        s->struck[who] = island.struck[i];
        if (s->hit != NULL) s->hit[who] = island.hit[i];
    }
    bool tied = s->p->spring_count > 0 && count > 1;
    s->outcome[k] = (outcome){island.dissipated, island.hits,      island.met || tied, island.resting, island.events > s->p->def.max_events, !ok,
                              island.lost,       island.lost_speed};
    kin_arena_end(arena, mark);
}

static void advance_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    for (int64_t k = begin; k < end; ++k) advance_one(argument, (size_t)k, scratch);
}

static bool advance_all(shore* s)
{
    s->outcome = kin_arena_take(s->arena, s->islands * sizeof *s->outcome);
    if (s->outcome == NULL) return false;
    kin_parallel_for(s->step->jobs, (int64_t)s->islands, 1, advance_range, s);
    for (size_t k = 0; k < s->islands; ++k) {
        if (s->outcome[k].lost != 0) s->p->meetings->lost = s->outcome[k].lost, s->p->meetings->lost_speed = s->outcome[k].lost_speed;
        if (s->outcome[k].failed) return false;
        s->kept[s->order[s->first[k]]] = s->outcome[k]; /* the first member is the root */
    }
    return true;
}

/* Within the interval bodies stood as if nothing moved them. What gives way takes the share of a hit that two masses exchange; a weight it bears whole. */
static void give(shore* s, kin_particles* p, uint32_t i)
{
    const kin_solids* solids = s->step->solids;
    for (int k = 0; k < KIN_PARTICLE_CONTACTS; ++k) {
        const kin_grain_given* g = &s->given[KIN_PARTICLE_CONTACTS * i + (uint32_t)k];
        if (g->hit.solid == UINT32_MAX) return;
        kin_particle one = {.mass = p->mass[i], .inv_mass = 1 / p->mass[i], .gives = &p->reactions};
        kin_vec3 along = kin_normalize_or(g->hit.total.impulse, kin_axis(1));
        double share = kin_particle_share(s->step, &one, g->hit.solid, g->hit.point, along);
        s->v[i] = kin_add_scaled(s->v[i], (1 - share) * one.inv_mass, g->hit.total.impulse);
        kin_reactions_add_wrench(&p->reactions, solids, g->hit.solid, g->hit.point,
                                 (kin_wrench){kin_scale(g->hit.total.impulse, share), kin_scale(g->hit.total.angular, share)});
        kin_reactions_add_wrench(&p->reactions, solids, g->load.solid, g->load.point, g->load.total);
    }
}

static void write_back(shore* s, kin_particles* p)
{
    kin_meetings* m = p->meetings;
    for (uint32_t i = 0; i < s->count; ++i) {
        const outcome* o = &s->kept[root_of(s->root, i)];
        if (s->root[i] == i && o->met) {
            m->dissipated += o->dissipated;
            m->hits += o->hits;
            m->capped += o->capped;
        }
        if (!o->met || !dynamic(s, i)) continue;
        if (s->given != NULL) give(s, p, i);
        kin_put3(p->next_x, i, s->x[i]);
        kin_put3(p->next_v, i, s->v[i]);
        p->next_flags[i] = (uint8_t)(KIN_PARTICLE_FRESH | KIN_PARTICLE_TOUCHING | (s->struck[i] ? KIN_PARTICLE_HIT : 0));
        p->next_resting[i] = o->resting;
        if (s->hit != NULL && s->hit[i].any) kin_particles_note_hit(p, i, s->hit[i]);
        m->met[i] = 1;
    }
}

bool kin_particles_islands(kin_particles* p, const kin_step* step)
{
    shore s = {.p = p, .step = step, .arena = &p->meetings->arena, .count = p->count};
    size_t n = p->count;
    uint64_t *keys = kin_arena_take(s.arena, n * sizeof *keys), *spare_keys = kin_arena_take(s.arena, n * sizeof *keys);
    uint32_t* spare = kin_arena_take(s.arena, n * sizeof *spare);
    if (keys == NULL || spare_keys == NULL || spare == NULL || !take_arrays(&s)) return false;
    begin(&s);
    join_tied(&s);
    join_near(&s, keys, spare_keys, spare);
    while (list_islands(&s, spare)) { /* ends: every round but the last joins some */
        if (!advance_all(&s)) return false;
        join_near(&s, keys, spare_keys, spare);
    }
    write_back(&s, p);
    return true;
}
