/* bound.h - bounding volumes behind one table a kind: spheres, boxes, k-dops, oriented boxes, hulls (C2.2, C2.5.3, C2.5.4, C2.5.6, H10.4 to H10.8).
 *
 *   kind          fit                                                     moved by a pose     cut by
 *   sphere        Ritter: six extreme points, then grown                  exact               median
 *   sphere-eigen  the same in the frame of the principal axes (X2.3)      exact               median
 *   ball          the smallest there is                                   exact               median
 *   aabb          least and greatest coordinates                          boxed anew          mean, longest side
 *   dop6 14 18 26 least and greatest along 3, 7, 9, 13 axes               bounded anew        mean, longest side
 *   obb           principal axes of the vertices                          exact               mean, its own axes
 *   obb-hull      principal axes of the hull's surface                    exact               mean, its own axes
 *   hull          convex hull                                             exact               mean, longest side
 *
 * Every test may say "they overlap" of things that are apart, never the other way: touching counts, fits and moves are rounded outward by KIN_BOUND_SLACK
 * of the coordinates. Coordinates of kin_bound_fit are finite and below KIN_BOUND_LARGEST. */
#pragma once
#include "kinema/base.h"
#include "math/aabb.h"
#include "math/sym3.h"

#define KIN_BOUND_LARGEST 1e100 /* m: squares and volumes still fit */
#define KIN_BOUND_LEAST 1e-150  /* m: radii and margins are not less; squares of shorter lengths vanish */
#define KIN_BOUND_SLACK 4e-15   /* of the coordinates: what fitting and moving may round */

typedef enum kin_bound_kind {
    KIN_BOUND_SPHERE,
    KIN_BOUND_SPHERE_EIGEN,
    KIN_BOUND_BALL,
    KIN_BOUND_AABB,
    KIN_BOUND_DOP6,
    KIN_BOUND_DOP14,
    KIN_BOUND_DOP18,
    KIN_BOUND_DOP26,
    KIN_BOUND_OBB,
    KIN_BOUND_OBB_HULL,
    KIN_BOUND_HULL,
    KIN_BOUND_KINDS,
} kin_bound_kind;

typedef enum kin_bound_form { KIN_FORM_SPHERE, KIN_FORM_AABB, KIN_FORM_KDOP, KIN_FORM_OBB, KIN_FORM_HULL } kin_bound_form;
typedef enum kin_bound_split { KIN_SPLIT_OF_KIND, KIN_SPLIT_MEAN, KIN_SPLIT_AXES, KIN_SPLIT_MEDIAN } kin_bound_split;

typedef struct kin_bound_sphere {
    kin_vec3 center; /* m */
    double radius;   /* m */
} kin_bound_sphere;

typedef struct kin_obb {
    kin_vec3 center; /* m */
    kin_mat3 axes;   /* columns, a rotation */
    kin_vec3 half;   /* m, along them */
} kin_obb;

#define KIN_KDOP_AXES 13
/* Along x, y, z (0 to 2), the four diagonals of a cube (3 to 6), the six of its faces (7 to 12). Axes are not normalised, the same everywhere (H10.6). */
typedef struct kin_kdop {
    uint32_t mask; /* bit i: axis i counts */
    double low[KIN_KDOP_AXES], high[KIN_KDOP_AXES];
} kin_kdop;

typedef struct kin_polytope kin_polytope; /* polytope.h */
typedef struct kin_bound_hull {
    const kin_polytope* shape;
    kin_transform pose;
} kin_bound_hull;

typedef struct kin_bound {
    kin_bound_kind kind;
    union {
        kin_bound_sphere sphere;
        kin_aabb box;
        kin_kdop dop;
        kin_obb obb;
        kin_bound_hull hull;
    };
} kin_bound;

