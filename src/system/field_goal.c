/* field_goal.c - points pulled to places of their own on a mesh, each by a damped spring: shapes that assemble and fall apart. House & Keyser 5.2, fig. 5.3. */
#include "base/error.h"
#include "base/search.h"
#include "geometry/mesh.h"
#include "math/quat.h"
#include "system/field_kinds.h"
#include <string.h>

/* The mesh as something to draw places from. */
typedef struct surface {
    size_t count;      /* of triangles */
    double* area_upto; /* m^2: of this triangle and all before it */
    kin_vec3 (*corners)[3];
} surface;

static bool take_surface(const kin_mesh* mesh, kin_arena* arena, surface** out)
{
    size_t n = mesh->triangle_count;
    surface* s = *out = kin_arena_take(arena, sizeof *s);
    if (s == NULL) return false;
    *s = (surface){n, kin_arena_take(arena, n * sizeof *s->area_upto), kin_arena_take(arena, n * sizeof *s->corners)};
    if (s->area_upto == NULL || s->corners == NULL) return false;
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
        kin_vec3* c = s->corners[i];
        for (int k = 0; k < 3; ++k) c[k] = mesh->vertices[mesh->triangles[i][k]];
        sum += 0.5 * kin_length(kin_cross(kin_sub(c[1], c[0]), kin_sub(c[2], c[0])));
        s->area_upto[i] = sum;
    }
    return true;
}

static kin_result make_surface(kin_fields* fields, const void* def, kin_arena* arena, void** made, kin_error* error)
{
    (void)fields;
    const kin_goal_field* d = def;
    kin_mesh* mesh = NULL;
    if (d->goal.vertices == NULL || d->goal.face_count == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "goal", "must be a mesh with faces");
    kin_result result = kin_mesh_create(&arena->allocator, &d->goal, &mesh, error);
    if (result != KIN_OK) return result;
    surface* s = NULL;
    if (!take_surface(mesh, arena, &s)) {
        result = kin_fail_memory(error, "goal", mesh->triangle_count * sizeof *s->corners);
    } else if (s->count == 0 || !(s->area_upto[s->count - 1] > 0)) {
        result = kin_fail(error, KIN_ERROR_ARGUMENT, "goal", "the mesh has no area: there is no place on it");
    }
    kin_mesh_destroy(mesh);
    *made = s;
    return result;
}

static size_t triangle_at(const surface* s, double area) { return kin_search_sums(s->area_upto, s->count, area); }

/* Even over the surface, and the same for a point whenever it is asked. */
static kin_vec3 place_of(const kin_field* field, const kin_field_batch* b, int i)
{
    const surface* s = field->made;
    uint64_t words[4];
    kin_rng_key key = kin_field_key(field, b, i, 0);
    kin_rng_words(&key, 0, words);
    const kin_vec3* c = s->corners[triangle_at(s, kin_rng_unit(words[0]) * s->area_upto[s->count - 1])];
    double root = kin_sqrt(kin_rng_unit(words[1])), share = root * kin_rng_unit(words[2]);
    return kin_add_scaled(kin_add_scaled(c[0], root - share, kin_sub(c[1], c[0])), share, kin_sub(c[2], c[0]));
}

static void goal(const kin_field* field, const kin_field_batch* b)
{
    const kin_goal_field* d = field->def;
    kin_transform pose = {d->position, kin_quat_normalize(d->orientation)};
    double damping = 2 * d->damping * kin_sqrt(d->stiffness);
    for (int i = 0; i < b->count; ++i) {
        kin_vec3 to = kin_sub(kin_apply(pose, kin_scale(place_of(field, b, i), d->size)), kin_batch_position(b, i));
        kin_vec3 v = {b->velocity[0][i], b->velocity[1][i], b->velocity[2][i]};
        kin_vec3 a = kin_add_scaled(kin_scale(to, d->stiffness), -damping, v);
        kin_lane_put(b->acceleration, i, kin_add(kin_lane_get(b->acceleration, i), a));
    }
}

#define AT(member) offsetof(kin_goal_field, member)
static const kin_param goal_params[] = {
    {.name = "goal",
     .type = KIN_PARAM_MESH,
     .offset = AT(goal),
     .doc = "Mesh whose surface is the goal; every point has a place of its own on it.",
     .flags = KIN_PARAM_REQUIRED},
    {.name = "position", .type = KIN_PARAM_VECTOR, .offset = AT(position), .unit = "m", .doc = "Of the mesh.", .flags = KIN_PARAM_LIVE},
    {.name = "orientation", .type = KIN_PARAM_ORIENTATION, .offset = AT(orientation), .doc = "Of the mesh.", .preset = {0, 0, 0, 1}, .flags = KIN_PARAM_LIVE},
    {.name = "size",
     .type = KIN_PARAM_NUMBER,
     .offset = AT(size),
     .doc = "Factor of the mesh.",
     .high = 1e300,
     .preset = {1},
     .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},
    {.name = "stiffness",
     .type = KIN_PARAM_NUMBER,
     .offset = AT(stiffness),
     .unit = "1/s^2",
     .doc = "Pull per distance and mass.",
     .high = 1e300,
     .preset = {10},
     .flags = KIN_PARAM_LIVE},
    {.name = "damping",
     .type = KIN_PARAM_NUMBER,
     .offset = AT(damping),
     .doc = "Ratio: 0 swings on, 1 settles soonest.",
     .high = 1e300,
     .preset = {1},
     .flags = KIN_PARAM_LIVE},
    KIN_FIELD_COMMON_ROWS,
};

const kin_field_ops kin_field_goal_ops = {
    .name = "goal",
    .doc = "Pulls every point to a place of its own on a mesh; by its strength over time shapes assemble and fall apart.",
    .params = goal_params,
    .def_size = sizeof(kin_goal_field),
    .wants = KIN_FIELD_WANTS_SERIAL,
    .force = KIN_ANY_WIDTH(goal),
    .make = make_surface,
};
