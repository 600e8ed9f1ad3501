/* sweep.c - fast contacts for many grains: sequential impulses (projected Gauss-Seidel) over contacts in order of (i, j), once an interval.
 *
 * Grains that are near another one move by v' = v + h a + impulses, x' = x + h v' (semi-implicit, whatever the integrator: it is what keeps v_n = 0 and
 * x at rest agree). In order:
 *     find      pairs by the grid, solids by the service, with a margin: what could touch in this interval. A gap may be closed, not more: v_n >= -gap / h.
 *     wake      groups that touch and have all been still sleep: they are not moved.
 *     foretell  what hits will do to bodies, by sweeps over all contacts from the speeds at the start: a body takes its share of a hit, and bears a weight whole.
 *     sweep     from the impulses of the last interval; friction within the cone of the normal impulse.
 *     move      then push apart what still overlaps, weighted by mass: no velocity comes of it (P1, third rule).
 *     bounce    contacts that closed faster than rest_speed get -e times the speed they closed with, in further sweeps over all. Without friction the energy
 *               lost is sum P (v_n before + after) / 2 <= 0 for e <= 1: nothing is gained, and nothing lost at e = 1.
 * Detection runs in parallel and writes to slots; the sweeps are serial: same bits for any number of threads.
 * Ideas: Catto 2006 (accumulated impulses, warm starting, speculative contacts), Guendelman 2003 (bounce and contact apart). */
#include "base/alloc.h"
#include "domains/particles/meet.h"
#include <string.h>

#define SOLID 0x80000000u
#define MARGIN 0.05          /* of the radii: grains nearer than this are watched even when they do not close */
#define SLOP 0.001           /* of the radii: overlap that is left alone, so that contacts persist */
#define CORRECTION_ROUNDS 8  /* of pushing apart */
#define CORRECTION_SHARE 0.8 /* of the overlap, a round */
#define SLEEP_TIME 0.5       /* s of being still before a group sleeps */
#define PULL_CHANGE 0.01     /* relative change of the fields that wakes */

/* What the sweeps touch comes first. */
typedef struct contact {
    uint32_t i, j;     /* grains; j = SOLID + number */
    double inv_sum;    /* kg, 1 / (1/m_i + 1/m_j); 0: neither gives */
    double target;     /* m/s: v_n may not be less */
    double normal;     /* N s so far */
    kin_vec3 rub;      /* N s so far */
    kin_basis frame;   /* n towards i */
    double mu[2];      /* along t and k */
    kin_vec3 velocity; /* of the solid, with what hits do to it, m/s */
    kin_vec3 path;     /* m/s, of the solid: as it goes in this interval */
    kin_vec3 point;    /* on the solid, m */
    uint32_t feature;
    bool known; /* it pressed in the last interval, too */
    kin_pair pair;
    double gap;      /* m */
    double approach; /* m/s, at the time they touch; > 0 closes */
    kin_vec3 before; /* relative velocity at the start of the interval, m/s */
} contact;

typedef struct bath {
    kin_particles* p;
    kin_meetings* m;
    const kin_step* step;
    uint8_t* in; /* has a contact with another grain */
    uint8_t* asleep;
    uint8_t* struck; /* met a solid that it did not touch before */
    kin_vec3 *v, *x; /* end of the interval */
    double* give;    /* 1/kg; 0: it is not moved */
    uint32_t* group;
    kin_contact* solids; /* KIN_PARTICLE_CONTACTS each */
    uint8_t* solid_count;
    contact* contacts;
    size_t count;
    double largest; /* m, radius */
} bath;

static bool dynamic(const bath* b, size_t i) { return b->p->mobility[i] == KIN_MOBILITY_DYNAMIC; }
static double radius(const bath* b, size_t i) { return b->p->radius[i]; }
static kin_vec3 at_start(const bath* b, uint32_t i) { return b->p->mobility[i] == KIN_MOBILITY_STATIC ? kin_v(0, 0, 0) : kin_get3(b->p->v, i); }

