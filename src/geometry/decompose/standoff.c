/* standoff.c - samples of both surfaces; planes answer for the hull, a tree of triangles for the piece. */
#include "geometry/decompose/standoff.h"
#include "base/alloc.h"
#include "geometry/bvh.h"
#include "geometry/cut/cut.h"

#define SAMPLES 2000.0 /* of a surface, about */
#define MOST_STEPS 64  /* along an edge of a triangle */

typedef struct surface {
    const kin_poly* piece;
    uint32_t (*triangles)[3];
    kin_aabb* boxes;
    uint32_t count;
    kin_bvh bvh;
} surface;

typedef struct sampler {
    double spacing, most;
    const kin_hull* hull;   /* asked for samples of the piece, or */
    const surface* surface; /* for samples of the hull */
} sampler;

double kin_standoff_spacing(const kin_poly* piece, double resolution)
{
    double area = 0;
    for (size_t f = 0; f < piece->face_count; ++f) area += 0.5 * kin_length(kin_poly_normal(piece, f));
    return kin_max(resolution, kin_sqrt(area / SAMPLES));
}

static double distance_to_surface(const surface* s, kin_vec3 x, double enough)
{
    kin_bvh_walk walk;
    double best = 1e308;
    for (kin_bvh_closest_begin(&walk, &s->bvh, x, 1e150); kin_bvh_closest_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            const uint32_t* c = s->triangles[s->bvh.items[i]];
            const kin_vec3* v = s->piece->vertices;
            kin_feature feature;
            double d2 = kin_length2(kin_sub(kin_closest_on_triangle(v[c[0]], v[c[1]], v[c[2]], x, &feature), x));
            if (d2 < best) best = walk.limit = d2;
        }
        if (best <= enough * enough) return 0; /* cannot be the largest any more */
    }
    return kin_sqrt(best);
}

static void ask(sampler* s, kin_vec3 x)
{
    double d = s->hull != NULL ? kin_abs(kin_hull_outside(s->hull, x)) : distance_to_surface(s->surface, x, s->most);
    s->most = kin_max(s->most, d);
}

/* Corners and a grid between them, fine enough. */
static void sample_triangle(sampler* s, kin_vec3 a, kin_vec3 b, kin_vec3 c)
{
    double longest = kin_max(kin_distance(a, b), kin_max(kin_distance(b, c), kin_distance(c, a)));
    int n = (int)kin_clamp(kin_ceil(longest / s->spacing), 1, MOST_STEPS);
    for (int i = 0; i <= n; ++i) {
        for (int j = 0; j <= n - i; ++j) {
            double u = (double)i / n, v = (double)j / n;
            ask(s, kin_add(kin_scale(a, 1 - u - v), kin_add(kin_scale(b, u), kin_scale(c, v))));
        }
    }
}

static void sample_piece(sampler* s, const kin_poly* p)
{
    for (size_t f = 0; f < p->face_count; ++f) {
        const uint32_t* c = kin_poly_corners(p, f);
        if (p->tags[f] == KIN_CUT_CAP) continue;
        for (uint32_t k = 1; k + 1 < p->sizes[f]; ++k) sample_triangle(s, p->vertices[c[0]], p->vertices[c[k]], p->vertices[c[k + 1]]);
    }
}

static void sample_hull(sampler* s, const kin_hull* h)
{
    for (uint32_t f = 0; f < h->face_count; ++f) {
        uint32_t first = h->face_edge[f], e = h->edges[first].next;
        for (uint32_t next = h->edges[e].next; next != first; e = next, next = h->edges[next].next)
            sample_triangle(s, h->vertices[h->edges[first].origin], h->vertices[h->edges[e].origin], h->vertices[h->edges[next].origin]);
    }
}

static bool build_surface(surface* s, const kin_allocator* a)
{
    if (s->triangles == NULL || s->boxes == NULL) return false;
    for (size_t f = 0; f < s->piece->face_count; ++f) {
        const uint32_t* c = kin_poly_corners(s->piece, f);
        for (uint32_t k = 1; k + 1 < s->piece->sizes[f]; ++k) {
            kin_vec3 x = s->piece->vertices[c[0]], y = s->piece->vertices[c[k]], z = s->piece->vertices[c[k + 1]];
            uint32_t* t = s->triangles[s->count];
            t[0] = c[0], t[1] = c[k], t[2] = c[k + 1];
            s->boxes[s->count++] = (kin_aabb){kin_min3(x, kin_min3(y, z)), kin_max3(x, kin_max3(y, z))};
        }
    }
    kin_bvh_init(&s->bvh, a);
    return kin_bvh_build(&s->bvh, s->boxes, s->count);
}

double kin_standoff(const kin_poly* piece, const kin_hull* hull, double spacing)
{
    const kin_allocator* a = &piece->allocator;
    size_t most = piece->corner_count;
    surface s = {.piece = piece, .triangles = kin_alloc(a, kin_bytes(most, sizeof *s.triangles)), .boxes = kin_alloc(a, kin_bytes(most, sizeof *s.boxes))};
    kin_bvh_init(&s.bvh, a);
    sampler ask_all = {.spacing = spacing, .hull = hull, .surface = &s};
    bool ok = build_surface(&s, a);
    if (ok) {
        sample_piece(&ask_all, piece);
        ask_all.hull = NULL;
        sample_hull(&ask_all, hull);
    }
    kin_bvh_term(&s.bvh);
    kin_free(a, s.triangles, kin_bytes(most, sizeof *s.triangles));
    kin_free(a, s.boxes, kin_bytes(most, sizeof *s.boxes));
    return ok ? ask_all.most : -1;
}
