/* hold.c - nobody is beyond a wall when a tick ends. Pressure keeps most particles off; thin sheets have none to speak of, and no pressure is right to the last
 * micrometre. So every path of the tick that comes near a wall is looked at: it may slide along, and ends KIN_SPH_OFF radii off at least.
 *
 *     planes   a path ends on the side it began on: that is all there is to know of an endless wall, however it moves and turns in the tick
 *     forms    swept from the place at the tick's start: thin plates and open surfaces are met at the time of the meeting, then slid along
 *     surfaces seen from themselves: from where they carry the place at the tick's start to, as they are at its end
 *     leaps    a closed form that jumps is not swept with: who finds himself inside is led out by the nearest way, at a bounded speed
 *
 * What goes into a wall is taken from the velocity, not given back: m c^2 / 2 is lost of a particle that closes by c, half of p c where an impulse p ends it. Chunks near bodies that give way come after the others, one after the other: a body and
 * all that hit it share their speed as masses do that stick, so a light one is not thrown ahead of the water that hits it. */
#include "domains/sph/boundary/drag.h"
#include "domains/sph/boundary/surface.h"
#include "base/alloc.h"
#include "math/aabb.h"
#include "math/quat.h"

#define ROUNDS 8                 /* of slides */
#define TOLERANCE 0.005          /* radii: of sweeps against what turns */
#define SHARE_ROUNDS 4           /* of finding out who sticks to a body */
#define CROWDED 0.02             /* compression at which nobody is led on: there is no room */
#define LED_OUT 50.0             /* spacings a second, and at most half a one a tick: a teleport is no explosion */
#define LED_AT_ONCE 0.5          /* spacings, in a tick at most */
#define LATER ((size_t)SIZE_MAX) /* a chunk near bodies */

typedef struct hold_job {
    kin_sph* f;
    const kin_sph_tick* tick;
    const float* from4;
    double off;       /* m */
    double walls_way; /* m, the longest of any */
    bool serial;
} hold_job;

/* A particle on its way. */
typedef struct held {
    const hold_job* job;
    const uint32_t* list;
    uint32_t count;
    size_t particle;
    kin_vec3 from, to, v;
    double lost; /* J */
    bool stopped;
} held;

/* ---- speeds ---- */

/* Stands and keyed walls take the speed at once; with bodies it is shared when all who meet them are known. */
static void settle_at(held* h, const kin_sph_wall* w, kin_vec3 n, kin_vec3 velocity)
{
    kin_sph* f = h->job->f;
    kin_sph_walls* walls = f->walls;
    h->stopped = true;
    if (w->body == KIN_SPH_NO_BODY) {
        double closing = kin_dot(kin_sub(h->v, velocity), n);
        if (closing < 0) {
            h->v = kin_add_scaled(h->v, -closing, n);
            h->lost += 0.5 * (double)f->phases[f->phase[h->particle]].mass * closing * closing;
        }
    } else if (kin_reserve(&walls->allocator, (void**)&walls->bumps, &walls->bump_capacity, walls->bump_count + 1, sizeof *walls->bumps)) {
        walls->bodies[w->body].bumps += 1;
        walls->bumps[walls->bump_count++] = (kin_sph_bump){(uint32_t)h->particle, (uint32_t)(w - walls->near), n};
    } else {
        f->reactions.failed = true; /* told when they are posted */
    }
}

static void settle(held* h, const kin_sph_wall* w, kin_vec3 n) { settle_at(h, w, n, kin_sph_wall_velocity(h->job->f->walls, w, h->to)); }

static kin_sph_stick stick_of(const kin_sph* f, const kin_sph_bump* bump, const kin_sph_body* body)
{
    const kin_sph_walls* w = f->walls;
    kin_vec3 x = kin_sph_place(f, f->x4 + 4 * (size_t)bump->particle);
    kin_vec3 u = kin_sph_wall_velocity(w, &w->near[bump->wall], x);
    return (kin_sph_stick){.arm = kin_sub(x, body->center),
                           .normal = bump->normal,
                           .slip = kin_sub(kin_sph_wide(f->v4 + 4 * (size_t)bump->particle), u),
                           .mass = (double)f->phases[f->phase[bump->particle]].mass};
}

