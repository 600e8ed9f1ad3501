/* frame_check.c - the arrays of each kind of layer, as a table, and the walk that holds frames against it. */
#include "io/frame_check.h"
#include "base/alloc.h"
#include "base/error.h"
#include <inttypes.h>
#include <string.h>

/* How many rows an array has. */
typedef enum rows { ROWS_ANY, ROWS_ONE, ROWS_TWO, ROWS_OF_POSITION, ROWS_OF_POSE, ROWS_OF_PARTICLES, ROWS_OF_TEXTURE_SIZE, ROWS_OF_DIMS } rows;

/* INDEX: must, and every number names a row of position. SIZED: may, but only with texture_size. */
typedef enum need { MAY, MUST, INDEX, SIZED } need;

typedef struct rule {
    kin_layer_kind kind;
    const char* name;
    kin_array_type type;
    uint32_t width;
    rows rows;
    need need;
} rule;

static const rule rules[] = {
    {KIN_LAYER_POINTS, "position", KIN_F32, 3, ROWS_ANY, MUST},
    {KIN_LAYER_POINTS, "radius", KIN_F32, 1, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_POINTS, "velocity", KIN_F32, 3, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_POINTS, "id", KIN_U64, 1, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_POINTS, "color", KIN_F32, 3, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_POINTS, "opacity", KIN_F32, 1, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_POINTS, "hit_age", KIN_F32, 1, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_POINTS, "hit_position", KIN_F32, 3, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_POINTS, "hit_other", KIN_U32, 2, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_MESH, "position", KIN_F32, 3, ROWS_ANY, MUST},
    {KIN_LAYER_MESH, "triangle", KIN_U32, 3, ROWS_ANY, INDEX},
    {KIN_LAYER_MESH, "normal", KIN_F32, 3, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_MESH, "vertex_color", KIN_F32, 3, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_MESH, "velocity", KIN_F32, 3, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_MESH, "pose", KIN_F32, 7, ROWS_ANY, MAY},
    {KIN_LAYER_MESH, "pose_end", KIN_F32, 7, ROWS_OF_POSE, MAY},
    {KIN_LAYER_MESH, "pose_velocity", KIN_F32, 6, ROWS_OF_POSE, MAY},
    {KIN_LAYER_MESH, "id", KIN_U64, 1, ROWS_OF_POSE, MAY},
    {KIN_LAYER_MESH, "color", KIN_F32, 3, ROWS_OF_POSE, MAY},
    {KIN_LAYER_MESH, "scale", KIN_F32, 1, ROWS_OF_POSE, MAY},
    {KIN_LAYER_MESH, "hit_age", KIN_F32, 1, ROWS_OF_POSE, MAY},
    {KIN_LAYER_MESH, "hit_position", KIN_F32, 3, ROWS_OF_POSE, MAY},
    {KIN_LAYER_MESH, "hit_other", KIN_U32, 2, ROWS_OF_POSE, MAY},
    {KIN_LAYER_MESH, "particle_position", KIN_F32, 3, ROWS_ANY, MAY},
    {KIN_LAYER_MESH, "particle_velocity", KIN_F32, 3, ROWS_OF_PARTICLES, MAY},
    {KIN_LAYER_MESH, "particle_id", KIN_U64, 1, ROWS_OF_PARTICLES, MAY},
    {KIN_LAYER_LINES, "position", KIN_F32, 3, ROWS_ANY, MUST},
    {KIN_LAYER_LINES, "line", KIN_U32, 2, ROWS_ANY, INDEX},
    {KIN_LAYER_LINES, "radius", KIN_F32, 1, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_LINES, "color", KIN_F32, 3, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_LINES, "opacity", KIN_F32, 1, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_PLANE, "position", KIN_F32, 3, ROWS_ANY, MUST},
    {KIN_LAYER_PLANE, "normal", KIN_F32, 3, ROWS_OF_POSITION, MUST},
    {KIN_LAYER_SPRITES, "position", KIN_F32, 3, ROWS_ANY, MUST},
    {KIN_LAYER_SPRITES, "radius", KIN_F32, 1, ROWS_OF_POSITION, MUST},
    {KIN_LAYER_SPRITES, "color", KIN_F32, 3, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_SPRITES, "opacity", KIN_F32, 1, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_SPRITES, "hit_age", KIN_F32, 1, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_SPRITES, "hit_position", KIN_F32, 3, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_SPRITES, "hit_other", KIN_U32, 2, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_SPRITES, "angle", KIN_F32, 1, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_SPRITES, "velocity", KIN_F32, 3, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_SPRITES, "id", KIN_U64, 1, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_SPRITES, "texture_size", KIN_U32, 2, ROWS_ONE, MAY},
    {KIN_LAYER_SPRITES, "texture", KIN_F32, 4, ROWS_OF_TEXTURE_SIZE, SIZED},
    {KIN_LAYER_ISOSURFACE, "position", KIN_F32, 3, ROWS_ANY, MUST},
    {KIN_LAYER_ISOSURFACE, "shape", KIN_F32, 6, ROWS_OF_POSITION, MUST},
    {KIN_LAYER_ISOSURFACE, "weight", KIN_F32, 1, ROWS_OF_POSITION, MUST},
    {KIN_LAYER_ISOSURFACE, "color", KIN_F32, 3, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_ISOSURFACE, "velocity", KIN_F32, 3, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_ISOSURFACE, "id", KIN_U64, 1, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_ISOSURFACE, "hit_age", KIN_F32, 1, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_ISOSURFACE, "hit_position", KIN_F32, 3, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_ISOSURFACE, "hit_other", KIN_U32, 2, ROWS_OF_POSITION, MAY},
    {KIN_LAYER_ISOSURFACE, "particle_position", KIN_F32, 3, ROWS_ANY, MAY},
    {KIN_LAYER_ISOSURFACE, "particle_velocity", KIN_F32, 3, ROWS_OF_PARTICLES, MAY},
    {KIN_LAYER_ISOSURFACE, "particle_id", KIN_U64, 1, ROWS_OF_PARTICLES, MAY},
    {KIN_LAYER_VOLUME, "dims", KIN_U32, 3, ROWS_ONE, MUST},
    {KIN_LAYER_VOLUME, "box", KIN_F32, 3, ROWS_TWO, MUST},
    {KIN_LAYER_VOLUME, "density", KIN_F32, 1, ROWS_OF_DIMS, MUST},
    {KIN_LAYER_VOLUME, "glow", KIN_F32, 1, ROWS_OF_DIMS, MAY},
    {KIN_LAYER_VOLUME, "glow_color", KIN_F32, 3, ROWS_OF_DIMS, MAY},
};