static bool take_arrays(bath* b, size_t n)
{
    kin_arena* a = &b->m->arena;
    b->in = kin_arena_take(a, n);
    b->asleep = kin_arena_take(a, n);
    b->struck = kin_arena_take(a, n);
    b->v = kin_arena_take(a, n * sizeof *b->v);
    b->x = kin_arena_take(a, n * sizeof *b->x);
    b->give = kin_arena_take(a, n * sizeof *b->give);
    b->group = kin_arena_take(a, n * sizeof *b->group);
    b->solid_count = kin_arena_take(a, n);
    if (!b->in || !b->asleep || !b->struck || !b->v || !b->x || !b->give || !b->group || !b->solid_count) return false;
    memset(b->in, 0, n);
    memset(b->asleep, 0, n);
    memset(b->struck, 0, n);
    memset(b->solid_count, 0, n);
    return true;
}

/* Free motion: a sleeping grain is one that was still; its own speed is nothing. */
static void begin(bath* b)
{
    for (size_t i = 0; i < b->p->count; ++i) {
        b->x[i] = kin_get3(b->p->x, i);
        b->v[i] = b->p->mobility[i] == KIN_MOBILITY_STATIC ? kin_v(0, 0, 0) : kin_get3(b->p->next_v, i);
        b->give[i] = dynamic(b, i) ? 1 / b->p->mass[i] : 0;
        b->group[i] = (uint32_t)i;
        b->largest = kin_max(b->largest, radius(b, i));
    }
}

/* ---- find ---- */

/* Pairs faster than a diameter an interval may be missed: their reach would make everything a neighbour of everything. */
static double search_radius(const bath* b)
{
    double fastest = 0;
    for (size_t i = 0; i < b->p->count; ++i) {
        if (b->p->mobility[i] != KIN_MOBILITY_INACTIVE) fastest = kin_max(fastest, kin_length2(b->v[i]));
    }
    return 2 * b->largest * (1 + MARGIN) + kin_min(2 * b->step->h * kin_sqrt(fastest), 2 * b->largest);
}

static bool watched(const bath* b, uint32_t i, uint32_t j, kin_vec3* n, double* gap)
{
    if (b->p->mobility[i] == KIN_MOBILITY_INACTIVE || b->p->mobility[j] == KIN_MOBILITY_INACTIVE) return false;
    if (b->give[i] + b->give[j] == 0 || !kin_particles_pair_meets(b->p, i, j)) return false;
    kin_vec3 d = kin_sub(b->x[i], b->x[j]);
    double both = radius(b, i) + radius(b, j), distance = kin_length(d);
    *n = kin_normalize_or(d, kin_axis(1));
    *gap = distance - both;
    double closing = -kin_dot(kin_sub(b->v[i], b->v[j]), *n);
    return *gap <= 0.5 * MARGIN * both + b->step->h * kin_max(closing, 0);
}

static size_t mark_pairs(bath* b, const kin_neighbour_lists* lists)
{
    size_t count = 0;
    for (uint32_t i = 0; i < lists->count; ++i) {
        for (size_t k = lists->offsets[i]; k < lists->offsets[i + 1]; ++k) {
            kin_vec3 n;
            double gap;
            uint32_t j = lists->indices[k];
            if (j < i || !watched(b, i, j, &n, &gap)) continue;
            b->in[i] = b->in[j] = 1;
            ++count;
        }
    }
    return count;
}

/* By solid and feature, so that keys rise. */
static void sort_contacts(kin_contact* c, int count)
{
    for (int i = 1; i < count; ++i) {
        kin_contact one = c[i];
        int k = i;
        for (; k > 0 && (c[k - 1].solid > one.solid || (c[k - 1].solid == one.solid && c[k - 1].feature > one.feature)); --k) c[k] = c[k - 1];
        c[k] = one;
    }
}

static void find_solids(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    (void)scratch;
    bath* b = argument;
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        if (!b->in[i] || !kin_particle_meets_solids(b->p, i)) continue;
        kin_contact* c = b->solids + KIN_PARTICLE_CONTACTS * i;
        double reach = MARGIN * radius(b, i) + b->step->h * kin_length(b->v[i]);
        int count = kin_solids_closest(b->step->solids, b->x[i], radius(b, i), reach, 0, c, KIN_PARTICLE_CONTACTS);
        for (int k = 0; k < count; ++k) c[k].fraction = 0;
        sort_contacts(c, count);
        b->solid_count[i] = (uint8_t)count;
    }
}

static void add_pair(bath* b, uint32_t i, uint32_t j)
{
    kin_vec3 n;
    double gap;
    if (!watched(b, i, j, &n, &gap)) return;
    kin_pair pair = kin_particles_pair(b->p, i, j);
    b->contacts[b->count++] = (contact){.i = i, .j = j, .frame = kin_basis_from_normal(n), .gap = gap, .pair = pair};
}

