/* broad.h - broad phase: which boxes overlap (C2.4.1-2.4.3, H10.9, H10.10, H6.3, R3.7, S-G).
 *
 * Nine kinds behind one interface. Whatever the kind, the settings and the number of threads, an update gives the same list: the pairs of proxies whose
 * boxes overlap (touching counts) and whose filters agree, as (a, b) with a < b, sorted; and what began and ended since the update before.
 *
 *     kin_broad_insert(broad, &def, &proxy, &error);
 *     kin_broad_move(broad, proxy, box, displacement, &error);
 *     kin_broad_update(broad, jobs, &error);
 *     kin_broad_view pairs = kin_broad_pairs(broad);
 *
 * A proxy is stored with a larger box, in single precision relative to an origin: while its own box stays within, nothing is searched. The search costs in
 * proportion to what left its stored box; where nothing moves, an update costs nothing. For continuous detection the box of a proxy is the box of its whole
 * motion (kin_aabb_union of start and end, kin_aabb_sweep): any kind takes it, KIN_BROAD_WORLD_TREE is made for it. */
#pragma once
#include "base/jobs.h"
#include "geometry/bvh.h"
#include "kinema/filter.h"
#include "math/aabb.h"

typedef enum kin_broad_kind {
    KIN_BROAD_TREE,       /* dynamic tree of boxes: the default */
    KIN_BROAD_SWEEP,      /* sweep and prune: sorted ends per axis, re-sorted by insertion (H10.10) */
    KIN_BROAD_GRID,       /* uniform grid: cells with counters in a hash, cell lists diffed (C2.4.1) */
    KIN_BROAD_LEVELS,     /* grids of several cell sizes, an object in its own and all coarser ones (C2.4.2) */
    KIN_BROAD_HASH,       /* fixed buckets filled anew each time, cleared by a counter (R3.7) */
    KIN_BROAD_WORLD_TREE, /* one tree over the boxes of whole motions, refitted each time and intersected with itself (C2.4.3) */
    KIN_BROAD_OCTREE,     /* cells halved along all axes; an object in all leaves it overlaps (H6.3b, H10.9) */
    KIN_BROAD_KDTREE,     /* cells cut at the median, axes in turn (H6.3c, H10.9) */
    KIN_BROAD_BRUTE,      /* all against all */
    KIN_BROAD_KIND_COUNT
} kin_broad_kind;

const char* kin_broad_kind_name(kin_broad_kind kind);
extern const char* const kin_broad_names[]; /* by kind, as scenes have them; NULL-terminated */

typedef struct kin_broad_def {
    kin_broad_kind kind;
    kin_vec3 origin;     /* m: what stored boxes and cells are relative to. The first proxy's centre instead where single precision would blur that one */
    double margin;       /* a stored box is larger by this on every side, in mean extents of the box; >= 0 */
    double predict;      /* and reaches ahead by this many displacements; >= 0 */
    double k;            /* GRID: diameter of a cell in mean diameters of the boxes, >= 1 */
    double cell_size;    /* GRID, HASH: edge of a cell, m; 0: from k, or the mean extent */
    bool slices;         /* GRID, LEVELS: hash a cell to the sum of its indices, one slice of the grid to a bucket, as the text advises; else mixed bits */
    double kmin, kmax;   /* LEVELS: diameters on a level in cells, 0 < kmin < 1 <= kmax */
    uint32_t buckets;    /* HASH: their number; 0: twice the proxies */
    uint32_t leaf_count; /* OCTREE, KDTREE: a cell with more boxes is cut */
    uint32_t max_depth;  /* OCTREE, KDTREE: cells are not cut deeper, 1 to 20 */
} kin_broad_def;

kin_broad_def kin_broad_def_default(kin_broad_kind kind);

typedef struct kin_broad kin_broad;
kin_result kin_broad_create(const kin_allocator* allocator, const kin_broad_def* def, kin_broad** out, kin_error* error);
void kin_broad_destroy(kin_broad* broad); /* may be NULL */

typedef struct kin_broad_proxy_def {
    kin_aabb box;      /* m; not empty. Infinite is allowed, NaN is refused */
    kin_filter filter; /* fixed proxies never pair with each other, whatever it says */
    bool fixed;        /* never paired with another fixed one */
    uint64_t user;     /* the caller's */
} kin_broad_proxy_def;

