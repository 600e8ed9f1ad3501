/* connect.h - half-edges of any polygon soup: each face owns its direction of a shared edge (C4.13), and the edge list with its faces (C1.4.1a).
 *
 * Half-edge h leaves corner h of the polyhedron (its corners array), along its face: no array of its own. Twins exist where an edge has exactly two faces of
 * one winding; everything else (borders, three faces, two faces that run the same way) is in the edge list. Valid until the polyhedron changes. */
#pragma once
#include "geometry/cut/poly.h"

#define KIN_NO_HALF UINT32_MAX

typedef struct kin_edge {
    uint32_t from, to;    /* vertices, in the direction of the left face */
    uint32_t left, right; /* faces: left is the first one that has the edge; right the second, or KIN_NO_NEIGHBOR on a border */
    uint32_t half;        /* of the left face */
    uint32_t first, uses; /* its half-edges: halves[first ...], faces rising; 2 when all is well */
    bool crossed;         /* two faces that run along it in the same direction: one is flipped */
} kin_edge;

typedef struct kin_connect {
    const kin_poly* poly;
    uint32_t* face;   /* of each half-edge */
    uint32_t* twin;   /* or KIN_NO_HALF */
    uint32_t* edge;   /* of each half-edge */
    uint32_t* halves; /* grouped by edge */
    kin_edge* edges;
    uint32_t edge_count;
    uint32_t *star_begin, *star; /* half-edges that leave each vertex, rising: star[star_begin[v]] up to star[star_begin[v + 1]] */
    size_t half_count, vertex_count;
    kin_allocator allocator;
} kin_connect;

bool kin_connect_init(kin_connect* connect, const kin_poly* poly, const kin_allocator* allocator); /* false: out of memory */
void kin_connect_term(kin_connect* connect);

static inline uint32_t kin_half_next(const kin_connect* c, uint32_t h)
{
    uint32_t f = c->face[h], end = c->poly->begin[f] + c->poly->sizes[f];
    return h + 1 < end ? h + 1 : c->poly->begin[f];
}
static inline uint32_t kin_half_prev(const kin_connect* c, uint32_t h)
{
    uint32_t f = c->face[h], begin = c->poly->begin[f];
    return h > begin ? h - 1 : begin + c->poly->sizes[f] - 1;
}
static inline uint32_t kin_half_from(const kin_connect* c, uint32_t h) { return c->poly->corners[h]; }
static inline uint32_t kin_half_to(const kin_connect* c, uint32_t h) { return c->poly->corners[kin_half_next(c, h)]; }
/* Round the vertex that h leaves, counter-clockwise from outside; KIN_NO_HALF at a border. */
static inline uint32_t kin_half_around(const kin_connect* c, uint32_t h) { return c->twin[kin_half_prev(c, h)]; }
/* The half-edge from one vertex to another, or KIN_NO_HALF. */
static inline uint32_t kin_half_between(const kin_connect* c, uint32_t from, uint32_t to)
{
    for (uint32_t i = c->star_begin[from]; i < c->star_begin[from + 1]; ++i) {
        if (kin_half_to(c, c->star[i]) == to) return c->star[i];
    }
    return KIN_NO_HALF;
}

/* How many separate fans of faces meet at a vertex: 1 on a clean surface, 2 where two tetrahedra touch (Fig 11.1), 0 when unused. scratch holds one number for
 * each half-edge of the vertex. */
uint32_t kin_vertex_fans(const kin_connect* connect, uint32_t vertex, uint32_t* scratch);
