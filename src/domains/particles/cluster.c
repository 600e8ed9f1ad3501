/* cluster.c - particles that collide at the same time, solved together (Coutinho 3.5.1, 3.5.2).
 *
 * Everything is assembled in the world frame. Per contact three rows, along n, t and k; an impulse P acts with + on a and - on b, so row i feels impulse j by
 * the sum over particles o they share of s_i s_j / m_o times the product of their directions. Normal: v_n' >= -e v_n, P_n >= 0, one of them with equality,
 * which for contacts that all push is the linear system of the book. Tangents: |P_t| <= mu_t P_n, and v_t' = 0 where that suffices (mu above the critical
 * coefficient: stick), else P_t = mu_t P_n against the slip: the four cases of slide and stick. Isotropic friction has its t along the slip. */
#include "base/sort.h"
#include "domains/particles/island.h"
#include "numerics/lcp_friction_lemke.h"
#include <string.h>

kin_vec3 kin_grain_velocity(const kin_island* s, const kin_grain_touch* c, const double* y)
{
    return kin_sub(kin_member_v(s, y, c->a), c->b == KIN_GRAIN_SOLID ? c->velocity : kin_member_v(s, y, c->b));
}

static bool isotropic(const kin_pair* pair)
{
    return pair->static_friction[0] == pair->static_friction[1] && pair->dynamic_friction[0] == pair->dynamic_friction[1];
}

void kin_grain_orient(kin_grain_touch* c, kin_vec3 along)
{
    kin_vec3 across = kin_add_scaled(along, -kin_dot(along, c->frame.n), c->frame.n);
    if (!isotropic(&c->pair) || kin_length2(across) < 1e-24) return;
    c->frame.t = kin_normalize_or(across, c->frame.t);
    c->frame.k = kin_cross(c->frame.n, c->frame.t);
}

double kin_grain_couple(const kin_island* s, const kin_grain_touch* p, kin_vec3 d, const kin_grain_touch* q, kin_vec3 e)
{
    double sum = 0;
    if (p->a == q->a) sum += s->give[p->a];
    if (p->a == q->b) sum -= s->give[p->a];
    if (p->b == q->a) sum -= s->give[p->b];
    if (p->b == q->b && p->b != KIN_GRAIN_SOLID) sum += s->give[p->b];
    return sum == 0 ? 0 : sum * kin_dot(d, e);
}

void kin_grain_push(const kin_island* s, const kin_grain_touch* c, kin_vec3 impulse, double* v)
{
    kin_member_add(v, s->count, c->a, s->give[c->a], impulse);
    if (c->b != KIN_GRAIN_SOLID) kin_member_add(v, s->count, c->b, -s->give[c->b], impulse);
}

static void add_to(kin_reaction* r, kin_vec3 point, kin_vec3 impulse)
{
    if (kin_length2(r->total.impulse) == 0 && kin_length2(r->total.angular) == 0) r->point = point;
    r->total.impulse = kin_add(r->total.impulse, impulse);
    r->total.angular = kin_add(r->total.angular, kin_cross(kin_sub(point, r->point), impulse));
}

void kin_grain_give(const kin_island* s, const kin_grain_touch* c, kin_vec3 impulse, bool hit)
{
    if (s->given == NULL || c->b != KIN_GRAIN_SOLID || !kin_solids_gives(s->step->solids, c->solid)) return;
    kin_grain_given* all = s->given + (size_t)KIN_PARTICLE_CONTACTS * s->members[c->a];
    for (int k = 0; k < KIN_PARTICLE_CONTACTS; ++k) {
        kin_grain_given* g = &all[k];
        if (g->hit.solid != UINT32_MAX && g->hit.solid != c->solid) continue;
        g->hit.solid = g->load.solid = c->solid;
        add_to(hit ? &g->hit : &g->load, c->point, kin_neg(impulse));
        return;
    }
}

/* ---- groups ---- */