/* Speed into the wall, given how the body will change. */
static double leaving(const kin_sph_stick* s, kin_twist change) { return kin_dot(kin_sub(s->slip, kin_sph_twist_at(change, s->arm)), s->normal); }

/* Who closes sticks, along the normal; who would be pulled after that is let go, and the rest is solved again. */
static void share_hits(kin_sph* f, const kin_solids* solids, uint32_t number)
{
    kin_sph_walls* w = f->walls;
    kin_sph_body* body = &w->bodies[number];
    kin_twist change = {{0, 0, 0}, {0, 0, 0}};
    for (int round = 0; round < SHARE_ROUNDS; ++round) {
        kin_sph_drag drag = {.push = {0}};
        for (size_t i = 0; i < w->bump_count; ++i) {
            if (w->near[w->bumps[i].wall].body != number) continue;
            kin_sph_stick s = stick_of(f, &w->bumps[i], body);
            if (leaving(&s, change) < 0) kin_sph_drag_add(&drag, &s);
        }
        change = kin_sph_drag_solve(&drag, body);
    }
    kin_wrench sum = {{0, 0, 0}, {0, 0, 0}};
    for (size_t i = 0; i < w->bump_count; ++i) {
        if (w->near[w->bumps[i].wall].body != number) continue;
        kin_sph_stick s = stick_of(f, &w->bumps[i], body);
        double closing = leaving(&s, change);
        if (!(closing < 0)) continue;
        float* v = f->v4 + 4 * (size_t)w->bumps[i].particle;
        kin_vec3 was = kin_sph_wide(v);
        kin_sph_narrow(v, kin_add_scaled(was, -closing, s.normal));
        kin_vec3 p = kin_scale(kin_sub(was, kin_sph_wide(v)), s.mass);
        f->dissipated += 0.5 * kin_dot(p, s.normal) * kin_dot(s.slip, s.normal); /* to no slip */
        sum.impulse = kin_add(sum.impulse, p);
        sum.angular = kin_add(sum.angular, kin_cross(s.arm, p));
    }
    kin_sph_body_give(f, solids, body, sum);
}

/* ---- planes ---- */

static bool keep_side(held* h, const kin_sph_wall* w)
{
    double side = kin_dot(w->normal[0], h->from) - w->offset[0] < 0 ? -1 : 1;
    double gap = side * (kin_dot(w->normal[1], h->to) - w->offset[1]) - h->job->off;
    if (gap >= 0) return false;
    kin_vec3 n = kin_scale(w->normal[1], side);
    if (h->job->f->walls->flat) n = kin_normalize_or(kin_sph_flatten(true, n), n);
    h->to = kin_add_scaled(h->to, -gap / kin_dot(n, kin_scale(w->normal[1], side)), n);
    settle(h, w, n);
    return gap < -1e-3 * h->job->off;
}

static bool keep_sides(held* h)
{
    bool moved = false;
    for (uint32_t k = 0; k < h->count; ++k) {
        const kin_sph_wall* w = &h->job->f->walls->near[h->list[k]];
        if (w->plane && keep_side(h, w)) moved = true;
    }
    return moved;
}

/* ---- forms ---- */

static bool is_swept(const kin_sph_wall* w) { return !w->plane && w->surface == NULL && !(w->leaps && w->form->has_inside); }

/* Inside of one that has leapt there: no path begins there. */
static bool began_inside(const held* h, const kin_sph_wall* w)
{
    kin_contact c;
    if (w->fade == 1 || !w->form->has_inside) return false;
    return kin_solids_closest_of(h->job->tick->step->solids, w->solid, h->from, 0, 0, h->job->tick->begin, &c) && c.distance < 0;
}

