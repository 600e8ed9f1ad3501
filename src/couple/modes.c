/* modes.c - who meets whom across two contact groups, what bears on it, and what each side is given. modes_solve.c finds the impulses. */
#include "couple/modes.h"
#include "base/alloc.h"
#include "collision/manifold/manifold.h"
#include "math/aabb.h"
#include "math/frame.h"

enum { MANIFOLDS = 8 }; /* of a pair */
#define NEAR 1e-3       /* m: what is nearer counts as touching whatever its speed */
#define RECOVER 0.2     /* of an overlap, undone in an interval */
#define QUIET 0.01      /* m/s: what comes no faster is not hit: its load stops it within the interval */
#define ANY 1e300       /* N s: no bound */

void kin_modes_init(kin_modes* m, const kin_allocator* allocator)
{
    *m = (kin_modes){.row_count = 0};
    kin_arena_init(&m->arena, allocator);
}

void kin_modes_term(kin_modes* m)
{
    const kin_allocator* a = &m->arena.allocator;
    kin_free(a, m->rows, m->row_room * sizeof *m->rows);
    kin_free(a, m->points, m->point_room * sizeof *m->points);
    kin_free(a, m->touches, m->touch_room * sizeof *m->touches);
    kin_arena_term(&m->arena);
}

/* ---- nodes ---- */

static int group_of(const kin_modes* m, uint32_t node) { return kin_modes_group(m, node); }
static kin_bodies* bodies_of(const kin_modes* m, uint32_t node) { return &m->groups[group_of(m, node)]->bodies; }
static uint32_t body_of(const kin_modes* m, uint32_t node) { return node - m->first[group_of(m, node)]; }
static uint32_t node_of(const kin_modes* m, int group, uint32_t body) { return body == KIN_NO_BODY ? kin_modes_world(m) : m->first[group] + body; }
static const kin_body_skin* skin_of(const kin_modes* m, uint32_t node) { return &bodies_of(m, node)->skin[body_of(m, node)]; }
static kin_transform form_pose(const kin_modes* m, uint32_t node) { return kin_bodies_form_pose(bodies_of(m, node), body_of(m, node)); }

/* How far a point of it may go beside the way of its centre, m. What is not free has its own way; a plane's reach is without end. */
static double strays(const kin_bodies* b, uint32_t i, double h)
{
    const kin_body* body = &b->body[i];
    if (b->motion[i] != KIN_BODY_FREE) return NEAR + h * kin_length(body->spin) * kin_min(b->skin[i].reach, 1e6);
    return NEAR + h * (kin_length(body->spin) * b->skin[i].reach + h * body->inv_mass * kin_length(b->force[i]));
}

/* As a solver of impulses sees it. */
static kin_body make_body(const kin_bodies* b, uint32_t i)
{
    kin_body body = b->body[i];
    bool is_free = b->motion[i] == KIN_BODY_FREE;
    if (!is_free) body.inv_mass = 0, body.inv_moments = kin_v(0, 0, 0);
    if (!is_free && b->motion[i] != KIN_BODY_KEYED) body.velocity = body.spin = kin_v(0, 0, 0);
    return body;
}

static kin_aabb box_of(const kin_bodies* b, uint32_t i, kin_vec3 velocity, double h)
{
    if (b->motion[i] == KIN_BODY_GONE || b->skin[i].form == NULL || b->skin[i].sensor) return kin_aabb_empty();
    if (!b->skin[i].form->bounded) return (kin_aabb){kin_v(-ANY, -ANY, -ANY), kin_v(ANY, ANY, ANY)};
    kin_aabb box = kin_form_box(b->skin[i].form, kin_bodies_form_pose(b, i));
    return kin_aabb_grow(kin_aabb_sweep(box, kin_scale(velocity, h)), strays(b, i, h));
}

static bool make_nodes(kin_modes* m)
{
    uint32_t count = kin_modes_world(m) + 1;
    m->bodies = kin_arena_take(&m->arena, count * sizeof *m->bodies);
    m->nodes = kin_arena_take(&m->arena, count * sizeof *m->nodes);
    m->reached = kin_arena_take(&m->arena, count * sizeof *m->reached);
    if (m->bodies == NULL || m->nodes == NULL || m->reached == NULL) return false;
    for (uint32_t i = 0; i + 1 < count; ++i) {
        m->bodies[i] = make_body(bodies_of(m, i), body_of(m, i));
        m->nodes[i] = (kin_mode_node){.box = box_of(bodies_of(m, i), body_of(m, i), m->bodies[i].velocity, m->h)};
    }
    m->bodies[count - 1] = kin_body_fixed();
    m->nodes[count - 1] = (kin_mode_node){.box = kin_aabb_empty(), .done = true};
    return true;
}