size_t kin_array_type_size(kin_array_type type) { return type == KIN_U64 ? sizeof(uint64_t) : sizeof(uint32_t); }

size_t kin_array_size(const kin_array* array) { return kin_bytes(kin_bytes((size_t)array->count, array->width), kin_array_type_size(array->type)); }

static uint64_t row_count(const kin_layer* layer, const char* name)
{
    const kin_array* array = kin_layer_array(layer, name);
    return array != NULL ? array->count : 0;
}

/* The product of an array's one row of sizes; 0 if it is not there, UINT64_MAX if it is past all measure. */
static uint64_t product_of(const kin_layer* layer, const char* name)
{
    const kin_array* array = kin_layer_array(layer, name);
    const uint32_t* sizes = array != NULL ? array->data : NULL;
    uint64_t product = 1;
    for (uint32_t i = 0; sizes != NULL && i < array->width; ++i) {
        if (__builtin_mul_overflow(product, (uint64_t)sizes[i], &product)) return UINT64_MAX;
    }
    return sizes != NULL ? product : 0;
}

/* The rows an array must have, and what says so. */
static uint64_t rows_wanted(const rule* r, const kin_layer* layer, const char** as)
{
    switch (r->rows) {
    case ROWS_ONE: *as = "it"; return 1;
    case ROWS_TWO: *as = "it"; return 2;
    case ROWS_OF_POSITION: *as = "position"; return row_count(layer, "position");
    case ROWS_OF_POSE: *as = "pose"; return kin_layer_array(layer, "pose") != NULL ? row_count(layer, "pose") : 1; /* without poses it stands once */
    case ROWS_OF_PARTICLES: *as = "particle_position"; return row_count(layer, "particle_position");
    case ROWS_OF_TEXTURE_SIZE: *as = "texture_size"; return product_of(layer, "texture_size");
    case ROWS_OF_DIMS: *as = "dims"; return product_of(layer, "dims");
    case ROWS_ANY: break;
    }
    *as = r->name;
    return row_count(layer, r->name);
}

