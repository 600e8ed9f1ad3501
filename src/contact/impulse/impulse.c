/* impulse.c - collisions of bodies: the rows of a group, passes, and what is left of the energy.
 *
 * A pass solves a group with what approaches bouncing; a meeting that parts may close no faster than it parted (less would be work done by the contact), so
 * what the others push together approaches afterwards and the next pass takes it: (1, 0, 1/2) m/s of equal balls in a row ends as (0, 1/2, 1). The last pass
 * stops all that is left. No pass may gain energy: Newton's restitution with friction can (Kane), and then the impulses move from the plastic ones (which
 * always lose: P.v' <= 0) towards the full ones only as far as energy allows. */
#include "contact/impulse/impulse.h"
#include "contact/impulse/cluster.h"
#include <string.h>

#define MOST_PASSES 12
#define NOISE 1e-12    /* of the speed: no approach */
#define ROUNDING 1e-14 /* of the velocities that a rate is the difference of */

/* ---- a group's rows ---- */

typedef struct group {
    const kin_impulse_cluster* cluster;
    kin_hits hits;
    int *meetings, *joints; /* their numbers in the cluster */
    kin_vec3* tangents;
    double *total, *p, *after, *offset, *plain, *half; /* set.size each */
    double size;                                       /* m/s: of the largest sum in a rate */
    bool bouncing;                                     /* an e above 1 may gain energy */
} group;

static bool take_group(group* g, int contacts, int joints, kin_arena* scratch)
{
    size_t c = (size_t)contacts, n = 3 * c + (size_t)joints;
    kin_hits* h = &g->hits;
    h->scratch = scratch;
    h->before = kin_arena_take(scratch, 7 * n * sizeof(double));
    h->restitution = kin_arena_take(scratch, c * sizeof(double));
    h->friction = kin_arena_take(scratch, c * sizeof *h->friction);
    h->resting = kin_arena_take(scratch, c);
    g->tangents = kin_arena_take(scratch, c * sizeof *g->tangents);
    if (!kin_row_set_init(&h->set, contacts, joints, scratch) || !h->before || !h->restitution || !h->friction || !h->resting || !g->tangents) return false;
    g->total = h->before + n;
    g->p = h->before + 2 * n;
    g->after = h->before + 3 * n;
    g->offset = h->before + 4 * n;
    g->plain = h->before + 5 * n;
    g->half = h->before + 6 * n;
    memset(g->total, 0, n * sizeof *g->total);
    return true;
}

/* False: no room. */
static bool fill_rows(group* g)
{
    const kin_impulse_cluster* c = g->cluster;
    kin_row_set* set = &g->hits.set;
    for (int i = 0; i < set->contacts; ++i) {
        const kin_meeting* m = &c->meetings[g->meetings[i]];
        g->tangents[i] = kin_meeting_tangent(m, kin_meeting_velocity(m, c->bodies));
        for (int k = 0; k < 3; ++k) set->rows[3 * i + k] = kin_row_at_point(c->bodies, m->a, m->b, m->point, kin_row_direction(m->normal, g->tangents[i], k));
        g->hits.friction[i] = (kin_lcp_friction_contact){.mu_static = {m->friction[0], m->friction[1]}};
        g->hits.resting[i] = m->resting;
        g->hits.restitution[i] = m->restitution;
        g->bouncing = g->bouncing || m->restitution > 1;
    }
    for (int i = 0; i < set->joints; ++i) {
        const kin_joint_at* j = &c->joints[g->joints[i]];
        set->rows[3 * set->contacts + i] = kin_row_of_joint(c->bodies, j->a, j->b, &j->row);
        set->one_sided[i] = j->row.kind == KIN_ROW_LIMIT;
    }
    g->hits.enough = c->enough;
    set->most_work = c->most_work;
    g->hits.most_rounds = c->most_rounds > 0 ? c->most_rounds : 100 + 10 * set->contacts;
    return kin_row_set_couple(set, g->hits.scratch);
}

