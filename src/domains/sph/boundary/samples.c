/* samples.c - boundary particles. Blue noise covers the surface of a form, closer than the spacing of the fluid, so that its grain is not felt. A point stands for
 * the part of the surface that is nearest to it, and for the mirrored layers behind that (profile.h): to a particle at x, d above its plane and t beside it,
 *
 *     lambda = sum_b V_b sum_k W(sqrt(t^2 + (2 d + k l)^2)),     b its gradient,
 *
 * so that over a flat surface the sum is the share of a flat wall, and its slope, but for the grain. Points on the surface itself, as they are, would have a
 * fifth of that slope half a spacing off: the first layer would need five times its pressure not to fall in. Volumes begin as the area's share, fitted to a flat
 * wall (in the plane points before and behind it are felt too, and W is that of the plane), and are then corrected, until half a spacing above each point as much is
 * felt as of the surface itself, evenly thick. What grain is left disorders particles, and costs iterations of the pressure solve. */
#include "domains/sph/boundary/samples.h"
#include "base/alloc.h"
#include "collision/form/skin.h"
#include "geometry/sample/sample.h"
#include <string.h>

#define SAMPLE_SPACING 0.6 /* spacings of the fluid */
#define MOST_CELLS 128     /* along the longest side */
#define SEED 0x5a3d1e
#define ROUNDS 6        /* of correction: two leave a grain of 2.6 % half a spacing off, eight one of 1.1 */
#define PIECE 0.4       /* spacings: longest side of a triangle that is felt as its middle */
#define MOST_CHANGE 2.0 /* of a volume, in all */

/* ---- points ---- */

static kin_vec3 twice_area(const kin_vec3 t[3]) { return kin_cross(kin_sub(t[1], t[0]), kin_sub(t[2], t[0])); }

static void corners_of(const kin_skin* skin, uint32_t triangle, kin_vec3 out[3])
{
    for (int k = 0; k < 3; ++k) out[k] = skin->positions[skin->triangles[triangle][k]];
}

static double area_of(const kin_skin* skin)
{
    double sum = 0;
    for (uint32_t i = 0; i < skin->triangle_count; ++i) {
        kin_vec3 t[3];
        corners_of(skin, i, t);
        sum += 0.5 * kin_length(twice_area(t));
    }
    return sum;
}

static bool scatter(kin_sph_walls* w, const kin_skin* skin, kin_samples* out)
{
    kin_mesh* mesh = NULL;
    kin_mesh_view view = {
        .vertices = skin->positions, .vertex_count = skin->vertex_count, .corners = &skin->triangles[0][0], .face_count = skin->triangle_count};
    bool ok = skin->triangle_count > 0 && kin_mesh_create(&w->allocator, &view, &mesh, NULL) == KIN_OK
              && kin_sample_spaced(&w->allocator, mesh, SAMPLE_SPACING * w->profile.spacing, SEED, out, NULL) == KIN_OK;
    kin_mesh_destroy(mesh);
    return ok;
}

/* ---- cells ---- */

static size_t cell_of(const kin_sph_samples* s, kin_vec3 x)
{
    size_t cell = 0, stride = 1;
    for (int a = 0; a < 3; ++a) {
        double place = kin_clamp((kin_component(x, a) - kin_component(s->origin, a)) / s->cell, 0, s->cells[a] - 0.5);
        cell += stride * (size_t)place;
        stride *= s->cells[a];
    }
    return cell;
}

static bool make_cells(kin_sph_walls* w, kin_sph_samples* s)
{
    kin_vec3 size = kin_sub(s->form->bounds.high, s->form->bounds.low);
    s->origin = s->form->bounds.low;
    s->cell = kin_max(w->profile.tail.end, kin_largest(size) / MOST_CELLS);
    s->cell_count = 1;
    for (int a = 0; a < 3; ++a) s->cells[a] = 1 + (uint32_t)kin_floor(kin_component(size, a) / s->cell), s->cell_count *= s->cells[a];
    s->first = kin_alloc_zero(&w->allocator, (s->cell_count + 1) * sizeof *s->first);
    s->points = kin_alloc(&w->allocator, s->count * sizeof *s->points);
    return s->first != NULL && s->points != NULL;
}