static void reach(kin_modes* m, uint32_t node)
{
    if (m->nodes[node].reached || m->bodies[node].inv_mass == 0) return;
    m->nodes[node].reached = true;
    m->reached[m->reached_count++] = node;
}

/* ---- rows of contacts ---- */

static bool room_for(kin_modes* m, uint32_t points, uint32_t rows)
{
    const kin_allocator* a = &m->arena.allocator;
    return kin_reserve(a, (void**)&m->points, &m->point_room, m->point_count + (size_t)points, sizeof *m->points)
           && kin_reserve(a, (void**)&m->rows, &m->row_room, m->row_count + (size_t)rows, sizeof *m->rows)
           && kin_reserve(a, (void**)&m->touches, &m->touch_room, m->touch_count + (size_t)1, sizeof *m->touches);
}

/* recover: how fast an overlap is undone at most, m/s; 0: within a group, that is its solver's, which may hold bodies a little apart. Returns the speed of a
 * meeting that bounces, or 0. */
static double add_point(kin_modes* m, uint32_t a, uint32_t b, kin_vec3 normal, const kin_manifold_point* found, const kin_mode_law* law, double recover)
{
    kin_basis f = kin_basis_from_normal(normal);
    kin_vec3 v = kin_sub(kin_body_velocity_at(&m->bodies[a], found->point), kin_body_velocity_at(&m->bodies[b], found->point));
    kin_vec3 slip = kin_add(v, law->surface), way = kin_add_scaled(slip, -kin_dot(slip, f.n), f.n);
    double closing = -kin_dot(v, f.n), gap = kin_max(found->separation - (recover > 0 ? 0 : NEAR), 0);
    bool meets = closing > law->bounce_speed && closing * m->h >= gap, slides = kin_length(way) > kin_max(m->groups[1]->def.slip_speed, 1e-12);
    kin_mode_point p = {.a = a, .b = b, .point = found->point, .normal = f.n, .tangent = slides ? kin_normalize_or(way, f.t) : f.t};
    p.friction = slides ? law->slip : law->stick;
    p.target[0][0] = meets ? law->restitution * closing : -gap / m->h - QUIET;
    p.target[1][0] = found->separation > 0 ? -gap / m->h : kin_min(-RECOVER * found->separation / m->h, recover);
    for (int stage = 0; stage < 2; ++stage) {
        p.target[stage][1] = -kin_dot(p.tangent, law->surface);
        p.target[stage][2] = -kin_dot(kin_cross(f.n, p.tangent), law->surface);
    }
    m->points[m->point_count++] = p;
    return meets ? closing : 0;
}

static kin_vec3 own_surface(const kin_modes* m, uint32_t node) { return kin_rotate(form_pose(m, node).orientation, skin_of(m, node)->surface_velocity); }

static kin_mode_law law_of(const kin_modes* m, uint32_t a, uint32_t b)
{
    const kin_group* g = m->groups[0];
    kin_pair pair = kin_materials_pair(g->materials, skin_of(m, a)->material, skin_of(m, b)->material);
    return (kin_mode_law){pair.static_friction[0], pair.dynamic_friction[0], pair.restitution,
                          kin_max(m->groups[group_of(m, a)]->def.bounce_speed, m->groups[group_of(m, b)]->def.bounce_speed),
                          kin_sub(own_surface(m, a), own_surface(m, b))};
}

/* Points nearer than they may get within the interval. */
static int collide(const kin_modes* m, uint32_t a, uint32_t b, kin_arena* scratch, kin_manifold* out)
{
    double margin = m->h * kin_length(kin_sub(m->bodies[a].velocity, m->bodies[b].velocity)) + strays(bodies_of(m, a), body_of(m, a), m->h)
                    + strays(bodies_of(m, b), body_of(m, b), m->h);
    int count = kin_collide(skin_of(m, a)->form, form_pose(m, a), skin_of(m, b)->form, form_pose(m, b), margin, NULL, scratch, out, MANIFOLDS), kept = 0;
    for (int i = 0; i < count; ++i) {
        int near = 0;
        for (int k = 0; k < out[i].count; ++k) {
            if (out[i].points[k].separation <= margin) out[i].points[near++] = out[i].points[k];
        }
        out[i].count = near;
        if (near > 0) out[kept++] = out[i];
    }
    return kept;
}