static void read_rates(group* g)
{
    kin_hits* h = &g->hits;
    const kin_impulse_cluster* c = g->cluster;
    h->speed = 0;
    for (int i = 0; i < h->set.size; ++i) {
        h->before[i] = kin_row_rate(&h->set.rows[i], c->bodies);
        if (i < 3 * h->set.contacts) {
            const kin_meeting* m = &c->meetings[g->meetings[i / 3]];
            h->before[i] += kin_dot(m->surface, kin_row_direction(m->normal, g->tangents[i / 3], i % 3));
        }
        if (h->set.dead[i]) continue;
        h->speed = kin_max(h->speed, kin_abs(h->before[i]));
        g->size = kin_max(g->size, kin_row_size(&h->set.rows[i], c->bodies));
    }
}

/* ---- a pass ---- */

/* e of a meeting in this pass. A resting one that others have thrown together since does not rest any more. */
static double bounce(const group* g, int contact, int pass)
{
    const kin_hits* h = &g->hits;
    if (h->before[3 * contact] > 0) return 1;
    return h->resting[contact] && pass == 0 ? 0 : h->restitution[contact];
}

static void set_offsets(group* g, int pass, bool plastic, double* offset)
{
    const kin_hits* h = &g->hits;
    memcpy(offset, h->before, (size_t)h->set.size * sizeof *offset);
    for (int i = 0; i < h->set.contacts && !plastic; ++i) offset[3 * i] *= 1 + bounce(g, i, pass);
}

/* J: P . (v + v') / 2. */
static double energy_of(const group* g, const double* p)
{
    const kin_row_set* set = &g->hits.set;
    double sum = 0;
    kin_row_set_multiply(set, g->hits.before, p, g->half);
    for (int i = 0; i < set->size; ++i) sum += set->dead[i] ? 0 : 0.5 * p[i] * (g->hits.before[i] + g->half[i]);
    return sum;
}

static double size_of(const group* g, const double* p)
{
    double sum = 0;
    for (int i = 0; i < g->hits.set.size; ++i) sum += kin_abs(p[i] * g->hits.before[i]);
    return sum;
}

static kin_hits_report solve(group* g, const double* offset, double* p)
{
    if (g->cluster->method == KIN_IMPULSE_SWEEPS) return kin_hits_sweeps(&g->hits, offset, p, g->after);
    return g->cluster->method == KIN_IMPULSE_LCP ? kin_hits_lcp(&g->hits, offset, p, g->after) : kin_hits_system(&g->hits, offset, p, g->after);
}

/* Returns the share of restitution that is left. */
static double guard(group* g, kin_hits_report* report)
{
    size_t n = (size_t)g->hits.set.size;
    double gain = energy_of(g, g->p);
    if (g->bouncing || !(gain > 1e-13 * size_of(g, g->p))) return 1;
    kin_arena_mark mark = kin_arena_begin(g->hits.scratch);
    double *plastic = kin_arena_take(g->hits.scratch, n * sizeof *plastic), share = 0;
    report->memory = !plastic;
    if (plastic) {
        set_offsets(g, 0, true, g->plain);
        kin_hits_report again = solve(g, g->plain, plastic);
        report->memory = again.memory;
        report->converged = report->converged && again.converged;
        report->rounds += again.rounds;
        for (size_t i = 0; i < n; ++i) g->p[i] -= plastic[i];
        double first = energy_of(g, plastic), curve = energy_of(g, g->p);
        for (size_t i = 0; i < n; ++i) curve -= g->hits.set.dead[i] ? 0 : g->p[i] * g->hits.before[i];
        share = first <= 0 ? kin_share_without_gain(first, gain, curve) : 0;
        for (size_t i = 0; i < n; ++i) g->p[i] = plastic[i] + share * g->p[i];
    }
    kin_arena_end(g->hits.scratch, mark);
    return share;
}

static void apply(group* g)
{
    const kin_row_set* set = &g->hits.set;
    for (int i = 0; i < set->size; ++i) {
        if (set->dead[i] || !kin_finite(g->p[i])) continue;
        kin_row_push(&set->rows[i], g->p[i], g->cluster->bodies);
        g->total[i] += g->p[i];
    }
}

static bool approaching(const group* g)
{
    const kin_row_set* set = &g->hits.set;
    double noise = kin_max(kin_max(NOISE * g->hits.speed, ROUNDING * g->size), g->hits.enough);
    for (int i = 0; i < set->size; ++i) {
        bool normal = i < 3 * set->contacts ? i % 3 == 0 : set->one_sided[i - 3 * set->contacts];
        bool held = i >= 3 * set->contacts && !normal;
        if (set->dead[i]) continue;
        if (normal && g->hits.before[i] < -noise) return true;
        if (held && kin_abs(g->hits.before[i]) > noise) return true;
    }
    return false;
}

