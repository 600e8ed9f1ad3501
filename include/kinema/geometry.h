/** @file geometry.h
 * Meshes as raw material: read, looked over, mended, wrapped, cut into convex pieces, shattered, filled with tetrahedra.
 *
 * Meshes come in as views and go out as lists that own their memory. An allocator of NULL is malloc. A mesh that must be closed and is not is refused, with the
 * first hole named. */
#pragma once
#include "kinema/base.h"
#include "kinema/math.h"
#include "kinema/shape.h"

/** Meshes that own their memory; {0} is empty. */
typedef struct kin_mesh_list {
    kin_mesh_view* meshes;   /**< count of them */
    size_t count;            /**< of meshes */
    size_t capacity;         /**< there is room for */
    kin_allocator allocator; /**< of it all */
} kin_mesh_list;

/** With all its meshes. {0} is fine. */
KIN_API void kin_mesh_list_free(kin_mesh_list* list);

/** An OBJ, PLY, STL or GLB file, by its ending: one mesh. */
KIN_API kin_result kin_mesh_load(const kin_allocator* allocator, const char* path, kin_mesh_list* out, kin_error* error);

/** What is right and what is wrong with a mesh. */
typedef struct kin_mesh_check {
    uint32_t vertices, edges, faces; /**< used vertices */
    uint32_t components;             /**< joined by edges */
    bool closed;                     /**< a solid: every edge has two faces of one winding */
    double area, volume;             /**< m^2; m^3, when closed */
    uint32_t holes;                  /**< loops of edges with one face */
    uint32_t flipped_faces;          /**< wound against the rest of their component */
    uint32_t duplicate_faces;        /**< with the corners of an earlier one */
    uint32_t degenerate_faces;       /**< without area */
    uint32_t bad_edges;              /**< of more than two faces */
    uint32_t bad_vertices;           /**< where several fans of faces meet */
    uint32_t crossings;              /**< pairs of faces that pass through each other, if asked for */
    uint32_t inside_out;             /**< closed components with negative volume */
    char text[2000];                 /**< a line per kind of defect that occurs, with its first place, and a summary */
} kin_mesh_check;

/** Looks a mesh over; crossings also looks for faces that pass through each other, the dearest part. */
KIN_API kin_result kin_mesh_look_over(const kin_allocator* allocator, const kin_mesh_view* mesh, bool crossings, kin_mesh_check* out, kin_error* error);

/** How a mesh is mended; each step is optional. */
typedef struct kin_mend_def {
    double weld;          /**< m: vertices nearer than this become one; 0: at one place; < 0: leave */
    bool drop_duplicates; /**< faces with the same corners as an earlier one */
    bool drop_degenerate; /**< faces without area */
    bool orient;          /**< one winding per component, outward where closed */
    uint32_t fill_holes;  /**< covers holes of up to so many edges; 0: none */
} kin_mend_def;

/** All steps; weld at one place; holes of up to 64 edges. */
KIN_API kin_mend_def kin_mend_def_default(void);
/** def NULL: the default. */
KIN_API kin_result kin_mesh_mend(const kin_allocator* allocator, const kin_mesh_view* mesh, const kin_mend_def* def, kin_mesh_list* out, kin_error* error);

/** The smallest convex body round points; at most so many vertices (0: all, exactly). One mesh of polygons. */
KIN_API kin_result kin_points_hull(const kin_allocator* allocator, const kin_vec3* points, size_t count, uint32_t most_vertices, kin_mesh_list* out,
                                   kin_error* error);

/** Convex pieces of a closed mesh: each a closed convex mesh. def NULL: hulls within 2 % of the diagonal. */
KIN_API kin_result kin_mesh_pieces(const kin_allocator* allocator, const kin_mesh_view* mesh, const kin_pieces_def* def, kin_mesh_list* out, kin_error* error);

/** The Voronoi pieces of a closed mesh about seeds (m): they tile it. */
KIN_API kin_result kin_mesh_shatter(const kin_allocator* allocator, const kin_mesh_view* mesh, const kin_vec3* seeds, size_t count, kin_mesh_list* out,
                                    kin_error* error);
/** Points evenly at random inside a closed mesh: seeds to shatter it by. */
KIN_API kin_result kin_mesh_scatter(const kin_allocator* allocator, const kin_mesh_view* mesh, uint64_t seed, size_t count, kin_vec3* out, kin_error* error);

/** Tetrahedra that fill a mesh; own their memory. */
typedef struct kin_tetrahedra {
    kin_vec3* vertices;      /**< m */
    size_t vertex_count;     /**< of vertices */
    uint32_t (*corners)[4];  /**< of positive volume */
    size_t count;            /**< of tetrahedra */
    kin_allocator allocator; /**< of both */
} kin_tetrahedra;

/** Delaunay tetrahedra of a closed mesh with points scattered inside at this spacing (m; 0: none) and surface edges cut down to it. */
KIN_API kin_result kin_mesh_tetrahedra(const kin_allocator* allocator, const kin_mesh_view* mesh, double spacing, uint64_t seed, kin_tetrahedra* out,
                                       kin_error* error);
/** {0} is fine. */
KIN_API void kin_tetrahedra_free(kin_tetrahedra* tetrahedra);
