/* pattern.c - value noise and what is made of it: speckle, wood, bricks, felt, ground, clouds, grains. Sums of octaves as Perlin 1985; octaves finer than the footprint
 * fade out before they alias. */
#include "render/pattern.h"

static uint32_t mixed(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}
static float unit_of(uint32_t x) { return (float)(x >> 8) * 0x1p-24f; }
static float at_corner(int x, int y, int z) { return unit_of(mixed((uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ (uint32_t)z * 0xcb1ab31fu)); }
static float fade(float s) { return s * s * s * (s * (s * 6 - 15) + 10); }
static float mix(float a, float b, float s) { return a + (b - a) * s; }

/* Lattice cell and place in it; far beyond the lattice's numbers noise is even. */
static int cell_of(float x, float* s)
{
    float whole = floorf(clampf(x, -1e9f, 1e9f));
    *s = fade(clampf(x - whole, 0, 1));
    return (int)whole;
}

/* -1..1, smooth, one cell a metre. mask: period of the lattice less 1, a power of two less 1; -1: none. */
static float noise(kin_vec p, int mask)
{
    float s[3];
    int c[3], d[3];
    for (int k = 0; k < 3; ++k) c[k] = cell_of(p[k], &s[k]), d[k] = (c[k] + 1) & mask, c[k] &= mask;
    float low =
        mix(mix(at_corner(c[0], c[1], c[2]), at_corner(d[0], c[1], c[2]), s[0]), mix(at_corner(c[0], d[1], c[2]), at_corner(d[0], d[1], c[2]), s[0]), s[1]);
    float high =
        mix(mix(at_corner(c[0], c[1], d[2]), at_corner(d[0], c[1], d[2]), s[0]), mix(at_corner(c[0], d[1], d[2]), at_corner(d[0], d[1], d[2]), s[0]), s[1]);
    return 2 * mix(low, high, s[2]) - 1;
}

/* How much of a wave is left to a footprint. */
static float seen(float wave, float footprint) { return 1 - smoothf(0.25f * wave, 0.5f * wave, footprint); }

/* Octaves from a wave of 1 down, each half as long and half as strong. footprint in the same unit. */
static float octaves(kin_vec p, int count, float footprint)
{
    float sum = 0, wave = 1, strength = 1;
    for (int i = 0; i < count; ++i) {
        float share = seen(wave, footprint);
        if (!(share > 0)) break;
        sum += strength * share * noise(p * (1 / wave) + vec_all(17.3f * (float)i), -1);
        wave *= 0.5f, strength *= 0.5f;
    }
    return sum;
}

/* ---- materials ---- */

static kin_vec speckled(kin_vec color, const kin_spot* s, float size)
{
    float wide = octaves(s->position * (1 / size), 3, s->footprint / size), fine = octaves(s->position * (16 / size), 2, 16 * s->footprint / size);
    return color * (1 + 0.16f * wide + 0.12f * fine);
}

/* Rings about an axis beside the body, uneven, and fibres along it. */
static kin_vec wooden(kin_vec color, const kin_spot* s, float size)
{
    int along = s->grain, u = (along + 1) % 3, v = (along + 2) % 3;
    kin_vec slow = s->position * (0.35f / size), fibre = s->position * (6 / size);
    slow[along] *= 0.15f, fibre[along] *= 0.04f;
    float x = s->position[u] / size + 3.1f, y = s->position[v] / size + 1.7f, width = s->footprint / size;
    float ring = sqrtf(x * x + y * y) + 0.5f * octaves(slow, 2, 0.35f * width), share = ring - floorf(ring);
    float late = smoothf(0.35f, 0.9f, share) * (1 - smoothf(0.93f, 1, share)), rings = seen(1, width) * (late - 0.4f);
    return color * (1 - 0.34f * rings + 0.14f * octaves(fibre, 2, 6 * width));
}

/* Running bond; faces are papered by the axis they look along most. */
static kin_vec bricked(kin_vec color, const kin_spot* s, float size)
{
    const kin_vec mortar = vec(0.55f, 0.52f, 0.48f), n = s->normal, p = s->position;
    float ax = fabsf(n[0]), ay = fabsf(n[1]), az = fabsf(n[2]);
    float u = (ax > az && ax > ay ? p[2] : p[0]) / size, v = (ay > ax && ay > az ? p[2] : p[1]) / size, width = s->footprint / size;
    const float course = 0.34f, joint = 0.02f;
    float row = floorf(v / course), shifted = u + 0.5f * (row - 2 * floorf(0.5f * row)), column = floorf(shifted);
    float to_side = fabsf(shifted - column - 0.5f), to_bed = fabsf(v / course - row - 0.5f) * course;
    float soft = maxf(width, 0.004f), inside = (1 - smoothf(0.5f - joint - soft, 0.5f - joint + soft, to_side))
                                               * (1 - smoothf(0.5f * course - joint - soft, 0.5f * course - joint + soft, to_bed));
    float tint = unit_of(mixed((uint32_t)(int)clampf(row, -1e9f, 1e9f) * 0x9e3779b9u ^ mixed((uint32_t)(int)clampf(column, -1e9f, 1e9f)))) - 0.5f;
    kin_vec brick = color * (1 + 0.5f * tint * seen(1, width) + 0.2f * octaves(p * (10 / size), 3, 10 * width));
    return vec_mix(mortar, brick, mix(0.9f, inside, seen(0.2f, width)));
}

static kin_vec felted(kin_vec color, const kin_spot* s, float size)
{
    float width = s->footprint / size;
    return color * (1 + 0.22f * octaves(s->position * (1 / size), 2, width) + 0.05f * octaves(s->position * (0.02f / size), 2, 0.02f * width));
}

kin_vec kin_pattern_color(const kin_look* look, kin_vec color, const kin_spot* spot)
{
    static const float sizes[] = {[KIN_PATTERN_SPECKLE] = 0.1f, [KIN_PATTERN_WOOD] = 0.02f, [KIN_PATTERN_BRICK] = 0.24f, [KIN_PATTERN_FELT] = 0.004f};
    if (look->pattern == KIN_PATTERN_NONE || look->pattern >= KIN_PATTERN_GRAINS) return color;
    float size = look->pattern_size > 0 ? look->pattern_size : sizes[look->pattern];
    switch (look->pattern) {
    case KIN_PATTERN_SPECKLE: color = speckled(color, spot, size); break;
    case KIN_PATTERN_WOOD: color = wooden(color, spot, size); break;
    case KIN_PATTERN_BRICK: color = bricked(color, spot, size); break;
    case KIN_PATTERN_FELT: color = felted(color, spot, size); break;
    case KIN_PATTERN_NONE:
    case KIN_PATTERN_GRAINS:
    case KIN_PATTERN_DROPLETS: break;
    }
    return vec(clampf(color[0], 0, 1), clampf(color[1], 0, 1), clampf(color[2], 0, 1));
}

/* ---- ground and sky ---- */

/* Ten octaves from what can just be seen, all as strong; those that come in at the fine end and leave at the coarse one do so gently. */
float kin_pattern_ground(kin_pair at, float footprint)
{
    enum { OCTAVES = 10 };
    const float strength = 0.016f;
    int first;
    frexpf(clampf(2 * footprint, 1e-4f, KIN_GROUND_PERIOD / 8), &first);
    float sum = 0;
    for (int i = 0; i < OCTAVES; ++i) {
        float wave = ldexpf(1, first + i);
        if (wave > KIN_GROUND_PERIOD / 4) break;
        float begin = seen(wave, footprint), end = 1 - smoothf(0.125f * ldexpf(1, OCTAVES), 0.25f * ldexpf(1, OCTAVES), wave / maxf(footprint, 1e-4f));
        int mask = wave <= 1e-3f ? -1 : (int)(KIN_GROUND_PERIOD / wave) - 1;
        sum += strength * begin * end * noise(vec(at.x / wave, 0.5f, at.y / wave), mask);
    }
    return 1 + sum;
}

float kin_pattern_clouds(kin_vec direction, float share)
{
    if (!(share > 0) || !(direction[1] > 0.01f)) return 0;
    kin_vec p = vec(direction[0], 0, direction[2]) * (1.3f / (direction[1] + 0.25f));
    p[1] = 4.2f;
    float dense = 0.5f + 0.5f * octaves(p, 5, 0);
    return smoothf(1 - share, 1 - 0.3f * share, dense) * smoothf(0.01f, 0.2f, direction[1]);
}

/* ---- grains and droplets ---- */

/* Grains fill a ball that reaches the edges of the cube that the point stands for, so that those of neighbours make one heap without gaps between points. Droplets
 * have the volume of that cube, 8 radii cubed: a drop and its satellites, the k-th smaller by k to the power of the fall and the farther away the smaller it is. */
typedef struct swarm {
    uint32_t count;
    float near, spread; /* of the point's radius: least and greatest distance of centres */
    float least, range; /* radii from least to least + range; where there is a fall, least is that of the first */
    float fall;         /* 0: sizes are drawn, all alike */
} swarm;
static const swarm grains = {.count = 28, .spread = 1.41421356f, .least = 0.13f, .range = 0.1f};
/* least: 4/3 pi least^3 sum k^-2 = 8 over the count of satellites. */
static const swarm droplets = {.count = 20, .near = 0.2f, .spread = 4, .least = 1.06163f, .fall = 2.0f / 3};

static const swarm* swarm_of(kin_surface_pattern pattern)
{
    return pattern == KIN_PATTERN_GRAINS ? &grains : pattern == KIN_PATTERN_DROPLETS ? &droplets : NULL;
}

uint32_t kin_pattern_spheres(kin_surface_pattern pattern)
{
    const swarm* s = swarm_of(pattern);
    return s != NULL ? s->count : 1;
}

static uint32_t sphere_hash(uint64_t id, uint32_t sphere, uint32_t what)
{
    return mixed((uint32_t)id ^ mixed((uint32_t)(id >> 32) ^ mixed(sphere * 8u + what)));
}

kin_vec kin_pattern_sphere(kin_surface_pattern pattern, uint64_t id, uint32_t sphere)
{
    const swarm* s = swarm_of(pattern);
    kin_vec place = {0, 0, 0, 1};
    if (s == NULL) return place;
    float u = 2 * unit_of(sphere_hash(id, sphere, 0)) - 1, turn = 2 * KIN_PI * unit_of(sphere_hash(id, sphere, 1));
    float rank = powf((float)(sphere + 1), -s->fall), reach = s->near + (s->spread - s->near) * (s->fall > 0 ? 1 - rank : 1);
    float r = reach * cbrtf(unit_of(sphere_hash(id, sphere, 2))), across = r * sqrtf(1 - u * u);
    place = vec(across * cosf(turn), r * u, across * sinf(turn));
    place[3] = s->fall > 0 ? s->least * rank : s->least + s->range * unit_of(sphere_hash(id, sphere, 3));
    return place;
}

float kin_pattern_sphere_shade(kin_surface_pattern pattern, uint64_t id, uint32_t sphere)
{
    if (pattern != KIN_PATTERN_GRAINS) return 1;
    float u = unit_of(sphere_hash(id, sphere, 4));
    return u < 0.06f ? 0.45f : 0.82f + 0.32f * u; /* a dark one among many */
}