static bool indices_within(const kin_array* array, uint64_t limit)
{
    const uint32_t* numbers = array->data;
    uint32_t largest = 0;
    uint64_t count = array->count * array->width;
    for (uint64_t i = 0; i < count; ++i) largest = numbers[i] > largest ? numbers[i] : largest;
    return count == 0 || largest < limit;
}

static kin_result check_rule(const rule* r, const kin_layer* layer, const char* where, kin_error* error)
{
    const kin_array* array = kin_layer_array(layer, r->name);
    bool asked = r->need == SIZED && kin_layer_array(layer, "texture_size") != NULL;
    if (array == NULL && (r->need == MAY || r->need == SIZED) && !asked) return KIN_OK;
    if (array == NULL) return kin_fail(error, KIN_ERROR_FORMAT, where, "layer %s has no %s", layer->name, r->name);
    if (array->type != r->type || array->width != r->width) {
        return kin_fail(error, KIN_ERROR_FORMAT, where, "%s of layer %s has the wrong type or width", r->name, layer->name);
    }
    const char* as;
    uint64_t wanted = rows_wanted(r, layer, &as);
    if (array->count != wanted) {
        bool counted = r->rows == ROWS_OF_POSITION || r->rows == ROWS_OF_POSE;
        return kin_fail(error, KIN_ERROR_FORMAT, where, "%s of layer %s has %" PRIu64 " rows, and %s %s %" PRIu64, r->name, layer->name, array->count, as,
                        counted ? "has" : "wants", wanted);
    }
    if (r->need == INDEX && !indices_within(array, row_count(layer, "position"))) {
        return kin_fail(error, KIN_ERROR_FORMAT, where, "%s of layer %s names a vertex that is not there", r->name, layer->name);
    }
    return KIN_OK;
}

/* What holds for arrays of any name. */
static kin_result check_array(const kin_array* array, const kin_layer* layer, const char* where, kin_error* error)
{
    bool named = array->name[0] != 0 && memchr(array->name, 0, sizeof array->name) != NULL;
    if (!named) return kin_fail(error, KIN_ERROR_FORMAT, where, "an array of layer %s has no name", layer->name);
    if ((unsigned)array->type > KIN_U64 || array->width == 0 || kin_array_size(array) > PTRDIFF_MAX) {
        return kin_fail(error, KIN_ERROR_FORMAT, where, "%s of layer %s has no type, no width or too many rows", array->name, layer->name);
    }
    return KIN_OK;
}

static kin_result check_layer(const kin_layer* layer, const char* where, kin_error* error)
{
    if (layer->name[0] == 0 || memchr(layer->name, 0, sizeof layer->name) == NULL) return kin_fail(error, KIN_ERROR_FORMAT, where, "a layer has no name");
    if ((unsigned)layer->kind > KIN_LAYER_ISOSURFACE || (unsigned)layer->look.surface > KIN_SURFACE_EMISSIVE
        || (unsigned)layer->look.pattern > KIN_PATTERN_DROPLETS) {
        return kin_fail(error, KIN_ERROR_FORMAT, where, "layer %s is of an unknown kind, surface or pattern", layer->name);
    }
    for (uint32_t i = 0; i < layer->array_count; ++i) {
        kin_result result = check_array(&layer->arrays[i], layer, where, error);
        if (result != KIN_OK) return result;
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i) {
        if (rules[i].kind != layer->kind) continue;
        kin_result result = check_rule(&rules[i], layer, where, error);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}

kin_result kin_frame_check(const kin_frame* frame, const char* where, kin_error* error)
{
    for (uint32_t i = 0; i < frame->layer_count; ++i) {
        kin_result result = check_layer(&frame->layers[i], where, error);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}