static void add_solid(bath* b, uint32_t i, const kin_contact* s)
{
    kin_pair pair = kin_contact_pair(b->step, (kin_material_id){b->p->material[i]}, kin_particle_surface(b->p, i), s);
    contact c = {.i = i, .j = SOLID | s->solid, .feature = s->feature, .frame = kin_contact_frame(b->step, s), .gap = s->distance, .pair = pair};
    c.velocity = c.path = s->velocity;
    c.point = s->point;
    b->contacts[b->count++] = c;
}

static bool find(bath* b)
{
    kin_neighbour_lists lists;
    kin_particles* p = b->p;
    size_t n = p->count;
    if (kin_neighbours_update(b->m->near, b->step->jobs, kin_points_of_arrays(p->x[0], p->x[1], p->x[2]), (uint32_t)n, search_radius(b), NULL) != KIN_OK)
        return false;
    if (kin_neighbours_lists(b->m->near, b->step->jobs, &lists, NULL) != KIN_OK) return false;
    size_t pairs = mark_pairs(b, &lists), solids = 0;
    if (pairs == 0) return true;
    b->solids = kin_arena_take(&b->m->arena, n * KIN_PARTICLE_CONTACTS * sizeof *b->solids);
    if (b->solids == NULL) return false;
    kin_parallel_for(b->step->jobs, (int64_t)n, 64, find_solids, b);
    for (size_t i = 0; i < n; ++i) solids += b->solid_count[i];
    b->contacts = kin_arena_take(&b->m->arena, (pairs + solids) * sizeof *b->contacts);
    if (b->contacts == NULL) return false;
    for (uint32_t i = 0; i < n; ++i) {
        for (size_t k = lists.offsets[i]; b->in[i] && k < lists.offsets[i + 1]; ++k) {
            if (lists.indices[k] > i) add_pair(b, i, lists.indices[k]);
        }
        for (int k = 0; k < b->solid_count[i]; ++k) add_solid(b, i, &b->solids[KIN_PARTICLE_CONTACTS * i + (size_t)k]);
    }
    return true;
}

/* ---- sleep ---- */

static uint32_t root_of(uint32_t* group, uint32_t i)
{
    while (group[i] != i) i = group[i] = group[group[i]];
    return i;
}

static bool touches(const bath* b, const contact* c)
{
    double other = c->j & SOLID ? 0 : radius(b, c->j);
    return c->gap <= 4 * SLOP * (radius(b, c->i) + other);
}

/* What holds a grain, and which grains hang together. */
static void count_supports(bath* b)
{
    for (size_t k = 0; k < b->count; ++k) {
        const contact* c = &b->contacts[k];
        if (!touches(b, c)) continue;
        b->m->next_calm[c->i].supports += 1;
        if (c->j & SOLID) continue;
        b->m->next_calm[c->j].supports += 1;
        if (!dynamic(b, c->i) || !dynamic(b, c->j)) continue;
        uint32_t i = root_of(b->group, c->i), j = root_of(b->group, c->j);
        b->group[i > j ? i : j] = i > j ? j : i;
    }
}

/* Still long enough, and nothing about it has changed: what pulls, what touches, what was done to it by others. */
static bool may_sleep(const bath* b, size_t i)
{
    const kin_calm *old = &b->m->calm[i], *now = &b->m->next_calm[i];
    if (old->still < SLEEP_TIME || old->supports != now->supports || !(b->p->flags[i] & KIN_PARTICLE_CALM)) return false;
    if (kin_length(kin_get3(b->p->v, i)) > b->p->def.rest_speed) return false;
    return kin_distance(old->pull, now->pull) <= PULL_CHANGE * kin_length(old->pull);
}

/* Support that moves wakes; so does what is about to hit. */
static bool wakes(const bath* b, const contact* c)
{
    double rest = b->p->def.rest_speed;
    bool solid = (c->j & SOLID) != 0;
    if (touches(b, c)) return kin_length2(solid ? c->velocity : !dynamic(b, c->i) ? b->v[c->i] : !dynamic(b, c->j) ? b->v[c->j] : kin_v(0, 0, 0)) > 0;
    kin_vec3 start = kin_sub(at_start(b, c->i), solid ? c->velocity : at_start(b, c->j));
    double closing = -kin_dot(start, c->frame.n);
    return closing > rest && closing * b->step->h > c->gap;
}