typedef struct kin_wire kin_wire;
typedef struct kin_bound_ops kin_bound_ops;
struct kin_bound_ops {
    const char *name, *doc;
    kin_bound_kind kind;
    kin_bound_form form;
    kin_bound_split split; /* of trees built from the top (C2.2.1 to C2.2.3) */
    uint32_t mask;         /* k-dops: their axes */
    kin_result (*fit)(const kin_bound_ops* ops, const kin_allocator* allocator, const kin_vec3* points, size_t count, kin_bound* out);
    kin_result (*merge)(const kin_bound_ops* ops, const kin_allocator* allocator, const kin_bound* a, const kin_bound* b,
                        kin_bound* out);                           /* both of this form */
    kin_bound (*move)(const kin_bound* bound, kin_transform pose); /* a moved hull borrows the shape of the one it came from */
    bool (*overlap)(const kin_bound* a, const kin_bound* b);       /* both of this form */
    bool (*contains)(const kin_bound* bound, kin_vec3 x);
    double (*extent)(const kin_bound* bound, kin_vec3 d); /* at least the greatest d.x in it; k-dops: an upper bound */
    double (*volume)(const kin_bound* bound);             /* m^3 */
    double (*area)(const kin_bound* bound);               /* m^2 */
    bool (*wire)(const kin_bound* bound, kin_wire* wire); /* false: out of memory */
};

extern const kin_bound_ops kin_bound_sphere_ops, kin_bound_sphere_eigen_ops, kin_bound_ball_ops;              /* sphere.c */
extern const kin_bound_ops kin_bound_aabb_ops;                                                                /* box.c */
extern const kin_bound_ops kin_bound_dop6_ops, kin_bound_dop14_ops, kin_bound_dop18_ops, kin_bound_dop26_ops; /* kdop.c */
extern const kin_bound_ops kin_bound_obb_ops, kin_bound_obb_hull_ops;                                         /* obb.c */
extern const kin_bound_ops kin_bound_hull_ops;                                                                /* polytope.c */
extern const kin_bound_ops* const kin_bound_ops_of[KIN_BOUND_KINDS];

/* ---- any kind ---- */

/* Of one point or more. Only hulls allocate; KIN_ERROR_MEMORY is the only way to fail. */
kin_result kin_bound_fit(kin_bound_kind kind, const kin_allocator* allocator, const kin_vec3* points, size_t count, kin_bound* out);
void kin_bound_term(kin_bound* bound, const kin_allocator* allocator); /* what fit or merge made; not what move lent */
/* A bound of this kind round two of any kind. */
kin_result kin_bound_merge(kin_bound_kind kind, const kin_allocator* allocator, const kin_bound* a, const kin_bound* b, kin_bound* out);
static inline kin_bound kin_bound_move(const kin_bound* bound, kin_transform pose) { return kin_bound_ops_of[bound->kind]->move(bound, pose); }
/* As move, but a box becomes the oriented box that it is in the world (C2.5.3) instead of being boxed anew. */
kin_bound kin_bound_turn(const kin_bound* bound, kin_transform pose);
bool kin_bound_overlap(const kin_bound* a, const kin_bound* b); /* of any kinds; false: surely apart */
static inline bool kin_bound_contains(const kin_bound* bound, kin_vec3 x) { return kin_bound_ops_of[bound->kind]->contains(bound, x); }
static inline double kin_bound_extent(const kin_bound* bound, kin_vec3 d) { return kin_bound_ops_of[bound->kind]->extent(bound, d); }
static inline double kin_bound_volume(const kin_bound* bound) { return kin_bound_ops_of[bound->kind]->volume(bound); }
static inline double kin_bound_area(const kin_bound* bound) { return kin_bound_ops_of[bound->kind]->area(bound); }
kin_aabb kin_bound_box(const kin_bound* bound);    /* its box */
kin_vec3 kin_bound_center(const kin_bound* bound); /* of its box; of a sphere and an oriented box their own */
double kin_bound_guide(const kin_bound* bound);    /* its volume, m^3; of a k-dop the one of its box: cheap, to choose whom to descend (X2.1) */

/* ---- spheres (C2.2.3, C2.5.4, H10.4, C1.4.1a) ---- */

