/* local.h - what the stages of a skin share. Places are floats relative to the low corner of block (0, 0, 0). */
#pragma once
#include "geometry/cells.h"
#include "geometry/isosurface/isosurface.h"
#include "geometry/skin/skin.h"
#include "geometry/stretches.h"

enum { KIN_SKIN_COLUMNS = 3 + KIN_SKIN_ATTRIBUTES, KIN_SKIN_PADDING = 16, KIN_SKIN_MOMENTS = 11 };

/* How far kernels reach, in spacings. */
#define KIN_SKIN_REACH 2.0    /* H */
#define KIN_SKIN_SURROUND 3.0 /* covariances */
#define KIN_SKIN_STRETCH 1.5  /* of H, at most */

/* What one particle adds to the field: weight (1 - |G d|^2)^3. */
typedef struct kin_fluid_skin_blob {
    float at[3];    /* its centre, m */
    float shape[6]; /* G: xx yy zz xy xz yz, 1/m */
    float weight;
    float extent[3]; /* half the box round it, m */
} kin_fluid_skin_blob;

/* Sorted by cells, padded to whole blocks of lanes. */
typedef struct kin_fluid_skin_points {
    float *x, *y, *z;                 /* where they are */
    float *cx, *cy, *cz;              /* where their blobs are */
    float* columns[KIN_SKIN_COLUMNS]; /* x - c, then attributes */
    uint32_t* item;                   /* number in the cloud */
} kin_fluid_skin_points;

typedef struct kin_fluid_skin_bounds {
    float low[3], high[3];
} kin_fluid_skin_bounds;

typedef struct kin_fluid_skin_work {
    kin_allocator allocator;
    kin_jobs* jobs;
    kin_fluid_skin_settings settings; /* without zeros */
    const kin_fluid_skin_cloud* cloud;
    kin_vec3 low;      /* of block (0, 0, 0), relative to the cloud's origin */
    double block_edge; /* m */
    float* memory;     /* of points */
    size_t memory_bytes;
    double* places; /* x, y, z of the unsorted cloud, relative to low: for cells */
    size_t place_bytes;
    uint32_t* items; /* of cells */
    kin_cells cells;
    kin_fluid_skin_points points;
    kin_fluid_skin_blob* blobs;
    size_t blob_bytes;
    double shift;                  /* m: the farthest a centre was moved */
    kin_fluid_skin_bounds* bounds; /* of what the blobs of each cell reach */
    int32_t (*blocks)[3];
    float* values;
    uint32_t block_count;
} kin_fluid_skin_work;

/* What a kernel needs of one block. */
typedef struct kin_fluid_skin_block {
    const kin_fluid_skin_blob* blobs;
    const uint32_t* numbers; /* of the blobs that reach into it */
    uint32_t count;
    double corner[3]; /* of its first point */
    float cell;
} kin_fluid_skin_block;

typedef void kin_fluid_skin_density_fn(const kin_fluid_skin_points* points, const kin_stretches* ranges, uint32_t i, float reach, float* sum);
typedef void kin_fluid_skin_moments_fn(const kin_fluid_skin_points* points, const kin_stretches* ranges, uint32_t i, float reach, float sums[KIN_SKIN_MOMENTS]);
typedef void kin_fluid_skin_fill_fn(const kin_fluid_skin_block* block, float values[KIN_BLOCK_POINTS]); /* minus the sum of the blobs */
/* Distance from the mean of the blobs' centres, 1e30 where there are none. */
typedef void kin_fluid_skin_stray_fn(const kin_fluid_skin_block* block, float values[KIN_BLOCK_POINTS]);
/* Sums over blobs within reach of a place: weights, then columns times weights. */
typedef void kin_fluid_skin_blend_fn(const kin_fluid_skin_points* points, const kin_stretches* ranges, const float at[3], float reach, int columns,
                                     float* sums);

typedef struct kin_fluid_skin_kernels {
    kin_fluid_skin_density_fn* density;
    kin_fluid_skin_moments_fn* moments;
    kin_fluid_skin_fill_fn* fill;
    kin_fluid_skin_stray_fn* stray;
    kin_fluid_skin_blend_fn* blend;
} kin_fluid_skin_kernels;
extern const kin_fluid_skin_kernels kin_fluid_skin_kernels_none, kin_fluid_skin_kernels_sse2, kin_fluid_skin_kernels_avx2;
const kin_fluid_skin_kernels* kin_fluid_skin_kernels_of(kin_simd simd);

/* In the order of their use. */
kin_result kin_fluid_skin_sort(kin_fluid_skin_work* work, kin_error* error);
void kin_fluid_skin_shape(kin_fluid_skin_work* work); /* blobs from surroundings */
kin_result kin_fluid_skin_find_blocks(kin_fluid_skin_work* work, kin_error* error);
kin_result kin_fluid_skin_fill(kin_fluid_skin_work* work, kin_error* error); /* values of the blocks */
/* Vertices are carried back, attributes read. */
kin_result kin_fluid_skin_dress(kin_fluid_skin_work* work, kin_isosurface* surface, kin_fluid_skin* out, kin_error* error);
/* Sums over blobs within reach of a place, relative to low. */
void kin_fluid_skin_blend_at(const kin_fluid_skin_work* work, kin_vec3 at, double reach, int columns, float sums[1 + KIN_SKIN_COLUMNS]);
kin_result kin_fluid_skin_put_field(kin_fluid_skin_work* work, kin_fluid_skin_field* out, kin_error* error); /* of shaped blobs */
kin_result kin_fluid_skin_smooth(const kin_allocator* allocator, kin_jobs* jobs, kin_isosurface* surface, int passes,
                                 kin_error* error); /* and its normals, if it has any */