static const kin_sph_wall* first_hit(const held* h, kin_vec3 a, double s0, kin_contact* first)
{
    const hold_job* job = h->job;
    const kin_sph_wall* found = NULL;
    kin_aabb path = {kin_min3(a, h->to), kin_max3(a, h->to)};
    for (uint32_t k = 0; k < h->count; ++k) {
        const kin_sph_wall* w = &job->f->walls->near[h->list[k]];
        kin_contact hit;
        if (!is_swept(w) || !kin_aabb_overlaps(path, w->box) || began_inside(h, w)) continue;
        double tolerance = TOLERANCE * 0.5 * (double)job->f->spacing;
        if (!kin_solids_first_hit_of(job->tick->step->solids, w->solid, a, h->to, job->off, s0, job->tick->end, tolerance, &hit)) continue;
        if (found != NULL && hit.fraction >= first->fraction) continue;
        *first = hit;
        found = w;
    }
    return found;
}

/* The touched place of the solid, and the normal there, when the tick ends. */
static void carry(const hold_job* job, const kin_contact* hit, kin_vec3* point, kin_vec3* normal)
{
    const kin_solids* solids = job->tick->step->solids;
    kin_transform then = kin_solids_pose(solids, hit->solid, hit->fraction), end = kin_solids_pose(solids, hit->solid, job->tick->end);
    kin_vec3 n = kin_rotate(end.orientation, kin_unrotate(then.orientation, hit->normal));
    *point = kin_apply(end, hit->local);
    *normal = job->f->walls->flat ? kin_normalize_or(kin_sph_flatten(true, n), n) : n;
}

/* Along what it meets, to the tick's end. True: it was turned aside. */
static bool slide(held* h)
{
    const hold_job* job = h->job;
    kin_vec3 a = h->from, point, n;
    double s = job->tick->begin;
    for (int round = 0; round < ROUNDS; ++round) {
        kin_contact hit = {.solid = UINT32_MAX};
        const kin_sph_wall* w = first_hit(h, a, s, &hit);
        if (w == NULL) return round > 0;
        carry(job, &hit, &point, &n);
        a = kin_add_scaled(hit.point, job->off, hit.normal);
        s = hit.fraction;
        double gap = kin_dot(kin_sub(h->to, point), n) - job->off;
        if (round + 1 == ROUNDS)
            h->to = kin_add_scaled(point, job->off, n); /* it goes with the wall */
        else if (gap < 0)
            h->to = kin_add_scaled(h->to, -gap, n);
        settle(h, w, n);
    }
    return true;
}

/* ---- deforming surfaces ---- */

static bool meets_surface(const hold_job* job, const kin_sph_wall* w, kin_vec3 a, kin_vec3 b, kin_touch* hit)
{
    kin_path p = {.a = a, .d = kin_sub(b, a), .radius = job->off};
    kin_path_slack(&p, kin_max(kin_largest(kin_abs3(a)), kin_largest(kin_abs3(b))), 0);
    return kin_trimesh_sweep(w->surface->mesh[1], &p, hit);
}

/* First touch with the surface as it ends, of the path as seen from where the surface was. True: it was turned aside. */
static bool slide_on_surface(held* h, const kin_sph_wall* w)
{
    const hold_job* job = h->job;
    const kin_sph_surface* s = w->surface;
    kin_aabb path = {kin_min3(h->from, h->to), kin_max3(h->from, h->to)};
    if (!kin_aabb_overlaps(path, w->box) || (w->leaps && kin_sph_surface_is_closed(s))) return false;
    kin_vec3 a = kin_sph_surface_carried(s, h->from, s->way + kin_distance(h->from, h->to) + 2 * job->off), to = h->to;
    for (int round = 0; round < ROUNDS; ++round) {
        kin_touch hit;
        if (!meets_surface(job, w, a, h->to, &hit)) break;
        kin_vec3 n = job->f->walls->flat ? kin_normalize_or(kin_sph_flatten(true, hit.normal), hit.normal) : hit.normal;
        double gap = kin_dot(kin_sub(h->to, hit.point), n) - job->off;
        a = kin_add_scaled(hit.point, job->off, hit.normal);
        h->to = round + 1 == ROUNDS ? a : kin_add_scaled(h->to, -kin_min(gap, 0), n);
        settle_at(h, w, n, kin_sph_surface_velocity(job->f->walls, w, 1, hit.feature, hit.point));
    }
    return kin_distance(h->to, to) > 1e-3 * job->off;
}