/* A group sleeps as one: whether it does is kept at its lowest member. */
static void put_to_sleep(bath* b)
{
    size_t n = b->p->count;
    for (size_t i = 0; i < n; ++i) {
        b->m->next_calm[i].pull = kin_scale(kin_sub(kin_get3(b->p->next_v, i), kin_get3(b->p->v, i)), 1 / b->step->h);
        b->asleep[i] = 1;
    }
    for (size_t i = 0; i < n; ++i) {
        if (b->in[i] && dynamic(b, i) && !may_sleep(b, i)) b->asleep[root_of(b->group, (uint32_t)i)] = 0;
    }
    for (size_t k = 0; k < b->count; ++k) {
        const contact* c = &b->contacts[k];
        if (!wakes(b, c)) continue;
        b->asleep[root_of(b->group, c->i)] = 0;
        if (!(c->j & SOLID)) b->asleep[root_of(b->group, c->j)] = 0;
    }
    for (size_t i = n; i-- > 0;) b->asleep[i] = b->in[i] && dynamic(b, i) && b->asleep[root_of(b->group, (uint32_t)i)];
}

/* Sleeping grains hold others up as if they were fixed. */
static void hold_sleepers(bath* b)
{
    for (size_t i = 0; i < b->p->count; ++i) {
        if (!b->asleep[i]) continue;
        b->give[i] = 0;
        b->v[i] = kin_v(0, 0, 0);
    }
}

/* ---- sweep ---- */

static kin_vec3 relative(const bath* b, const contact* c) { return kin_sub(b->v[c->i], c->j & SOLID ? c->velocity : b->v[c->j]); }

/* The speed it closes with when it touches: at the fraction of the interval that closes the gap. What presses on a touching contact within the interval is no
 * speed to bounce with. */
static double approach_of(const bath* b, const contact* c)
{
    double v0 = kin_dot(c->before, c->frame.n), v1 = kin_dot(relative(b, c), c->frame.n);
    double share = v1 < 0 ? kin_clamp(kin_max(c->gap, 0) / (-v1 * b->step->h), 0, 1) : 1;
    return -(v0 + share * (v1 - v0));
}

/* A contact of two that do not give keeps its impulse for when they wake, and takes no part. */
static void prepare(bath* b)
{
    for (size_t k = 0; k < b->count; ++k) {
        contact* c = &b->contacts[k];
        double give = b->give[c->i] + (c->j & SOLID ? 0 : b->give[c->j]);
        c->inv_sum = give > 0 ? 1 / give : 0;
        c->before = kin_sub(at_start(b, c->i), c->j & SOLID ? c->velocity : at_start(b, c->j));
        c->approach = approach_of(b, c);
        c->target = -kin_max(c->gap, 0) / b->step->h;
        bool slow = kin_length(kin_add_scaled(c->before, -kin_dot(c->before, c->frame.n), c->frame.n)) <= b->p->def.rest_speed;
        for (int axis = 0; axis < 2; ++axis) c->mu[axis] = slow ? c->pair.static_friction[axis] : c->pair.dynamic_friction[axis];
    }
}

static void push(bath* b, const contact* c, kin_vec3 impulse)
{
    b->v[c->i] = kin_add_scaled(b->v[c->i], b->give[c->i], impulse);
    if (!(c->j & SOLID)) b->v[c->j] = kin_add_scaled(b->v[c->j], -b->give[c->j], impulse);
}

static uint64_t key_of(const contact* c) { return (uint64_t)c->i << 32 | c->j; }

/* Both lists are sorted by key and feature. */
static void warm_start(bath* b)
{
    const kin_meetings* m = b->m;
    double scale = m->kept_h > 0 ? b->step->h / m->kept_h : 0;
    size_t old = 0;
    for (size_t k = 0; k < b->count; ++k) {
        contact* c = &b->contacts[k];
        uint64_t key = key_of(c);
        while (old < m->kept_count && (m->kept[old].key < key || (m->kept[old].key == key && m->kept[old].feature < c->feature))) ++old;
        if (old == m->kept_count) return;
        const kin_kept* kept = &m->kept[old];
        if (kept->key != key || kept->feature != c->feature) continue;
        c->known = true;
        c->normal = scale * kept->normal;
        c->rub = kin_scale(kin_add_scaled(kept->rub, -kin_dot(kept->rub, c->frame.n), c->frame.n), scale);
        if (c->inv_sum > 0) push(b, c, kin_add_scaled(c->rub, c->normal, c->frame.n));
    }
}

