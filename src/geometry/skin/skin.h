/* skin.h - the surface of a cloud of fluid particles, as a closed mesh (H14.6).
 *
 * A field is summed from the particles on a grid of which only the blocks near them are kept, and its level surface is the skin. Three fields:
 *
 *   COLOR        sum of V_j W(x - x_j) with V_j = 1 / sum_k W(x_j - x_k), as SPH has it (Mueller 2003). Bumps of the size of a particle show.
 *   ZHU_BRIDSON  |x - mean of the near particles| (Zhu and Bridson 2005): flatter; it fills narrow gaps between two surfaces.
 *   ANISOTROPIC  kernels stretched along the surface by the weighted covariance of each particle's surroundings, about smoothed centres (Yu and Turk 2013):
 *                flat where the fluid is flat, thin where it is thin. What smoothing took from the volume the mesh is given back.
 *
 * W is (1 - r^2/H^2)^3 with H = 2 spacings. The levels by default put the surface where the fluid ends. COLOR and ZHU_BRIDSON: half a space filled with planes of
 * particles ends half a spacing beyond the last plane; the sums over planes there are 0.6092 and 0.5453 spacings. ANISOTROPIC: a particle alone has a volume
 * of spacing^3 at 0.3646; flat surfaces are then drawn about 0.08 spacings low.
 *
 * The grid is bound to the world, not to the cloud: what rests does not flicker. The same bits for any number of threads and any lane width. */
#pragma once
#include "base/jobs.h"
#include "base/simd.h"
#include "kinema/math.h"

typedef enum kin_fluid_skin_kind { KIN_SKIN_COLOR, KIN_SKIN_ZHU_BRIDSON, KIN_SKIN_ANISOTROPIC, KIN_SKIN_KINDS } kin_fluid_skin_kind;
extern const char* const kin_fluid_skin_kind_names[]; /* color zhu_bridson anisotropic; NULL at the end: words of a parameter */

enum { KIN_SKIN_ATTRIBUTES = 4 };

typedef struct kin_fluid_skin_settings {
    kin_fluid_skin_kind kind;
    double spacing; /* m between particles at rest, > 0 */
    double cell;    /* m, spacing / 32 to spacing; 0: half the spacing */
    double level;   /* > 0; 0: the kind's own. Higher is tighter for COLOR and ANISOTROPIC, wider for ZHU_BRIDSON (in spacings) */
    int smoothing;  /* passes over the mesh, 0 to 100; they keep the volume (Taubin 1995) */
    bool normals;   /* wanted: of the field, or of the mesh when it is smoothed */
    kin_simd simd;
} kin_fluid_skin_settings;

typedef struct kin_fluid_skin_cloud {
    const float* positions; /* m, relative to origin */
    size_t stride;          /* floats from one particle to the next, >= 3; 0: 3 */
    uint32_t count;
    kin_vec3 origin;          /* m, in the world */
    const float* attributes;  /* attribute_width numbers a particle, of any meaning; NULL: none */
    uint32_t attribute_width; /* up to KIN_SKIN_ATTRIBUTES */
} kin_fluid_skin_cloud;

/* As layers of a frame want it: three floats each, relative to the cloud's origin. */
typedef struct kin_fluid_skin {
    float* vertices;   /* m */
    float* normals;    /* unit, outward; NULL if not wanted */
    float* attributes; /* the cloud's, averaged over the particles near each vertex; NULL if there are none */
    size_t vertex_count;
    uint32_t* corners; /* three a triangle, counter-clockwise from outside */
    size_t triangle_count;
    uint32_t attribute_width;
    kin_allocator allocator;
} kin_fluid_skin;

kin_fluid_skin_settings kin_fluid_skin_settings_default(double spacing); /* anisotropic, half the spacing, no smoothing, with normals, the widest lanes */
/* No particles, or none with a surface at this level, is an empty skin and no error. Particles that are not finite, or more than 2^20 blocks of 8 cells apart,
 * are refused. */
kin_result kin_fluid_skin_make(const kin_allocator* allocator, kin_jobs* jobs, const kin_fluid_skin_settings* settings, const kin_fluid_skin_cloud* cloud,
                               kin_fluid_skin* out, kin_error* error);
void kin_fluid_skin_term(kin_fluid_skin* skin);

/* The field itself: the surface is where the sum of weight (1 - |G (x - position)|^2)^3 over all kernels that reach x is 1. COLOR and ANISOTROPIC. */
typedef struct kin_fluid_skin_field {
    float* positions; /* m, relative to the cloud's origin */
    float* shapes;    /* G: xx yy zz xy xz yz, 1/m */
    float* weights;
    uint32_t* items; /* numbers in the cloud */
    uint32_t count;
    kin_allocator allocator;
} kin_fluid_skin_field;
kin_result kin_fluid_skin_field_make(const kin_allocator* allocator, kin_jobs* jobs, const kin_fluid_skin_settings* settings, const kin_fluid_skin_cloud* cloud,
                                     kin_fluid_skin_field* out, kin_error* error);
void kin_fluid_skin_field_term(kin_fluid_skin_field* field);

/* Marks particles of clumps too small for a surface, fewer than a dozen within 1.5 spacings of each other: drops in flight. is_spray: one a particle, 0 or 1. */
kin_result kin_fluid_skin_spray(const kin_allocator* allocator, kin_jobs* jobs, double spacing, const kin_fluid_skin_cloud* cloud, uint8_t* is_spray,
                                kin_error* error);
