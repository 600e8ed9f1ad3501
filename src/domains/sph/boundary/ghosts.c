/* ghosts.c - mirrored particles (Coutinho 3.8): a particle near a plane sees its neighbours once more, behind it, with their velocities along the normal turned
 * round, so that nothing goes through the plane on the mean. They are made for the evaluation and are nowhere stored.
 *
 *     lambda_i = V sum_j W(x_i - x_j')            j: itself and its neighbours, x_j' their images
 *     b_i = 2 n sum_j V W'/r (x_i - x_j') . n      its rate when all move alike: then images come as fast as particles go
 *
 * An image that is within reach is that of a neighbour: |x_i - x_j'| >= |x_i - x_j| on one side of the plane.
 *
 * b is enough for who looks for pressures one by one. But an image moves with its particle, not with who sees it, and its pressure is that particle's. What images do
 * to motion, and motion to images, is that of pairs, with c' = V W'/r (x_i - x_j'),
 *
 *     rate of lambda_i = sum_j c'.(v_i - v_j')             push on i = -V sum_j (s_i k_i + s_j k_j) c'
 *
 * s the share that the product rule of several planes leaves to this one. Both follow from one energy: fluid that is pressed against such a plane comes to rest. */
#include "domains/sph/boundary/ghosts.h"
#include "base/jobs.h"
#include "math/vec3.h"
#include <string.h>

/* ---- images ---- */

/* One more image, of particle j: apart = x_i - x_j', r its length, within reach. */
typedef void seen_fn(void* sum, const kin_sph_profile* p, size_t j, kin_vec3 apart, double r);

static void see_image(const kin_sph* f, size_t j, kin_vec3 apart, seen_fn* seen, void* sum)
{
    double r = kin_length(apart);
    if (r < f->walls->profile.bell.end) seen(sum, &f->walls->profile, j, apart, r);
}

/* From y to x, the shortest way in a box that is periodic. */
static kin_vec3 between(const kin_sph* f, kin_vec3 x, kin_vec3 y)
{
    kin_vec3 d = kin_sub(x, y);
    double way[3] = {d.x, d.y, d.z};
    for (int a = 0; a < 3; ++a) {
        double size = (double)f->box_size[a];
        if (size > 0) way[a] -= size * kin_floor(way[a] / size + 0.5);
    }
    return kin_v(way[0], way[1], way[2]);
}

static void each_image(const kin_sph* f, size_t i, kin_sph_mirror_plane plane, seen_fn* seen, void* sum)
{
    const kin_sph_lists* lists = &f->lists;
    kin_vec3 x = kin_sph_place(f, f->x4 + 4 * i), n = plane.normal;
    size_t block = i / KIN_SPH_LANES, lane = i % KIN_SPH_LANES;
    double d = kin_dot(n, x) - plane.offset;
    see_image(f, i, kin_scale(n, 2 * d), seen, sum);
    for (size_t row = lists->first[block]; row < lists->first[block + 1]; ++row) {
        size_t at = KIN_SPH_LANES * row + lane;
        size_t j = (size_t)((ptrdiff_t)(KIN_SPH_LANES * block) + (lists->wide ? (ptrdiff_t)lists->far[at] : (ptrdiff_t)lists->near[at]));
        if (j == i) continue; /* past the end of its list */
        kin_vec3 y = kin_sub(x, between(f, x, kin_sph_place(f, f->x4 + 4 * j)));
        if (kin_dot(n, y) > plane.offset) see_image(f, j, kin_sub(x, kin_sph_mirror(n, plane.offset, y)), seen, sum);
    }
}

/* V W'/r. */
static double pair_weight(const kin_sph* f, const kin_sph_profile* p, double r)
{
    double slope;
    kin_sph_curve_at(&p->force, r, &slope);
    return r > 0 ? (double)f->volume * slope / r : 0;
}

/* ---- what they fill ---- */

typedef struct filled {
    const kin_sph* f;
    kin_vec3 normal;
    double share, pull, moment;
} filled;

static void add_share(void* sum, const kin_sph_profile* p, size_t j, kin_vec3 apart, double r)
{
    (void)j;
    filled* s = sum;
    double unused;
    s->share += (double)s->f->volume * kin_sph_curve_at(&p->bell, r, &unused);
    double g = pair_weight(s->f, p, r);
    s->pull += 2 * g * kin_dot(apart, s->normal);
    s->moment -= g * r * r;
}

bool kin_sph_ghosts_feel(const kin_sph* f, size_t i, kin_sph_mirror_plane plane, kin_sph_felt* out)
{
    double distance = kin_dot(plane.normal, kin_sph_place(f, f->x4 + 4 * i)) - plane.offset;
    filled s = {.f = f, .normal = plane.normal};
    if (!(distance < f->walls->profile.bell.end)) return false;
    each_image(f, i, plane, add_share, &s);
    if (!(s.share > 0)) return false;
    out->share = kin_min(s.share, 0.99);
    out->slope = kin_scale(plane.normal, s.pull);
    out->distance = distance;
    out->moment = s.moment;
    out->normal = plane.normal;
    return true;
}