/* Restitution gave way: what is wanted lies between the two. */
static void mix_offsets(group* g, double share)
{
    for (int i = 0; i < g->hits.set.contacts; ++i) {
        double u = g->hits.before[3 * i];
        g->offset[3 * i] = u + share * (g->offset[3 * i] - u);
    }
}

/* Restitution that nothing can satisfy (a limit forbids the bounce) gives way altogether. */
static kin_hits_report solve_yielding(group* g, bool plastic, double* share)
{
    kin_hits_report report = solve(g, g->offset, g->p);
    *share = plastic ? 0 : 1;
    if (report.memory || plastic) return report;
    if (report.converged) {
        *share = guard(g, &report);
        return report;
    }
    int rounds = report.rounds;
    set_offsets(g, 0, true, g->plain);
    report = solve(g, g->plain, g->p);
    report.rounds += rounds;
    *share = 0;
    return report;
}

static kin_hits_report one_pass(group* g, int pass, bool plastic, double* share, double* residual)
{
    set_offsets(g, pass, plastic, g->offset);
    kin_hits_report report = solve_yielding(g, plastic, share);
    if (report.memory) return report;
    if (!report.converged && !(energy_of(g, g->p) <= 0)) memset(g->p, 0, (size_t)g->hits.set.size * sizeof *g->p); /* no answer is better than a wrong one */
    mix_offsets(g, *share);
    apply(g);
    for (int i = 0; i < g->hits.set.size; ++i) g->after[i] = g->offset[i] - g->hits.before[i];
    read_rates(g);
    for (int i = 0; i < g->hits.set.size; ++i) g->after[i] += g->hits.before[i]; /* by the velocities there are, not by the matrix */
    *residual = kin_row_set_residual(&g->hits.set, g->hits.friction, 1, g->p, g->after, *share > 0 && *share < 1);
    return report;
}

/* ---- a group ---- */

static void tell(const group* g, kin_impulse* out, double* joint_out, double share)
{
    const kin_row_set* set = &g->hits.set;
    for (int i = 0; i < set->joints && joint_out; ++i) joint_out[g->joints[i]] = g->total[3 * set->contacts + i];
    for (int i = 0; i < set->contacts && out; ++i) {
        const double *p = g->total + 3 * i, *after = g->hits.before + 3 * i;
        kin_impulse* o = &out[g->meetings[i]];
        *o = (kin_impulse){.n = p[0], .t = p[1], .k = p[2], .tangent = g->tangents[i], .slip = KIN_SLIP_NONE};
        if (!(p[0] > 0)) continue;
        o->slip = kin_slip_of(after, 1e-9 * kin_max(g->hits.speed, kin_abs(after[1]) + kin_abs(after[2])));
        o->restitution = g->hits.resting[i] ? 0 : share * g->hits.restitution[i];
        double k[9], d[3];
        for (int r = 0; r < 3; ++r) { /* d: the change this meeting made; for mu^c the one that ends slip */
            d[r] = r == 0 ? 0 : -after[r];
            for (int s = 0; s < 3; ++s) {
                k[3 * r + s] = kin_row_set_entry(set, 3 * i + r, 3 * i + s);
                d[r] += k[3 * r + s] * p[s];
            }
        }
        for (int axis = 0; axis < 2; ++axis) {
            double critical = kin_abs(kin_local_critical(k, d, axis, p[2 - axis] / p[0]));
            o->critical[axis] = kin_finite(critical) ? critical : 0;
        }
    }
}

static kin_hits_report by_passes(group* g, double* share, double* residual)
{
    kin_hits_report all = {.converged = true};
    int most = g->cluster->method == KIN_IMPULSE_SWEEPS ? 1 : MOST_PASSES; /* the last one is plastic */
    *share = 1;
    for (int pass = 0; pass < most && (pass == 0 || approaching(g)) && !all.memory; ++pass) {
        double part, miss = 0;
        kin_hits_report report = one_pass(g, pass, pass == most - 1, &part, &miss);
        *share = kin_min(*share, part);
        *residual = kin_lcp_worse(*residual, miss);
        all.rounds += report.rounds;
        all.converged = all.converged && report.converged;
        all.memory = report.memory;
    }
    return all;
}