/* Onto the ellipse of the directional cone: |(t / mu_t, k / mu_k)| <= normal impulse. rub is across n. */
static kin_vec3 within_cone(const contact* c, kin_vec3 rub)
{
    double limit[2] = {c->mu[0] * c->normal, c->mu[1] * c->normal};
    if (c->mu[0] == c->mu[1]) {
        double square = kin_length2(rub), most = limit[0] * limit[0];
        return square <= most ? rub : kin_scale(rub, limit[0] / kin_sqrt(square));
    }
    double t = limit[0] > 0 ? kin_dot(rub, c->frame.t) : 0, k = limit[1] > 0 ? kin_dot(rub, c->frame.k) : 0;
    double a = limit[0] > 0 ? t / limit[0] : 0, d = limit[1] > 0 ? k / limit[1] : 0, size = kin_sqrt(a * a + d * d);
    double shrink = size > 1 ? 1 / size : 1;
    return kin_add(kin_scale(c->frame.t, t * shrink), kin_scale(c->frame.k, k * shrink));
}

/* Friction and normal impulse of a contact are at right angles: neither sees the other, and one push does for both. */
static void sweep_once(bath* b)
{
    for (size_t k = 0; k < b->count; ++k) {
        contact* c = &b->contacts[k];
        if (c->inv_sum == 0) continue;
        kin_vec3 u = relative(b, c), n = c->frame.n;
        double leave = kin_dot(u, n), normal = kin_max(c->normal - c->inv_sum * (leave - c->target), 0);
        kin_vec3 rub = within_cone(c, kin_add_scaled(c->rub, -c->inv_sum, kin_add_scaled(u, -leave, n)));
        push(b, c, kin_add_scaled(kin_sub(rub, c->rub), normal - c->normal, n));
        c->rub = rub;
        c->normal = normal;
    }
}

/* ---- bodies ---- */

static bool gives(const bath* b, const contact* c) { return (c->j & SOLID) != 0 && kin_solids_gives(b->step->solids, c->j & ~SOLID); }

static kin_vec3 change_of(const bath* b, const contact* c, const kin_reactions* hits)
{
    return gives(b, c) ? kin_reactions_velocity(hits, b->step->solids, c->j & ~SOLID, c->point) : kin_v(0, 0, 0);
}

static void hit_once(bath* b, kin_reactions* hits)
{
    for (size_t k = 0; k < b->count; ++k) {
        contact* c = &b->contacts[k];
        if (c->inv_sum == 0) continue;
        kin_vec3 n = c->frame.n, u = kin_sub(relative(b, c), change_of(b, c, hits));
        double share = gives(b, c) ? kin_dot(kin_solids_respond(b->step->solids, c->j & ~SOLID, c->point, (kin_wrench){.impulse = n}, c->point), n) : 0;
        double closing = -kin_dot(c->before, n), target = closing > b->p->def.rest_speed ? c->pair.restitution * closing : c->target;
        double normal = kin_max(c->normal - (kin_dot(u, n) - target) / (1 / c->inv_sum + share), 0);
        push(b, c, kin_scale(n, normal - c->normal));
        if (gives(b, c)) kin_reactions_add(hits, b->step->solids, c->j & ~SOLID, c->point, kin_scale(n, c->normal - normal));
        c->normal = normal;
    }
}

static bool any_gives(const bath* b)
{
    bool any = false;
    for (size_t k = 0; k < b->count; ++k) any = any || gives(b, &b->contacts[k]);
    return any;
}

/* The sweeps proper then meet each body as it will go on. */
static bool foretell(bath* b)
{
    if (!any_gives(b)) return true;
    kin_vec3* v = kin_arena_take(&b->m->arena, b->p->count * sizeof *v);
    kin_reactions* hits = &b->m->foretold;
    if (v == NULL) return false;
    memcpy(v, b->v, b->p->count * sizeof *v);
    for (uint32_t i = 0; i < b->p->count; ++i) b->v[i] = b->give[i] > 0 ? at_start(b, i) : b->v[i];
    kin_reactions_clear(hits);
    for (int i = 0; i < b->p->def.sweeps; ++i) hit_once(b, hits);
    for (size_t k = 0; k < b->count; ++k) {
        contact* c = &b->contacts[k];
        c->velocity = kin_add(c->velocity, change_of(b, c, hits));
        c->normal = 0;
    }
    memcpy(b->v, v, b->p->count * sizeof *v);
    return !hits->failed;
}

