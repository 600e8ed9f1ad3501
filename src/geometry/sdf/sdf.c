/* sdf.c - what all fields answer in the same way: values, gradients, nearest points. Rays and sweeps are in trace.c. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/sdf/sdf_internal.h"

kin_result kin_sdf_check_mesh(const kin_mesh* mesh, kin_error* error)
{
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            if (mesh->neighbors[t][k] != KIN_NO_NEIGHBOR) continue;
            return kin_fail(error, KIN_ERROR_ARGUMENT, "", "the mesh is open at edge %d of face %u: a distance field needs an inside", k, mesh->faces[t]);
        }
    }
    double volume = 0;
    kin_vec3 at = kin_aabb_center(mesh->bounds);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* c = mesh->triangles[t];
        volume += kin_triple(kin_sub(mesh->vertices[c[0]], at), kin_sub(mesh->vertices[c[1]], at), kin_sub(mesh->vertices[c[2]], at));
    }
    return volume > 0 ? KIN_OK : kin_fail(error, KIN_ERROR_ARGUMENT, "", "the faces of the mesh look inward: its volume is %g m^3", volume / 6);
}

bool kin_sdf_tree(const kin_mesh* mesh, const kin_allocator* allocator, kin_bvh* tree)
{
    kin_bvh_init(tree, allocator);
    size_t bytes = kin_bytes(mesh->triangle_count, sizeof(kin_aabb));
    kin_aabb* boxes = kin_alloc(allocator, bytes);
    if (boxes == NULL) return false;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* c = mesh->triangles[t];
        boxes[t] = kin_aabb_add(kin_aabb_add((kin_aabb){mesh->vertices[c[0]], mesh->vertices[c[0]]}, mesh->vertices[c[1]]), mesh->vertices[c[2]]);
    }
    bool built = kin_bvh_build(tree, boxes, mesh->triangle_count);
    kin_free(allocator, boxes, bytes);
    return built;
}

void kin_sdf_destroy(kin_sdf* s)
{
    if (s == NULL) return;
    kin_allocator a = s->allocator;
    for (int axis = 0; axis < 3; ++axis) {
        kin_free(&a, s->lines[axis].begin, kin_bytes(kin_sdf_line_count(s, axis) + 1, sizeof(uint32_t)));
        kin_free(&a, s->lines[axis].scalars, kin_bytes(s->lines[axis].count, sizeof(uint32_t)));
    }
    kin_free(&a, s->steps, kin_sdf_block_count(s));
    kin_free(&a, s->band.slots, kin_bytes(kin_sdf_block_count(s), sizeof(uint32_t)));
    kin_free(&a, s->band.corners, kin_bytes(kin_sdf_corner_count(s), sizeof(float)));
    kin_free(&a, s->band.values, kin_bytes(s->band.count, KIN_SDF_VALUES * sizeof(float)));
    kin_free(&a, s, sizeof *s);
}

size_t kin_sdf_bytes(const kin_sdf* s)
{
    size_t bytes = sizeof *s;
    if (!s->has_lines) return bytes + 4 * (kin_sdf_block_count(s) + kin_sdf_corner_count(s) + (size_t)s->band.count * KIN_SDF_VALUES);
    for (int axis = 0; axis < 3; ++axis) bytes += 4 * (kin_sdf_line_count(s, axis) + 1 + s->lines[axis].count);
    return bytes + kin_sdf_block_count(s);
}

size_t kin_sdf_scalars(const kin_sdf* s)
{
    if (s->has_lines) return s->lines[0].count + s->lines[1].count + s->lines[2].count;
    return (size_t)s->band.count * KIN_SDF_VALUES + kin_sdf_corner_count(s);
}

kin_aabb kin_sdf_bounds(const kin_sdf* s) { return s->bounds; }
double kin_sdf_cell(const kin_sdf* s) { return s->cell; }
void kin_sdf_cells(const kin_sdf* s, uint32_t cells[3])
{
    for (int a = 0; a < 3; ++a) cells[a] = s->cells[a];
}

static double value_in_grid(const kin_sdf* s, kin_vec3 x)
{
    double place[3];
    kin_sdf_cube c;
    kin_sdf_place(s, x, place);
    kin_sdf_find_cell(s, place, &c);
    return kin_sdf_cube_value(&c);
}

double kin_sdf_value(const kin_sdf* s, kin_vec3 x)
{
    if (!kin_finite3(x)) return s->far_away;
    kin_vec3 nearest = kin_aabb_closest(s->bounds, x);
    double value = value_in_grid(s, nearest), beyond2 = kin_length2(kin_sub(x, nearest));
    if (beyond2 == 0) return value;
    /* the solid is in the box, and the angle at the box's nearest point is not acute: Pythagoras is a lower bound */
    value = kin_max(value, 0);
    return kin_finite(beyond2) ? kin_sqrt(value * value + s->slope * s->slope * beyond2) : 1e150;
}