/* Turns, and what is still slowly approaching then stops together. */
static kin_hits_report by_turns(group* g, double* residual)
{
    kin_hits_report report = kin_hits_turns(&g->hits, g->cluster->method == KIN_IMPULSE_MICRO ? kin_local_micro : kin_local_closed, g->p, g->after);
    if (report.memory) return report;
    apply(g);
    read_rates(g);
    if (!approaching(g)) return report;
    double share;
    kin_hits_report last = one_pass(g, 0, true, &share, residual);
    report.rounds += last.rounds;
    report.memory = last.memory;
    report.converged = last.converged;
    return report;
}

static kin_hits_report settle(group* g, double* share, double* residual)
{
    bool turns = g->cluster->method == KIN_IMPULSE_MICRO || g->cluster->method == KIN_IMPULSE_SEQUENTIAL;
    return turns ? by_turns(g, residual) : by_passes(g, share, residual);
}

/* ---- rolling and spinning ---- */

static bool resists(const group* g)
{
    for (int i = 0; i < g->hits.set.contacts; ++i) {
        const kin_meeting* m = &g->cluster->meetings[g->meetings[i]];
        if (m->rolling > 0 || m->spinning > 0) return true;
    }
    return false;
}

static kin_twist twist_of(const group* g, uint32_t i)
{
    return i == KIN_NO_BODY ? (kin_twist){0} : (kin_twist){g->cluster->bodies[i].velocity, g->cluster->bodies[i].spin};
}

static void put_twist(const group* g, uint32_t i, kin_twist t)
{
    if (i != KIN_NO_BODY) g->cluster->bodies[i].velocity = t.velocity, g->cluster->bodies[i].spin = t.spin;
}

static kin_vec3 turning(const group* g, const kin_meeting* m) { return kin_sub(twist_of(g, m->a).spin, twist_of(g, m->b).spin); }

/* Couples of a meeting on a, N m s: against rolling, and against spinning. */
typedef struct resistance {
    kin_vec3 before; /* rad/s: turning of a against b */
    kin_vec3 couple[2];
    double give[2];  /* rad/s by a couple of one: of the bodies alone at first, then as it turned out with all that holds them */
    double rest[2];  /* rad/s: left of the turning, the last time */
    double moved[2]; /* N m s: by how much the couple was changed then */
} resistance;

static void split_turn(kin_vec3 turn, kin_vec3 normal, kin_vec3 out[2])
{
    out[1] = kin_scale(normal, kin_dot(turn, normal));
    out[0] = kin_sub(turn, out[1]);
}

static double give_along(const group* g, const kin_meeting* m, kin_vec3 along)
{
    double give = 0;
    if (m->a != KIN_NO_BODY) give += kin_dot(along, kin_body_inv_inertia_times(&g->cluster->bodies[m->a], along));
    if (m->b != KIN_NO_BODY) give += kin_dot(along, kin_body_inv_inertia_times(&g->cluster->bodies[m->b], along));
    return give;
}

/* The couple goes on until nothing is left of the turning, or it is all that the load allows: along the mean of the turning before and after, so that it takes
 * energy. Returns how much it still changes the turning, rad/s. */
static double adjust(const group* g, int contact, resistance* r)
{
    const kin_meeting* m = &g->cluster->meetings[g->meetings[contact]];
    const double limit[2] = {m->rolling * kin_max(g->total[3 * contact], 0), m->spinning * kin_max(g->total[3 * contact], 0)};
    kin_vec3 now[2], mean[2];
    double most = 0;
    split_turn(turning(g, m), m->normal, now);
    split_turn(kin_lerp(r->before, turning(g, m), 0.5), m->normal, mean);
    for (int k = 0; k < 2; ++k) {
        kin_vec3 along = kin_normalize_or(mean[k], kin_v(0, 0, 0)), old = r->couple[k];
        double rest = kin_dot(now[k], along), seen = r->moved[k] > 0 ? (r->rest[k] - rest) / r->moved[k] : 0;
        r->give[k] = seen > 0 ? seen : r->give[k] > 0 ? r->give[k] : give_along(g, m, along);
        if (!(r->give[k] > 0)) continue;
        kin_vec3 wanted = kin_add_scaled(old, -rest / r->give[k], along);
        double size = kin_length(wanted);
        if (size > limit[k]) wanted = kin_scale(wanted, limit[k] / size);
        if (kin_dot(wanted, along) > 0) wanted = kin_v(0, 0, 0); /* it would drive */
        r->couple[k] = wanted;
        r->rest[k] = rest;
        r->moved[k] = kin_length(kin_sub(wanted, old));
        most = kin_max(most, r->moved[k] * r->give[k]);
    }
    return most;
}

