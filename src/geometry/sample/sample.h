/* sample.h - points on surfaces and in volumes: plain random ones, and blue noise, where no two are near and no gap is wide. For the boundaries and bodies of
 * fluids, for scattering. The same seed gives the same points, bit for bit. Lengths in metres.
 *
 * Distances are straight ones through space, also on surfaces: both sides of a thin plate share its points unless it is thicker than the spacing. */
#pragma once
#include "geometry/mesh.h"

typedef struct kin_samples {
    kin_vec3* points;
    kin_vec3* normals;   /* of the triangle, unit; NULL in a volume */
    uint32_t* triangles; /* of the mesh; NULL in a volume */
    uint32_t count;
    double spacing;     /* no two are nearer; 0 for uniform ones */
    size_t capacity[3]; /* of the arrays */
    kin_allocator allocator;
} kin_samples;

void kin_samples_term(kin_samples* samples);

/* Independent and uniform by area, whatever the sizes of the triangles. */
kin_result kin_sample_uniform(const kin_allocator* allocator, const kin_mesh* mesh, uint32_t count, uint64_t seed, kin_samples* out, kin_error* error);
/* Blue noise with a spacing: as many points as fit. Every point of the surface has one within KIN_SAMPLE_COVER spacings: random darts, then the gaps are
 * sought out by halving triangles until they are covered, and filled (after Cline et al. 2009). Linear in area / spacing^2, and triangles. */
kin_result kin_sample_spaced(const kin_allocator* allocator, const kin_mesh* mesh, double spacing, uint64_t seed, kin_samples* out, kin_error* error);
#define KIN_SAMPLE_COVER 1.02
/* Blue noise with a count: of four times as many uniform points the most crowded one goes, again and again (Yuksel 2015). n log n. out->spacing is the least
 * distance that came out: 0.6 and more of the most that is possible, sqrt(2 area / (sqrt(3) n)), on surfaces that are not curved at that scale. */
kin_result kin_sample_counted(const kin_allocator* allocator, const kin_mesh* mesh, uint32_t count, uint64_t seed, kin_samples* out, kin_error* error);
/* Blue noise inside of a closed mesh. Every point deeper inside than a quarter spacing has one within KIN_SAMPLE_COVER_VOLUME spacings. */
kin_result kin_sample_volume(const kin_allocator* allocator, const kin_mesh* mesh, double spacing, uint64_t seed, kin_samples* out, kin_error* error);
#define KIN_SAMPLE_COVER_VOLUME 1.3