static bool keep(bath* b)
{
    kin_meetings* m = b->m;
    if (!kin_reserve(&m->allocator, (void**)&m->next_kept, &m->next_kept_capacity, b->count, sizeof *m->next_kept)) return false;
    for (size_t k = 0; k < b->count; ++k) {
        const contact* c = &b->contacts[k];
        if (c->normal == 0) continue;
        if (c->j & SOLID && !c->known) b->struck[c->i] = 1;
        m->next_kept[m->next_kept_count++] = (kin_kept){key_of(c), c->feature, c->normal, c->rub};
    }
    return true;
}

/* ---- move ---- */

static double overlap_of(const bath* b, const contact* c, kin_vec3* n)
{
    *n = c->frame.n;
    if (c->j & SOLID) {
        kin_vec3 moved = kin_sub(kin_sub(b->x[c->i], kin_get3(b->p->x, c->i)), kin_scale(c->path, b->step->h));
        return -(c->gap + kin_dot(moved, *n)) - SLOP * radius(b, c->i);
    }
    kin_vec3 d = kin_sub(b->x[c->i], b->x[c->j]);
    double both = radius(b, c->i) + radius(b, c->j);
    *n = kin_normalize_or(d, *n);
    return both - kin_length(d) - SLOP * both;
}

static void push_apart(bath* b)
{
    for (int round = 0; round < CORRECTION_ROUNDS; ++round) {
        for (size_t k = 0; k < b->count; ++k) {
            kin_vec3 n;
            const contact* c = &b->contacts[k];
            double overlap = c->inv_sum > 0 ? overlap_of(b, c, &n) : 0;
            if (overlap <= 0) continue;
            double share = CORRECTION_SHARE * overlap * c->inv_sum;
            b->x[c->i] = kin_add_scaled(b->x[c->i], share * b->give[c->i], n);
            if (!(c->j & SOLID)) b->x[c->j] = kin_add_scaled(b->x[c->j], -share * b->give[c->j], n);
        }
    }
}

static void move(bath* b)
{
    for (size_t i = 0; i < b->p->count; ++i) {
        if (b->give[i] > 0) b->x[i] = kin_add_scaled(b->x[i], b->step->h, b->v[i]);
    }
    push_apart(b);
}

/* ---- bounce ---- */

/* The speed at which a contact has to part. One that parted before others pushed it together may close as fast as it parted: to stop it there and then would be
 * work done by the contact. It is met in the next interval. */
static double bounce_target(const bath* b, const contact* c, bool hit)
{
    double parting = kin_dot(c->before, c->frame.n);
    if (hit) return c->pair.restitution * c->approach;
    if (parting > b->p->def.rest_speed) return -parting;
    return c->normal == 0 ? c->target : 0;
}

/* Both of a pair, or the grain on a solid: where and when they touch by their speed at the start. */
static void note_hit(const bath* b, const contact* c)
{
    kin_particles* p = b->p;
    bool on_solid = (c->j & SOLID) != 0;
    double s = c->gap > 0 ? kin_min(c->gap / c->approach, b->step->h) : 0;
    kin_vec3 x = kin_add_scaled(kin_get3(p->x, c->i), s, at_start(b, c->i));
    kin_particle_hit hit = {true, b->step->time + s, kin_add_scaled(x, -radius(b, c->i), c->frame.n), {b->step->system, c->j, {0, 0, 0}}};
    if (on_solid) hit.other = kin_solids_owner(b->step->solids, c->j & ~SOLID, kin_v(0, 0, 0));
    kin_particles_note_hit(p, c->i, hit);
    hit.other.element = c->i;
    if (!on_solid) kin_particles_note_hit(p, c->j, hit);
}