static void sort_points(kin_sph_samples* s, const kin_samples* from)
{
    for (uint32_t i = 0; i < from->count; ++i) s->first[cell_of(s, from->points[i]) + 1] += 1;
    for (size_t c = 0; c < s->cell_count; ++c) s->first[c + 1] += s->first[c];
    for (uint32_t i = from->count; i-- > 0;) { /* ends become beginnings: s->first shifts down by one cell */
        size_t c = cell_of(s, from->points[i]);
        kin_sph_sample* p = &s->points[--s->first[c + 1]];
        *p = (kin_sph_sample){.volume = 0};
        kin_sph_narrow(p->x, from->points[i]);
        kin_sph_narrow(p->normal, from->normals[i]);
    }
    memmove(s->first, s->first + 1, s->cell_count * sizeof *s->first);
    s->first[s->cell_count] = from->count;
}

typedef struct near_cells {
    uint32_t low[3], high[3];
} near_cells;

/* Cells within reach of a box. False: none. */
static bool cells_near(const kin_sph_samples* s, kin_aabb box, double reach, near_cells* out)
{
    for (int a = 0; a < 3; ++a) {
        double low = (kin_component(box.low, a) - reach - kin_component(s->origin, a)) / s->cell,
               high = (kin_component(box.high, a) + reach - kin_component(s->origin, a)) / s->cell;
        if (!(high >= 0 && low < (double)s->cells[a])) return false;
        out->low[a] = low > 0 ? (uint32_t)low : 0;
        out->high[a] = high < s->cells[a] - 1.0 ? (uint32_t)high : s->cells[a] - 1;
    }
    return true;
}

/* Points of a row of cells follow each other. */
#define EACH_NEAR_POINT(s, near, p)                                                                                                                            \
    for (uint32_t z_ = (near).low[2]; z_ <= (near).high[2]; ++z_)                                                                                              \
        for (uint32_t y_ = (near).low[1]; y_ <= (near).high[1]; ++y_)                                                                                          \
            for (size_t row_ = (s)->cells[0] * (y_ + (size_t)(s)->cells[1] * z_), once_ = 1; once_; once_ = 0)                                                 \
                for (const kin_sph_sample* p = (s)->points + (s)->first[row_ + (near).low[0]]; p < (s)->points + (s)->first[row_ + (near).high[0] + 1]; ++p)

/* ---- volumes ---- */

/* What the layers behind a point give, per volume, to who is `up` above it and `beside` (squared) its normal; slopes over up and, divided by it, over beside. */
typedef struct layers {
    double share, up, beside;
} layers;

static layers layers_at(const kin_sph_profile* p, const kin_sph_curve* bell, double up, double beside2)
{
    layers out = {0, 0, 0};
    double factor = kin_sph_depth_factor(p, up), end2 = bell->end * bell->end, slope;
    for (double s = 2 * kin_max(up, 0); beside2 + s * s < end2; s += p->spacing) {
        double r = kin_sqrt(beside2 + s * s);
        out.share += factor * kin_sph_curve_at(bell, r, &slope);
        double over_r = r > 0 ? factor * slope / r : 0;
        out.up += 2 * s * over_r, out.beside += over_r;
    }
    return out;
}

/* The same for who is behind the point but not inside, beyond an edge: it fades, until half a spacing behind there is nothing: other faces count for
 * themselves. Smoothly, for at a kink particles never come to rest. */
static layers layers_beyond(const kin_sph_profile* p, const kin_sph_curve* bell, double up, double beside2)
{
    layers out = {0, 0, 0};
    double t = 1 + 2 * up / p->spacing, factor = t * t * (3 - 2 * t), fading = 12 * t * (1 - t) / p->spacing, end2 = bell->end * bell->end, slope;
    if (t <= 0) return out;
    for (double s = 2 * up; s < 0 || beside2 + s * s < end2; s += p->spacing) {
        double r = kin_sqrt(beside2 + s * s), w = kin_sph_curve_at(bell, r, &slope), over_r = r > 0 ? factor * slope / r : 0;
        out.share += factor * w;
        out.up += fading * w + 2 * s * over_r, out.beside += over_r;
    }
    return out;
}

