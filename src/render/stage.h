/* stage.h - inside the stage: what scene.c (rays) and geometry.c (layers to Embree) share. */
#pragma once
#include "render/plane.h"
#include "render/scene.h"
#include "render/volume.h"
#include <embree3/rtcore.h>

/* FLAME: sprites that glow; they hide nothing and throw no shadow. */
enum { KIN_MASK_SOLID = 1, KIN_MASK_GLASS = 2, KIN_MASK_FLAME = 4 };

/* A layer while its frame is shown. Pointers are into the frame. */
typedef struct kin_exhibit {
    const kin_layer* layer;
    kin_vec color;
    const float* colors;               /* f32x3 an element, vertex or instance; NULL: color */
    const float* opacity;              /* points and sprites, lines by vertex; NULL: 1 */
    bool soft;                         /* rays go through it: it stands in the soft scene */
    bool streaks;                      /* points drawn with a fading tail */
    const struct kin_sprites* sprites; /* else NULL */
    size_t map;                        /* where this layer's part of the stage's map begins; spheres and curves */
    const float* normals;              /* meshes; NULL: flat */
    const float* vertex_colors;        /* meshes; NULL: color or colors */
    const float* positions;            /* meshes that do not deform; else NULL */
    const uint32_t* triangles;
    const uint32_t* lines;
    const struct kin_isosurface_field* field; /* of a surface that rays meet without a mesh; else NULL */
    const uint64_t* ids;                      /* points; NULL: their number is */
    uint32_t spheres;                         /* that a point is drawn as */
    int grain;                                /* meshes: the longest axis */
} kin_exhibit;

/* What a geometry number of the top scene stands for. */
typedef struct kin_piece {
    size_t exhibit;
    RTCGeometry instance; /* NULL for spheres and curves; the top scene owns it */
    uint32_t row;         /* of the instance in its layer */
    bool moving;
    float frame[12]; /* of an instance at time 0: columns x, y, z, position */
} kin_piece;

/* Sprites as rays ask for them. Pointers are into the frame. */
typedef struct kin_sprites {
    const kin_stage* stage;
    size_t map;                                        /* as the exhibit's */
    const float *position, *radius, *velocity, *angle; /* the last two may be NULL */
    const float* texture;                              /* rgba, top row first; NULL: a soft ball */
    int width, height;
    bool moving;  /* while the shutter is open */
    float* light; /* sun's and sky's share, two for each that is drawn */
    size_t light_bytes;
} kin_sprites;

/* A mesh kept from frame to frame. */
typedef struct kin_kept_mesh {
    uint64_t position_hash, triangle_hash; /* 0: not to be kept */
    RTCScene scene;
    bool used; /* by this frame */
} kin_kept_mesh;

/* Numbers of the frame that the stage has made. */
typedef struct kin_stage_block {
    float* data;
    size_t bytes;
} kin_stage_block;

struct kin_stage {
    kin_allocator allocator;
    RTCDevice device;
    RTCScene top;
    RTCScene soft; /* what rays go through: sprites, points with opacity, streaks */
    bool has_glass, has_soft;
    kin_sky sky;
    kin_vec up;        /* of the camera: sprites stand by it */
    kin_vec eye;       /* m, from the frame's origin */
    float view_height; /* of the picture at a distance of 1 m, m */
    float shutter;     /* s: from time 0 to time 1 of a ray */
    float far;         /* m: nothing farther from the frame's origin along an axis is drawn (scene.c) */
    kin_exhibit* exhibits;
    size_t exhibit_count, exhibit_capacity;
    kin_piece* pieces;
    size_t piece_count, piece_capacity;
    kin_plane* planes;
    size_t plane_count, plane_capacity;
    kin_kept_mesh* kept;
    size_t kept_count, kept_capacity;
    uint32_t* map; /* primitive to element: elements that cannot be drawn are left out */
    size_t map_count, map_capacity;
    kin_sprites** sprites;
    size_t sprites_count, sprites_capacity;
    kin_volume* volumes;
    size_t volume_count, volume_capacity;
    struct kin_isosurface_field** fields;
    size_t field_count, field_capacity;
    kin_stage_block* blocks;
    size_t block_count, block_capacity;
    kin_lamps lamps;
};

#define KIN_POINT_RADIUS 0.02f   /* m: of points without one */
#define KIN_EMBREE_LARGEST 1e18f /* m: lengths that its checks let pass */