static void twist_bodies(const group* g, int contact, const resistance* r)
{
    const kin_meeting* m = &g->cluster->meetings[g->meetings[contact]];
    kin_body* bodies = g->cluster->bodies;
    kin_vec3 couple = kin_add(r->couple[0], r->couple[1]);
    if (m->a != KIN_NO_BODY) bodies[m->a].spin = kin_add(bodies[m->a].spin, kin_body_inv_inertia_times(&bodies[m->a], couple));
    if (m->b != KIN_NO_BODY) bodies[m->b].spin = kin_sub(bodies[m->b].spin, kin_body_inv_inertia_times(&bodies[m->b], couple));
}

/* J: of the bodies that rows move. */
static double kinetic(const group* g)
{
    const kin_row_set* set = &g->hits.set;
    double sum = 0;
    uint32_t seen = 0; /* nodes are numbered by the first row that moves them */
    for (int i = 0; i < set->size; ++i) {
        const uint32_t body[2] = {set->rows[i].a, set->rows[i].b};
        for (int side = 0; side < 2; ++side) {
            if (set->rows[i].node[side] == seen) sum += kin_body_kinetic(&g->cluster->bodies[body[side]]), ++seen;
        }
    }
    return sum;
}

static void start_again(group* g, const kin_twist* before, const resistance* r)
{
    const kin_row_set* set = &g->hits.set;
    for (int i = 0; i < set->size; ++i) put_twist(g, set->rows[i].a, before[2 * i]), put_twist(g, set->rows[i].b, before[2 * i + 1]);
    for (int i = 0; i < set->contacts; ++i) twist_bodies(g, i, &r[i]);
    memset(g->total, 0, (size_t)set->size * sizeof *g->total);
    read_rates(g);
}

/* Without couples first; then from the start again with those of its loads, until they agree. Couples that make meetings faster which bounce may gain energy:
 * these give way by halves. */
static kin_hits_report settle_with_couples(group* g, double* share, double* residual)
{
    enum { ROUNDS = 12, HALVES = 8 };
    const kin_row_set* set = &g->hits.set;
    size_t n = (size_t)set->size, c = (size_t)set->contacts;
    kin_arena* scratch = g->hits.scratch;
    kin_arena_mark mark = kin_arena_begin(scratch);
    kin_twist* before = kin_arena_take(scratch, 2 * n * sizeof *before);
    resistance* r = kin_arena_take(scratch, c * sizeof *r);
    kin_hits_report report = {.memory = !before || !r};
    double energy = kinetic(g);
    for (size_t i = 0; !report.memory && i < n; ++i) before[2 * i] = twist_of(g, set->rows[i].a), before[2 * i + 1] = twist_of(g, set->rows[i].b);
    for (size_t i = 0; !report.memory && i < c; ++i) r[i] = (resistance){.before = kin_sub(before[6 * i].spin, before[6 * i + 1].spin)};
    for (int round = 0; round < ROUNDS + HALVES && !report.memory; ++round) {
        double most = 0, fast = 0;
        *residual = 0;
        report = settle(g, share, residual);
        bool gains = !g->bouncing && kinetic(g) > energy * (1 + 1e-12), last = round + 1 >= ROUNDS;
        for (size_t i = 0; i < c && !last; ++i) most = kin_max(most, adjust(g, (int)i, &r[i])), fast = kin_max(fast, kin_length(r[i].before));
        if (most > 1e-12 * fast) {
            start_again(g, before, r);
            continue;
        }
        if (!gains || round + 1 == ROUNDS + HALVES) break;
        for (size_t i = 0; i < 2 * c; ++i) r[i / 2].couple[i % 2] = kin_scale(r[i / 2].couple[i % 2], round + 2 == ROUNDS + HALVES ? 0 : 0.5);
        round = round < ROUNDS ? ROUNDS : round;
        start_again(g, before, r);
    }
    kin_arena_end(scratch, mark);
    return report;
}

