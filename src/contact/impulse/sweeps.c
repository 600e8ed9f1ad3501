/* sweeps.c - contacts with friction and joints by sweeps (Gauss and Seidel, projected), made faster by conjugate directions (Silcowitz, Niebe, Erleben 2010).
 *
 * A sweep goes row by row through the bodies' velocities, so its cost grows with the rows, not with their square. The change that a sweep makes is taken for a
 * gradient: directions of earlier sweeps are added as Fletcher and Reeves do, and forgotten where changes grow. The last thing done is always a plain sweep,
 * which leaves forces within their limits. */
#include "contact/impulse/rows.h"
#include <string.h>

#define STALLS 50 /* sweeps in which changes must have become smaller */

typedef enum bound { FREE, PUSHES, STICKS, SLIDES } bound; /* any force; >= 0; up to ratio times its normal; just that */

typedef struct sweeper {
    const kin_row_set* set;
    const double* offset;
    uint8_t* bounds; /* bound, a row; of those that nothing moves: not looked at */
    double* ratio;
    double* force;
    double* way;               /* direction so far, a number a row */
    double* before;            /* forces before the sweep */
    kin_twist *bodies, *drift; /* what the forces, and the direction, do to the bodies */
    kin_twist* start;          /* the bodies before the sweep */
    uint32_t body_count;
} sweeper;

static bool take(sweeper* s, kin_arena* scratch)
{
    size_t n = (size_t)s->set->size;
    s->body_count = s->set->nodes;
    s->bounds = kin_arena_take(scratch, n);
    s->way = kin_arena_take(scratch, 3 * n * sizeof *s->way);
    s->bodies = kin_arena_take(scratch, (3 * (size_t)s->body_count + 1) * sizeof *s->bodies);
    if (!s->bounds || !s->way || !s->bodies) return false;
    s->before = s->way + n;
    s->ratio = s->way + 2 * n;
    s->drift = s->bodies + s->body_count, s->start = s->drift + s->body_count;
    memset(s->way, 0, n * sizeof *s->way);
    memset(s->bodies, 0, 2 * (size_t)s->body_count * sizeof *s->bodies);
    return true;
}

static void set_bounds(sweeper* s, const kin_lcp_friction* friction)
{
    const kin_row_set* set = s->set;
    for (int c = 0; c < set->contacts; ++c) {
        bool slides = kin_lcp_slides(friction, c);
        s->bounds[3 * c] = PUSHES;
        for (int axis = 0; axis < 2; ++axis) {
            s->bounds[3 * c + 1 + axis] = slides ? SLIDES : STICKS;
            s->ratio[3 * c + 1 + axis] = slides ? kin_lcp_slide_ratio(friction, c, axis) : friction->contact[c].mu_static[axis];
        }
    }
    for (int i = 3 * set->contacts; i < set->size; ++i) s->bounds[i] = set->one_sided[i - 3 * set->contacts] ? PUSHES : FREE;
}

static inline double within_bounds(bound kind, double ratio, double normal, double x)
{
    switch (kind) {
    case PUSHES: return kin_max(x, 0);
    case STICKS: return kin_clamp(x, -(ratio * normal), ratio * normal);
    case SLIDES: return ratio * normal;
    default: return x;
    }
}

/* Returns the largest change, as an acceleration. */
static double sweep(sweeper* s)
{
    const kin_row_set* set = s->set;
    const double soft = set->soft;
    double most = 0, normal = 0;
    for (int i = 0; i < set->size; ++i) {
        const kin_row* r = &set->rows[i];
        const bound kind = (bound)s->bounds[i];
        const double was = s->force[i];
        if (kind == PUSHES) normal = was;
        if (set->dead[i]) continue;
        double d = set->diagonal[i], k = d * (1 + soft), left = s->offset[i] + kin_row_stirred(r, s->bodies) + soft * d * was;
        double wanted = within_bounds(kind, s->ratio[i], normal, was - left / k), change = wanted - was;
        if (kind == PUSHES) normal = wanted;
        if (change == 0) continue;
        kin_row_stir(r, change, s->bodies);
        s->force[i] = wanted;
        most = kin_lcp_worse(most, k * change);
    }
    return most;
}

/* Square of the change by the sweep, rows by their diagonals. */
static double change2(const sweeper* s)
{
    double sum = 0;
    for (int i = 0; i < s->set->size; ++i) {
        if (!s->set->dead[i]) sum += s->set->diagonal[i] * kin_square(s->force[i] - s->before[i]);
    }
    return sum;
}

static kin_twist blend(kin_twist to, kin_twist from, double beta, kin_twist way)
{
    return (kin_twist){kin_add_scaled(kin_sub(to.velocity, from.velocity), beta, way.velocity), kin_add_scaled(kin_sub(to.spin, from.spin), beta, way.spin)};
}

/* force += beta way; way = change of the sweep + beta way; and the same of the bodies. */
static void follow_way(sweeper* s, double beta)
{
    for (int i = 0; i < s->set->size; ++i) {
        double along = beta * s->way[i];
        s->way[i] = s->force[i] - s->before[i] + along;
        s->force[i] += along;
    }
    for (uint32_t k = 0; k < s->body_count; ++k) {
        kin_twist along = {kin_scale(s->drift[k].velocity, beta), kin_scale(s->drift[k].spin, beta)};
        s->drift[k] = blend(s->bodies[k], s->start[k], beta, s->drift[k]);
        s->bodies[k] = (kin_twist){kin_add(s->bodies[k].velocity, along.velocity), kin_add(s->bodies[k].spin, along.spin)};
    }
}

bool kin_row_set_sweeps(const kin_row_set* set, const double* offset, const kin_lcp_friction_contact* friction, double slip_threshold, int sweeps,
                        double tolerance, double* force, kin_arena* scratch)
{
    kin_arena_mark mark = kin_arena_begin(scratch);
    sweeper s = {.set = set, .offset = offset, .force = force};
    bool good = take(&s, scratch);
    if (good) set_bounds(&s, &(kin_lcp_friction){.contacts = set->contacts, .contact = friction, .slip_threshold = slip_threshold});
    for (int i = 0; i < set->size && good; ++i) {
        if (set->dead[i]) force[i] = 0;
        if (force[i] != 0) kin_row_stir(&set->rows[i], force[i], s.bodies);
    }
    double last = 0, checked = 1e308;
    for (int round = 0; round < sweeps && good; ++round) {
        memcpy(s.before, force, (size_t)set->size * sizeof *force);
        memcpy(s.start, s.bodies, s.body_count * sizeof *s.bodies);
        double most = sweep(&s);
        *set->work += 2 * set->size;
        if (most <= tolerance || round + 1 == sweeps || kin_row_set_is_spent(set)) break;
        if (round % STALLS == STALLS - 1) {
            if (most > 0.9 * checked) break; /* rows that contradict each other: forces would grow for ever */
            checked = most;
        }
        double now = change2(&s), beta = last > 0 && now <= last ? now / last : 0;
        follow_way(&s, beta);
        last = now;
    }
    kin_arena_end(scratch, mark);
    return good;
}