kin_bound_sphere kin_sphere_ritter(const kin_vec3* points, size_t count);
/* Just enough to hold v too: r' = (r + d)/2, c' = (r' c + (d - r') v)/d; the text prints r for the first r'. */
kin_bound_sphere kin_sphere_grow(kin_bound_sphere s, kin_vec3 v);
kin_bound_sphere kin_sphere_smallest(const kin_vec3* points, size_t count);
kin_bound_sphere kin_sphere_at(kin_vec3 center, const kin_vec3* points, size_t count); /* radius to the farthest: holds them however they turn about it */
kin_bound_sphere kin_sphere_union(kin_bound_sphere a, kin_bound_sphere b);
/* Round the centre of mass, whatever the orientation: radius + |centre - mass_center|. */
kin_bound_sphere kin_sphere_rotation(kin_bound_sphere s, kin_vec3 mass_center);
static inline kin_aabb kin_sphere_box(kin_bound_sphere s) { return kin_aabb_around(s.center, kin_v(s.radius, s.radius, s.radius)); }
static inline bool kin_sphere_overlaps_box(kin_bound_sphere s, kin_aabb b) /* C2.5.6 */
{
    return kin_length2(kin_sub(kin_aabb_closest(b, s.center), s.center)) <= s.radius * s.radius;
}
static inline bool kin_sphere_overlaps_obb(kin_bound_sphere s, kin_obb b)
{
    kin_bound_sphere local = {kin_mat3_apply_transposed(b.axes, kin_sub(s.center, b.center)), s.radius * (1 + KIN_BOUND_SLACK)};
    return kin_sphere_overlaps_box(local, (kin_aabb){kin_neg(b.half), b.half});
}

/* ---- k-dops ---- */

double kin_kdop_project(uint32_t axis, kin_vec3 x); /* on the axis as it is, not normalised */
kin_vec3 kin_kdop_axis(uint32_t axis);

/* ---- oriented boxes (C2.2.2, C2.5.3, H10.7) ---- */

/* mean of (x - mean)(x - mean)^T, m^2 */
kin_sym3 kin_covariance_of_points(const kin_vec3* points, size_t count);
/* Of a surface of triangles, by area: C = sum A_k/(12 A) (9 m_k m_k^T + sum v v^T) - m m^T. False: no area. */
bool kin_covariance_of_surface(const kin_vec3* points, const uint32_t (*triangles)[3], size_t count, kin_sym3* out);
kin_obb kin_obb_along(kin_mat3 axes, const kin_vec3* points, size_t count); /* the tightest with these axes */
kin_obb kin_obb_of_box(kin_aabb box);
void kin_obb_corners(kin_obb b, kin_vec3 corners[8]);
/* Separating axes in a's frame: 3 + 3 faces and all nine crosses; one that separates suffices. */
bool kin_obb_overlaps(const kin_obb* a, const kin_obb* b);
/* The six face axes alone (van den Bergen 1997): may say yes of boxes apart, never no of boxes that touch. */
bool kin_obb_overlaps_6(const kin_obb* a, const kin_obb* b);

/* ---- pictures ---- */

/* Lines to draw: filled by kin_wire_add, as many bounds as wanted. */
struct kin_wire {
    kin_allocator allocator;
    kin_vec3* points; /* m */
    size_t point_count, point_capacity;
    uint32_t (*edges)[2];
    size_t edge_count, edge_capacity;
};
void kin_wire_init(kin_wire* wire, const kin_allocator* allocator);
void kin_wire_term(kin_wire* wire);
bool kin_wire_add(kin_wire* wire, const kin_bound* bound); /* false: out of memory */
/* For the kinds: a point and its number, UINT32_MAX out of memory; an edge. */
uint32_t kin_wire_point(kin_wire* wire, kin_vec3 x);
bool kin_wire_edge(kin_wire* wire, uint32_t a, uint32_t b);
bool kin_wire_obb(kin_wire* wire, const kin_obb* box);
