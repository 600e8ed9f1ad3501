/* modes.c - who meets whom across two contact groups, what bears on it, and what each side is given. modes_solve.c finds the impulses. */
#include "couple/modes.h"
#include "base/alloc.h"
#include "collision/manifold/manifold.h"
#include "math/aabb.h"
#include "math/frame.h"

enum { MOST_BODIES = 256, MANIFOLDS = 8 }; /* bodies that are followed from those that meet; manifolds of a pair */
#define NEAR 1e-3                          /* m: what is nearer counts as touching whatever its speed */
#define RECOVER 0.2                        /* of an overlap, undone in an interval */
#define QUIET 0.01                         /* m/s: what comes no faster is not hit: its load stops it within the interval */
#define ANY 1e300                          /* N s: no bound */

void kin_modes_init(kin_modes* m, const kin_allocator* allocator)
{
    *m = (kin_modes){.row_count = 0};
    kin_arena_init(&m->arena, allocator);
}

void kin_modes_term(kin_modes* m)
{
    const kin_allocator* a = &m->arena.allocator;
    kin_free(a, m->rows, m->row_room * sizeof *m->rows);
    kin_free(a, m->items, m->item_room * sizeof *m->items);
    kin_free(a, m->touches, m->touch_room * sizeof *m->touches);
    kin_arena_term(&m->arena);
}

/* ---- nodes ---- */

static int group_of(const kin_modes* m, uint32_t node) { return node >= m->first[1]; }
static kin_bodies* bodies_of(const kin_modes* m, uint32_t node) { return &m->groups[group_of(m, node)]->bodies; }
static uint32_t body_of(const kin_modes* m, uint32_t node) { return node - m->first[group_of(m, node)]; }
static uint32_t world_node(const kin_modes* m) { return m->first[1] + m->groups[1]->bodies.count; }
static uint32_t node_of(const kin_modes* m, int group, uint32_t body) { return body == KIN_NO_BODY ? world_node(m) : m->first[group] + body; }
static const kin_body_skin* skin_of(const kin_modes* m, uint32_t node) { return &bodies_of(m, node)->skin[body_of(m, node)]; }
static const kin_body* the_body(const kin_modes* m, uint32_t node) { return &bodies_of(m, node)->body[body_of(m, node)]; }
static kin_transform form_pose(const kin_modes* m, uint32_t node) { return kin_bodies_form_pose(bodies_of(m, node), body_of(m, node)); }

/* How far a point of it may go beside the way of its centre, m. */
static double strays(const kin_bodies* b, uint32_t i, double h)
{
    const kin_body* body = &b->body[i];
    return NEAR + h * (kin_length(body->spin) * b->skin[i].reach + h * body->inv_mass * kin_length(b->force[i]));
}

static kin_mode_node make_node(const kin_bodies* b, uint32_t i, double h)
{
    const kin_body* body = &b->body[i];
    bool is_free = b->motion[i] == KIN_BODY_FREE, moves = is_free || b->motion[i] == KIN_BODY_KEYED;
    kin_mode_node n = {.box = kin_aabb_empty()};
    if (moves) n.velocity = body->velocity, n.spin = body->spin;
    if (is_free) n.inv_mass = body->inv_mass, n.inv_inertia = kin_body_inv_inertia(body);
    if (b->motion[i] == KIN_BODY_GONE || b->skin[i].form == NULL || b->skin[i].sensor) return n;
    if (!b->skin[i].form->bounded) {
        n.box = (kin_aabb){kin_v(-ANY, -ANY, -ANY), kin_v(ANY, ANY, ANY)};
        return n;
    }
    kin_aabb box = kin_form_box(b->skin[i].form, kin_bodies_form_pose(b, i));
    n.box = kin_aabb_grow(kin_aabb_sweep(box, kin_scale(n.velocity, h)), is_free ? strays(b, i, h) : NEAR);
    return n;
}

static bool make_nodes(kin_modes* m)
{
    uint32_t count = world_node(m) + 1;
    m->nodes = kin_arena_take(&m->arena, count * sizeof *m->nodes);
    m->reached = kin_arena_take(&m->arena, count * sizeof *m->reached);
    if (m->nodes == NULL || m->reached == NULL) return false;
    for (uint32_t i = 0; i + 1 < count; ++i) m->nodes[i] = make_node(bodies_of(m, i), body_of(m, i), m->h);
    m->nodes[count - 1] = (kin_mode_node){.box = kin_aabb_empty(), .done = true};
    return true;
}