static bool slide_on_surfaces(held* h)
{
    bool moved = false;
    for (uint32_t k = 0; k < h->count; ++k) {
        const kin_sph_wall* w = &h->job->f->walls->near[h->list[k]];
        if (w->surface != NULL && slide_on_surface(h, w)) moved = true;
    }
    return moved;
}

/* ---- being inside ---- */

/* Nearest way out of a closed wall at the tick's end. */
static bool way_out(const held* h, const kin_sph_wall* w, kin_contact* c)
{
    const hold_job* job = h->job;
    if (w->plane || !kin_aabb_contains(w->box, h->to)) return false;
    if (w->surface == NULL) return kin_solids_closest_of(job->tick->step->solids, w->solid, h->to, 0, 0.5 * job->off, job->tick->end, c);
    kin_touch touch;
    if (!kin_trimesh_closest(w->surface->mesh[1], h->to, 0.5 * job->off, &touch)) return false;
    *c = (kin_contact){.point = touch.point, .normal = touch.normal, .distance = touch.distance, .feature = touch.feature};
    return true;
}

/* Out of closed forms that it is inside of, as far as other walls let it. */
static void lead_out(held* h)
{
    const hold_job* job = h->job;
    const kin_solids* solids = job->tick->step->solids;
    for (uint32_t k = 0; k < h->count; ++k) {
        const kin_sph_wall* w = &job->f->walls->near[h->list[k]];
        kin_contact c;
        if (!way_out(h, w, &c)) continue;
        kin_vec3 n = job->f->walls->flat ? kin_normalize_or(kin_sph_flatten(true, c.normal), c.normal) : c.normal;
        double room = kin_clamp(1 - ((double)job->f->density[h->particle] - 1) / CROWDED, 0, 1);
        double most = room * (double)job->f->spacing * kin_min(LED_OUT * (double)job->tick->h, LED_AT_ONCE);
        double by = kin_min(job->off - c.distance, kin_max(most, c.distance > 0 ? job->off : 0));
        kin_vec3 start = h->to;
        h->to = kin_add_scaled(start, by, n);
        for (uint32_t m = 0; m < h->count; ++m) {
            const kin_sph_wall* other = &job->f->walls->near[h->list[m]];
            kin_contact hit;
            kin_touch touch;
            if (other == w) continue;
            if (other->surface != NULL && meets_surface(job, other, start, h->to, &touch)) h->to = kin_add_scaled(touch.point, job->off, touch.normal);
            if (!is_swept(other)) continue;
            if (kin_solids_first_hit_of(solids, other->solid, start, h->to, job->off, job->tick->end, job->tick->end, 0, &hit))
                h->to = kin_add_scaled(hit.point, job->off, hit.normal);
        }
        settle_at(h, w, n,
                  w->surface != NULL ? kin_sph_surface_velocity(job->f->walls, w, 1, c.feature, c.point) : kin_sph_wall_velocity(job->f->walls, w, h->to));
    }
}

/* ---- particles ---- */

/* Who felt no wall is as far off as walls are surely felt: then a short way ends as far from any as it has to. Twice the way, for places may have been moved before. */
static bool is_clear(const held* h)
{
    const hold_job* job = h->job;
    double way = kin_distance(h->from, h->to);
    if (job->f->lambda[h->particle] == 0 && 2 * way + job->walls_way + job->off < job->f->walls->profile.felt) return true;
    kin_aabb path = {kin_min3(h->from, h->to), kin_max3(h->from, h->to)};
    for (uint32_t k = 0; k < h->count; ++k) {
        const kin_sph_wall* w = &job->f->walls->near[h->list[k]];
        if (w->plane) {
            double a = kin_dot(w->normal[0], h->from) - w->offset[0], b = kin_dot(w->normal[1], h->to) - w->offset[1];
            if ((a < 0) != (b < 0) || kin_abs(b) < job->off) return false;
        } else if (kin_aabb_overlaps(path, w->box)) {
            return false;
        }
    }
    return true;
}

