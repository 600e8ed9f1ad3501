/* query.c - the questions kin_solids answers: near, first hit, closest, ray. Pure: nothing is written but the answer.
 *
 * Each solid is asked in its own frame. Still or shifting solids: the path seen from there is straight, and the answer exact. Turning ones: it is curved.
 * In free space the clock is advanced by gap / bound, where no point can come nearer faster than bound = |v| + |w| r (H13, conservative advancement);
 * near the surface the path is cut into chords that leave the curve by less than half the tolerance, each swept exactly. Chords share their ends, so
 * nothing slips through, and the rules for starts and sides are those of straight paths. */
#include "collision/solids.h"
#include "math/aabb.h"

#define SHORTEST_CHORD (1.0 / 1024) /* of the interval: caps the work when the tolerance is out of reach */

static kin_vec3 to_local(const kin_solid* s, kin_vec3 v)
{
    return s->upright ? v : kin_v(kin_dot(s->axes.cx, v), kin_dot(s->axes.cy, v), kin_dot(s->axes.cz, v));
}

static kin_vec3 local_at(const kin_solids* all, uint32_t index, kin_vec3 x, double fraction)
{
    const kin_solid* s = &all->solids[index];
    if (!s->turns) return to_local(s, kin_sub(kin_sub(x, s->motion.start.position), kin_scale(s->motion.shift, fraction)));
    return kin_unapply(kin_solids_pose(all, index, fraction), x);
}

static bool sweep_local(const kin_solid* s, const kin_path* path, kin_touch* hit) { return s->form->ops->sweep(s->form, path, hit); }

/* The answer in world terms. */
kin_contact kin_solids_contact(const kin_solids* all, uint32_t index, double fraction, const kin_touch* touch)
{
    const kin_solid* s = &all->solids[index];
    kin_transform pose = kin_solids_pose(all, index, fraction);
    kin_contact c = {.distance = touch->distance, .fraction = fraction, .solid = index, .feature = touch->feature, .part = touch->part, .local = touch->point};
    c.material = kin_form_material(s->form, touch->part);
    if (c.material.index1 == 0) c.material = s->material;
    kin_vec3 arm = s->upright && !s->turns ? touch->point : kin_rotate(pose.orientation, touch->point);
    c.normal = s->upright && !s->turns ? touch->normal : kin_rotate(pose.orientation, touch->normal);
    c.point = kin_add(arm, pose.position);
    if (s->moves) c.velocity = kin_scale(kin_screw_velocity(&s->motion, arm), all->inv_interval);
    return c;
}

/* ---- first hit ---- */

typedef struct asked {
    kin_vec3 a, b;
    double radius, s0, s1, tolerance, scale;
} asked;

static kin_path make_path(const kin_solid* s, kin_vec3 a, kin_vec3 b, const asked* q)
{
    kin_path path = {.a = a, .d = kin_sub(b, a), .radius = q->radius};
    kin_path_slack(&path, kin_max(q->scale, kin_largest(kin_abs3(s->motion.start.position))), q->tolerance);
    return path;
}

/* As far as the clock may run from u before the sphere can touch: gap over the fastest approach. 0: near. */
static double free_run(const kin_solids* all, uint32_t index, const asked* q, double u, double speed)
{
    double fraction = q->s0 + u * (q->s1 - q->s0), left = (1 - u) * speed;
    kin_touch touch;
    kin_vec3 x = local_at(all, index, kin_lerp(q->a, q->b, u), fraction);
    const kin_form* form = all->solids[index].form;
    if (form->ops->closest(form, x, q->radius + left, &touch, 1) == 0) return 1;
    return (touch.distance - q->radius) / speed;
}

static bool sweep_turning(const kin_solids* all, uint32_t index, const asked* q, kin_touch* hit)
{
    const kin_solid* s = &all->solids[index];
    double part = q->s1 - q->s0;
    kin_vec3 v = kin_add_scaled(kin_sub(q->b, q->a), -part, s->motion.shift); /* of the centre, seen from the solid's position */
    kin_vec3 from = kin_sub(q->a, kin_add_scaled(s->motion.start.position, q->s0, s->motion.shift));
    double away = kin_max(kin_length(from), kin_length(kin_add(from, v))), w = s->motion.angle * part, speed = kin_length(v);
    double fastest = speed + w * kin_min(away, s->form->reach);
    double bend = w * w * away + 2 * w * speed; /* bounds the second derivative of the path as the solid sees it */
    double chord = kin_max(kin_sqrt(4 * q->tolerance / bend), SHORTEST_CHORD);
    for (double u = 0; u < 1;) {
        double run = free_run(all, index, q, u, fastest);
        if (run > chord) {
            u += run;
            continue;
        }
        double next = kin_min(u + chord, 1);
        kin_vec3 a = local_at(all, index, kin_lerp(q->a, q->b, u), q->s0 + u * part), b = local_at(all, index, kin_lerp(q->a, q->b, next), q->s0 + next * part);
        kin_path path = make_path(s, a, b, q);
        if (sweep_local(s, &path, hit)) {
            hit->t = u + hit->t * (next - u);
            return true;
        }
        u = next;
    }
    return false;
}

