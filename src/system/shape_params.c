/* shape_params.c - what can be said of shapes, keys and filters, and how what is wrong with a shape is named. */
#include "system/shape_params.h"
#include "base/text.h"
#include "math/scalar.h"
#include <stdio.h>
#include <string.h>

/* clang-format off */

#define SHAPE(member) offsetof(kin_shape, member)

static const kin_param hull_params[] = {
    {.name = "points", .type = KIN_PARAM_VECTORS, .offset = SHAPE(points), .unit = "m", .doc = "The points it is wrapped round; or:"},
    {.name = "mesh", .type = KIN_PARAM_MESH, .offset = SHAPE(mesh), .doc = "A mesh file whose vertices it is wrapped round."},
    {0},
};
static const kin_param height_params[] = {
    {.name = "heights", .type = KIN_PARAM_NUMBERS, .offset = SHAPE(heights.values), .unit = "m", .doc = "Heights, row after row along x, rows along z; or:",
     .low = -1e9, .high = 1e9},
    {.name = "picture", .type = KIN_PARAM_PICTURE, .offset = SHAPE(heights.picture), .doc = "A PNG file: its brightness, 0 to 1; its top row is at the lowest z."},
    {.name = "columns", .type = KIN_PARAM_INTEGER, .offset = SHAPE(heights.columns), .doc = "Heights in a row, at least 2.", .low = 0, .high = 1e6},
    {.name = "size", .type = KIN_PARAM_VECTOR, .offset = SHAPE(heights.size), .unit = "m", .doc = "Extent along x and z; y multiplies the heights.",
     .low = 0, .high = 1e9, .preset = {1, 1, 1}, .flags = KIN_PARAM_OPEN_LOW},
    {0},
};
static const char* const field_names[] = {"band", "scanlines", NULL};
static const kin_param field_params[] = {
    {.name = "mesh", .type = KIN_PARAM_MESH, .offset = SHAPE(mesh), .doc = "A closed mesh file.", .flags = KIN_PARAM_REQUIRED},
    {.name = "method", .type = KIN_PARAM_ENUM, .offset = SHAPE(field_method),
     .doc = "band: true distances near the surface; scanlines: where grid lines enter and leave, a tenth of the memory, for what is inside.", .names = field_names},
    {.name = "resolution", .type = KIN_PARAM_INTEGER, .offset = SHAPE(resolution), .doc = "Cells along its longest side.", .low = 4, .high = 1024, .preset = {64}},
    {0},
};

#define NURBS(member) (SHAPE(nurbs) + offsetof(kin_nurbs_view, member))
static const kin_param nurbs_params[] = {
    {.name = "points", .type = KIN_PARAM_VECTORS, .offset = NURBS(points), .unit = "m",
     .doc = "Control points, row after row along u; revolved: of a profile, x its distance from the y axis.", .flags = KIN_PARAM_REQUIRED},
    {.name = "columns", .type = KIN_PARAM_INTEGER, .offset = NURBS(columns), .doc = "Points in a row, more than degree_u; not of a revolved one.", .low = 0, .high = 1e6},
    {.name = "weights", .type = KIN_PARAM_NUMBERS, .offset = NURBS(weights), .doc = "One a point; left out: all 1.", .low = 0, .high = 1e9,
     .flags = KIN_PARAM_OPEN_LOW},
    {.name = "degree_u", .type = KIN_PARAM_INTEGER, .offset = NURBS(degree_u), .doc = "Degree along a row.", .low = 1, .high = 8, .preset = {3}},
    {.name = "degree_v", .type = KIN_PARAM_INTEGER, .offset = NURBS(degree_v), .doc = "Degree from row to row, and of a profile.", .low = 1, .high = 8, .preset = {3}},
    {.name = "knots_u", .type = KIN_PARAM_NUMBERS, .offset = NURBS(knots_u),
     .doc = "Rising, columns + degree_u + 1 of them (periodic: columns + 1); left out: even, clamped unless periodic."},
    {.name = "knots_v", .type = KIN_PARAM_NUMBERS, .offset = NURBS(knots_v), .doc = "The same, of the rows or of a profile's points."},
    {.name = "periodic_u", .type = KIN_PARAM_BOOL, .offset = NURBS(periodic_u), .doc = "The last column is followed by the first."},
    {.name = "periodic_v", .type = KIN_PARAM_BOOL, .offset = NURBS(periodic_v), .doc = "The last row is followed by the first."},
    {.name = "revolve", .type = KIN_PARAM_BOOL, .offset = NURBS(revolve), .doc = "The points are a profile that is turned once about the y axis, exactly."},
    {.name = "tolerance", .type = KIN_PARAM_NUMBER, .offset = NURBS(tolerance), .unit = "m",
     .doc = "The farthest that triangles and surface are apart; 0: 1/1000 of the largest extent of the points.", .low = 0, .high = 1e9},
    {0},
};

