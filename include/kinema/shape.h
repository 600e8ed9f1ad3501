/** @file shape.h
 * The forms of solid things. */
#pragma once
#include "kinema/base.h"
#include "kinema/math.h"
#include "kinema/picture.h"

/** The forms a solid can have; which members of kin_shape each reads stands there. */
typedef enum kin_shape_kind {
    KIN_SHAPE_SPHERE,   /**< radius */
    KIN_SHAPE_BOX,      /**< size */
    KIN_SHAPE_CAPSULE,  /**< radius, length */
    KIN_SHAPE_PLANE,    /**< normal */
    KIN_SHAPE_MESH,     /**< mesh: closed ones have an inside, open ones two sides */
    KIN_SHAPE_CYLINDER, /**< radius, length */
    KIN_SHAPE_CONE,     /**< radius, length */
    KIN_SHAPE_HULL,     /**< points, or the vertices of mesh: the smallest convex body round them */
    KIN_SHAPE_HEIGHTS,  /**< heights */
    KIN_SHAPE_FIELD,    /**< mesh, resolution: a closed mesh as signed distances on a grid */
    KIN_SHAPE_ELLIPSOID, /**< semi_axes */
    KIN_SHAPE_COMPOUND,  /**< parts */
} kin_shape_kind;

/** A polygon mesh given by its caller. Faces are polygons; they are checked and triangulated. Copied on creation. */
typedef struct kin_mesh_view {
    const kin_vec3* vertices;   /**< m */
    size_t vertex_count;        /**< at least 3 */
    const uint32_t* face_sizes; /**< corners of each face; NULL: all triangles */
    const uint32_t* corners;    /**< vertex indices, face after face, counter-clockwise seen from outside */
    size_t face_count;          /**< at least 1 */
} kin_mesh_view;

/** Points given by their caller. Copied on creation. */
typedef struct kin_points_view {
    const kin_vec3* data; /**< m */
    size_t count;         /**< of data */
} kin_points_view;

/** Numbers given by their caller. Copied on creation. */
typedef struct kin_numbers_view {
    const double* data; /**< in the unit that the user of the view names */
    size_t count;       /**< of data */
} kin_numbers_view;

/** Ground over a rectangle, solid below. Its middle is at the thing's position; height 0 too. */
typedef struct kin_heights_view {
    kin_numbers_view values;  /**< row after row along x, rows along z; or: */
    kin_picture_view picture; /**< brightness, 0 to 1; its top row is at the lowest z */
    int columns;              /**< values in a row, at least 2 */
    kin_vec3 size;            /**< m: along x and z; y multiplies the values (0: by 1) */
} kin_heights_view;

/** A material of a world. */
typedef struct kin_material_id {
    uint32_t index1; /**< 0: none given; such a thing takes the material of what it meets, two of them the default */
} kin_material_id;

/** A form, about its thing's position. Members that the kind does not read are ignored; all zero is a fine start. */
typedef struct kin_shape {
    kin_shape_kind kind;           /**< which of the others count */
    double radius;                 /**< m; sphere, capsule, cylinder; of a cone: of its base */
    double length;                 /**< m, along local y; capsule: between the two centres; cylinder, cone: the whole, with its middle at 0 */
    kin_vec3 size;                 /**< m; box: full sizes */
    kin_vec3 semi_axes;            /**< m; ellipsoid: along local x, y and z, as the radius of a sphere */
    kin_vec3 normal;               /**< plane: through the thing's position; need not be unit */
    kin_mesh_view mesh;            /**< mesh, field, hull */
    kin_points_view points;        /**< hull; none: the mesh's */
    kin_heights_view heights;      /**< height field */
    int resolution;                /**< field: cells along its longest side; 0: 64 */
    const struct kin_shape* parts; /**< compound: forms with offsets and materials of their own; no planes, no compounds */
    size_t part_count;             /**< at least 1 */
    kin_vec3 scale;                /**< sizes are multiplied by it, about the form's own origin; 0: 1. Round forms want equal ones where they are round */
    kin_vec3 offset;               /**< m: where the form's origin is, in its thing's frame; not of planes */
    kin_quat turn;                 /**< how the form is turned in its thing's frame; all 0: not; not of planes */
    kin_material_id material;      /**< what this form is made of; none: its thing's */
} kin_shape;