static bool may_meet(const kin_modes* m, uint32_t a, uint32_t b) { return kin_filter_meets(skin_of(m, a)->filter, skin_of(m, b)->filter); }

/* ---- across the groups ---- */

static kin_anchor anchor_of(const kin_modes* m, uint32_t node, kin_vec3 point)
{
    kin_anchor a = skin_of(m, node)->owner;
    a.local = kin_unapply(form_pose(m, node), point);
    return a;
}

/* True: what it meets comes from the side that is open. normal: from it to the other. */
static bool lets_through(const kin_modes* m, uint32_t node, kin_vec3 normal)
{
    kin_vec3 way = skin_of(m, node)->one_way;
    return kin_length2(way) > 0 && kin_dot(kin_rotate(form_pose(m, node).orientation, way), normal) <= 0;
}

/* The user's filter may change the law, or refuse. */
static bool is_allowed(const kin_modes* m, uint32_t a, uint32_t b, const kin_manifold* manifold, kin_mode_law* law)
{
    const kin_group* g = m->groups[0];
    kin_vec3 at = manifold->points[0].point;
    if (lets_through(m, a, kin_neg(manifold->normal)) || lets_through(m, b, manifold->normal)) return false;
    if (g->filter == NULL) return true;
    kin_touch_pair pair = {anchor_of(m, a, at), anchor_of(m, b, at), manifold, law->slip, law->restitution, law->surface};
    if (!g->filter(g->filter_context, &pair)) return false;
    if (pair.friction != law->slip) law->stick = law->slip = kin_max(pair.friction, 0);
    law->restitution = kin_max(pair.restitution, 0);
    law->surface = pair.surface_velocity;
    return true;
}

static bool meet_across(kin_modes* m, uint32_t a, uint32_t b, kin_arena* scratch)
{
    kin_manifold found[MANIFOLDS];
    int count = collide(m, a, b, scratch, found);
    kin_mode_touch touch = {.a = a, .b = b, .first = m->point_count};
    if (!room_for(m, KIN_MANIFOLD_POINTS * MANIFOLDS, 0)) return false;
    for (int i = 0; i < count; ++i) {
        kin_mode_law law = law_of(m, a, b);
        if (!is_allowed(m, a, b, &found[i], &law)) continue;
        if (m->point_count == touch.first) touch.place = found[i].points[0].point, touch.normal = found[i].normal;
        for (int k = 0; k < found[i].count; ++k) {
            double speed = add_point(m, a, b, found[i].normal, &found[i].points[k], &law, m->groups[0]->def.push_speed);
            touch.speed = kin_max(touch.speed, speed);
        }
    }
    touch.count = m->point_count - touch.first;
    if (touch.count == 0) return true;
    m->touches[m->touch_count++] = touch;
    reach(m, a), reach(m, b);
    return true;
}

static kin_aabb box_of_group(const kin_modes* m, int group)
{
    kin_aabb all = kin_aabb_empty();
    for (uint32_t i = 0; i < m->groups[group]->bodies.count; ++i) {
        uint32_t node = m->first[group] + i;
        if (skin_of(m, node)->owner.system != KIN_WORLD_SYSTEM) all = kin_aabb_union(all, m->nodes[node].box);
    }
    return all;
}

static bool meet_all_across(kin_modes* m, kin_arena* scratch)
{
    for (uint32_t a = 0; a < m->first[1]; ++a) {
        for (uint32_t k = m->near.begin[a]; k < m->near.begin[a + 1]; ++k) {
            uint32_t b = m->near.data[k];
            if (group_of(m, b) != 0 && may_meet(m, a, b) && !meet_across(m, a, b, scratch)) return false;
        }
    }
    return true;
}

/* ---- within a group ---- */

static bool are_joined(const kin_modes* m, uint32_t a, uint32_t b)
{
    int group = group_of(m, a);
    for (uint32_t k = m->joints.begin[a]; k < m->joints.begin[a + 1]; ++k) {
        const kin_joint* j = &m->groups[group]->joints[m->joints.data[k]];
        if (!j->def.collide && (node_of(m, group, j->a) == b || node_of(m, group, j->b) == b)) return true;
    }
    return false;
}