#define PIECES(member) (SHAPE(pieces) + offsetof(kin_pieces_def, member))
static const char* const pieces_names[] = {"approximate", "notches", "joe", NULL};
static const kin_param pieces_params[] = {
    {.name = "mesh", .type = KIN_PARAM_MESH, .offset = SHAPE(mesh), .doc = "A closed mesh file.", .flags = KIN_PARAM_REQUIRED},
    {.name = "method", .type = KIN_PARAM_ENUM, .offset = PIECES(method),
     .doc = "approximate: few hulls within a distance of the surface; notches: exact, of any closed mesh; joe: exact, pieces of good shape, without voids.",
     .names = pieces_names},
    {.name = "concavity", .type = KIN_PARAM_NUMBER, .offset = PIECES(concavity), .unit = "m",
     .doc = "approximate: the farthest that hull and surface may stand apart; 0: 2 % of the diagonal, or what most_pieces allow.", .low = 0, .high = 1e9},
    {.name = "most_pieces", .type = KIN_PARAM_INTEGER, .offset = PIECES(most_pieces), .doc = "0: approximate 64, notches 65536, joe 4096.", .low = 0, .high = 65536},
    {.name = "most_vertices", .type = KIN_PARAM_INTEGER, .offset = PIECES(most_vertices), .doc = "approximate: of a hull, at least 4; 0: 64.", .low = 0, .high = 65536},
    {.name = "least_angle", .type = KIN_PARAM_NUMBER, .offset = PIECES(least_angle), .unit = "rad",
     .doc = "joe: least dihedral angle that a cut may make.", .low = 0, .high = 0.5 * KIN_PI, .preset = {KIN_PI / 6}, .flags = KIN_PARAM_OPEN_LOW},
    {.name = "least_distance", .type = KIN_PARAM_NUMBER, .offset = PIECES(least_distance),
     .doc = "joe: least distance of a vertex from a cut, in mean edge lengths.", .low = 0, .high = 1e3, .preset = {0.1}, .flags = KIN_PARAM_OPEN_LOW},
    {.name = "candidates", .type = KIN_PARAM_INTEGER, .offset = PIECES(candidates), .doc = "joe: planes tried at a reflex edge.", .low = 1, .high = 64, .preset = {12}},
    {.name = "relax", .type = KIN_PARAM_NUMBER, .offset = PIECES(relax),
     .doc = "joe: factor on least angle and distance, four times, where no plane reaches them; 1: never.", .low = 0, .high = 1, .preset = {0.5},
     .flags = KIN_PARAM_OPEN_LOW},
    {0},
};