/* Sum over points near x, of a surface that faces n, of what their layers give. */
static double sum_near(const kin_sph_profile* p, const kin_sph_samples* s, kin_vec3 x, kin_vec3 n)
{
    near_cells near;
    double sum = 0;
    if (!cells_near(s, (kin_aabb){x, x}, p->bell.end, &near)) return 0;
    EACH_NEAR_POINT(s, near, other)
    {
        kin_vec3 d = kin_sub(x, kin_sph_wide(other->x)), facing = kin_sph_wide(other->normal);
        double along = kin_max(0, kin_dot(n, facing)), up = kin_dot(d, facing); /* other faces count for themselves */
        sum += along * (double)other->volume * layers_at(p, &p->bell, up, kin_max(0, kin_length2(d) - up * up)).share;
    }
    return sum;
}

/* Volume per area with which a flat surface gives `share` at a distance. */
static double thickness_of(const kin_sph_profile* p, double distance, double share)
{
    enum { RINGS = 256 };
    double sum = 0, wide = p->bell.end / RINGS;
    for (int i = 0; i < RINGS; ++i) sum += 2 * KIN_PI * (i + 0.5) * wide * wide * layers_at(p, &p->bell, distance, kin_square((i + 0.5) * wide)).share;
    return share / sum;
}

/* The layers behind a triangle, of thickness 1, as felt by who is `up` above its plane, at x of it, of what is at most so far `beside` it:
 * halved along its longest side until that is short. */
static double piece_sum(const kin_sph_profile* p, const kin_vec3 t[3], kin_vec3 x, double up, double beside)
{
    kin_vec3 middle = kin_scale(kin_add(kin_add(t[0], t[1]), t[2]), 1.0 / 3);
    double side2[3], away = kin_distance(middle, x);
    for (int k = 0; k < 3; ++k) side2[k] = kin_length2(kin_sub(t[(k + 2) % 3], t[(k + 1) % 3])); /* opposite to corner k */
    int k = side2[0] >= side2[1] ? (side2[0] >= side2[2] ? 0 : 2) : (side2[1] >= side2[2] ? 1 : 2);
    if (away - 2.0 / 3 * kin_sqrt(side2[k]) >= beside) return 0; /* corners are at most two thirds of that from the middle */
    if (side2[k] <= kin_square(PIECE * p->spacing)) return 0.5 * kin_length(twice_area(t)) * layers_at(p, &p->bell, up, away * away).share;
    kin_vec3 a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3], half = kin_lerp(b, c, 0.5);
    return piece_sum(p, (const kin_vec3[3]){a, b, half}, x, up, beside) + piece_sum(p, (const kin_vec3[3]){a, half, c}, x, up, beside);
}

/* How far a place of the triangle's plane is inside of it; below 0: at least so far outside. */
static double depth_in(const kin_vec3 t[3], kin_vec3 normal, kin_vec3 x)
{
    double least = 1e300;
    for (int k = 0; k < 3; ++k) {
        kin_vec3 side = kin_sub(t[(k + 1) % 3], t[k]);
        least = kin_min(least, kin_dot(kin_cross(side, kin_sub(x, t[k])), normal) / kin_length(side));
    }
    return least;
}

/* What the weighing of points needs to know of the surface. */
typedef struct weighing {
    const kin_sph_profile* p;
    kin_sph_samples* s;
    double half, share, thickness; /* m; of a flat wall half a spacing off; volume per area that gives it */
    float* wanted;                 /* by point: what is to be felt half a spacing above it */
} weighing;