static uint32_t root_of(uint32_t* parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static bool earlier_group(void* context, const void* a, const void* b)
{
    (void)context;
    return ((const kin_grain_touch*)a)->group < ((const kin_grain_touch*)b)->group;
}

/* What cannot be moved passes nothing on. */
bool kin_island_group(kin_island* s)
{
    uint32_t* parent = kin_arena_take(s->arena, (size_t)s->count * sizeof *parent);
    kin_grain_touch* room = kin_arena_take(s->arena, (size_t)s->touch_count * sizeof *room);
    if (parent == NULL || room == NULL) return false;
    for (int i = 0; i < s->count; ++i) parent[i] = (uint32_t)i;
    for (int i = 0; i < s->touch_count; ++i) {
        const kin_grain_touch* c = &s->touches[i];
        if (c->b == KIN_GRAIN_SOLID || s->give[c->a] == 0 || s->give[c->b] == 0) continue;
        uint32_t a = root_of(parent, c->a), b = root_of(parent, c->b);
        parent[a > b ? a : b] = a > b ? b : a;
    }
    for (int i = 0; i < s->touch_count; ++i) {
        kin_grain_touch* c = &s->touches[i];
        c->group = root_of(parent, s->give[c->a] > 0 ? c->a : c->b);
    }
    kin_sort(s->touches, room, (size_t)s->touch_count, sizeof *room, earlier_group, NULL);
    return true;
}

int kin_group_end(const kin_island* s, int first)
{
    int end = first;
    while (end < s->touch_count && s->touches[end].group == s->touches[first].group) ++end;
    return end;
}

/* ---- solving one ---- */

static kin_vec3 direction(const kin_grain_touch* c, int row) { return row == 0 ? c->frame.n : row == 1 ? c->frame.t : c->frame.k; }

static void fill_matrix(const kin_island* s, const kin_grain_touch* touches, int n, int rows, double* matrix)
{
    int size = rows * n;
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
            const kin_grain_touch *p = &touches[i / rows], *q = &touches[j / rows];
            matrix[i * size + j] = kin_grain_couple(s, p, direction(p, i % rows), q, direction(q, j % rows));
        }
    }
}

static bool smooth(const kin_grain_touch* touches, int n)
{
    for (int i = 0; i < n; ++i) {
        const kin_pair* pair = &touches[i].pair;
        for (int k = 0; k < 2; ++k) {
            if (pair->static_friction[k] > 0 || pair->dynamic_friction[k] > 0) return false;
        }
    }
    return true;
}

static bool solve_smooth(kin_island* s, int first, int n, const double* offset, double* force, double* accel)
{
    const kin_grain_touch* touches = s->touches + first;
    double *matrix = kin_arena_take(s->arena, (size_t)n * (size_t)n * sizeof *matrix), *room = kin_arena_take(s->arena, 3 * (size_t)n * sizeof *room);
    if (matrix == NULL || room == NULL) return false;
    double *b = room, *f = room + n, *a = room + 2 * n;
    fill_matrix(s, touches, n, 1, matrix);
    for (int i = 0; i < n; ++i) b[i] = offset[3 * i];
    kin_lcp_report report = kin_lcp_dantzig(&(kin_lcp){.size = n, .matrix = matrix, .offset = b}, f, a, NULL, s->arena);
    for (int i = 0; i < n; ++i) {
        force[3 * i] = f[i];
        accel[3 * i] = a[i];
        for (int row = 1; row < 3; ++row) { /* nothing holds along the surface: what happens there is the matrix's row times the normal forces */
            accel[3 * i + row] = offset[3 * i + row];
            for (int j = 0; j < n; ++j)
                accel[3 * i + row] += kin_grain_couple(s, &touches[i], direction(&touches[i], row), &touches[j], touches[j].frame.n) * f[j];
        }
    }
    return report.status != KIN_LCP_MEMORY;
}

kin_lcp_friction_contact kin_grain_friction(const kin_grain_touch* c, bool slides)
{
    kin_lcp_friction_contact out = {{0}, {0}, {0}, false};
    double along[2] = {kin_dot(c->heading, c->frame.t), kin_dot(c->heading, c->frame.k)};
    for (int k = 0; k < 2; ++k) {
        out.mu_static[k] = slides ? c->pair.static_friction[k] : c->pair.dynamic_friction[k];
        out.mu_dynamic[k] = c->pair.dynamic_friction[k] * kin_abs(along[k]);
        out.slip[k] = slides ? along[k] : 0;
    }
    return out;
}

/* Of the last evaluation, for a start. */
static void guess(const kin_grain_touch* touches, int n, double* force)
{
    for (int i = 0; i < n; ++i) memcpy(force + 3 * i, touches[i].force, sizeof touches[i].force);
}