static void bounce(bath* b)
{
    bool any = false;
    for (size_t k = 0; k < b->count; ++k) {
        contact* c = &b->contacts[k];
        if (c->inv_sum == 0) continue;
        bool hit = c->normal > 0 && c->approach > b->p->def.rest_speed;
        c->target = bounce_target(b, c, hit);
        b->m->hits += hit;
        if (hit && b->p->next_hit != NULL) note_hit(b, c);
        any = any || (c->normal > 0 && c->target != 0);
    }
    for (int i = 0; any && i < b->p->def.sweeps; ++i) sweep_once(b);
}

/* J: - sum P (u at the start + u at the end) / 2. What the fields add within the interval and contacts take at once is no loss. */
static double lost(const bath* b)
{
    double sum = 0;
    for (size_t k = 0; k < b->count; ++k) {
        const contact* c = &b->contacts[k];
        if (c->inv_sum == 0) continue;
        sum -= 0.5 * kin_dot(kin_add_scaled(c->rub, c->normal, c->frame.n), kin_add(c->before, relative(b, c)));
    }
    return sum;
}

/* What bodies are given; of those that sleep too: their impulses are those of the interval they fell asleep in. */
static void give(const bath* b)
{
    for (size_t k = 0; k < b->count; ++k) {
        const contact* c = &b->contacts[k];
        if ((c->j & SOLID) == 0 || c->normal == 0) continue;
        kin_reactions_add(&b->p->reactions, b->step->solids, c->j & ~SOLID, c->point, kin_neg(kin_add_scaled(c->rub, c->normal, c->frame.n)));
    }
}

/* What a solid thinner than its path let through is put back where it went in. */
static void stop_at_solids(const bath* b, size_t i)
{
    kin_contact hit;
    kin_vec3 from = kin_get3(b->p->x, i);
    if (kin_distance(from, b->x[i]) < 0.5 * radius(b, i) || !kin_particle_meets_solids(b->p, i)) return;
    if (!kin_solids_first_hit(b->step->solids, from, b->x[i], 0.5 * radius(b, i), 0, 1, 1e-6, &hit)) return;
    kin_particle one = {.v = b->v[i], .mass = b->p->mass[i], .inv_mass = 1 / b->p->mass[i], .radius = radius(b, i), .material = {b->p->material[i]}};
    one.surface = kin_particle_surface(b->p, i);
    one.gives = kin_solids_any_gives(b->step->solids) ? &b->p->reactions : NULL;
    if (kin_particle_bounce(b->p, b->step, &one, &hit, false)) kin_particles_note_hit(b->p, i, kin_hit_on_solid(b->step, &hit, hit.fraction * b->step->h));
    b->v[i] = one.v;
    b->x[i] = kin_add_scaled(hit.point, radius(b, i) + KIN_PARTICLE_SKIN, hit.normal);
    b->m->dissipated += one.dissipated;
    b->m->hits += one.hits;
    b->struck[i] = 1;
}

static void write_back(bath* b)
{
    kin_particles* p = b->p;
    for (size_t i = 0; i < p->count; ++i) {
        if (!b->in[i] || !dynamic(b, i)) continue;
        kin_calm* calm = &b->m->next_calm[i];
        if (!b->asleep[i]) stop_at_solids(b, i);
        bool still = calm->supports > 0 && kin_length(b->v[i]) <= p->def.rest_speed;
        calm->still = still ? b->m->calm[i].still + b->step->h : 0;
        kin_put3(p->next_x, i, b->x[i]);
        kin_put3(p->next_v, i, b->v[i]);
        p->next_flags[i] = (uint8_t)(KIN_PARTICLE_FRESH | KIN_PARTICLE_TOUCHING | (still ? KIN_PARTICLE_CALM : 0) | (b->struck[i] ? KIN_PARTICLE_HIT : 0));
        p->next_resting[i] = b->asleep[i];
        b->m->met[i] = 1;
    }
}

bool kin_particles_sweep(kin_particles* p, const kin_step* step)
{
    bath b = {.p = p, .m = p->meetings, .step = step};
    if (!take_arrays(&b, p->count)) return false;
    begin(&b);
    if (!find(&b)) return false;
    if (b.count == 0) return true;
    count_supports(&b);
    put_to_sleep(&b);
    hold_sleepers(&b);
    prepare(&b);
    if (!foretell(&b)) return false;
    warm_start(&b);
    for (int i = 0; i < p->def.sweeps; ++i) sweep_once(&b);
    if (!keep(&b)) return false;
    move(&b);
    bounce(&b);
    p->meetings->dissipated += lost(&b);
    give(&b);
    write_back(&b);
    return true;
}