/* A triangle's part of what is wanted; triangles that face elsewhere count for themselves. */
static void want(const weighing* g, const kin_vec3 t[3])
{
    near_cells near;
    double reach = g->p->bell.end, twice = kin_length(twice_area(t));
    kin_aabb box = {kin_min3(t[0], kin_min3(t[1], t[2])), kin_max3(t[0], kin_max3(t[1], t[2]))};
    if (!(twice > 0) || !cells_near(g->s, box, reach, &near)) return;
    kin_vec3 normal = kin_scale(twice_area(t), 1 / twice);
    EACH_NEAR_POINT(g->s, near, point)
    {
        kin_vec3 n = kin_sph_wide(point->normal), x = kin_add_scaled(kin_sph_wide(point->x), g->half, n);
        double along = kin_dot(n, normal), up = kin_dot(kin_sub(x, t[0]), normal);
        if (!(along > 0) || 2 * up >= reach) continue;
        kin_vec3 foot = kin_add_scaled(x, -up, normal);
        double inside = depth_in(t, normal, foot), beside = kin_sqrt(reach * reach - 4 * kin_square(kin_max(up, 0)));
        bool whole = inside >= beside && kin_abs(up - g->half) < 1e-3 * g->half;
        if (inside <= -beside) continue;
        g->wanted[point - g->s->points] += (float)(along * (whole ? g->share : g->thickness * piece_sum(g->p, t, foot, up, beside)));
    }
}

static void correct(const weighing* g, double volume, float* next)
{
    kin_sph_sample* points = g->s->points;
    for (uint32_t i = 0; i < g->s->count; ++i) {
        kin_vec3 n = kin_sph_wide(points[i].normal), x = kin_add_scaled(kin_sph_wide(points[i].x), g->half, n);
        double wanted = (double)points[i].volume * (double)g->wanted[i] / sum_near(g->p, g->s, x, n);
        next[i] = (float)kin_clamp(wanted, volume / MOST_CHANGE, volume * MOST_CHANGE);
    }
    for (uint32_t i = 0; i < g->s->count; ++i) points[i].volume = next[i];
}

/* scratch: two floats a point, 0. */
static void weigh_points(const kin_sph_walls* w, kin_sph_samples* s, const kin_skin* skin, float* scratch)
{
    const kin_sph_profile* p = &w->profile;
    double unused, half = 0.5 * p->spacing, share = kin_sph_curve_at(&p->share, half, &unused);
    weighing g = {.p = p, .s = s, .half = half, .share = share, .thickness = thickness_of(p, half, share), .wanted = scratch};
    double volume = g.thickness * area_of(skin) / s->count;
    for (uint32_t i = 0; i < s->count; ++i) s->points[i].volume = (float)volume;
    for (uint32_t i = 0; i < skin->triangle_count; ++i) {
        kin_vec3 t[3];
        corners_of(skin, i, t);
        want(&g, t);
    }
    for (int round = 0; round < ROUNDS; ++round) correct(&g, volume, scratch + s->count);
}

/* ---- all of a form ---- */

static void free_samples(kin_sph_walls* w, kin_sph_samples* s)
{
    kin_form_drop(s->form);
    kin_free(&w->allocator, s->points, s->count * sizeof *s->points);
    kin_free(&w->allocator, s->first, (s->cell_count + 1) * sizeof *s->first);
    kin_free(&w->allocator, s, sizeof *s);
}

static bool cover(kin_sph_walls* w, kin_sph_samples* s, const kin_skin* skin)
{
    kin_samples scattered = {.allocator = w->allocator};
    if (!scatter(w, skin, &scattered)) return false;
    s->count = scattered.count;
    float* scratch = kin_alloc_zero(&w->allocator, s->count * sizeof(float[2]));
    bool ok = make_cells(w, s) && scratch != NULL;
    if (ok) sort_points(s, &scattered), weigh_points(w, s, skin, scratch);
    kin_free(&w->allocator, scratch, s->count * sizeof(float[2]));
    kin_samples_term(&scattered);
    return ok;
}

static bool init_samples(kin_sph_walls* w, kin_sph_samples* s, kin_form* form)
{
    kin_skin skin;
    s->form = kin_form_keep(form);
    if (!kin_skin_init(&w->allocator, form, &skin)) return false;
    bool ok = cover(w, s, &skin);
    kin_skin_term(&skin);
    return ok;
}