/* The longest way of a wall in the tick; a leap is endless. */
static double way_of_walls(const kin_sph_walls* w, double h)
{
    double most = 0;
    for (size_t i = 0; i < w->near_count; ++i) {
        const kin_sph_wall* one = &w->near[i];
        if (one->surface != NULL) {
            most = kin_max(most, one->leaps || one->fade == 0 ? 1e300 : one->surface->way);
            continue;
        }
        bool turns = kin_length2(one->motion.spin) > 0;
        double speed = kin_length(one->motion.velocity) + (turns ? kin_length(one->motion.spin) * one->form->reach : 0); /* endless for planes that turn */
        most = kin_max(most, one->leaps || one->fade == 0 ? 1e300 : h * speed);                                          /* such are not felt */
    }
    return most;
}

static void hold_particle(const hold_job* job, size_t i, const uint32_t* list, uint32_t count, int chunk)
{
    kin_sph* f = job->f;
    held h = {job, list, count, i, kin_sph_place(f, job->from4 + 4 * i), kin_sph_place(f, f->x4 + 4 * i), kin_sph_wide(f->v4 + 4 * i), 0, false};
    if (!kin_finite3(h.to) || is_clear(&h)) return;
    for (int round = 0; round < ROUNDS; ++round) {
        bool slid = slide(&h), slid_on = slide_on_surfaces(&h), kept = keep_sides(&h);
        if (!(kept || slid_on) || (!slid && !slid_on && round > 0)) break;
    }
    lead_out(&h);
    keep_sides(&h);
    if (!h.stopped) return;
    f->walls->stopped[chunk] += 1;
    f->partial[KIN_SPH_PARTIALS * chunk] += h.lost;
    kin_sph_narrow(f->x4 + 4 * i, kin_sub(h.to, f->origin));
    kin_sph_narrow(f->v4 + 4 * i, h.v);
}

/* Walls that a chunk must know: those on its ways, and those to which who is led out may come. */
static double reach_of(const hold_job* job) { return 2 * job->off + LED_AT_ONCE * (double)job->f->spacing; }

static bool meets_body(const kin_sph_walls* w, const uint32_t* list, uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) {
        if (w->near[list[k]].body != KIN_SPH_NO_BODY) return true;
    }
    return false;
}

static void hold_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)scratch;
    const hold_job* job = argument;
    kin_sph_walls* w = job->f->walls;
    uint32_t list[KIN_SPH_MOST_NEAR];
    if (job->serial && w->stopped[chunk] != LATER) return;
    w->stopped[chunk] = 0, job->f->partial[KIN_SPH_PARTIALS * chunk] = 0;
    uint32_t count = kin_sph_walls_beside(w, w->boxes[chunk], reach_of(job), list);
    if (!job->serial && meets_body(w, list, count)) {
        w->stopped[chunk] = LATER;
        return;
    }
    for (int64_t i = begin; count > 0 && i < end; ++i) hold_particle(job, (size_t)i, list, count, chunk);
}

void kin_sph_walls_hold(kin_sph* f, const kin_sph_tick* tick, const float* from4)
{
    kin_sph_walls* w = f->walls;
    hold_job job = {f, tick, from4, KIN_SPH_OFF * 0.5 * (double)f->spacing, 0, false};
    if (!kin_sph_walls_gather(f, tick, from4, reach_of(&job), tick->end)) f->reactions.failed = true; /* told when they are posted */
    if (w->near_count == 0) return;
    job.walls_way = way_of_walls(w, (double)tick->h);
    kin_parallel_for(tick->step->jobs, (int64_t)f->count, KIN_SPH_WALL_CHUNK, hold_chunk, &job);
    job.serial = true;
    w->bump_count = 0;
    for (size_t b = 0; b < w->body_count; ++b) w->bodies[b].bumps = 0;
    if (w->body_count > 0) kin_serial_for(tick->step->jobs, (int64_t)f->count, KIN_SPH_WALL_CHUNK, hold_chunk, &job);
    f->dissipated += kin_sph_total(f, 0);
    for (size_t b = 0; b < w->body_count; ++b) {
        if (w->bodies[b].bumps > 0) share_hits(f, tick->step->solids, (uint32_t)b);
    }
    for (int64_t c = 0; c < kin_sph_wall_chunks(f); ++c) f->seen.escaped += (double)w->stopped[c];
}
