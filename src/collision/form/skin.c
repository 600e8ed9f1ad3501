/* skin.c - boxes, profiles turned about the y axis, ellipsoids as stretched balls, the faces of surfaces, and parts put together. */
#include "collision/form/skin.h"
#include "base/alloc.h"
#include "geometry/height/height.h"
#include <string.h>

#define SECTORS 64         /* round a full turn */
#define SMOOTH_COSINE 0.87 /* a corner within 30 degrees of the vertex normal is shaded round: a crease keeps two normals */

static bool reserve(kin_skin* s, size_t vertices, size_t triangles)
{
    vertices += s->vertex_count;
    triangles += s->triangle_count;
    return vertices < UINT32_MAX && kin_reserve(&s->allocator, (void**)&s->positions, &s->position_capacity, vertices, sizeof *s->positions)
           && kin_reserve(&s->allocator, (void**)&s->normals, &s->normal_capacity, vertices, sizeof *s->normals)
           && kin_reserve(&s->allocator, (void**)&s->triangles, &s->triangle_capacity, triangles, sizeof *s->triangles);
}

static uint32_t add_vertex(kin_skin* s, kin_vec3 position, kin_vec3 normal)
{
    s->positions[s->vertex_count] = position;
    s->normals[s->vertex_count] = normal;
    return (uint32_t)s->vertex_count++;
}

static void add_triangle(kin_skin* s, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t* t = s->triangles[s->triangle_count++];
    t[0] = a, t[1] = b, t[2] = c;
}

/* ---- boxes: four corners a face, so that faces stay flat ---- */

/* Vertices of a face: its corners counter-clockwise as seen from outside, each at its inset place. */
static void add_face(kin_skin* s, int face, kin_vec3 half, double inset)
{
    const kin_vec3 n = kin_scale(kin_axis(face / 2), face % 2 == 0 ? 1 : -1), u = kin_axis((face / 2 + 1) % 3), v = kin_cross(n, u);
    const kin_vec3 in = kin_sub(half, kin_scale(kin_sub(kin_v(1, 1, 1), kin_mul(n, n)), inset));
    uint32_t a = 0;
    for (int corner = 0; corner < 4; ++corner) {
        const kin_vec3 p = kin_add_scaled(kin_add_scaled(n, corner == 1 || corner == 2 ? 1 : -1, u), corner >= 2 ? 1 : -1, v);
        const uint32_t index = add_vertex(s, kin_mul(p, in), n);
        if (corner == 0) a = index;
    }
    add_triangle(s, a, a + 1, a + 2);
    add_triangle(s, a, a + 2, a + 3);
}

/* The vertex that add_face made at a corner of the box for the face across `axis`; bit k of the corner is set where coordinate k is positive. */
static uint32_t box_vertex(uint32_t first, int axis, int corner)
{
    const int side = corner >> axis & 1, u = corner >> (axis + 1) % 3 & 1, v = (corner >> (axis + 2) % 3 & 1) == side;
    return first + 4 * (uint32_t)(2 * axis + 1 - side) + (uint32_t)(v ? 3 - u : u);
}

/* A quad whose corners go round, or round the other way. */
static void add_quad(kin_skin* s, uint32_t a, uint32_t b, uint32_t c, uint32_t d, bool flip)
{
    add_triangle(s, a, flip ? c : b, flip ? b : c);
    add_triangle(s, a, flip ? d : c, flip ? c : d);
}

/* Strips between faces and corner triangles between strips, shaded round by the normals of the faces whose vertices they share. */
static void add_bevels(kin_skin* s, uint32_t first)
{
    for (int axis = 0; axis < 3; ++axis) {
        const int across_u = (axis + 1) % 3, across_v = (axis + 2) % 3, along = 1 << axis;
        for (int edge = 0; edge < 4; ++edge) { /* along the axis, between the faces across u and v */
            const int at = (edge & 1) << across_u | edge >> 1 << across_v;
            add_quad(s, box_vertex(first, across_u, at), box_vertex(first, across_v, at), box_vertex(first, across_v, at + along),
                     box_vertex(first, across_u, at + along), edge == 1 || edge == 2);
        }
    }
    for (int corner = 0; corner < 8; ++corner) {
        const bool flip = ((corner ^ corner >> 1 ^ corner >> 2) & 1) == 0;
        const uint32_t y = box_vertex(first, 1, corner), z = box_vertex(first, 2, corner);
        add_triangle(s, box_vertex(first, 0, corner), flip ? z : y, flip ? y : z);
    }
}