kin_sph_samples* kin_sph_samples_of(kin_sph_walls* w, kin_form* form)
{
    for (size_t i = 0; i < w->sample_count; ++i) {
        if (w->samples[i]->form == form) return w->samples[i];
    }
    if (!kin_reserve(&w->allocator, (void**)&w->samples, &w->sample_capacity, w->sample_count + 1, sizeof(void*))) return NULL;
    kin_sph_samples* s = kin_alloc_zero(&w->allocator, sizeof *s);
    if (s == NULL) return NULL;
    if (!init_samples(w, s, form)) return free_samples(w, s), NULL;
    return w->samples[w->sample_count++] = s;
}

void kin_sph_samples_forget(kin_sph_walls* w)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->sample_count; ++i) {
        if (atomic_load(&w->samples[i]->form->owners) > 1)
            w->samples[kept++] = w->samples[i];
        else
            free_samples(w, w->samples[i]);
    }
    w->sample_count = kept;
}

void kin_sph_samples_term(kin_sph_walls* w)
{
    for (size_t i = 0; i < w->sample_count; ++i) free_samples(w, w->samples[i]);
    kin_free(&w->allocator, w->samples, w->sample_capacity * sizeof(void*));
}

size_t kin_sph_samples_bytes(const kin_sph_walls* w)
{
    size_t bytes = w->sample_capacity * sizeof(void*);
    for (size_t i = 0; i < w->sample_count; ++i) {
        const kin_sph_samples* s = w->samples[i];
        bytes += sizeof *s + s->count * sizeof *s->points + (s->cell_count + 1) * sizeof *s->first;
    }
    return bytes;
}

static bool is_inside(const kin_form* form, kin_vec3 x)
{
    kin_touch touch;
    return form->has_inside && form->ops->closest(form, x, 0, &touch, 1) > 0 && touch.distance < 0;
}

bool kin_sph_samples_feel(const kin_sph_walls* w, const kin_sph_samples* s, kin_vec3 x, kin_sph_felt* out)
{
    const kin_sph_profile* p = &w->profile;
    double reach = p->bell.end, away = 0, share = 0;
    bool two_bells = p->density.kind != p->gradient.kind, asked = false, inside = false;
    kin_vec3 sum = {0, 0, 0}, normal = {0, 0, 0};
    near_cells near;
    if (!cells_near(s, (kin_aabb){x, x}, reach, &near)) return false;
    EACH_NEAR_POINT(s, near, b)
    {
        kin_vec3 d = kin_sub(x, kin_sph_wide(b->x));
        double r2 = kin_length2(d), volume = (double)b->volume;
        if (r2 >= reach * reach) continue;
        kin_vec3 n = kin_sph_wide(b->normal);
        double up = kin_dot(d, n);
        if (!s->form->has_inside && up < 0) n = kin_scale(n, -1), up = -up; /* open surfaces have two sides */
        if (up < 0 && !asked) asked = true, inside = is_inside(s->form, x);
        double beside2 = kin_max(0, r2 - up * up);
        if (up > 0 && beside2 + 4 * up * up >= reach * reach) continue; /* the first of its layers is out of reach */
        layers (*layers_of)(const kin_sph_profile*, const kin_sph_curve*, double, double) = up < 0 && !inside ? layers_beyond : layers_at;
        layers here = layers_of(p, &p->bell, up, beside2);
        double part = volume * here.share;
        if (two_bells) here = layers_of(p, &p->force, up, beside2);
        share += part;
        sum = kin_add_scaled(sum, volume * here.beside, kin_add_scaled(d, -up, n));
        sum = kin_add_scaled(sum, volume * here.up, n);
        normal = kin_add_scaled(normal, part, n);
        away += part * kin_abs(up);
    }
    if (!(share > 0)) return false;
    out->share = kin_min(share, 0.99);
    out->slope = sum;
    out->distance = away / share;
    out->normal = kin_normalize_or(normal, kin_v(0, 1, 0));
    return true;
}