static bool sweep_solid(const kin_solids* all, uint32_t index, const asked* q, kin_touch* hit)
{
    const kin_solid* s = &all->solids[index];
    if (s->turns && q->s1 > q->s0) return sweep_turning(all, index, q, hit);
    kin_path path = make_path(s, local_at(all, index, q->a, q->s0), local_at(all, index, q->b, q->s1), q);
    return sweep_local(s, &path, hit);
}

static void try_solid(const kin_solids* all, uint32_t index, const asked* q, kin_touch* best, uint32_t* solid)
{
    kin_touch touch;
    if (!sweep_solid(all, index, q, &touch)) return;
    if (touch.t > best->t || (touch.t == best->t && index > *solid)) return;
    *best = touch;
    *solid = index;
}

/* Most paths are far from most planes, with both ends on one side: seen without making a path. */
static bool plane_is_clear(const kin_solid* s, const asked* q)
{
    if (s->turns || !s->upright) return false;
    double margin = q->radius + 1e-8 * (q->scale + kin_largest(kin_abs3(s->motion.start.position)));
    double at = kin_dot(s->form->normal, s->motion.start.position), by = kin_dot(s->form->normal, s->motion.shift);
    double a = kin_dot(s->form->normal, q->a) - at - by * q->s0, b = kin_dot(s->form->normal, q->b) - at - by * q->s1;
    return (a > margin && b > margin) || (a < -margin && b < -margin);
}

bool kin_solids_first_hit(const kin_solids* all, kin_vec3 a, kin_vec3 b, double radius, double s0, double s1, double tolerance, kin_contact* hit)
{
    asked q = {a, b, radius, s0, s1, tolerance, kin_max(radius, kin_max(kin_largest(kin_abs3(a)), kin_largest(kin_abs3(b))))};
    kin_touch best = {.t = 2};
    uint32_t solid = UINT32_MAX;
    for (uint32_t i = 0; i < all->plane_count; ++i) {
        if (!plane_is_clear(&all->solids[all->planes[i]], &q)) try_solid(all, all->planes[i], &q, &best, &solid);
    }
    kin_aabb box = kin_aabb_grow((kin_aabb){kin_min3(a, b), kin_max3(a, b)}, radius + kin_max(1e-9 * q.scale, 2 * tolerance));
    kin_bvh_walk walk;
    for (kin_bvh_overlap_begin(&walk, &all->tree, box); kin_bvh_overlap_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) try_solid(all, all->members[all->tree.items[i]], &q, &best, &solid);
    }
    if (solid == UINT32_MAX) {
        hit->solid = UINT32_MAX;
        return false;
    }
    *hit = kin_solids_contact(all, solid, s0 + best.t * (s1 - s0), &best);
    return true;
}

bool kin_solids_first_hit_of(const kin_solids* all, uint32_t index, kin_vec3 a, kin_vec3 b, double radius, double s0, double s1, double tolerance,
                             kin_contact* hit)
{
    asked q = {a, b, radius, s0, s1, tolerance, kin_max(radius, kin_max(kin_largest(kin_abs3(a)), kin_largest(kin_abs3(b))))};
    kin_touch touch;
    if (!sweep_solid(all, index, &q, &touch)) return false;
    *hit = kin_solids_contact(all, index, s0 + touch.t * (s1 - s0), &touch);
    return true;
}

/* ---- near ---- */

/* Is the box on one side of the plane for the whole interval? Distances are linear in time but for what a turn bends them. */
static bool plane_near(const kin_solid* s, kin_aabb box)
{
    kin_vec3 center = kin_aabb_center(box), half = kin_scale(kin_aabb_size(box), 0.5);
    double extent = kin_length(half), away = kin_length(kin_sub(center, s->motion.start.position)) + kin_length(s->motion.shift);
    double bend = s->turns ? (s->motion.angle * s->motion.angle * (away + extent) + 2 * s->motion.angle * kin_length(s->motion.shift)) / 8 : 0;
    kin_vec3 n0 = kin_rotate(s->motion.start.orientation, s->form->normal), n1 = kin_rotate(s->motion.end.orientation, s->form->normal);
    double margin0 = kin_dot(kin_abs3(n0), half) + bend + 1e-9 * (away + extent), margin1 = kin_dot(kin_abs3(n1), half) + bend + 1e-9 * (away + extent);
    double d0 = kin_dot(n0, kin_sub(center, s->motion.start.position)), d1 = kin_dot(n1, kin_sub(center, s->motion.end.position));
    return !((d0 > margin0 && d1 > margin1) || (d0 < -margin0 && d1 < -margin1));
}

bool kin_solids_near(const kin_solids* all, kin_aabb box)
{
    for (uint32_t i = 0; i < all->plane_count; ++i) {
        if (plane_near(&all->solids[all->planes[i]], box)) return true;
    }
    kin_bvh_walk walk;
    for (kin_bvh_overlap_begin(&walk, &all->tree, box); kin_bvh_overlap_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            if (kin_aabb_overlaps(box, all->boxes[all->tree.items[i]])) return true;
        }
    }
    return false;
}

