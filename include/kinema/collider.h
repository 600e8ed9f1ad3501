/** @file collider.h
 * Shapes, materials and the solids that things bounce off. */
#pragma once
#include "kinema/base.h"
#include "kinema/frame.h"
#include "kinema/math.h"

/** The forms a solid can have; which members of kin_shape each reads stands there. */
typedef enum kin_shape_kind { KIN_SHAPE_SPHERE, KIN_SHAPE_BOX, KIN_SHAPE_CAPSULE, KIN_SHAPE_PLANE, KIN_SHAPE_MESH } kin_shape_kind;

/** A polygon mesh given by its caller. Faces are polygons; they are checked and triangulated. Copied on creation. */
typedef struct kin_mesh_view {
    const kin_vec3* vertices;   /**< m */
    size_t vertex_count;        /**< at least 3 */
    const uint32_t* face_sizes; /**< corners of each face; NULL: all triangles */
    const uint32_t* corners;    /**< vertex indices, face after face, counter-clockwise seen from outside */
    size_t face_count;          /**< at least 1 */
} kin_mesh_view;

/** A form, about its thing's position. Members that the kind does not read are ignored. */
typedef struct kin_shape {
    kin_shape_kind kind; /**< which of the others count */
    double radius;       /**< m; sphere, capsule */
    double length;       /**< m; capsule: between the two centres, along local y */
    kin_vec3 size;       /**< m; box: full sizes */
    kin_vec3 normal;     /**< plane: through the thing's position; need not be unit */
    kin_mesh_view mesh;  /**< mesh */
} kin_shape;

/** What surfaces are made of. One material may serve many things. */
typedef struct kin_material_def {
    const char* name;           /**< new in its world */
    double density;             /**< kg/m^3, > 0 */
    double restitution;         /**< 0 dead .. 1 perfect; above 1 gains energy ("flubber"); below 0 is refused */
    double static_friction[2];  /**< Coulomb coefficient along the surface's two tangent axes */
    double dynamic_friction[2]; /**< the same while sliding; at most the static one */
    kin_look look;              /**< in pictures */
} kin_material_def;

/** A material of a world. */
typedef struct kin_material_id {
    uint32_t index1; /**< 0: none given; such a thing takes the material of what it meets, two of them the default */
} kin_material_id;

/** How two materials meet: the pair's restitution and friction. */
typedef enum kin_pair_rule { KIN_PAIR_AVERAGE, KIN_PAIR_MIN, KIN_PAIR_MAX, KIN_PAIR_MULTIPLY, KIN_PAIR_GEOMETRIC } kin_pair_rule;

/** What moves a thing. */
typedef enum kin_mobility {
    KIN_MOBILITY_INACTIVE, /**< ignored by everything */
    KIN_MOBILITY_STATIC,   /**< never moves */
    KIN_MOBILITY_DYNAMIC,  /**< moved by forces */
    KIN_MOBILITY_ANIMATED, /**< moved by its keys */
} kin_mobility;

/** A pose at a time; between keys positions follow a smooth spline and orientations a Bezier quaternion spline. */
typedef struct kin_key {
    double time;          /**< s */
    kin_vec3 position;    /**< m */
    kin_quat orientation; /**< normalised on creation */
} kin_key;

/** A solid that things bounce off: static, or moved by keys. */
typedef struct kin_collider_def {
    const char* name;         /**< NULL: "collider" and its index */
    kin_shape shape;          /**< checked and copied */
    kin_vec3 position;        /**< m */
    kin_quat orientation;     /**< normalised */
    kin_material_id material; /**< of this world */
    const kin_key* keys;      /**< times rising; the pose before the first and after the last key is held */
    size_t key_count;         /**< 0: it is static */
    bool smooth;              /**< keys: true spline, false straight lines and slerp */
} kin_collider_def;

/** A collider of a world. {0} is null. */
typedef struct kin_collider_id {
    uint32_t index1;     /**< from 1 */
    uint32_t generation; /**< tells a later user of the same index apart */
} kin_collider_id;

/** Zero-size, identity pose, default material. */
KIN_API kin_collider_def kin_collider_def_default(void);
/** The preset "default", to begin with. */
KIN_API kin_material_def kin_material_def_default(void);
/** A material of the preset table by name (wood, steel, rubber, ...), or NULL. */
KIN_API const kin_material_def* kin_material_preset(const char* name);