static bool meet_within(kin_modes* m, uint32_t a, uint32_t b, kin_arena* scratch)
{
    kin_manifold found[MANIFOLDS];
    if (!may_meet(m, a, b) || are_joined(m, a, b)) return true;
    int count = collide(m, a, b, scratch, found);
    kin_mode_law law = law_of(m, a, b);
    if (!room_for(m, KIN_MANIFOLD_POINTS * MANIFOLDS, 0)) return false;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < found[i].count; ++k) add_point(m, a, b, found[i].normal, &found[i].points[k], &law, 0);
    }
    if (count > 0) reach(m, b);
    return true;
}

static bool add_joint(kin_modes* m, int group, const kin_joint* j)
{
    uint32_t a = node_of(m, group, j->a), b = node_of(m, group, j->b);
    kin_joint_row rows[KIN_JOINT_ROWS];
    int count = kin_joint_rows(j, &m->bodies[a], &m->bodies[b], 0, rows);
    if (!room_for(m, 0, KIN_JOINT_ROWS)) return false;
    for (int i = 0; i < count; ++i) {
        bool driven = rows[i].kind == KIN_ROW_MOTOR || rows[i].kind == KIN_ROW_FRICTION;
        double target = driven ? rows[i].target : rows[i].kind == KIN_ROW_LIMIT ? -kin_max(rows[i].error, 0) / m->h : 0;
        m->rows[m->row_count++] = (kin_mode_row){.a = a, .b = b, .row = rows[i], .target = target};
    }
    reach(m, a), reach(m, b);
    return true;
}

/* All that bears on a body within its group, but for what was written down from the other side. */
static bool follow(kin_modes* m, uint32_t node, kin_arena* scratch)
{
    int group = group_of(m, node);
    for (uint32_t k = m->near.begin[node]; k < m->near.begin[node + 1]; ++k) {
        uint32_t other = m->near.data[k];
        if (group_of(m, other) == group && !m->nodes[other].done && !meet_within(m, node, other, scratch)) return false;
    }
    for (uint32_t k = m->joints.begin[node]; k < m->joints.begin[node + 1]; ++k) {
        const kin_joint* j = &m->groups[group]->joints[m->joints.data[k]];
        uint32_t a = node_of(m, group, j->a), other = a == node ? node_of(m, group, j->b) : a;
        if ((other == kin_modes_world(m) || !m->nodes[other].done) && !add_joint(m, group, j)) return false;
    }
    m->nodes[node].done = true;
    return true;
}

/* ---- what each side is given ---- */

static void tell_hit(const kin_modes* m, const kin_mode_touch* t, kin_wrench w)
{
    kin_touch_event event = {.kind = KIN_TOUCH_HIT,
                             .a = anchor_of(m, t->a, t->place),
                             .b = anchor_of(m, t->b, t->place),
                             .point = t->place,
                             .normal = t->normal,
                             .speed = t->speed,
                             .impulse = kin_dot(w.impulse, t->normal)};
    kin_group_event(m->groups[0], &event);
}

/* On the touch's a, at one point. */
static void tell_contact(const kin_modes* m, const kin_mode_touch* t, kin_wrench w)
{
    const bool flip = m->bodies[t->b].inv_mass > m->bodies[t->a].inv_mass;
    const double sign = flip ? -1 : 1, impulse = kin_dot(w.impulse, t->normal);
    kin_body_contact* c = kin_group_reports(m->groups[0]) ? kin_group_add_contact(m->groups[0]) : NULL;
    if (c == NULL) return;
    c->a = anchor_of(m, flip ? t->b : t->a, t->place), c->b = anchor_of(m, flip ? t->a : t->b, t->place);
    c->mass = m->bodies[flip ? t->b : t->a].mass;
    c->normal = kin_scale(t->normal, sign);
    c->center = t->place;
    c->impulse = impulse;
    c->friction = kin_scale(kin_add_scaled(w.impulse, -impulse, t->normal), sign);
    c->twist = kin_scale(w.angular, sign);
    c->points[c->count++] = (kin_contact_point){t->place, 0, impulse};
}

static bool post_hits(kin_modes* m, kin_step* step)
{
    for (uint32_t i = 0; i < m->touch_count; ++i) {
        const kin_mode_touch* t = &m->touches[i];
        kin_wrench w = kin_modes_passed(m, t);
        if (kin_length2(w.impulse) == 0) continue;
        kin_anchor a = anchor_of(m, t->a, t->place), b = anchor_of(m, t->b, t->place);
        if (kin_ledger_post(step->ledger, (kin_entry_key){KIN_COUPLER_MODE_HITS, i}, KIN_ENTRY_HIT, a, b, t->place, w) != KIN_OK) return false;
        tell_contact(m, t, w);
        if (t->speed > 0) tell_hit(m, t, w);
    }
    return true;
}