/* Into a list that rises. */
static void list_one(uint32_t* numbers, uint32_t count, uint32_t most, uint32_t number)
{
    uint32_t at = count < most ? count : most;
    if (at == most && (most == 0 || numbers[most - 1] < number)) return;
    if (at == most) at -= 1;
    for (; at > 0 && numbers[at - 1] > number; --at) numbers[at] = numbers[at - 1];
    numbers[at] = number;
}

uint32_t kin_solids_list(const kin_solids* all, kin_aabb box, uint32_t* numbers, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->plane_count; ++i) {
        if (plane_near(&all->solids[all->planes[i]], box)) list_one(numbers, count++, most, all->planes[i]);
    }
    kin_bvh_walk walk;
    for (kin_bvh_overlap_begin(&walk, &all->tree, box); kin_bvh_overlap_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            uint32_t member = all->tree.items[i];
            if (kin_aabb_overlaps(box, all->boxes[member])) list_one(numbers, count++, most, all->members[member]);
        }
    }
    return count;
}

/* ---- closest ---- */

/* The nearest contacts so far, sorted. */
typedef struct gather {
    const kin_solids* all;
    kin_contact* contacts;
    int count, most;
    double radius, reach, fraction;
} gather;

static bool nearer(const kin_contact* a, const kin_contact* b)
{
    if (a->distance != b->distance) return a->distance < b->distance;
    return a->solid != b->solid ? a->solid < b->solid : a->feature < b->feature;
}

static void insert(gather* g, uint32_t solid, const kin_touch* touch)
{
    kin_contact c = kin_solids_contact(g->all, solid, g->fraction, touch);
    c.distance = touch->distance - g->radius;
    int at = g->count;
    while (at > 0 && nearer(&c, &g->contacts[at - 1])) at -= 1;
    if (at >= g->most || c.distance > g->reach) return;
    if (g->count < g->most) g->count += 1;
    for (int k = g->count - 1; k > at; --k) g->contacts[k] = g->contacts[k - 1];
    g->contacts[at] = c;
}

static void gather_solid(gather* g, uint32_t index, kin_vec3 center)
{
    const kin_solid* s = &g->all->solids[index];
    kin_vec3 x = local_at(g->all, index, center, g->fraction);
    double reach = g->radius + g->reach;
    kin_touch touches[KIN_TRIMESH_CONTACTS];
    int count = s->form->ops->closest(s->form, x, reach, touches, g->most < KIN_TRIMESH_CONTACTS ? g->most : KIN_TRIMESH_CONTACTS);
    for (int i = 0; i < count; ++i) insert(g, index, &touches[i]);
}

int kin_solids_closest(const kin_solids* all, kin_vec3 center, double radius, double reach, double fraction, kin_contact* contacts, int most)
{
    gather g = {all, contacts, 0, most, radius, reach, fraction};
    if (most <= 0) return 0;
    for (uint32_t i = 0; i < all->plane_count; ++i) gather_solid(&g, all->planes[i], center);
    kin_bvh_walk walk;
    double margin = kin_max(radius + reach, 0);
    for (kin_bvh_overlap_begin(&walk, &all->tree, kin_aabb_around(center, kin_v(margin, margin, margin))); kin_bvh_overlap_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) gather_solid(&g, all->members[all->tree.items[i]], center);
    }
    return g.count;
}

bool kin_solids_closest_of(const kin_solids* all, uint32_t index, kin_vec3 center, double radius, double reach, double fraction, kin_contact* contact)
{
    gather g = {all, contact, 0, 1, radius, reach, fraction};
    gather_solid(&g, index, center);
    return g.count > 0;
}

/* ---- ray ---- */

typedef struct ray_best {
    kin_touch touch;
    uint32_t solid;
} ray_best;

static void try_ray(const kin_solids* all, uint32_t index, kin_vec3 origin, kin_vec3 direction, double fraction, ray_best* best)
{
    kin_quat turn = kin_solids_pose(all, index, fraction).orientation;
    kin_touch touch;
    const kin_form* form = all->solids[index].form;
    if (!form->ops->ray(form, local_at(all, index, origin, fraction), kin_unrotate(turn, direction), best->touch.t, &touch)) return;
    if (touch.t == best->touch.t && index > best->solid) return;
    *best = (ray_best){touch, index};
}

bool kin_solids_ray(const kin_solids* all, kin_vec3 origin, kin_vec3 direction, double max_distance, double fraction, kin_contact* hit)
{
    ray_best best = {{.t = max_distance}, UINT32_MAX};
    for (uint32_t i = 0; i < all->plane_count; ++i) try_ray(all, all->planes[i], origin, direction, fraction, &best);
    kin_bvh_walk walk;
    for (kin_bvh_path_begin(&walk, &all->tree, origin, direction, 0, best.touch.t); kin_bvh_path_next(&walk); walk.limit = best.touch.t) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) try_ray(all, all->members[all->tree.items[i]], origin, direction, fraction, &best);
    }
    if (best.solid == UINT32_MAX) {
        hit->solid = UINT32_MAX;
        return false;
    }
    *hit = kin_solids_contact(all, best.solid, fraction, &best.touch);
    return true;
}