static void reach(kin_modes* m, uint32_t node)
{
    if (m->nodes[node].reached || m->nodes[node].inv_mass == 0) return;
    m->nodes[node].reached = true;
    m->reached[m->reached_count++] = node;
}

/* ---- rows of contacts ---- */

static bool room_for(kin_modes* m, uint32_t rows, uint32_t items)
{
    const kin_allocator* a = &m->arena.allocator;
    return kin_reserve(a, (void**)&m->rows, &m->row_room, m->row_count + (size_t)rows, sizeof *m->rows)
           && kin_reserve(a, (void**)&m->items, &m->item_room, m->item_count + (size_t)items, sizeof *m->items)
           && kin_reserve(a, (void**)&m->touches, &m->touch_room, m->touch_count + (size_t)1, sizeof *m->touches);
}

static kin_mode_row row_along(const kin_modes* m, uint32_t a, uint32_t b, kin_vec3 point, kin_vec3 u)
{
    kin_vec3 arm_a = kin_sub(point, the_body(m, a)->position), arm_b = kin_sub(point, the_body(m, b)->position);
    return (kin_mode_row){
        .linear_a = u, .angular_a = kin_cross(arm_a, u), .linear_b = kin_neg(u), .angular_b = kin_cross(u, arm_b), .a = a, .b = b, .low = -ANY, .high = ANY};
}

static void add_row(kin_modes* m, kin_mode_row row)
{
    kin_modes_row_weigh(m, &row);
    m->rows[m->row_count++] = row;
}

/* recover: how fast an overlap is undone at most, m/s; 0: within a group, that is its solver's, which may hold bodies a little apart. Returns the speed of a
 * meeting that bounces, or 0. */
static double add_point(kin_modes* m, uint32_t a, uint32_t b, kin_vec3 normal, const kin_manifold_point* p, const kin_mode_law* law, double recover)
{
    kin_basis f = kin_basis_from_normal(normal);
    kin_mode_row n = row_along(m, a, b, p->point, f.n), t = row_along(m, a, b, p->point, f.t), k = row_along(m, a, b, p->point, f.k);
    double closing = -kin_modes_row_rate(m, &n), gap = kin_max(p->separation - (recover > 0 ? 0 : NEAR), 0);
    bool meets = closing > law->bounce_speed && closing * m->h >= gap;
    n.low = 0;
    n.target[0] = meets ? law->restitution * closing : -gap / m->h - QUIET;
    n.target[1] = p->separation > 0 ? -gap / m->h : kin_min(-RECOVER * p->separation / m->h, recover);
    t.target[0] = t.target[1] = -kin_dot(f.t, law->surface);
    k.target[0] = k.target[1] = -kin_dot(f.k, law->surface);
    m->items[m->item_count++] = (kin_mode_item){m->row_count, 3, law->stick, law->slip};
    add_row(m, n), add_row(m, t), add_row(m, k);
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

static int collide(const kin_modes* m, uint32_t a, uint32_t b, kin_arena* scratch, kin_manifold* out)
{
    const kin_mode_node *x = &m->nodes[a], *y = &m->nodes[b];
    double margin =
        m->h * kin_length(kin_sub(x->velocity, y->velocity)) + strays(bodies_of(m, a), body_of(m, a), m->h) + strays(bodies_of(m, b), body_of(m, b), m->h);
    return kin_collide(skin_of(m, a)->form, form_pose(m, a), skin_of(m, b)->form, form_pose(m, b), margin, NULL, scratch, out, MANIFOLDS);
}

static bool may_meet(const kin_modes* m, uint32_t a, uint32_t b)
{
    const kin_mode_node *x = &m->nodes[a], *y = &m->nodes[b];
    return (x->inv_mass > 0 || y->inv_mass > 0) && kin_aabb_overlaps(x->box, y->box) && kin_filter_meets(skin_of(m, a)->filter, skin_of(m, b)->filter);
}

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
    kin_mode_touch touch = {.a = a, .b = b, .first = m->row_count};
    if (!room_for(m, 12 * MANIFOLDS, 4 * MANIFOLDS)) return false;
    for (int i = 0; i < count; ++i) {
        kin_mode_law law = law_of(m, a, b);
        if (!is_allowed(m, a, b, &found[i], &law)) continue;
        if (m->row_count == touch.first) touch.place = found[i].points[0].point, touch.normal = found[i].normal;
        for (int k = 0; k < found[i].count; ++k) {
            double speed = add_point(m, a, b, found[i].normal, &found[i].points[k], &law, m->groups[0]->def.push_speed);
            touch.speed = kin_max(touch.speed, speed);
        }
    }
    touch.count = m->row_count - touch.first;
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

/* Colliders are in both groups: each meets its own copy. */
static bool meet_all_across(kin_modes* m, kin_arena* scratch)
{
    kin_aabb theirs = box_of_group(m, 1);
    for (uint32_t a = 0; a < m->first[1]; ++a) {
        if (skin_of(m, a)->owner.system == KIN_WORLD_SYSTEM || !kin_aabb_overlaps(m->nodes[a].box, theirs)) continue;
        for (uint32_t b = m->first[1]; b < world_node(m); ++b) {
            if (skin_of(m, b)->owner.system == KIN_WORLD_SYSTEM || !may_meet(m, a, b)) continue;
            if (!meet_across(m, a, b, scratch)) return false;
        }
    }
    return true;
}

/* ---- within a group ---- */

static bool are_joined(const kin_group* g, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < g->joint_count; ++i) {
        const kin_joint* j = &g->joints[i];
        if (!j->broken && !j->def.collide && ((j->a == a && j->b == b) || (j->a == b && j->b == a))) return true;
    }
    return false;
}

