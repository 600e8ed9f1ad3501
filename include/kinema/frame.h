/** @file frame.h
 * A frame is what can be seen: layers of named arrays, immutable once captured.
 * The cache, the renderer, the exporters and the viewer read frames and nothing else. */
#pragma once
#include "kinema/base.h"
#include "kinema/math.h"

/** What the elements of a layer are. The arrays each kind must have stand beside it. */
typedef enum kin_layer_kind {
    KIN_LAYER_POINTS,     /**< position f32x3; may have: radius f32, velocity f32x3, id u64, color f32x3 (linear rgb), opacity f32 (0..1),
                            hit_age f32 (s since the last hit, -1: none yet) with hit_position f32x3 and hit_other u32x2 (system, element);
                            user.NAME f32: named numbers of particles (meshes of particles and sprites, too) */
    KIN_LAYER_MESH,       /**< position f32x3, triangle u32x3; may have: normal f32x3, vertex_color f32x3 (both per vertex), velocity f32x3,
                            pose f32x7 (position, orientation; an instance each) with pose_end f32x7 (a shutter later),
                            id u64 and pose_velocity f32x6 (m/s, rad/s; bodies);
                            one row an instance: color f32x3, scale f32 (applied before the pose);
                            the particles in the skin of a fluid, not drawn: particle_position f32x3, particle_velocity f32x3, particle_id u64 */
    KIN_LAYER_LINES,      /**< position f32x3, line u32x2; may have: radius f32, color f32x3, opacity f32 */
    KIN_LAYER_PLANE,      /**< position f32x3, normal f32x3: endless */
    KIN_LAYER_SPRITES,    /**< soft pictures that face the viewer. position f32x3, radius f32 (half the side); may have: color f32x3, opacity f32,
                            angle f32 (rad, roll about the view, counter-clockwise), velocity f32x3, id u64, hit_* as points,
                            texture f32x4 (linear rgb and alpha, top row first) with texture_size u32x2 (one row: width, height) */
    KIN_LAYER_VOLUME,     /**< smoke and fire. dims u32x3 (one row), box f32x3 (two rows: low, high corner), density f32 (a voxel each, x fastest, z slowest);
                            may have, a voxel each: glow f32 (radiance emitted per metre), glow_color f32x3 (else the look's color) */
    KIN_LAYER_ISOSURFACE, /**< a surface that rays meet without a mesh: where the sum of weight (1 - |G (x - position)|^2)^3 over all kernels with |...| < 1 is 1.
                            position f32x3, shape f32x6 (G, symmetric: xx yy zz xy xz yz, 1/m), weight f32; may have: color f32x3, velocity f32x3, id u64,
                            particle_position f32x3, particle_velocity f32x3, particle_id u64 (for tables) */
} kin_layer_kind;

/** What the numbers of an array are. */
typedef enum kin_array_type { KIN_F32, KIN_U32, KIN_U64 } kin_array_type;

/** Rows of equal width. Positions are relative to the frame's origin. */
typedef struct kin_array {
    char name[24];       /**< position, velocity, radius, id, ... */
    kin_array_type type; /**< of each number */
    uint32_t width;      /**< numbers in a row */
    uint64_t count;      /**< rows */
    const void* data;    /**< count x width numbers, row after row */
    uint64_t hash;       /**< of type, shape and bytes: names the array in the cache */
} kin_array;

/** How a surface answers light. */
typedef enum kin_surface { KIN_SURFACE_MATTE, KIN_SURFACE_GLOSSY, KIN_SURFACE_METAL, KIN_SURFACE_GLASS, KIN_SURFACE_EMISSIVE } kin_surface;