/* As a force over the interval, beside all others. */
static void carry(kin_modes* m, uint32_t node, kin_vec3 place, kin_wrench w, double sign)
{
    kin_bodies* b = bodies_of(m, node);
    uint32_t i = body_of(m, node);
    if (b->motion[i] != KIN_BODY_FREE) return;
    kin_vec3 force = kin_scale(w.impulse, sign / m->h);
    kin_vec3 torque = kin_add(kin_scale(w.angular, sign / m->h), kin_cross(kin_sub(place, b->body[i].position), force));
    kin_group* g = m->groups[group_of(m, node)];
    m->pushes[m->push_count++] = (kin_mode_push){node, b->push[i], b->twist[i]};
    b->push[i] = kin_add(b->push[i], force), b->twist[i] = kin_add(b->twist[i], torque);
    b->force[i] = kin_add(b->force[i], force), b->torque[i] = kin_add(b->torque[i], torque);
    if (!g->ops->is_awake(g->solver, i)) g->ops->touched(g->solver, i);
}

static bool give_loads(kin_modes* m, kin_step* step)
{
    for (uint32_t i = 0; i < m->touch_count; ++i) {
        const kin_mode_touch* t = &m->touches[i];
        kin_wrench w = kin_modes_passed(m, t);
        if (kin_length2(w.impulse) == 0) continue;
        kin_anchor a = anchor_of(m, t->a, t->place), b = anchor_of(m, t->b, t->place);
        if (kin_ledger_note(step->ledger, (kin_entry_key){KIN_COUPLER_MODE_LOADS, i}, KIN_ENTRY_LOAD, a, b, t->place, w) != KIN_OK) return false;
        tell_contact(m, t, w);
        carry(m, t->a, t->place, w, 1);
        carry(m, t->b, t->place, w, -1);
    }
    return true;
}

static void feel_forces(kin_modes* m)
{
    for (uint32_t k = 0; k < m->reached_count; ++k) {
        kin_body* body = &m->bodies[m->reached[k]];
        const kin_bodies* b = bodies_of(m, m->reached[k]);
        uint32_t i = body_of(m, m->reached[k]);
        body->velocity = kin_add_scaled(body->velocity, m->h * body->inv_mass, b->force[i]);
        body->spin = kin_add_scaled(body->spin, m->h, kin_body_inv_inertia_times(body, b->torque[i]));
    }
}

bool kin_modes_exchange(kin_modes* m, kin_group* realtime, kin_group* exact, kin_step* step)
{
    kin_arena* scratch = &step->jobs->arenas[0];
    kin_arena_reset(&m->arena);
    kin_arena_reserve(&m->arena, m->arena.peak); /* as much as an interval has ever taken; failing: the next take says so */
    m->groups[0] = realtime, m->groups[1] = exact;
    m->first[0] = 0, m->first[1] = realtime->bodies.count;
    m->reached_count = m->point_count = m->row_count = m->touch_count = m->push_count = 0;
    m->h = step->h;
    if (!make_nodes(m)) return false;
    if (!kin_aabb_overlaps(box_of_group(m, 0), box_of_group(m, 1))) return true;
    if (!kin_modes_find_near(m) || !meet_all_across(m, scratch)) return false;
    if (m->touch_count == 0) return true;
    for (uint32_t i = 0; i < m->reached_count; ++i) {
        if (!follow(m, m->reached[i], scratch)) return false;
    }
    m->pushes = kin_arena_take(&m->arena, 2 * (size_t)m->touch_count * sizeof *m->pushes);
    if (m->pushes == NULL || !kin_modes_solve(m, 0) || !post_hits(m, step)) return false;
    feel_forces(m);
    return kin_modes_solve(m, 1) && give_loads(m, step);
}

/* The latest first: a body may have been pushed more than once. In the last interval of a step nothing is left of anyone's. */
void kin_modes_end(kin_modes* m, const kin_step* step)
{
    for (; m->push_count > 0; --m->push_count) {
        const kin_mode_push* p = &m->pushes[m->push_count - 1];
        kin_bodies* b = bodies_of(m, p->node);
        if (step->interval + 1 < step->intervals) b->push[body_of(m, p->node)] = p->push, b->twist[body_of(m, p->node)] = p->twist;
    }
}