bool kin_group_solve(kin_island* s, int first, int end, const double* offset, bool slides, double* force, double* accel)
{
    int n = end - first, size = 3 * n;
    const kin_grain_touch* touches = s->touches + first;
    memset(force, 0, (size_t)size * sizeof *force);
    if (n <= KIN_GROUP_EXACT && smooth(touches, n)) return solve_smooth(s, first, n, offset, force, accel);
    kin_lcp_friction_contact* contacts = kin_arena_take(s->arena, (size_t)n * sizeof *contacts);
    if (contacts == NULL) return false;
    for (int i = 0; i < n; ++i) contacts[i] = kin_grain_friction(&touches[i], slides);
    if (n > KIN_GROUP_EXACT) {
        if (slides) guess(touches, n, force);
        return kin_group_relax(s, first, end, offset, contacts, force, accel);
    }
    double* matrix = kin_arena_take(s->arena, (size_t)size * (size_t)size * sizeof *matrix);
    if (matrix == NULL) return false;
    fill_matrix(s, touches, n, 3, matrix);
    kin_lcp_friction lcp = {.contacts = n, .matrix = matrix, .offset = offset, .contact = contacts, .slip_threshold = 0.5};
    kin_lcp_report report = kin_lcp_friction_solve(&lcp, force, accel, NULL, s->arena);
    if (report.residual >= KIN_LCP_NOT_FINITE) memset(force, 0, (size_t)size * sizeof *force);
    return report.status != KIN_LCP_MEMORY;
}

/* ---- collisions ---- */

/* v_n' >= -e v_n. A held touch that parts slowly while others push it together may close as fast as it parted: less would be work done by the contact. */
static double restitution(const kin_island* s, const kin_grain_touch* c, double leave)
{
    if (leave > 0) return 1;
    return c->collides && !s->dead ? c->pair.restitution : 0;
}

static bool resolve(kin_island* s, int first, int end)
{
    int n = end - first;
    double* room = kin_arena_take(s->arena, 9 * (size_t)n * sizeof *room);
    kin_vec3* before = kin_arena_take(s->arena, (size_t)n * sizeof *before);
    if (room == NULL || before == NULL) return false;
    double *offset = room, *impulse = room + 3 * n, *after = room + 6 * n;
    for (int i = 0; i < n; ++i) {
        kin_grain_touch* c = &s->touches[first + i];
        before[i] = kin_grain_velocity(s, c, s->y);
        kin_grain_orient(c, before[i]);
        double leave = kin_dot(before[i], c->frame.n);
        offset[3 * i] = (1 + restitution(s, c, leave)) * leave;
        offset[3 * i + 1] = kin_dot(before[i], c->frame.t);
        offset[3 * i + 2] = kin_dot(before[i], c->frame.k);
    }
    if (!kin_group_solve(s, first, end, offset, false, impulse, after)) return false;
    for (int i = 0; i < n; ++i) {
        const kin_grain_touch* c = &s->touches[first + i];
        kin_vec3 p = kin_basis_to_world(c->frame, kin_v(impulse[3 * i], impulse[3 * i + 1], impulse[3 * i + 2]));
        kin_grain_push(s, c, p, s->y + 3 * s->count);
        kin_grain_give(s, c, p, true);
    }
    for (int i = 0; i < n; ++i) { /* J: P times the mean of the velocities before and after */
        const kin_grain_touch* c = &s->touches[first + i];
        kin_vec3 p = kin_basis_to_world(c->frame, kin_v(impulse[3 * i], impulse[3 * i + 1], impulse[3 * i + 2]));
        s->dissipated -= 0.5 * kin_dot(p, kin_add(before[i], kin_grain_velocity(s, c, s->y)));
    }
    return true;
}

static void note_hit(const kin_island* s, const kin_grain_touch* c)
{
    kin_particle_hit hit = {true, s->step->time + s->time, c->point, {s->step->system, c->b, {0, 0, 0}}};
    if (c->b == KIN_GRAIN_SOLID) {
        hit.other = kin_solids_owner(s->step->solids, c->solid, kin_v(0, 0, 0));
    } else {
        uint32_t a = s->members[c->a], b = s->members[c->b];
        hit.position = kin_add_scaled(kin_member_x(s, s->y, c->b), s->p->radius[b], c->frame.n);
        hit.other.element = a;
        s->hit[c->b] = hit;
        hit.other.element = b;
    }
    s->hit[c->a] = hit;
}

int kin_island_collide(kin_island* s)
{
    int hits = 0;
    for (int first = 0; first < s->touch_count;) {
        int end = kin_group_end(s, first), here = 0;
        for (int i = first; i < end; ++i) {
            here += s->touches[i].collides;
            if (s->touches[i].collides && s->touches[i].b == KIN_GRAIN_SOLID) s->struck[s->touches[i].a] = 1;
            if (s->touches[i].collides && s->hit != NULL) note_hit(s, &s->touches[i]);
        }
        if (here > 0 && !resolve(s, first, end)) s->failed = true;
        hits += here;
        first = end;
    }
    s->hits += (uint64_t)hits;
    return hits;
}