static bool add_box(kin_skin* s, kin_vec3 half)
{
    if (!reserve(s, 24, 44)) return false;
    const double inset = 2 * s->bevel * kin_min(half.x, kin_min(half.y, half.z));
    const uint32_t first = (uint32_t)s->vertex_count;
    for (int face = 0; face < 6; ++face) add_face(s, face, half, inset);
    if (inset > 0) add_bevels(s, first);
    return true;
}

/* ---- profiles ---- */

/* A point of a profile, from the top down, and the normal there; a sharp rim is given twice. */
typedef struct rib {
    double rho, y, normal_rho, normal_y;
} rib;

static bool add_turned(kin_skin* s, const rib* ribs, int count)
{
    if (!reserve(s, (size_t)count * SECTORS, (size_t)(count - 1) * SECTORS * 2)) return false;
    uint32_t first = (uint32_t)s->vertex_count;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < SECTORS; ++k) {
            double angle = 2 * KIN_PI * k / SECTORS, c = kin_cos(angle), z = kin_sin(angle);
            add_vertex(s, kin_v(ribs[i].rho * c, ribs[i].y, ribs[i].rho * z), kin_v(ribs[i].normal_rho * c, ribs[i].normal_y, ribs[i].normal_rho * z));
        }
    }
    for (int i = 0; i + 1 < count; ++i) {
        for (uint32_t k = 0; k < SECTORS; ++k) {
            uint32_t a = first + (uint32_t)i * SECTORS + k, b = first + (uint32_t)i * SECTORS + (k + 1) % SECTORS;
            if (ribs[i].rho > 0) add_triangle(s, a, b, a + SECTORS);
            if (ribs[i + 1].rho > 0) add_triangle(s, b, b + SECTORS, a + SECTORS);
        }
    }
    return true;
}

static bool add_capsule(kin_skin* s, double radius, double half)
{
    rib ribs[SECTORS / 2 + 2];
    int count = 0;
    for (int i = 0; i <= SECTORS / 2; ++i) {
        double angle = KIN_PI * i / (SECTORS / 2), rho = i == 0 || i == SECTORS / 2 ? 0 : kin_sin(angle), y = kin_cos(angle);
        if (i <= SECTORS / 4) ribs[count++] = (rib){radius * rho, half + radius * y, rho, y};
        if (i >= SECTORS / 4 && (half > 0 || i > SECTORS / 4)) ribs[count++] = (rib){radius * rho, -half + radius * y, rho, y};
    }
    return add_turned(s, ribs, count);
}

/* A ball stretched, its normals by the inverse. */
static bool add_ellipsoid(kin_skin* s, kin_vec3 half)
{
    const size_t first = s->vertex_count;
    if (!add_capsule(s, 1, 0)) return false;
    const double least = kin_min(half.x, kin_min(half.y, half.z));
    const kin_vec3 shrink = {least / half.x, least / half.y, least / half.z};
    for (size_t i = first; i < s->vertex_count; ++i) {
        s->positions[i] = kin_mul(s->positions[i], half);
        s->normals[i] = kin_normalize_or(kin_mul(s->normals[i], shrink), s->normals[i]);
    }
    return true;
}

static bool add_cylinder(kin_skin* s, double r, double h)
{
    const double in = 2 * s->bevel * kin_min(r, h);
    const rib ribs[] = {{0, h, 0, 1}, {r - in, h, 0, 1}, {r, h - in, 1, 0}, {r, in - h, 1, 0}, {r - in, -h, 0, -1}, {0, -h, 0, -1}};
    return add_turned(s, ribs, 6);
}

static bool add_cone(kin_skin* s, double r, double h)
{
    double unit = 1 / kin_sqrt(r * r + 4 * h * h), n = 2 * h * unit, up = r * unit;
    const double in = 2 * s->bevel * kin_min(r, h), edge = 1 - in * unit; /* along the side, and into the base */
    const rib ribs[] = {{0, h, n, up}, {r * edge, h - 2 * h * edge, n, up}, {r - in, -h, 0, -1}, {0, -h, 0, -1}};
    return add_turned(s, ribs, 4);
}

/* ---- surfaces ---- */

static bool add_mesh(kin_skin* s, const kin_mesh* mesh)
{
    if (!reserve(s, 3 * (size_t)mesh->triangle_count, mesh->triangle_count)) return false;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        uint32_t corner[3];
        for (int k = 0; k < 3; ++k) {
            uint32_t vertex = mesh->triangles[t][k];
            kin_vec3 flat = mesh->normals[t], round = mesh->vertex_normals[vertex];
            corner[k] = add_vertex(s, mesh->vertices[vertex], kin_dot(flat, round) > SMOOTH_COSINE ? round : flat);
        }
        add_triangle(s, corner[0], corner[1], corner[2]);
    }
    return true;
}