/* ---- pairs ---- */

typedef struct image_job {
    kin_sph* f;
    const float *k, *v4;
    float* rate;
    float* shared; /* s k by particle, of the present plane; 0: does not see it */
    double h;
    uint32_t wall;
} image_job;

typedef struct pair_sum {
    const image_job* job;
    kin_vec3 v, u, normal; /* of the particle, of the plane, m/s */
    double own;            /* s_i k_i */
    double rate;
    kin_vec3 push;
} pair_sum;

static void add_rate(void* sum, const kin_sph_profile* p, size_t j, kin_vec3 apart, double r)
{
    pair_sum* s = sum;
    kin_vec3 other = kin_sph_mirror_velocity(s->normal, s->u, kin_sph_wide(s->job->v4 + 4 * j));
    s->rate += pair_weight(s->job->f, p, r) * kin_dot(apart, kin_sub(s->v, other));
}

static void add_push(void* sum, const kin_sph_profile* p, size_t j, kin_vec3 apart, double r)
{
    pair_sum* s = sum;
    double pressed = s->own + (double)s->job->shared[j];
    s->push = kin_add_scaled(s->push, pressed * pair_weight(s->job->f, p, r), apart);
}

/* b.(v - u) out, the sum over pairs in. */
static void rate_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)begin, (void)end, (void)scratch;
    const image_job* job = argument;
    kin_sph* f = job->f;
    KIN_SPH_TOUCHES(f->walls, chunk, t)
    {
        const kin_sph_wall* w = &f->walls->near[t->wall];
        if (!w->plane) continue;
        kin_sph_mirror_plane plane = kin_sph_plane_at(w, kin_sph_place(f, f->x4 + 4 * (size_t)t->particle));
        kin_vec3 v = kin_sph_wide(job->v4 + 4 * (size_t)t->particle), u = kin_sph_wide(t->near.velocity);
        pair_sum s = {.job = job, .v = v, .u = u, .normal = plane.normal};
        each_image(f, t->particle, plane, add_rate, &s);
        job->rate[t->particle] += (float)((double)t->left * s.rate - kin_dot(kin_sph_wide(t->b), kin_sub(v, u)));
    }
}

static void share_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)scratch;
    const image_job* job = argument;
    memset(job->shared + begin, 0, (size_t)(end - begin) * sizeof *job->shared);
    KIN_SPH_TOUCHES(job->f->walls, chunk, t)
    {
        if (t->wall == job->wall) job->shared[t->particle] = t->left * job->k[t->particle];
    }
}

/* k b out, the sum over pairs in. */
static void push_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)begin, (void)end, (void)scratch;
    const image_job* job = argument;
    kin_sph* f = job->f;
    KIN_SPH_TOUCHES(f->walls, chunk, t)
    {
        if (t->wall != job->wall) continue;
        size_t i = t->particle;
        pair_sum s = {.job = job, .own = (double)job->shared[i]};
        each_image(f, i, kin_sph_plane_at(&f->walls->near[t->wall], kin_sph_place(f, f->x4 + 4 * i)), add_push, &s);
        kin_vec3 change = kin_sub(kin_scale(kin_sph_wide(t->b), (double)job->k[i]), s.push);
        float* v = f->v4 + 4 * i;
        kin_sph_narrow(v, kin_add_scaled(kin_sph_wide(v), job->h * (double)f->inv_rho[i], kin_sph_flatten(f->walls->flat, change)));
    }
}

static bool has_images(const kin_sph* f) { return f->walls != NULL && f->walls->kind == KIN_SPH_GHOSTS && f->walls->near_count > 0 && f->walls->near[0].plane; }

void kin_sph_walls_image_rate(kin_sph* f, kin_jobs* jobs, const float* v4, float* rate)
{
    image_job job = {.f = f, .v4 = v4, .rate = rate};
    if (has_images(f)) kin_parallel_for(jobs, (int64_t)f->count, KIN_SPH_WALL_CHUNK, rate_chunk, &job);
}

void kin_sph_walls_image_press(kin_sph* f, kin_jobs* jobs, const float* k, float h)
{
    image_job job = {.f = f, .k = k, .shared = f->work[1], .h = (double)h};
    if (!has_images(f)) return;
    for (size_t w = 0; w < f->walls->near_count && f->walls->near[w].plane; ++w) {
        job.wall = (uint32_t)w;
        kin_parallel_for(jobs, (int64_t)f->count, KIN_SPH_WALL_CHUNK, share_chunk, &job);
        kin_parallel_for(jobs, (int64_t)f->count, KIN_SPH_WALL_CHUNK, push_chunk, &job);
    }
}
