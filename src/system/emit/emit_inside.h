/* emit_inside.h - what the files of this folder share: an emitter with its prepared shape, and where its random numbers come from. */
#pragma once
#include "base/arena.h"
#include "geometry/mesh.h"
#include "math/quat.h"
#include "system/emit/emit.h"

/* H4.4e: numbers made beforehand and read round and round. The cursors are state; the numbers are not, they follow from the seed. */
typedef struct kin_draw_table {
    double *units, *bells; /* of size `size`; NULL: no table */
    uint32_t size, next_unit, next_bell;
    uint64_t seed; /* that they were made for */
    uint32_t system;
    bool filled;
} kin_draw_table;

/* A source of numbers: the key's, by draw, or the table's next, whatever the draw. */
typedef struct kin_draws {
    kin_rng_key key;
    kin_draw_table* table; /* NULL: the key */
} kin_draws;

double kin_draw_unit(const kin_draws* draws, uint32_t draw);                                        /* uniform in [0, 1) */
double kin_draw_bell(const kin_draws* draws, uint32_t draw);                                        /* normal of deviation 1/3, cut at -1 and 1 */
double kin_draw_about(const kin_draws* draws, uint32_t draw, const double about[2], double low);    /* kin_rng_about */
kin_vec3 kin_draw_direction(const kin_draws* draws, uint32_t draw);                                 /* H4.2b; this draw and the next */
kin_vec3 kin_draw_disk(const kin_draws* draws, uint32_t draw, double radius, kin_emitter_spread s); /* H4.2d, E2; this draw and the next */
/* H4.2c, E2: within angle of the unit axis; this draw and the next. */
kin_vec3 kin_draw_cone(const kin_draws* draws, uint32_t draw, kin_vec3 axis, double angle, kin_emitter_spread spread);
void kin_draw_table_fill(kin_draw_table* table, const kin_rng_key* key); /* unless it was, for this seed and system */

/* H4.3b: u, v of the unit square into the half u + v <= 1 by folding the other half over. The text throws that half away and draws again: the same
 * distribution for twice the draws. True: it was folded. */
static inline bool kin_fold(double* u, double* v)
{
    if (*u + *v <= 1) return false;
    *u = 1 - *u;
    *v = 1 - *v;
    return true;
}

/* Draws of a birth's key. */
enum {
    KIN_DRAW_PLACE = 0 /* to 2 */,
    KIN_DRAW_PART = 3 /* of a mesh or curve */,
    KIN_DRAW_DIRECTION = 4 /* and 5 */,
    KIN_DRAW_SPEED = 6,
    KIN_DRAW_INSTANT = 7
};

/* Newborns of one release by the cell they lie in, so that each looks at its surroundings only. Scratch. */
typedef struct kin_nursery {
    uint32_t* heads; /* first newborn + 1 of a bucket */
    uint32_t* next;  /* newborn + 1 that follows in its bucket */
    size_t head_capacity, next_capacity;
    uint32_t mask;
    bool on; /* false: there was no memory for it, all are looked at */
} kin_nursery;

typedef struct kin_emitter {
    kin_emitter_def def;
    kin_vec3 axis;  /* unit `direction` */
    kin_mesh* mesh; /* checked and triangulated; NULL: none */
    double* sums;   /* areas of the mesh's triangles or lengths of the curve's pieces, up to and with each */
    size_t sum_count;
    kin_draw_table table;
    /* state */
    double carried;      /* of a point, and of whole ones between the steps at which it emits */
    int64_t bursts;      /* so far; -1: not asked yet */
    int64_t held;        /* points of bursts that wait for a step at which it emits */
    int64_t born;        /* that count */
    uint64_t next_birth; /* its number */
} kin_emitter;

struct kin_emitters {
    kin_allocator allocator;
    kin_arena arena; /* defs, sums, tables */
    kin_emitter* items;
    size_t count;
    kin_nursery nursery;
};

/* A place on the shape in its own frame. */
typedef struct kin_birthplace {
    kin_vec3 at, normal;
} kin_birthplace;

/* C3.7.1: cells for a release. */
typedef struct kin_grid {
    bool on;                   /* false: places are random */
    int64_t count;             /* of the release */
    int64_t cells, fits;       /* cells there are; how many of count find one */
    double radius;             /* m: half a cell */
    double sphere;             /* m: radius of the sphere */
    int64_t rows;              /* of cells: square grid's side, sphere's rings */
    int64_t row, first, width; /* where the last one was: its row, that row's first cell, how many it has */
} kin_grid;

kin_birthplace kin_place_random(const kin_emitter* emitter, const kin_draws* draws);
kin_grid kin_grid_lay(const kin_emitter_def* def, int64_t count, double radius, double max_size); /* max_size, m: of this release; 0: no limit */
kin_birthplace kin_place_grid(const kin_emitter_def* def, kin_grid* grid, int64_t i);             /* i < fits, rising from call to call */

void kin_nursery_begin(kin_nursery* nursery, const kin_allocator* allocator, int64_t count);
/* Does no newborn of [0, count) come closer to x than 2 radius? Then x becomes newborn number count. */
bool kin_nursery_take(kin_nursery* nursery, const kin_newborn* newborns, int64_t count, kin_vec3 x, double radius);
void kin_nursery_term(kin_nursery* nursery, const kin_allocator* allocator);