bool kin_broad_reserve(kin_broad* broad, uint32_t proxies); /* room for so many in all; false: out of memory */
/* Ids are small numbers, reused after the update that follows a removal. On failure nothing has changed. */
kin_result kin_broad_insert(kin_broad* broad, const kin_broad_proxy_def* def, uint32_t* proxy, kin_error* error);
kin_result kin_broad_move(kin_broad* broad, uint32_t proxy, kin_aabb box, kin_vec3 displacement, kin_error* error); /* displacement: expected again, m */
/* The same in two halves, for many at once: threads shift proxies of their own, whatever the order, and one of them enlists those afterwards. */
kin_result kin_broad_shift(kin_broad* broad, uint32_t proxy, kin_aabb box, kin_vec3 displacement, kin_error* error);
void kin_broad_enlist(kin_broad* broad, uint32_t proxy); /* nothing, if it was not shifted */
void kin_broad_remove(kin_broad* broad, uint32_t proxy);
void kin_broad_set_filter(kin_broad* broad, uint32_t proxy, kin_filter filter);
/* jobs NULL: on this thread. On failure (memory) the lists are those of the update before, and it may be tried again. */
kin_result kin_broad_update(kin_broad* broad, kin_jobs* jobs, kin_error* error);

typedef struct kin_broad_pair {
    uint32_t a, b; /* a < b */
} kin_broad_pair;
typedef struct kin_broad_view {
    const kin_broad_pair* data; /* sorted; valid until the next update */
    size_t count;
} kin_broad_view;

kin_broad_view kin_broad_pairs(const kin_broad* broad);
kin_broad_view kin_broad_begun(const kin_broad* broad); /* in the last update */
kin_broad_view kin_broad_ended(const kin_broad* broad); /* in the last update; also those of removed proxies */

bool kin_broad_holds(const kin_broad* broad, uint32_t proxy);
kin_aabb kin_broad_box(const kin_broad* broad, uint32_t proxy);
kin_filter kin_broad_proxy_filter(const kin_broad* broad, uint32_t proxy);
uint64_t kin_broad_user(const kin_broad* broad, uint32_t proxy); /* of a removed one until the next update */
uint32_t kin_broad_count(const kin_broad* broad);                /* proxies */

typedef struct kin_broad_report {
    size_t bytes;      /* held */
    size_t candidates; /* pairs whose stored boxes overlap */
    uint64_t tests;    /* pairs of boxes compared by the last search */
    uint32_t searched; /* proxies that had left their stored box */
    uint32_t height;   /* TREE, WORLD_TREE, OCTREE, KDTREE: levels below the root */
    uint32_t cells;    /* GRID, LEVELS: in use; HASH: buckets in use; OCTREE, KDTREE: leaves */
    uint32_t shared;   /* GRID, LEVELS: cells with two or more */
    uint32_t levels;   /* GRID, LEVELS */
} kin_broad_report;
kin_broad_report kin_broad_reports(const kin_broad* broad);

/* GRID, LEVELS, after an update: edge of the cells of a level (from 0), level of a proxy, and the cells it is in on that or a coarser level. */
typedef struct kin_broad_cells {
    int32_t low[3], high[3]; /* inclusive */
} kin_broad_cells;
double kin_broad_cell_edge(const kin_broad* broad, uint32_t level);
uint32_t kin_broad_level(const kin_broad* broad, uint32_t proxy); /* UINT32_MAX: too large for cells, kept in a list */
kin_broad_cells kin_broad_cells_of(const kin_broad* broad, uint32_t proxy, uint32_t level);

/* Walks over the proxies as of the last update: each whose box passes the test, once. Cursors, as in geometry/bvh.h:
 *
 *     for (kin_broad_overlap_begin(&walk, broad, box); kin_broad_next(&walk);) use(walk.proxy);
 *
 * KIN_BROAD_TREE walks its tree, paths and distances nearest first; the other kinds look at every proxy. Filters are the caller's. */
typedef struct kin_broad_walk {
    uint32_t proxy;
    double limit; /* path: fraction; closest: distance, m. The caller lowers it as it finds things */
    const kin_broad* broad;
    int test; /* what the walk asks for */
    uint32_t scan;
    kin_aabb box;
    kin_vec3 at, direction, half;
    kin_bvh tree; /* nodes only */
    kin_bvh_walk walk;
} kin_broad_walk;

void kin_broad_overlap_begin(kin_broad_walk* walk, const kin_broad* broad, kin_aabb box);
/* A box of these half extents (0: a ray) along origin + t direction, t in [0, limit]. */
void kin_broad_path_begin(kin_broad_walk* walk, const kin_broad* broad, kin_vec3 origin, kin_vec3 direction, kin_vec3 half, double limit);
void kin_broad_closest_begin(kin_broad_walk* walk, const kin_broad* broad, kin_vec3 point, double distance);
bool kin_broad_next(kin_broad_walk* walk);
