/* part.c - which feature a few vertices span. */
#include "collision/narrow/part.h"

kin_vec3 kin_core_vertex(const kin_convex* c, uint32_t vertex)
{
    switch (c->core) {
    case KIN_CORE_SEGMENT: return kin_v(0, vertex ? c->half.y : -c->half.y, 0);
    case KIN_CORE_BOX: return kin_v(vertex & 1 ? c->half.x : -c->half.x, vertex & 2 ? c->half.y : -c->half.y, vertex & 4 ? c->half.z : -c->half.z);
    case KIN_CORE_HULL: return c->hull->vertices[vertex];
    case KIN_CORE_TRIANGLE: return c->p[vertex];
    default: return kin_v(0, 0, 0);
    }
}

/* The bits in which no two of the vertices differ are the sides that all lie on. */
static kin_part box_part(const uint32_t* v, uint32_t count)
{
    uint32_t differ = 0;
    for (uint32_t i = 1; i < count; ++i) differ |= v[i] ^ v[0];
    uint32_t axis = differ == 2 ? 1 : differ == 4 ? 2 : 0;
    if (differ == 0) return (kin_part){KIN_PART_VERTEX, v[0]};
    if ((differ & (differ - 1)) == 0) {
        uint32_t low = v[0] >> (axis == 0) & 1, high = v[0] >> (axis == 2 ? 1 : 2) & 1;
        return (kin_part){KIN_PART_EDGE, 4 * axis + low + 2 * high};
    }
    uint32_t flat = (differ & 1) == 0 ? 0 : (differ & 2) == 0 ? 1 : 2;
    return (kin_part){KIN_PART_FACE, 2 * flat + (v[0] >> flat & 1)};
}

static kin_part triangle_part(const uint32_t* v, uint32_t count)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < count; ++i) set |= 1u << v[i];
    if ((set & (set - 1)) == 0) return (kin_part){KIN_PART_VERTEX, v[0]};
    return set == 7 ? (kin_part){KIN_PART_FACE, 0} : (kin_part){KIN_PART_EDGE, set == 3 ? 0 : set == 6 ? 1 : 2};
}

static uint32_t corners_on_face(const kin_hull* hull, uint32_t start, const uint32_t* v, uint32_t count)
{
    uint32_t found = 0, edge = start;
    do {
        for (uint32_t i = 0; i < count; ++i) found += hull->edges[edge].origin == v[i];
        edge = hull->edges[edge].next;
    } while (edge != start);
    return found;
}

static kin_part hull_part(const kin_hull* hull, const uint32_t* v, uint32_t count)
{
    uint32_t other = v[0], face = 0, most = 0;
    bool is_edge = true;
    for (uint32_t i = 1; i < count; ++i) {
        if (v[i] == v[0]) continue;
        if (other == v[0]) other = v[i];
        is_edge = is_edge && v[i] == other;
    }
    if (other == v[0]) return (kin_part){KIN_PART_VERTEX, v[0]};
    uint32_t start = hull->vertex_edge[v[0]], edge = start;
    do { /* round the first vertex */
        if (is_edge && kin_hull_end(hull, edge) == other) return (kin_part){KIN_PART_EDGE, edge & ~1u};
        uint32_t corners = corners_on_face(hull, edge, v, count);
        if (corners > most) most = corners, face = hull->edges[edge].face;
        edge = hull->edges[edge ^ 1].next;
    } while (edge != start);
    return (kin_part){KIN_PART_FACE, face};
}

kin_part kin_core_part(const kin_convex* c, const uint32_t* vertices, uint32_t count)
{
    switch (c->core) {
    case KIN_CORE_POINT: return (kin_part){KIN_PART_VERTEX, 0};
    case KIN_CORE_SEGMENT: break;
    case KIN_CORE_BOX: return box_part(vertices, count);
    case KIN_CORE_HULL: return hull_part(c->hull, vertices, count);
    case KIN_CORE_TRIANGLE: return triangle_part(vertices, count);
    default: return (kin_part){KIN_PART_CURVED, 0};
    }
    for (uint32_t i = 1; i < count; ++i) {
        if (vertices[i] != vertices[0]) return (kin_part){KIN_PART_EDGE, 0};
    }
    return (kin_part){KIN_PART_VERTEX, vertices[0]};
}