/* Shared corners, shaded by the slope through their neighbours. */
static bool add_heights(kin_skin* s, const kin_height* h)
{
    if (!reserve(s, (size_t)h->nx * h->nz, kin_height_triangle_count(h))) return false;
    uint32_t first = (uint32_t)s->vertex_count;
    for (uint32_t j = 0; j < h->nz; ++j) {
        for (uint32_t i = 0; i < h->nx; ++i) {
            kin_vec3 along = kin_sub(kin_height_vertex(h, i + 1 < h->nx ? i + 1 : i, j), kin_height_vertex(h, i > 0 ? i - 1 : i, j));
            kin_vec3 across = kin_sub(kin_height_vertex(h, i, j + 1 < h->nz ? j + 1 : j), kin_height_vertex(h, i, j > 0 ? j - 1 : j));
            add_vertex(s, kin_height_vertex(h, i, j), kin_normalize_or(kin_cross(across, along), kin_v(0, 1, 0)));
        }
    }
    kin_height_walk walk;
    for (kin_height_walk_begin(&walk, h, h->bounds); kin_height_walk_next(&walk);) {
        uint32_t cell = walk.facet.triangle / 2, i = cell % (h->nx - 1), j = cell / (h->nx - 1), a = first + j * h->nx + i;
        if (walk.facet.triangle % 2 == 0)
            add_triangle(s, a, a + h->nx, a + 1);
        else
            add_triangle(s, a + 1, a + h->nx, a + h->nx + 1);
    }
    return true;
}

static bool add_form(kin_skin* s, const kin_form* f);

/* only NULL: all parts. */
static bool add_parts(kin_skin* s, const kin_form* f, const kin_material_id* only)
{
    for (uint32_t i = 0; i < f->part_count; ++i) {
        const kin_form_part* p = &f->parts[i];
        size_t first = s->vertex_count;
        if (only != NULL && kin_form_material(f, i).index1 != only->index1) continue;
        if (!add_form(s, p->form)) return false;
        for (size_t v = first; v < s->vertex_count; ++v) {
            s->positions[v] = kin_apply(p->pose, s->positions[v]);
            s->normals[v] = kin_rotate(p->pose.orientation, s->normals[v]);
        }
    }
    return true;
}

static bool add_form(kin_skin* s, const kin_form* f)
{
    kin_vec3 half = f->convex.half;
    switch (f->kind) {
    case KIN_SHAPE_PLANE: return true;
    case KIN_SHAPE_SPHERE: return add_capsule(s, f->convex.radius, 0);
    case KIN_SHAPE_BOX: return add_box(s, half);
    case KIN_SHAPE_CAPSULE: return add_capsule(s, f->convex.radius, half.y);
    case KIN_SHAPE_CYLINDER: return add_cylinder(s, half.x, half.y);
    case KIN_SHAPE_CONE: return add_cone(s, half.x, half.y);
    case KIN_SHAPE_ELLIPSOID: return add_ellipsoid(s, half);
    case KIN_SHAPE_MESH:
    case KIN_SHAPE_HULL:
    case KIN_SHAPE_NURBS:
    case KIN_SHAPE_PIECES:
    case KIN_SHAPE_FIELD: return add_mesh(s, f->mesh->mesh);
    case KIN_SHAPE_HEIGHTS: return add_heights(s, f->heights);
    case KIN_SHAPE_COMPOUND: return add_parts(s, f, NULL);
    }
    return true;
}

bool kin_skin_init(const kin_allocator* allocator, const kin_form* form, kin_skin* out)
{
    *out = (kin_skin){.allocator = *allocator};
    if (add_form(out, form)) return true;
    kin_skin_term(out);
    return false;
}

bool kin_skin_init_of(const kin_allocator* allocator, const kin_form* form, kin_material_id material, double bevel, kin_skin* out)
{
    *out = (kin_skin){.allocator = *allocator, .bevel = bevel};
    if (form->kind == KIN_SHAPE_COMPOUND ? add_parts(out, form, &material) : add_form(out, form)) return true;
    kin_skin_term(out);
    return false;
}

void kin_skin_term(kin_skin* s)
{
    kin_free(&s->allocator, s->positions, s->position_capacity * sizeof *s->positions);
    kin_free(&s->allocator, s->normals, s->normal_capacity * sizeof *s->normals);
    kin_free(&s->allocator, s->triangles, s->triangle_capacity * sizeof *s->triangles);
    *s = (kin_skin){.allocator = s->allocator};
}
