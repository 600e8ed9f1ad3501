/* samples.c - boundary particles. Blue noise covers the surface of a form, closer than the spacing of the fluid, so that its grain is not felt. A point stands for
 * the part of the surface that is nearest to it, and for the mirrored layers behind that (profile.h): to a particle at x, d above its plane and t beside it,
 *
 *     lambda = sum_b V_b sum_k W(sqrt(t^2 + (2 d + k l)^2)),     b its gradient,
 *
 * so that over a flat surface the sum is the share of a flat wall, and its slope, but for the grain. Points on the surface itself, as they are, would have a
 * fifth of that slope half a spacing off: the first layer would need five times its pressure not to fall in. Volumes begin as the area's share, fitted to a flat
 * wall (in the plane points before and behind it are felt too, and W is that of the plane), and are then corrected by what is felt half a spacing above each. */
#include "domains/sph/boundary/samples.h"
#include "base/alloc.h"
#include "collision/form/skin.h"
#include "geometry/sample/sample.h"
#include <string.h>

#define SAMPLE_SPACING 0.6 /* spacings of the fluid */
#define MOST_CELLS 128     /* along the longest side */
#define SEED 0x5a3d1e

/* ---- points ---- */

static double area_of(const kin_skin* skin)
{
    double sum = 0;
    for (uint32_t i = 0; i < skin->triangle_count; ++i) {
        kin_vec3 a = skin->positions[skin->triangles[i][0]], b = skin->positions[skin->triangles[i][1]], c = skin->positions[skin->triangles[i][2]];
        sum += 0.5 * kin_length(kin_cross(kin_sub(b, a), kin_sub(c, a)));
    }
    return sum;
}

static bool scatter(kin_sph_walls* w, const kin_form* form, kin_samples* out, double* area)
{
    kin_skin skin;
    kin_mesh* mesh = NULL;
    if (!kin_skin_init(&w->allocator, form, &skin)) return false;
    kin_mesh_view view = {.vertices = skin.positions, .vertex_count = skin.vertex_count, .corners = &skin.triangles[0][0], .face_count = skin.triangle_count};
    bool ok = skin.triangle_count > 0 && kin_mesh_create(&w->allocator, &view, &mesh, NULL) == KIN_OK
              && kin_sample_spaced(&w->allocator, mesh, SAMPLE_SPACING * w->profile.spacing, SEED, out, NULL) == KIN_OK;
    *area = area_of(&skin);
    kin_mesh_destroy(mesh);
    kin_skin_term(&skin);
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

/* Cells within reach of x. False: none. */
static bool cells_near(const kin_sph_samples* s, kin_vec3 x, double reach, near_cells* out)
{
    for (int a = 0; a < 3; ++a) {
        double low = (kin_component(x, a) - reach - kin_component(s->origin, a)) / s->cell,
               high = (kin_component(x, a) + reach - kin_component(s->origin, a)) / s->cell;
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
    if (!cells_near(s, x, p->bell.end, &near)) return 0;
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

/* Twice each is corrected by what a particle half a spacing above it would feel of all, within a sixth, for at edges it is right to feel less. */
static void weigh_points(const kin_sph_walls* w, kin_sph_samples* s, double area, float* next)
{
    const kin_sph_profile* p = &w->profile;
    double slope, half = 0.5 * p->spacing, share = kin_sph_curve_at(&p->share, half, &slope);
    double volume = thickness_of(p, half, share) * area / s->count;
    for (uint32_t i = 0; i < s->count; ++i) s->points[i].volume = (float)volume;
    for (int round = 0; round < 2; ++round) {
        for (uint32_t i = 0; i < s->count; ++i) {
            kin_vec3 x = kin_sph_wide(s->points[i].x), n = kin_sph_wide(s->points[i].normal);
            next[i] = s->points[i].volume * (float)kin_clamp(share / sum_near(p, s, kin_add_scaled(x, half, n), n), 5.0 / 6, 7.0 / 6);
        }
        for (uint32_t i = 0; i < s->count; ++i) s->points[i].volume = next[i];
    }
}

/* ---- all of a form ---- */

static void free_samples(kin_sph_walls* w, kin_sph_samples* s)
{
    kin_form_drop(s->form);
    kin_free(&w->allocator, s->points, s->count * sizeof *s->points);
    kin_free(&w->allocator, s->first, (s->cell_count + 1) * sizeof *s->first);
    kin_free(&w->allocator, s, sizeof *s);
}

static bool init_samples(kin_sph_walls* w, kin_sph_samples* s, kin_form* form)
{
    kin_samples scattered = {.allocator = w->allocator};
    s->form = kin_form_keep(form);
    double area = 0;
    if (!scatter(w, form, &scattered, &area)) return false;
    s->count = scattered.count;
    float* next = kin_alloc(&w->allocator, s->count * sizeof *next);
    bool ok = make_cells(w, s) && next != NULL;
    if (ok) sort_points(s, &scattered), weigh_points(w, s, area, next);
    kin_free(&w->allocator, next, s->count * sizeof *next);
    kin_samples_term(&scattered);
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
    if (!cells_near(s, x, reach, &near)) return false;
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
