/** @file collider.h
 * Materials, and the solids that things bounce off. */
#pragma once
#include "kinema/base.h"
#include "kinema/curve.h"
#include "kinema/filter.h"
#include "kinema/frame.h"
#include "kinema/math.h"
#include "kinema/shape.h"

/** What surfaces are made of. One material may serve many things. */
typedef struct kin_material_def {
    const char* name;           /**< new in its world */
    double density;             /**< kg/m^3, > 0 */
    double restitution;         /**< 0 dead .. 1 perfect; above 1 gains energy ("flubber"); below 0 is refused */
    double static_friction[2];  /**< Coulomb coefficient along the surface's two tangent axes */
    double dynamic_friction[2]; /**< the same while sliding; at most the static one */
    double rolling_friction;    /**< m: lever by which the load resists rolling */
    double spinning_friction;   /**< m: lever by which the load resists spinning on the spot, beyond what the contact's size gives */
    kin_look look;              /**< in pictures */
    double bevel;               /**< rounding of the edges of boxes, cylinders and cones in pictures, part of their least side: 0 sharp .. 0.5 */
} kin_material_def;

/** How two materials meet: the pair's restitution and friction. */
typedef enum kin_pair_rule { KIN_PAIR_AVERAGE, KIN_PAIR_MIN, KIN_PAIR_MAX, KIN_PAIR_MULTIPLY, KIN_PAIR_GEOMETRIC } kin_pair_rule;

/** Coefficients of the contact of two materials, instead of what the pair rules make of theirs. A number below 0 is left to the rule. */
typedef struct kin_material_pair_def {
    kin_material_id a, b;       /**< of this world, in any order; may be the same */
    double restitution;         /**< as of a material */
    double static_friction[2];  /**< Coulomb coefficient along the two tangent axes; at least the dynamic one */
    double dynamic_friction[2]; /**< the same while sliding; at most the static one */
    double rolling_friction;    /**< m */
    double spinning_friction;   /**< m */
} kin_material_pair_def;

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

/** A way along a rational B-spline curve: the thing's position is added to that on the curve. */
typedef struct kin_path_def {
    kin_points_view points;   /**< m: control points; none: there is no path */
    kin_numbers_view weights; /**< > 0, one a point; none: all 1 */
    kin_numbers_view knots;   /**< rising, one a point and degree + 1 (periodic: one a point and 1); none: even, clamped unless periodic */
    int degree;               /**< 1 to 8; 0: 3 */
    bool periodic;            /**< the last point is followed by the first */
    double begin;             /**< m: arc length at time 0 */
    kin_curve speed;          /**< m/s along the curve, over time; keys are copied. A closed curve is gone round, an open one ends */
    bool face;                /**< true: the thing turns with the curve, its x axis along it and its y axis as near to y as can be */
} kin_path_def;

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
    kin_path_def path;        /**< instead of keys */
    kin_filter filter;        /**< which questions and bodies it meets */
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
/** All numbers below 0: everything by the rules. */
KIN_API kin_material_pair_def kin_material_pair_def_default(void);
/** A material of the preset table by name (wood, steel, rubber, ...), or NULL. */
KIN_API const kin_material_def* kin_material_preset(const char* name);
