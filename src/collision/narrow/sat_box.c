/* sat_box.c - separating axes of two boxes: three normals each and nine crosses of edges, in A's frame (C2.5.3, all nine crosses). */
#include "collision/narrow/sat.h"

typedef struct boxes {
    kin_vec3 a, b; /* half sizes */
    kin_mat3 turn; /* B's axes in A's frame */
    kin_vec3 shift;
    int axes;
} boxes;

static double reach_a(const boxes* s, kin_vec3 n) { return kin_dot(s->a, kin_abs3(n)); }
static double reach_b(const boxes* s, kin_vec3 n) { return kin_dot(s->b, kin_abs3(kin_mat3_apply_transposed(s->turn, n))); }

/* A corner by its sides: the one farthest along d (box axes). */
static uint32_t corner(kin_vec3 d) { return (uint32_t)(d.x > 0) | (uint32_t)(d.y > 0) << 1 | (uint32_t)(d.z > 0) << 2; }
/* The edge along an axis that is farthest along d. */
static uint32_t edge(int axis, kin_vec3 d)
{
    uint32_t v = corner(d), low = v >> (axis == 0) & 1, high = v >> (axis == 2 ? 1 : 2) & 1;
    return 4 * (uint32_t)axis + low + 2 * high;
}

/* n unit, out of A towards B. */
static kin_sat_result along(boxes* s, kin_vec3 n, kin_sat_feature feature)
{
    s->axes++;
    return (kin_sat_result){feature, kin_dot(n, s->shift) - reach_a(s, n) - reach_b(s, n), kin_neg(n), 0};
}
static kin_vec3 toward_b(const boxes* s, kin_vec3 n) { return kin_dot(n, s->shift) < 0 ? kin_neg(n) : n; }

static kin_sat_result face_a(boxes* s, int i)
{
    kin_vec3 n = toward_b(s, kin_axis(i));
    uint32_t deepest = corner(kin_neg(kin_mat3_apply_transposed(s->turn, n)));
    return along(s, n, (kin_sat_feature){KIN_SAT_FACE_A, 2 * (uint32_t)i + (kin_component(n, i) > 0), deepest});
}
static kin_sat_result face_b(boxes* s, int i)
{
    kin_vec3 axis = kin_mat3_column(s->turn, i), n = toward_b(s, axis);
    return along(s, n, (kin_sat_feature){KIN_SAT_FACE_B, corner(n), 2 * (uint32_t)i + (kin_dot(axis, n) < 0)});
}
/* Parallel edges have no cross; the faces beside them part as well. */
static bool edges(boxes* s, int i, int j, kin_sat_result* out)
{
    kin_vec3 n = kin_cross(kin_axis(i), kin_mat3_column(s->turn, j));
    double length = kin_length(n);
    if (!(length > 1e-7)) return false;
    n = toward_b(s, kin_scale(n, 1 / length));
    *out = along(s, n, (kin_sat_feature){KIN_SAT_EDGES, edge(i, n), edge(j, kin_neg(kin_mat3_apply_transposed(s->turn, n)))});
    return true;
}

static kin_sat_result prefer(kin_sat_result first, kin_sat_result later, double preference)
{
    return first.feature.kind == KIN_SAT_NONE || later.separation > first.separation + preference ? later : first;
}

static const kin_sat_result nothing = {.separation = -__builtin_inf()};

static kin_sat_result try_cached(boxes* s, const kin_sat_cache* cache)
{
    kin_sat_result r;
    if (cache == NULL || cache->kind == KIN_SAT_NONE) return nothing;
    if (cache->kind == KIN_SAT_FACE_A) return face_a(s, (int)cache->a / 2);
    if (cache->kind == KIN_SAT_FACE_B) return face_b(s, (int)cache->b / 2);
    return edges(s, (int)cache->a / 4, (int)cache->b / 4, &r) ? r : nothing;
}

static kin_sat_result best_of_15(boxes* s, double preference)
{
    kin_sat_result on_a = nothing, on_b = nothing, on_edges = nothing, r;
    for (int i = 0; i < 3; ++i) {
        on_a = prefer(on_a, face_a(s, i), 0);
        on_b = prefer(on_b, face_b(s, i), 0);
        for (int j = 0; j < 3; ++j) {
            if (edges(s, i, j, &r)) on_edges = prefer(on_edges, r, 0);
        }
    }
    return prefer(prefer(on_a, on_b, preference), on_edges, preference);
}

void kin_sat_boxes(kin_vec3 half_a, kin_vec3 half_b, kin_transform b_in_a, double preference, kin_sat_cache* cache, kin_sat_result* out)
{
    boxes s = {half_a, half_b, kin_quat_to_matrix(b_in_a.orientation), b_in_a.position, 0};
    double margin = kin_max(preference, 1e-14 * (kin_length(half_a) + kin_length(half_b)));
    *out = try_cached(&s, cache);
    if (!(out->separation > 0)) *out = prefer(*out, best_of_15(&s, margin), margin);
    out->axes = s.axes;
    if (cache != NULL) *cache = out->feature;
}