static kin_impulse_report solve_group(group* g, kin_impulse* out, double* joint_out)
{
    kin_impulse_report report = {.converged = false};
    if (!fill_rows(g)) return report;
    read_rates(g);
    report.converged = true;
    if (!(g->hits.speed > ROUNDING * g->size) || !(g->hits.set.contacts > 0 || approaching(g))) {
        tell(g, out, joint_out, 1);
        return report;
    }
    double share = 1;
    kin_hits_report r = resists(g) ? settle_with_couples(g, &share, &report.residual) : settle(g, &share, &report.residual);
    tell(g, out, joint_out, share);
    report.rounds = r.rounds;
    report.converged = r.converged && !r.memory;
    report.work = *g->hits.set.work + 10 * g->hits.set.size; /* rows made */
    return report;
}

/* ---- all of them ---- */

typedef struct parts {
    uint32_t* parent;
    uint32_t *meeting_root, *joint_root; /* one array */
    int *meetings, *joints;              /* of the group at hand */
} parts;

static bool take_parts(parts* p, const kin_impulse_cluster* c, kin_arena* scratch)
{
    size_t m = (size_t)c->count, j = (size_t)c->joint_count;
    p->parent = kin_meetings_join(c->bodies, c->body_count, c->meetings, c->count, c->joints, c->joint_count, scratch);
    p->meeting_root = kin_arena_take(scratch, (m + j) * sizeof *p->meeting_root);
    p->meetings = kin_arena_take(scratch, (m + j) * sizeof *p->meetings);
    if (!p->parent || !p->meeting_root || !p->meetings) return false;
    p->joint_root = p->meeting_root + m;
    p->joints = p->meetings + m;
    for (size_t i = 0; i < m; ++i) p->meeting_root[i] = kin_meeting_root(c->bodies, p->parent, c->meetings[i].a, c->meetings[i].b);
    for (size_t i = 0; i < j; ++i) p->joint_root[i] = kin_meeting_root(c->bodies, p->parent, c->joints[i].a, c->joints[i].b);
    return true;
}

static int gather(const uint32_t* roots, int count, uint32_t root, int* out)
{
    int found = 0;
    for (int i = 0; i < count; ++i) {
        if (roots[i] == root) out[found++] = i;
    }
    return found;
}

static void merge(kin_impulse_report* all, kin_impulse_report one)
{
    all->rounds += one.rounds;
    all->work += one.work;
    all->residual = kin_lcp_worse(all->residual, one.residual);
    all->converged = all->converged && one.converged;
}

/* The first of its group, meetings before joints. */
static bool leads(const parts* p, int i)
{
    if (p->meeting_root[i] == KIN_NO_BODY) return false;
    for (int k = 0; k < i; ++k) {
        if (p->meeting_root[k] == p->meeting_root[i]) return false;
    }
    return true;
}

kin_impulse_report kin_impulses_apply(const kin_impulse_cluster* c, kin_impulse* out, double* joint_out, kin_arena* scratch)
{
    kin_impulse_report report = {.converged = true};
    kin_arena_mark mark = kin_arena_begin(scratch);
    parts p = {0};
    bool ready = take_parts(&p, c, scratch);
    report.converged = ready;
    for (int i = 0; i < c->joint_count && joint_out; ++i) joint_out[i] = 0;
    for (int i = 0; i < c->count && out; ++i) out[i] = (kin_impulse){.slip = KIN_SLIP_NONE};
    for (int i = 0; i < c->count + c->joint_count && ready; ++i) {
        if (!leads(&p, i)) continue;
        uint32_t root = p.meeting_root[i];
        kin_arena_mark inner = kin_arena_begin(scratch);
        group g = {.cluster = c, .meetings = p.meetings, .joints = p.joints};
        int contacts = gather(p.meeting_root, c->count, root, p.meetings), joints = gather(p.joint_root, c->joint_count, root, p.joints);
        merge(&report, take_group(&g, contacts, joints, scratch) ? solve_group(&g, out, joint_out) : (kin_impulse_report){.converged = false});
        kin_arena_end(scratch, inner);
    }
    kin_arena_end(scratch, mark);
    return report;
}
