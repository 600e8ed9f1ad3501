/* map.h - how much a form that is no plane fills of the surroundings of a point, as a correction of flat walls; kept on a grid in the form's own frame. */
#pragma once
#include "domains/sph/boundary/walls.h"

#define KIN_SPH_MAP_CELLS 8 /* along a block */
#define KIN_SPH_MAP_SIDE (KIN_SPH_MAP_CELLS + 1)
#define KIN_SPH_MAP_VALUES (KIN_SPH_MAP_SIDE * KIN_SPH_MAP_SIDE * KIN_SPH_MAP_SIDE)
#define KIN_SPH_MAP_BLOCKS 96 /* along the longest side, at most: bounds the memory of a map. Larger forms have larger cells */

/* What is known of a block: 0 nothing, ONE: no correction anywhere, WANTED: to be made before the tick goes on; others: 3 + where its values are. */
enum { KIN_SPH_MAP_UNKNOWN, KIN_SPH_MAP_ONE, KIN_SPH_MAP_WANTED, KIN_SPH_MAP_STORED };

typedef struct kin_sph_map {
    kin_form* form;  /* kept */
    kin_vec3 origin; /* m, its frame */
    double cell;     /* m */
    uint32_t blocks[3];
    size_t block_count;
    int sides; /* 2: both sides of an open surface have their own values */
    atomic_uint* slots;
    float* values; /* KIN_SPH_MAP_VALUES a slot, x fastest */
    size_t value_capacity, stored;
    double room_size; /* m: of rooms, a coarser grid over the same box */
    uint32_t rooms[3];
    size_t room_count;
    atomic_uchar* clear; /* by room: UNKNOWN; ONE: no surface within reach of any point of it; others: ask */
} kin_sph_map;

typedef enum kin_sph_map_answer { KIN_SPH_MAP_FAR, KIN_SPH_MAP_FELT, KIN_SPH_MAP_LACKS } kin_sph_map_answer;

/* The map of a form, new or old. NULL: out of memory. */
kin_sph_map* kin_sph_map_of(kin_sph_walls* walls, kin_form* form);
/* x, and the answer, in the form's frame. LACKS: a block must be made first; it is wanted now. */
kin_sph_map_answer kin_sph_map_feel(kin_sph_walls* walls, kin_sph_map* map, kin_vec3 x, kin_sph_felt* out);
/* The nearest points of a surface, nearest first, as flat walls put together: share, slope, distance, normal; parts[i]: of the slope, along the normal of the
 * i-th. Returns how many count. */
int kin_sph_feet_feel(const kin_sph_profile* profile, const kin_touch* touches, int count, double* parts, kin_sph_felt* out);
/* Makes all that is wanted. False: out of memory. */
bool kin_sph_maps_make(kin_sph_walls* walls, kin_jobs* jobs);
void kin_sph_maps_forget(kin_sph_walls* walls); /* those of forms that nobody else has any more */
void kin_sph_maps_term(kin_sph_walls* walls);
size_t kin_sph_maps_bytes(const kin_sph_walls* walls);
/* The correction at a place, computed, not looked up, for a grid with cells of that size. */
double kin_sph_map_factor(const kin_sph_walls* walls, const kin_form* form, kin_vec3 x, int side, double cell);