static bool meet_within(kin_modes* m, uint32_t a, uint32_t b, kin_arena* scratch)
{
    kin_manifold found[MANIFOLDS];
    if (!may_meet(m, a, b) || are_joined(m->groups[group_of(m, a)], body_of(m, a), body_of(m, b))) return true;
    int count = collide(m, a, b, scratch, found);
    kin_mode_law law = law_of(m, a, b);
    if (!room_for(m, 12 * MANIFOLDS, 4 * MANIFOLDS)) return false;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < found[i].count; ++k) add_point(m, a, b, found[i].normal, &found[i].points[k], &law, 0);
    }
    if (count > 0) reach(m, b);
    return true;
}

static void bound_joint_row(const kin_modes* m, const kin_joint_row* from, kin_mode_row* r)
{
    double most = from->most * m->h, rate = kin_modes_row_rate(m, r);
    r->slow = from->kind != KIN_ROW_HOLD && from->kind != KIN_ROW_LIMIT;
    if (from->kind == KIN_ROW_LIMIT) r->low = 0, r->target[0] = r->target[1] = -kin_max(from->error, 0) / m->h;
    if (from->kind == KIN_ROW_MOTOR || from->kind == KIN_ROW_FRICTION) r->low = -most, r->high = most, r->target[1] = from->target;
    if (from->kind == KIN_ROW_SPRING) {
        double pull = -m->h * (from->stiffness * from->error + from->damping * rate);
        r->low = r->high = kin_max(-most, kin_min(pull, most));
    }
}

static bool add_joint(kin_modes* m, int group, const kin_joint* j)
{
    static const kin_body none = {.orientation = {0, 0, 0, 1}};
    uint32_t a = node_of(m, group, j->a), b = node_of(m, group, j->b);
    if (m->nodes[a].done && m->nodes[b].done && (a != world_node(m) && b != world_node(m))) return true; /* it was here before */
    kin_joint_row rows[KIN_JOINT_ROWS];
    int count = kin_joint_rows(j, a == world_node(m) ? &none : the_body(m, a), b == world_node(m) ? &none : the_body(m, b), 0, rows);
    if (!room_for(m, KIN_JOINT_ROWS, KIN_JOINT_ROWS)) return false;
    for (int i = 0; i < count; ++i) {
        kin_mode_row r = {rows[i].linear_a, rows[i].angular_a, rows[i].linear_b, rows[i].angular_b, .a = a, .b = b, .low = -ANY, .high = ANY};
        bound_joint_row(m, &rows[i], &r);
        m->items[m->item_count++] = (kin_mode_item){m->row_count, 1, 0, 0};
        add_row(m, r);
    }
    reach(m, a), reach(m, b);
    return true;
}

