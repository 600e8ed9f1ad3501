/** @file shape.h
 * The forms of solid things. */
#pragma once
#include "kinema/base.h"
#include "kinema/math.h"
#include "kinema/picture.h"

/** The forms a solid can have; which members of kin_shape each reads stands there. */
typedef enum kin_shape_kind {
    KIN_SHAPE_SPHERE,    /**< radius */
    KIN_SHAPE_BOX,       /**< size */
    KIN_SHAPE_CAPSULE,   /**< radius, length */
    KIN_SHAPE_PLANE,     /**< normal */
    KIN_SHAPE_MESH,      /**< mesh: closed ones have an inside, open ones two sides */
    KIN_SHAPE_CYLINDER,  /**< radius, length */
    KIN_SHAPE_CONE,      /**< radius, length */
    KIN_SHAPE_HULL,      /**< points, or the vertices of mesh: the smallest convex body round them */
    KIN_SHAPE_HEIGHTS,   /**< heights */
    KIN_SHAPE_FIELD,     /**< mesh, resolution, field_method: a closed mesh as signed distances on a grid */
    KIN_SHAPE_ELLIPSOID, /**< semi_axes */
    KIN_SHAPE_NURBS,     /**< nurbs: a rational B-spline surface; closed ones have an inside, open ones two sides */
    KIN_SHAPE_COMPOUND,  /**< parts */
    KIN_SHAPE_PIECES,    /**< mesh, pieces: a closed mesh that collides as convex pieces; its mass and its look are those of the mesh */
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

/** How a mesh is cut into convex pieces. */
typedef enum kin_pieces_method {
    KIN_PIECES_APPROXIMATE, /**< few hulls, within a distance of the surface (in the spirit of V-HACD and CoACD) */
    KIN_PIECES_NOTCHES,     /**< exact, by planes through reflex edges (Chazelle 1984): any closed mesh */
    KIN_PIECES_JOE,         /**< exact, by cut faces of good shape (Joe 1994; Coutinho, appendix F): polyhedra without voids */
} kin_pieces_method;

/** Settings of a convex decomposition; all zero is a fine start. Members that the method does not read are ignored. */
typedef struct kin_pieces_def {
    kin_pieces_method method; /**< which of the others count */
    double concavity;         /**< m; approximate: the farthest that a hull and its piece may stand apart; 0: 2 % of the diagonal, or what most_pieces allow */
    int most_pieces;          /**< 0: approximate 64, notches 65536, joe 4096 */
    int most_vertices;        /**< approximate: of a hull, at least 4; 0: 64 */
    double least_angle;       /**< rad; joe: the least dihedral angle that a cut may make, up to pi/2; 0: pi/6 */
    double least_distance;    /**< joe: of a vertex from a cut, in mean edge lengths; 0: 0.1 */
    int candidates;           /**< joe: planes tried at a reflex edge, up to 64; 0: 12 */
    double relax;             /**< joe: factor on angle and distance, four times, where no plane reaches them; 1: never; 0: 0.5 */
} kin_pieces_def;

/** A rational B-spline surface, or a curve that is revolved; made into triangles. */
typedef struct kin_nurbs_view {
    kin_points_view points;   /**< m: control points, row after row along u; revolved: of a profile, x its distance from the y axis */
    kin_numbers_view weights; /**< > 0, one a point; none: all 1 */
    int columns;              /**< points in a row, more than degree_u; not of a revolved one */
    int degree_u, degree_v;   /**< 1 to 8; 0: 3. Of a profile: degree_v */
    kin_numbers_view knots_u; /**< rising, columns + degree_u + 1 of them (periodic: columns + 1); none: even, clamped unless periodic */
    kin_numbers_view knots_v; /**< the same, of the rows */
    bool periodic_u;          /**< the last column is followed by the first */
    bool periodic_v;          /**< the last row is followed by the first */
    bool revolve;             /**< the points are a profile, turned once about the y axis */
    double tolerance;         /**< m: the farthest that triangles and surface are apart; 0: 1/1000 of the largest extent of the points */
} kin_nurbs_view;

/** How signed distances are stored and read. */
typedef enum kin_field_method {
    KIN_FIELD_BAND,      /**< true distances at grid points near the surface */
    KIN_FIELD_SCANLINES, /**< where grid lines enter and leave (Coutinho 12.2): a tenth of the memory; for what is inside, others by the triangles */
} kin_field_method;

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
    kin_field_method field_method; /**< field */
    kin_nurbs_view nurbs;          /**< nurbs */
    kin_pieces_def pieces;         /**< pieces: how the mesh is cut */
    const struct kin_shape* parts; /**< compound: forms with offsets and materials of their own; no planes, compounds or pieces */
    size_t part_count;             /**< at least 1 */
    kin_vec3 scale;                /**< sizes are multiplied by it, about the form's own origin; 0: 1. Round forms want equal ones where they are round */
    kin_vec3 offset;               /**< m: where the form's origin is, in its thing's frame; not of planes */
    kin_quat turn;                 /**< how the form is turned in its thing's frame; all 0: not; not of planes */
    kin_material_id material;      /**< what this form is made of; none: its thing's */
} kin_shape;