/* In the order of kin_shape_kind. */
#define SHAPE_ROWS \
    {.name = "sphere", .type = KIN_PARAM_NUMBER, .offset = SHAPE(radius), .unit = "m", .doc = "A ball: its radius.", \
     .low = 0, .high = 1e9, .flags = KIN_PARAM_OPEN_LOW}, \
    {.name = "box", .type = KIN_PARAM_VECTOR, .offset = SHAPE(size), .unit = "m", .doc = "A box: its full sizes.", \
     .low = 0, .high = 1e9, .flags = KIN_PARAM_OPEN_LOW}, \
    {.name = "capsule", .type = KIN_PARAM_TWO, .offset = SHAPE(radius), .unit = "m", \
     .doc = "A rod with round ends along y: radius, and length between the centres of its ends.", .low = 0, .high = 1e9, .flags = KIN_PARAM_OPEN_LOW}, \
    {.name = "plane", .type = KIN_PARAM_DIRECTION, .offset = SHAPE(normal), .doc = "An endless plane through the position: its normal."}, \
    {.name = "mesh", .type = KIN_PARAM_MESH, .offset = SHAPE(mesh), .doc = "A polygon mesh: an OBJ, PLY, STL or GLB file beside the scene."}, \
    {.name = "cylinder", .type = KIN_PARAM_TWO, .offset = SHAPE(radius), .unit = "m", .doc = "A cylinder along y: radius and length.", \
     .low = 0, .high = 1e9, .flags = KIN_PARAM_OPEN_LOW}, \
    {.name = "cone", .type = KIN_PARAM_TWO, .offset = SHAPE(radius), .unit = "m", \
     .doc = "A cone along y, its apex up and its middle at the position: radius of its base, and height.", .low = 0, .high = 1e9, .flags = KIN_PARAM_OPEN_LOW}, \
    {.name = "hull", .type = KIN_PARAM_TABLE, .offset = 0, .doc = "The smallest convex body round points.", .sub = hull_params}, \
    {.name = "height_field", .type = KIN_PARAM_TABLE, .offset = 0, .doc = "Ground over a rectangle, solid below; its middle is at the position.", \
     .sub = height_params}, \
    {.name = "field", .type = KIN_PARAM_TABLE, .offset = 0, .doc = "A closed mesh as signed distances on a grid: fast for many points, rounded by a cell.", \
     .sub = field_params}, \
    {.name = "ellipsoid", .type = KIN_PARAM_VECTOR, .offset = SHAPE(semi_axes), .unit = "m", \
     .doc = "An ellipsoid: its semi-axes along x, y and z, as the radius of a sphere.", .low = 0, .high = 1e9, .flags = KIN_PARAM_OPEN_LOW}, \
    {.name = "nurbs", .type = KIN_PARAM_TABLE, .offset = 0, .doc = "A rational B-spline surface: closed ones are solid, open ones have two sides.", \
     .sub = nurbs_params}

#define PLACE_ROWS \
    {.name = "scale", .type = KIN_PARAM_VECTOR, .offset = SHAPE(scale), .doc = "Sizes are multiplied by it; round shapes want equal ones where they are round.", \
     .low = 0, .high = 1e9, .preset = {1, 1, 1}, .flags = KIN_PARAM_OPEN_LOW | KIN_PARAM_BESIDE}, \
    {.name = "offset", .type = KIN_PARAM_VECTOR, .offset = SHAPE(offset), .unit = "m", .doc = "Where the shape's own origin is, in its thing's frame.", \
     .flags = KIN_PARAM_BESIDE}, \
    {.name = "turn", .type = KIN_PARAM_ORIENTATION, .offset = SHAPE(turn), .doc = "How the shape is turned in its thing's frame.", .flags = KIN_PARAM_BESIDE}, \
    {.name = "material", .type = KIN_PARAM_MATERIAL, .offset = SHAPE(material), .doc = "What this shape is made of; left out: its thing's.", \
     .flags = KIN_PARAM_BESIDE}

const kin_param kin_part_shape_params[] = {SHAPE_ROWS, PLACE_ROWS, {0}};
static const kin_param part_params[] = {
    {.name = "shape", .type = KIN_PARAM_ONE_OF, .offset = 0, .doc = "Its form, with an offset, a turn and a material of its own.",
     .sub = kin_part_shape_params, .tag_offset = SHAPE(kind), .flags = KIN_PARAM_REQUIRED},
    {0},
};
const kin_param kin_shape_params[] = {
    SHAPE_ROWS,
    {.name = "compound", .type = KIN_PARAM_LIST, .offset = SHAPE(parts), .doc = "Several shapes as one: a list of parts; no planes.",
     .sub = part_params, .sub_size = sizeof(kin_shape)},
    {.name = "pieces", .type = KIN_PARAM_TABLE, .offset = 0, .doc = "A closed mesh that collides as convex pieces: for concave bodies.", .sub = pieces_params},
    PLACE_ROWS,
    {0},
};

