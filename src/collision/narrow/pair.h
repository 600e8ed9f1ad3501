/* pair.h - two convex cores and the support points of their difference A - B, in A's frame (eq. 4.38). */
#pragma once
#include "collision/form/convex.h"
#include "collision/narrow/gjk.h"

typedef struct kin_pair {
    const kin_convex *a, *b;
    kin_mat3 turn;      /* B's axes in A's frame */
    kin_vec3 shift;     /* B's origin in A's frame, m */
    uint32_t hint[2];   /* vertices found last: the next search starts there */
    double radii;       /* m, of both */
    bool is_polyhedral; /* both cores: vertex numbers mean something */
} kin_pair;

typedef struct kin_pair_point {
    kin_vec3 x, a, b; /* x = a - b, m */
    uint32_t va, vb;
} kin_pair_point;

static inline kin_pair kin_pair_of(const kin_convex* a, const kin_convex* b, kin_transform b_in_a)
{
    return (kin_pair){.a = a,
                      .b = b,
                      .turn = kin_quat_to_matrix(b_in_a.orientation),
                      .shift = b_in_a.position,
                      .radii = a->radius + b->radius,
                      .is_polyhedral = kin_convex_is_polyhedral(a) && kin_convex_is_polyhedral(b)};
}
static inline kin_vec3 kin_pair_from_b(const kin_pair* p, kin_vec3 x) { return kin_add(kin_mat3_apply(p->turn, x), p->shift); }

/* Of a hull's vertices. Few of them are scanned in a row, which costs less than to follow edges through memory; many are climbed. */
static inline uint32_t kin_pair_hull_vertex(const kin_hull* hull, kin_vec3 d, uint32_t from)
{
    enum { FEW = 128 };
    if (hull->vertex_count > FEW) return kin_hull_climb(hull, d, from);
    const kin_vec3* v = hull->vertices;
    double most = kin_dot(v[0], d);
    uint32_t best = 0;
    for (uint32_t i = 1; i < hull->vertex_count; ++i) {
        double along = kin_dot(v[i], d);
        bool is_more = along > most;
        most = is_more ? along : most;
        best = is_more ? i : best;
    }
    return best;
}

static inline kin_vec3 kin_pair_core_support(const kin_convex* c, kin_vec3 d, uint32_t* vertex)
{
    if (c->core != KIN_CORE_HULL) return kin_convex_support(c, d, vertex);
    *vertex = kin_pair_hull_vertex(c->hull, d, *vertex);
    return c->hull->vertices[*vertex];
}

/* The point of A - B farthest along d. */
static inline kin_pair_point kin_pair_support(kin_pair* p, kin_vec3 d)
{
    kin_pair_point q;
    q.a = kin_pair_core_support(p->a, d, &p->hint[0]);
    q.b = kin_pair_from_b(p, kin_pair_core_support(p->b, kin_neg(kin_mat3_apply_transposed(p->turn, d)), &p->hint[1]));
    q.va = p->hint[0];
    q.vb = p->hint[1];
    q.x = kin_sub(q.a, q.b);
    return q;
}

/* By vertex numbers; polyhedral cores only. */
static inline kin_pair_point kin_pair_vertices(const kin_pair* p, uint32_t va, uint32_t vb)
{
    kin_pair_point q = {.a = kin_core_vertex(p->a, va), .b = kin_pair_from_b(p, kin_core_vertex(p->b, vb)), .va = va, .vb = vb};
    q.x = kin_sub(q.a, q.b);
    return q;
}

/* How large the numbers are that a point was made from, squared: rounding is in proportion. */
static inline double kin_pair_scale2(const kin_pair_point* q) { return kin_max(kin_length2(q->a), kin_length2(q->b)); }

/* GJK's simplex that holds the origin: 1 to 4 points; 0 when the cores are apart. */
int kin_gjk_enclose(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, kin_gjk_cache* cache, kin_pair_point points[4]);