/** Procedural colour: a variation of the look's colour over the surface. */
typedef enum kin_surface_pattern {
    KIN_PATTERN_NONE,     /**< one colour */
    KIN_PATTERN_SPECKLE,  /**< stone, concrete, fired clay: patches of pattern_size, 0.1 m */
    KIN_PATTERN_WOOD,     /**< rings of pattern_size, 0.02 m, along the longest side */
    KIN_PATTERN_BRICK,    /**< bricks of pattern_size, 0.24 m, in mortar */
    KIN_PATTERN_FELT,     /**< fibres of pattern_size, 0.004 m */
    KIN_PATTERN_GRAINS,   /**< points are drawn as many small grains: sand */
    KIN_PATTERN_DROPLETS, /**< points are drawn as a drop and its satellites: spray */
} kin_surface_pattern;

/** How a layer looks. */
typedef struct kin_look {
    kin_surface surface;         /**< which of the others count */
    float color[3];              /**< linear rgb, 0..1 */
    float roughness;             /**< 0 mirror .. 1 dull; glossy, metal */
    float glow;                  /**< radiance of emissive surfaces, times color; emissive sprites add it, volumes scale their glow array by it (0: 1) */
    float streak;                /**< s: points are drawn as streaks of this much of their motion, fading to the tail; 0 as spheres */
    float min_width;             /**< points, streaks, lines, sprites: narrowest width, as a share of the picture's height; opacity falls by as much; 0: none */
    float fade_length;           /**< the same: opacity falls to 1/e over this much distance from the camera, m; 0: it does not */
    float fade_start;            /**< m from the camera: where that begins */
    float extinction;            /**< volumes: light lost per metre and unit of density (m^2/kg for kg/m^3); 0 is taken as 1 */
    float anisotropy;            /**< volumes: mean cosine of scattering, -1 back .. 0 even .. 1 ahead */
    float ior;                   /**< glass: index of refraction; 0 is taken as 1.5. Where clear bodies overlap the highest counts */
    float absorption[3];         /**< glass: light lost on its way inside, 1/m of red, green, blue */
    kin_surface_pattern pattern; /**< of the colour: meshes, planes; grains: points */
    float pattern_size;          /**< m; 0: the pattern's own */
} kin_look;

/** Things of one kind and one look. */
typedef struct kin_layer {
    char name[64];           /**< system, or collider, that made it; unique in the frame. Parts of another material than the first's: "name/1", ... */
    kin_layer_kind kind;     /**< says which arrays there are */
    kin_look look;           /**< of all its elements */
    uint32_t array_count;    /**< of arrays */
    const kin_array* arrays; /**< found by name: kin_layer_array */
} kin_layer;

/** Where the picture is taken from. */
typedef struct kin_camera {
    kin_vec3 eye, target, up; /**< m */
    double field_of_view;     /**< vertical, rad */
    double aperture;          /**< m, lens diameter; 0 is a pinhole */
    double shutter;           /**< fraction of a frame the shutter is open; 0 is no motion blur */
} kin_camera;

/** What lights the picture: one sun and a sky. */
typedef struct kin_light {
    kin_vec3 sun_direction; /**< towards the sun, unit */
    double sun_angle;       /**< rad, apparent diameter: softness of shadows */
    float sun[3];           /**< irradiance on a surface that faces it; white matte then has a radiance of sun / pi */
    float sky[3];           /**< radiance at the zenith */
    float horizon[3];       /**< radiance there; distant ground fades into it. All three zero: a clear day */
    double exposure;        /**< stops; at 0 a radiance of 1 is white */
    double clouds;          /**< share of the sky that clouds cover, 0..1: something for water and glass to reflect */
} kin_light;

/** Valid until the next capture or the end of its owner. */
typedef struct kin_frame {
    uint64_t index;          /**< from 0, the start */
    double time;             /**< s */
    double interval;         /**< s to the next frame */
    kin_vec3 origin;         /**< m */
    kin_camera camera;       /**< at this time */
    kin_light light;         /**< of the scene */
    uint32_t layer_count;    /**< of layers */
    const kin_layer* layers; /**< colliders and systems */
} kin_frame;

/** NULL if the layer has no such array. */
KIN_API const kin_array* kin_layer_array(const kin_layer* layer, const char* name);
/** NULL if the frame has no such layer. */
KIN_API const kin_layer* kin_frame_layer(const kin_frame* frame, const char* name);
