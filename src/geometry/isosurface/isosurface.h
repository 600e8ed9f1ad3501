/* isosurface.h - the surface where a function on a grid has a given value, as a mesh (G12.1): marching cubes with the ambiguities resolved.
 *
 * Inside is value <= level; triangles are counter-clockwise from outside. Vertices are shared. Where the surface does not leave the grid the mesh is closed and
 * every edge has two triangles; its topology is that of the function which is trilinear in each cell (cube.h). Linear in the number of cells; besides the
 * result it needs a few layers of the grid a thread. Work is by slabs of layers: the same bits for any number of threads. */
#pragma once
#include "geometry/sdf/sdf.h"

typedef struct kin_isosurface_grid {
    kin_vec3 origin;    /* of grid point (0, 0, 0), m */
    double cell;        /* m */
    uint32_t points[3]; /* along the axes, at least 2 each; cells are one fewer */
    double level;       /* the value on the surface */
    bool normals;       /* wanted: by central differences, out of the inside */
} kin_isosurface_grid;

typedef struct kin_isosurface {
    kin_vec3* vertices; /* m */
    kin_vec3* normals;  /* unit, or zero where there is none; NULL if not wanted */
    size_t vertex_count;
    uint32_t* corners; /* three a triangle */
    size_t triangle_count;
    kin_allocator allocator;
} kin_isosurface;

/* values: x fastest, then y, then z; the gradient is taken on the grid. All must be finite. An empty surface is no error. */
kin_result kin_isosurface_of_grid(const kin_allocator* allocator, kin_jobs* jobs, const kin_isosurface_grid* grid, const float* values, kin_isosurface* out,
                                  kin_error* error);
/* One call for each row of the grid, about once a point; for normals six more points a vertex, half a cell away. */
kin_result kin_isosurface_of_function(const kin_allocator* allocator, kin_jobs* jobs, const kin_isosurface_grid* grid, kin_field_fn* function,
                                      const void* context, kin_isosurface* out, kin_error* error);
/* On the field's own grid. */
kin_result kin_isosurface_of_sdf(const kin_allocator* allocator, kin_jobs* jobs, const kin_sdf* sdf, double level, bool normals, kin_isosurface* out,
                                 kin_error* error);

/* A grid of which only some blocks are kept, 8 points to a side: memory and time follow the blocks, not the box round them. */
enum { KIN_BLOCK_SIDE = 8, KIN_BLOCK_POINTS = 512, KIN_BLOCK_MOST = 1 << 20 };

typedef struct kin_isosurface_blocks {
    kin_vec3 origin; /* of the first point of block (0, 0, 0), m */
    double cell;     /* m */
    double level;    /* the value on the surface */
    float outside;   /* above the level: of every point in no block */
    bool normals;    /* wanted: by central differences, out of the inside */
    uint32_t count;
    const int32_t (*at)[3]; /* place of each, in blocks; each below KIN_BLOCK_MOST in size, none twice */
    const float* values;    /* KIN_BLOCK_POINTS each; x fastest, then y, then z */
} kin_isosurface_blocks;

/* The mesh of the endless grid that the blocks are a part of: closed. A cell belongs to the block of its lowest corner, so a block whose lowest points are
 * inside needs its lower neighbours; it is refused without them. Vertices come block by block, those within cells last. */
kin_result kin_isosurface_of_blocks(const kin_allocator* allocator, kin_jobs* jobs, const kin_isosurface_blocks* blocks, kin_isosurface* out, kin_error* error);
void kin_isosurface_term(kin_isosurface* surface);
static inline kin_mesh_view kin_isosurface_view(const kin_isosurface* s)
{
    return (kin_mesh_view){s->vertices, s->vertex_count, NULL, s->corners, s->triangle_count};
}
