/* service.h - the one collision service: points (spheres of any radius, 0 too) and rays against solids.
 *
 * Solids are colliders: a shape, a pose at the start and the end of the present interval, a material. The service keeps one tree over the boxes that
 * bound each solid over the whole interval, and a tree of triangles inside each mesh, refitted, never rebuilt, while things move.
 * Between the two poses a solid moves on its screw path: position linear, orientation slerp (C1.3, A6.8).
 *
 * All queries are pure: many threads may ask at once. Ties go to the lower solid, then the lower feature, so answers do not depend on tree order. */
#pragma once
#include "kinema/anchor.h"
#include "kinema/base.h"
#include "kinema/collider.h"
#include "math/quat.h"
#include "math/sym3.h"

typedef struct kin_solids kin_solids;

/* A point of a solid's surface as a query found it. */
typedef struct kin_contact {
    kin_vec3 point;           /* on the solid, m, world */
    kin_vec3 normal;          /* unit, out of the solid (of a plane or open mesh: towards the side the asker is on) */
    kin_vec3 velocity;        /* of the solid there, m/s (pose change over the interval / its length) */
    double distance;          /* from the asker's surface to the solid's; negative inside, m */
    double fraction;          /* of the interval, path queries only */
    uint32_t solid;           /* index of the solid; UINT32_MAX: nothing found */
    uint32_t feature;         /* triangle of a mesh, else 0 */
    uint32_t part;            /* of a compound, else 0 */
    kin_material_id material; /* of the part, else of the solid */
    kin_vec3 local;           /* the point in the solid's own frame: with solid, an anchor */
} kin_contact;

kin_result kin_solids_create(const kin_allocator* allocator, kin_solids** out, kin_error* error);
void kin_solids_destroy(kin_solids* solids);

struct kin_form;
typedef struct kin_solid_def {
    struct kin_form* form;  /* shared; or NULL, and: */
    const kin_shape* shape; /* checked and copied */
    kin_transform pose;
    kin_material_id material; /* of parts without one of their own */
    kin_filter filter;
    kin_anchor owner; /* system and element; local is unused */
} kin_solid_def;

/* Errors name the field ("shape.radius") without a path in front. *index is the next free number, from 0. */
kin_result kin_solids_add(kin_solids* solids, const kin_solid_def* def, uint32_t* index, kin_error* error);
void kin_solids_remove(kin_solids* solids, uint32_t index);                                       /* the number is not used again */
void kin_solids_enable(kin_solids* solids, uint32_t index, bool enabled);                         /* a disabled one is not found by any query */
void kin_solids_move(kin_solids* solids, uint32_t index, kin_transform start, kin_transform end); /* poses over the coming interval */
void kin_solids_refit(kin_solids* solids, double interval); /* after moves, before queries; interval in s, for velocities */
/* How a solid gives way to an impulse: inverse mass and inertia (world axes) about its centre, all over the interval. Without a call it does not. */
void kin_solids_weigh(kin_solids* solids, uint32_t index, double inv_mass, kin_sym3 inv_inertia, kin_vec3 center);
bool kin_solids_gives(const kin_solids* solids, uint32_t index);
bool kin_solids_any_gives(const kin_solids* solids);
/* What besides hits changed its motion over the interval (velocity of the centre, spin): its weight, springs, what it lies on. Without a call: nothing. */
void kin_solids_load(kin_solids* solids, uint32_t index, kin_twist change);
typedef struct kin_solid_give {
    double inv_mass;      /* 1/kg; 0: nothing moves it */
    kin_sym3 inv_inertia; /* world axes */
    kin_vec3 center;      /* m */
    kin_twist load;       /* kin_solids_load */
} kin_solid_give;
kin_solid_give kin_solids_give(const kin_solids* solids, uint32_t index); /* all that was told of how it gives way */
/* Velocity at `at` that an impulse at `from` (with its angular part about there) gives it. Zero for what does not give way. */
kin_vec3 kin_solids_respond(const kin_solids* solids, uint32_t index, kin_vec3 from, kin_wrench impulse, kin_vec3 at);
double kin_solids_rate(const kin_solids* solids); /* 1/s: of the interval that poses are for; 0 before the first refit */
kin_transform kin_solids_pose(const kin_solids* solids, uint32_t index, double fraction);
kin_twist kin_solids_twist(const kin_solids* solids, uint32_t index); /* over the interval: velocity of its position, spin */
uint32_t kin_solids_count(const kin_solids* solids);                  /* numbers handed out, removed ones too */

/* Does anything come within the box over the interval? Cheap: one walk of the top tree; a true may be false alarm, a false never. */
bool kin_solids_near(const kin_solids* solids, kin_aabb box);
/* Which ones do, by rising number, planes too: writes up to `most`, returns how many there are. */
uint32_t kin_solids_list(const kin_solids* solids, kin_aabb box, uint32_t* numbers, uint32_t most);
/* The box that holds a solid over the interval, m; of planes: endless. */
kin_aabb kin_solids_box(const kin_solids* solids, uint32_t index);

/* First touch of a sphere of this radius whose centre goes straight from a (at fraction s0) to b (at s1). A start already touching counts as a hit at
 * s0 only if the path moves into the solid (approach speed relative to the surface < 0 along its normal). Static and translating solids: exact to round-off;
 * turning ones: conservative advancement to `tolerance` metres. Side rule for planes and open meshes: the side the centre starts on (H3.1a); a point
 * (radius 0) found exactly on one is in front of it. After a hit put the centre at point + radius * normal: that is on its side for sure. A start inside a
 * closed mesh deeper than radius + 2 tolerance is not seen: kin_solids_closest sees it. */
bool kin_solids_first_hit(const kin_solids* solids, kin_vec3 a, kin_vec3 b, double radius, double s0, double s1, double tolerance, kin_contact* hit);

/* Surfaces within reach of a sphere at fraction s, nearest first, at most `most` (one per solid; of a mesh, the nearest triangle, plus up to 7 others whose
 * normals differ by more than 1e-6: a particle in a corner of one mesh has several). reach is measured from the sphere's surface; a centre inside a solid is
 * within any reach, and finds the nearest way out. Returns the count. */
int kin_solids_closest(const kin_solids* solids, kin_vec3 center, double radius, double reach, double s, kin_contact* contacts, int most);

/* The same two of one solid alone: for who asks many times near the same few. */
bool kin_solids_first_hit_of(const kin_solids* solids, uint32_t index, kin_vec3 a, kin_vec3 b, double radius, double s0, double s1, double tolerance,
                             kin_contact* hit);
bool kin_solids_closest_of(const kin_solids* solids, uint32_t index, kin_vec3 center, double radius, double reach, double s, kin_contact* contact);

/* A ray at fraction s: direction need not be unit; distance in units of its length, within [0, max_distance]. */
bool kin_solids_ray(const kin_solids* solids, kin_vec3 origin, kin_vec3 direction, double max_distance, double s, kin_contact* hit);

kin_anchor kin_solids_owner(const kin_solids* solids, uint32_t index, kin_vec3 local); /* an anchor at that place of it */
struct kin_form* kin_solids_form(const kin_solids* solids, uint32_t index);            /* owned by the service */
size_t kin_solids_bytes(const kin_solids* solids);