/* Within reach of float arithmetic; false for NaN. */
static inline bool kin_stage_holds(const kin_stage* stage, kin_vec p)
{
    return fabsf(p[0]) <= stage->far && fabsf(p[1]) <= stage->far && fabsf(p[2]) <= stage->far;
}

/* A point one shutter later; where that is out of reach it stays. */
static inline kin_vec kin_stage_moved(const kin_stage* stage, kin_vec p, const float* velocity, float time)
{
    kin_vec later = p + vec_load(velocity) * time;
    return kin_stage_holds(stage, later) ? later : p;
}

/* How much of a streak is seen, s from tail 0 to head 1. */
static inline float kin_streak_fade(float s) { return s * s; }
#define KIN_STREAK_MEAN 0.3333f

/* One layer into the top scene. What cannot be drawn (wrong arrays, NaN, no size) is left out. False: out of memory. */
bool kin_stage_add(kin_stage* stage, const kin_frame* frame, const kin_layer* layer);
/* Rows of a float array, or NULL if it is missing, of another shape, or too short. */
const float* kin_layer_floats(const kin_layer* layer, const char* name, uint32_t width, uint64_t count);
/* A layer's place among the exhibits; NULL: out of memory. */
kin_exhibit* kin_stage_exhibit(kin_stage* stage, const kin_layer* layer);
/* The elements that can be drawn, into the map, as part of the newest exhibit. False: out of memory. */
bool kin_stage_map_points(kin_stage* stage, const float* position, const float* radius, uint64_t count);
/* Hands geometry of the newest exhibit to its scene under the next piece's number. NULL: out of memory. */
kin_piece* kin_stage_attach(kin_stage* stage, RTCGeometry geometry);
/* What the ray sees where Embree found something. */
void kin_stage_answer(const kin_stage* stage, const kin_ray* ray, const struct RTCRayHit* found, kin_hit* hit);
/* False: Embree, which asserts on huge and undefined rays, must not see it. */
bool kin_embree_ray(const kin_stage* stage, const kin_ray* ray, unsigned mask, struct RTCRay* out);

/* distance.c: widths and opacities of points, lines or sprites by distance from the camera, in place of those of the layer (either may be NULL); they are as they were
 * where the look asks for neither. False: out of memory. */
bool kin_stage_by_distance(kin_stage* stage, const kin_look* look, bool spheres, const float* position, uint64_t count, const float** radius,
                           const float** opacity);
void kin_stage_free_blocks(kin_stage* stage);
float kin_distance_fade(const kin_look* look, float distance);                                         /* share that is left at a distance, m */
float kin_distance_radius(const kin_stage* stage, const kin_look* look, float radius, float distance); /* as it is drawn, m */

/* isosurface.c: a layer of kernels, and the colour of their sum at a place of its surface. */
typedef struct kin_isosurface_field kin_isosurface_field;
bool kin_stage_add_isosurface(kin_stage* stage, const kin_layer* layer);
void kin_isosurface_free(kin_isosurface_field* field, const kin_allocator* allocator);
kin_vec kin_isosurface_color(const kin_isosurface_field* field, uint32_t cell, kin_vec x, kin_vec plain);

/* sprite.c: a layer of sprites, and one of them as a ray sees it. */
bool kin_stage_add_sprites(kin_stage* stage, const kin_layer* layer);
void kin_sprites_free(kin_sprites* sprites, const kin_allocator* allocator);
/* Distance at which the ray passes the sprite's middle, if it passes within its reach. */
bool kin_sprite_distance(const kin_stage* stage, const kin_sprites* sprites, uint32_t element, kin_vec origin, kin_vec direction, float time, float* distance);
/* How much of what is behind is hidden there; color gets the sprite's own, with the picture on it. */
float kin_sprite_opacity(const kin_stage* stage, const kin_exhibit* exhibit, uint32_t element, const kin_ray* ray, float distance, kin_vec* color);
/* Light it sends to the viewer there, per opacity. drawn: its place in the map of the layer. */
kin_vec kin_sprite_radiance(const kin_stage* stage, const kin_exhibit* exhibit, uint32_t drawn, const kin_ray* ray, float distance, kin_vec color);

/* veil.c: share of the light that passes what is soft along the ray. */
float kin_stage_clear(const kin_stage* stage, const kin_ray* ray);
/* For Embree: what a sprite answers when a ray comes near (veil.c). */
void kin_sprite_intersect(const struct RTCIntersectFunctionNArguments* arguments);
void kin_sprite_occlude(const struct RTCOccludedFunctionNArguments* arguments);
