/** @file emitter.h
 * Emitters: where points are born, how many, and how they leave. Any system of points takes them. */
#pragma once
#include "kinema/base.h"
#include "kinema/collider.h"
#include "kinema/curve.h"
#include "kinema/math.h"

/** What points come out of; about the emitter's position, turned by its orientation. */
typedef enum kin_emitter_shape {
    KIN_EMIT_POINT = -1, /**< one place */
    KIN_EMIT_DISK,       /**< radius, normal local y */
    KIN_EMIT_QUAD,       /**< sides, normal local y */
    KIN_EMIT_TRIANGLE,   /**< points[0..2], counter-clockwise seen from where the normal points */
    KIN_EMIT_MESH,       /**< its surface, by area */
    KIN_EMIT_SPHERE,     /**< radius: the surface */
    KIN_EMIT_BALL,       /**< radius: the volume */
    KIN_EMIT_BOX,        /**< size: the volume */
    KIN_EMIT_CURVE,      /**< a line through points, by length */
} kin_emitter_shape;

/** A shape with its measures. Members that the kind does not read are ignored. */
typedef struct kin_emitter_form {
    kin_emitter_shape kind; /**< which of the others count */
    double radius;          /**< m, > 0; disk, sphere, ball */
    double sides[2];        /**< m, > 0; quad: along local x and z */
    kin_vec3 size;          /**< m, full; box */
    struct {
        const kin_vec3* data; /**< m; triangle (three), curve (two or more) */
        size_t count;         /**< of them */
    } points;                 /**< corners */
    kin_mesh_view mesh;       /**< mesh; checked and triangulated */
} kin_emitter_form;

/** About which axis directions are spread. */
typedef enum kin_emitter_aim {
    KIN_AIM_DIRECTION, /**< `direction` */
    KIN_AIM_NORMAL,    /**< the surface's outward normal where the point is born; volumes: away from the centre; points and curves have none */
    KIN_AIM_ALL,       /**< every direction alike */
} kin_emitter_aim;

/** How directions lie within the aperture, and points on a disk. */
typedef enum kin_emitter_spread { KIN_SPREAD_UNIFORM, KIN_SPREAD_NORMAL } kin_emitter_spread;

/** How places are chosen. */
typedef enum kin_emitter_placement {
    KIN_PLACE_RANDOM, /**< uniform over the shape */
    KIN_PLACE_GRID, /**< one at each cell centre, cells two largest radii wide: quads, disks and spheres; they never overlap. Points without a radius: random */
} kin_emitter_placement;

/** Where points are born, as it is created. */
typedef struct kin_emitter_def {
    const char* name;          /**< may be NULL */
    const char* kind;          /**< of the points; NULL: the system's first */
    kin_emitter_form shape;    /**< what they come out of */
    kin_vec3 position;         /**< m; with a collider or element, in its frame */
    kin_quat orientation;      /**< of the shape and direction */
    const char* collider;      /**< moves with the collider of this name; NULL: stands still, or: */
    const char* system;        /**< moves with an element of the system of this name: a body, a particle; it emits nothing while there is no such element */
    int64_t element;           /**< which, from 0 */
    double inherit;            /**< 0..1: share of its carrier's velocity, where they are born, that newborns get */
    kin_emitter_aim aim;       /**< about which axis */
    kin_vec3 direction;        /**< need not be unit */
    double aperture;           /**< rad, 0..pi: largest angle off the axis */
    kin_emitter_spread spread; /**< within the aperture */
    double speed[2];       /**< m/s: mean and deviation. All deviations here are largest ones: normal, of a third of it, and never further off than all of it */
    kin_curve rate;        /**< 1/s over time; the fraction of a point is carried to the next step */
    double rate_deviation; /**< 1/s; drawn anew for each step; the rate stays >= 0 */
    double start, stop;    /**< s; births from start up to stop; stop 0: no end */
    int64_t burst;         /**< born at once: at start, and every period */
    double period;         /**< s between bursts; 0: one burst */
    double every[2];     /**< steps, >= 1: emits at every k-th step only, what is due since the last (Coutinho's delay); emission n at step n k, off by at most
                              the deviation (< k / 2) */
    double max_total[2]; /**< births in all, drawn once and rounded; 0: no limit */
    double max_alive[2]; /**< points of this emitter alive at once, drawn once and rounded; 0: no limit */
    bool jitter;         /**< newborns are spread over the step they are born in, so that streams have no gaps */
    kin_emitter_placement placement; /**< random or grid */
    double max_size
        [2]; /**< m: of a grid, drawn for each release. Its side is 2 radius sqrt(number born at once), radius the largest of them, rounded up to whole cells, whatever the quad's or disk's own size; a
                                        sphere grows when they do not fit. Those beyond max_size are not born; 0: no limit */
    bool clearance; /**< newborns that would overlap a solid or another point are not born */
    int table;      /**< random numbers from a table of this many, read round and round; 0: no table */
} kin_emitter_def;

/** A point that falls apart into others. */
typedef enum kin_split_when { KIN_SPLIT_AGE, KIN_SPLIT_HIT, KIN_SPLIT_DEATH } kin_split_when;

/** How. */
typedef struct kin_split_def {
    const char* into;    /**< kind of the children; NULL: the parent's */
    kin_split_when when; /**< at an age, at a collision, when it dies */
    double number[2];    /**< of children: mean and deviation */
    double age[2];       /**< s: at that age first; mean and deviation */
    double every[2];     /**< steps, >= 1: of splits by age: again at every k-th step after the first, off by at most the deviation (< k / 2) */
    double depth[2];     /**< generations that split, drawn for each particle and rounded; 1: children do not */
    double speed[2];     /**< share of the parent's speed, drawn for each child */
    double kick[2];      /**< m/s of their own, mean and deviation */
    double direction;    /**< rad: largest angle of the children's directions from the parent's; pi: all around */
    double size[2];      /**< share of the parent's radius, drawn for each child */
    double life;         /**< s: deviation of the children's life span */
    bool keep;           /**< the parent lives on */
} kin_split_def;

/** The defaults of a scene: a point that emits nothing. */
KIN_API kin_emitter_def kin_emitter_def_default(void);
/** Two children of half the size at an age of 1 s. */
KIN_API kin_split_def kin_split_def_default(void);