#define PATH(member) offsetof(kin_path_def, member)
const kin_param kin_path_params[] = {
    {.name = "points", .type = KIN_PARAM_VECTORS, .offset = PATH(points), .unit = "m", .doc = "Control points of a rational B-spline curve about its position."},
    {.name = "weights", .type = KIN_PARAM_NUMBERS, .offset = PATH(weights), .doc = "One a point; left out: all 1.", .low = 0, .high = 1e9,
     .flags = KIN_PARAM_OPEN_LOW},
    {.name = "knots", .type = KIN_PARAM_NUMBERS, .offset = PATH(knots),
     .doc = "Rising, one a point and degree + 1 more (periodic: 1 more); left out: even, clamped unless periodic."},
    {.name = "degree", .type = KIN_PARAM_INTEGER, .offset = PATH(degree), .doc = "Of the curve.", .low = 0, .high = 8, .preset = {3}},
    {.name = "periodic", .type = KIN_PARAM_BOOL, .offset = PATH(periodic), .doc = "The last point is followed by the first."},
    {.name = "begin", .type = KIN_PARAM_NUMBER, .offset = PATH(begin), .unit = "m", .doc = "Arc length at time 0."},
    {.name = "speed", .type = KIN_PARAM_CURVE, .offset = PATH(speed), .unit = "m/s",
     .doc = "Along the curve, over time; a closed curve is gone round, an open one ends.", .low = -1e9, .high = 1e9},
    {.name = "face", .type = KIN_PARAM_BOOL, .offset = PATH(face), .doc = "It turns with the curve: x along it, y as near to the world's as can be."},
    {0},
};

const kin_param kin_filter_params[] = {
    {.name = "category", .type = KIN_PARAM_COUNT, .offset = offsetof(kin_filter, category), .doc = "Bits of what it is; 0: bit 0 alone.", .low = 0, .high = 9e15},
    {.name = "mask", .type = KIN_PARAM_COUNT, .offset = offsetof(kin_filter, mask), .doc = "Bits of what it meets; 0: all.", .low = 0, .high = 9e15},
    {.name = "group", .type = KIN_PARAM_INTEGER, .offset = offsetof(kin_filter, group),
     .doc = "Things of one group never meet if it is negative, always if it is positive; 0: none.", .low = -2e9, .high = 2e9},
    {0},
};

#define KEY(member) offsetof(kin_key, member)
const kin_param kin_key_params[] = {
    {.name = "t", .type = KIN_PARAM_NUMBER, .offset = KEY(time), .unit = "s", .doc = "When. Times rise from key to key.",
     .flags = KIN_PARAM_REQUIRED},
    {.name = "position", .type = KIN_PARAM_VECTOR, .offset = KEY(position), .unit = "m", .doc = "Where; left out: the thing's own position.",
     .flags = KIN_PARAM_AS_OWNER},
    {.name = "orientation", .type = KIN_PARAM_ORIENTATION, .offset = KEY(orientation), .doc = "How turned; left out: the thing's own orientation.",
     .flags = KIN_PARAM_AS_OWNER},
    {0},
};
/* clang-format on */

/* Members of kin_shape under the keys that a scene gives them by. */
static const struct {
    kin_shape_kind kind;
    const char *member, *key;
} shape_keys[] = {
    {KIN_SHAPE_HULL, "points", "hull.points"},           {KIN_SHAPE_HULL, "mesh", "hull.mesh"},     {KIN_SHAPE_HEIGHTS, "heights", "height_field"},
    {KIN_SHAPE_FIELD, "resolution", "field.resolution"}, {KIN_SHAPE_FIELD, "mesh", "field.mesh"},   {KIN_SHAPE_COMPOUND, "parts", "compound"},
    {KIN_SHAPE_FIELD, "field_method", "field.method"},   {KIN_SHAPE_PIECES, "mesh", "pieces.mesh"},
};

kin_result kin_shape_name_by_keys(kin_result result, const kin_shape* shape, kin_error* error)
{
    static const char prefix[] = "shape.";
    if (result == KIN_OK || error == NULL || strncmp(error->where, prefix, sizeof prefix - 1) != 0) return result;
    const char* member = error->where + sizeof prefix - 1;
    for (size_t i = 0; i < sizeof shape_keys / sizeof *shape_keys; ++i) {
        size_t length = strlen(shape_keys[i].member);
        if (shape->kind != shape_keys[i].kind || strncmp(member, shape_keys[i].member, length) != 0) continue;
        char where[sizeof error->where] = "";
        kin_text_append(where, sizeof where, "%s%s%s", prefix, shape_keys[i].key, member + length);
        snprintf(error->where, sizeof error->where, "%s", where);
        break;
    }
    return result;
}
