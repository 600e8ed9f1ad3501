/* sdf_tree.h - a tree of triangles against a distance field: which vertices are inside, how deep, which way out (G12.3).
 *
 * The corners of a node's box are looked up in the field: all outside, the node is dropped; all inside, its leaves are taken; mixed, its children are next.
 * Corners alone miss what passes between them. So a node is only dropped or taken whole if the field's clearance at its centre exceeds its radius.
 * Vertices are what is tested: an edge that pierces the solid between two vertices outside is not seen. */
#pragma once
#include "geometry/bvh.h"
#include "geometry/sdf/sdf.h"

typedef struct kin_sdf_body {
    const kin_mesh* mesh;
    const kin_bvh* tree; /* of the mesh's triangles */
    const kin_sdf* sdf;  /* of the mesh; or NULL: then it cannot play the field */
    kin_transform pose;
} kin_sdf_body;

typedef struct kin_sdf_inside {
    uint32_t vertex;
    uint32_t triangle; /* the lowest with that vertex among those visited */
    kin_vec3 point;    /* the vertex, world, m */
    kin_vec3 surface;  /* the nearest point of the field's surface found, world, m */
    kin_vec3 normal;   /* gradient at the vertex, out of the field's body, world; zero where there is none */
    double depth;      /* -value of the field there, m, >= 0 */
} kin_sdf_inside;

typedef struct kin_sdf_inside_list {
    kin_sdf_inside* data; /* by vertex number, each once */
    size_t count, capacity;
    uint32_t* triangles; /* rising: all with a vertex inside */
    size_t triangle_count, triangle_capacity;
    uint64_t* keys; /* scratch: vertex << 32 | triangle, twice the capacity */
    size_t key_capacity;
    uint32_t visited, dropped, taken; /* nodes: looked at, dropped whole, taken whole */
    uint32_t straddling;              /* nodes with eight corners on one side that had to be looked into all the same */
    bool swapped;                     /* the vertices are the second body's */
    kin_allocator allocator;
} kin_sdf_inside_list;

void kin_sdf_inside_init(kin_sdf_inside_list* list, const kin_allocator* allocator);
void kin_sdf_inside_term(kin_sdf_inside_list* list);

/* The first body's tree against the second's field; the other way round if that field lies wholly within the first one's root box (or is missing): then no
 * vertex of the first need be near it. tolerance: of the surface points, m. false: out of memory. Allocates nothing once the list has grown. */
bool kin_sdf_collide(const kin_sdf_body* first, const kin_sdf_body* second, double tolerance, kin_sdf_inside_list* list);