/* All that bears on a body, but for what was written down from the other side. */
static bool follow(kin_modes* m, uint32_t node, kin_arena* scratch)
{
    int group = group_of(m, node);
    const kin_group* g = m->groups[group];
    uint32_t body = body_of(m, node);
    for (uint32_t i = 0; i < g->bodies.count; ++i) {
        if (i != body && !m->nodes[m->first[group] + i].done && !meet_within(m, node, m->first[group] + i, scratch)) return false;
    }
    for (uint32_t i = 0; i < g->joint_count; ++i) {
        const kin_joint* j = &g->joints[i];
        if (j->broken || (j->a != body && j->b != body)) continue;
        uint32_t other = node_of(m, group, j->a == body ? j->b : j->a);
        if ((other == world_node(m) || !m->nodes[other].done) && !add_joint(m, group, j)) return false;
    }
    m->nodes[node].done = true;
    return true;
}

/* ---- what each side is given ---- */

/* Of the present impulses, on a. */
static kin_wrench passed(const kin_modes* m, const kin_mode_touch* t)
{
    kin_wrench sum = {0};
    kin_vec3 arm = kin_sub(t->place, the_body(m, t->a)->position);
    for (uint32_t i = t->first; i < t->first + t->count; ++i) {
        sum.impulse = kin_add_scaled(sum.impulse, m->rows[i].impulse, m->rows[i].linear_a);
        sum.angular = kin_add_scaled(sum.angular, m->rows[i].impulse, m->rows[i].angular_a);
    }
    sum.angular = kin_sub(sum.angular, kin_cross(arm, sum.impulse));
    return sum;
}

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

static bool post_hits(kin_modes* m, kin_step* step)
{
    for (uint32_t i = 0; i < m->touch_count; ++i) {
        const kin_mode_touch* t = &m->touches[i];
        kin_wrench w = passed(m, t);
        if (kin_length2(w.impulse) == 0) continue;
        kin_anchor a = anchor_of(m, t->a, t->place), b = anchor_of(m, t->b, t->place);
        if (kin_ledger_post(step->ledger, (kin_entry_key){KIN_COUPLER_MODE_HITS, i}, KIN_ENTRY_HIT, a, b, t->place, w) != KIN_OK) return false;
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
        kin_wrench w = passed(m, t);
        if (kin_length2(w.impulse) == 0) continue;
        kin_anchor a = anchor_of(m, t->a, t->place), b = anchor_of(m, t->b, t->place);
        if (kin_ledger_note(step->ledger, (kin_entry_key){KIN_COUPLER_MODE_LOADS, i}, KIN_ENTRY_LOAD, a, b, t->place, w) != KIN_OK) return false;
        carry(m, t->a, t->place, w, 1);
        carry(m, t->b, t->place, w, -1);
    }
    return true;
}

static void feel_forces(kin_modes* m)
{
    for (uint32_t k = 0; k < m->reached_count; ++k) {
        kin_mode_node* n = &m->nodes[m->reached[k]];
        const kin_bodies* b = bodies_of(m, m->reached[k]);
        uint32_t i = body_of(m, m->reached[k]);
        n->velocity = kin_add_scaled(n->velocity, m->h * n->inv_mass, b->force[i]);
        n->spin = kin_add_scaled(n->spin, m->h, kin_sym3_apply(n->inv_inertia, b->torque[i]));
    }
}

bool kin_modes_exchange(kin_modes* m, kin_group* realtime, kin_group* exact, kin_step* step)
{
    kin_arena* scratch = &step->jobs->arenas[0];
    kin_arena_reset(&m->arena);
    m->groups[0] = realtime, m->groups[1] = exact;
    m->first[0] = 0, m->first[1] = realtime->bodies.count;
    m->reached_count = m->row_count = m->item_count = m->touch_count = m->push_count = 0;
    m->h = step->h;
    if (!make_nodes(m) || !meet_all_across(m, scratch)) return false;
    for (uint32_t i = 0; i < m->reached_count && i < MOST_BODIES; ++i) {
        if (!follow(m, m->reached[i], scratch)) return false;
    }
    if (m->touch_count == 0) return true;
    m->search = kin_arena_take(&m->arena, 2 * (size_t)m->row_count * sizeof *m->search);
    m->pushes = kin_arena_take(&m->arena, 2 * (size_t)m->touch_count * sizeof *m->pushes);
    if (m->search == NULL || m->pushes == NULL) return false;
    kin_modes_solve(m, 0);
    if (!post_hits(m, step)) return false;
    feel_forces(m);
    kin_modes_solve(m, 1);
    return give_loads(m, step);
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