double kin_sdf_at_vertex(const kin_sdf* s, uint32_t i, uint32_t j, uint32_t k)
{
    double place[3] = {i, j, k};
    kin_sdf_cube c;
    kin_sdf_find_cell(s, place, &c);
    return kin_sdf_cube_value(&c);
}

static double cell_size(const kin_sdf* s, kin_vec3 x)
{
    double place[3];
    if (s->has_lines) return s->cell;
    kin_sdf_place(s, x, place);
    return kin_sdf_band_size(s, place);
}

static kin_vec3 difference(const kin_sdf* s, kin_vec3 x, double h)
{
    double gx = kin_sdf_value(s, kin_v(x.x + h, x.y, x.z)) - kin_sdf_value(s, kin_v(x.x - h, x.y, x.z));
    double gy = kin_sdf_value(s, kin_v(x.x, x.y + h, x.z)) - kin_sdf_value(s, kin_v(x.x, x.y - h, x.z));
    double gz = kin_sdf_value(s, kin_v(x.x, x.y, x.z + h)) - kin_sdf_value(s, kin_v(x.x, x.y, x.z - h));
    return kin_v(gx, gy, gz);
}

kin_vec3 kin_sdf_gradient(const kin_sdf* s, kin_vec3 x)
{
    double h = s->cell, size = cell_size(s, x);
    for (int a = 0; a < 3 && !s->has_lines; ++a) { /* a difference between fine and coarse is neither's */
        size = kin_max(size, kin_max(cell_size(s, kin_add_scaled(x, h, kin_axis(a))), cell_size(s, kin_add_scaled(x, -h, kin_axis(a)))));
    }
    kin_vec3 g = difference(s, x, size);
    if (!(kin_largest(kin_abs3(g)) > 1e-9 * size * s->slope)) return kin_v(0, 0, 0); /* a ridge: round-off has no direction */
    return kin_normalize_or(g, kin_v(0, 0, 0));
}

void kin_sdf_sample(const kin_sdf* s, const kin_vec3* points, int count, double* values, kin_vec3* gradients)
{
    for (int i = 0; i < count; ++i) values[i] = kin_sdf_value(s, points[i]);
    for (int i = 0; gradients != NULL && i < count; ++i) gradients[i] = kin_sdf_gradient(s, points[i]);
}

/* Band: the value may be off by slope times half a diagonal here, and as much where the zero is. Next to blocks that are not kept it may be off by more, but
 * there the surface is farther than the band. */
static double band_clearance(const kin_sdf* s, const double place[3])
{
    kin_sdf_cube c;
    kin_sdf_band_cell(s, place, &c);
    kin_vec3 at = c.at;
    double spread = kin_sqrt(kin_max(at.x * (1 - at.x) + at.y * (1 - at.y) + at.z * (1 - at.z), 0)) * c.size;
    double clear = kin_abs(kin_sdf_cube_value(&c)) / s->slope - spread;
    clear = c.size == s->cell ? kin_min(clear, s->band.width) : kin_max(clear, s->band.width);
    return kin_max(clear - KIN_SDF_HALF_DIAGONAL * s->cell, 0);
}

double kin_sdf_clearance(const kin_sdf* s, kin_vec3 x)
{
    double place[3];
    if (!kin_finite3(x)) return 0;
    kin_sdf_place(s, x, place);
    double clear = s->has_lines ? kin_sdf_line_clearance(s, place) : band_clearance(s, place);
    return kin_max(clear, kin_distance(x, kin_aabb_closest(s->bounds, x)));
}

kin_sdf_point kin_sdf_closest(const kin_sdf* s, kin_vec3 x, double tolerance, int cap)
{
    kin_sdf_point p = {.point = x, .value = kin_sdf_value(s, x)};
    while (kin_abs(p.value) > tolerance && p.iterations < cap) {
        p.normal = kin_sdf_gradient(s, p.point);
        if (kin_length2(p.normal) == 0) return p;
        p.point = kin_add_scaled(p.point, -p.value, p.normal);
        p.value = kin_sdf_value(s, p.point);
        p.iterations += 1;
    }
    p.normal = kin_sdf_gradient(s, p.point);
    p.converged = kin_abs(p.value) <= tolerance;
    return p;
}
