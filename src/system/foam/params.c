/* params.c - the rows of a def. */
#include "system/foam/foam.h"
#include <stddef.h>

#define AT(member) offsetof(kin_foam_def, member)

/* clang-format off */
const kin_param kin_foam_params[] = {
    {.name = "most", .type = KIN_PARAM_COUNT, .offset = AT(most), .doc = "Never more than this many; 0: none are made, and it costs nothing.",
     .low = 0, .high = 1e8, .flags = KIN_PARAM_LIVE},
    {.name = "reach", .type = KIN_PARAM_NUMBER, .offset = AT(reach), .unit = "spacings", .doc = "Particles of the fluid that are nearer are neighbours.",
     .low = 1, .high = 6, .preset = {2}},
    {.name = "trapped", .type = KIN_PARAM_TWO, .offset = AT(trapped), .unit = "m/s",
     .doc = "Speeds at which neighbours meet, summed: below the first no air is trapped, from the second on as much as can be.",
     .low = 0, .high = 1e6, .preset = {5, 20}, .flags = KIN_PARAM_LIVE},
    {.name = "crest", .type = KIN_PARAM_TWO, .offset = AT(crest), .doc = "Turns of the normal among neighbours, summed: below the first it is no crest.",
     .low = 0, .high = 1e6, .preset = {2, 8}, .flags = KIN_PARAM_LIVE},
    {.name = "energy", .type = KIN_PARAM_TWO, .offset = AT(energy), .unit = "J/kg", .doc = "Kinetic energy below which none are made, and from which on most.",
     .low = 0, .high = 1e12, .preset = {0.5, 12.5}, .flags = KIN_PARAM_LIVE},
    {.name = "trapped_rate", .type = KIN_PARAM_NUMBER, .offset = AT(trapped_rate), .unit = "1/s", .doc = "Made by a particle of the fluid where air is trapped.",
     .low = 0, .high = 1e6, .preset = {200}, .flags = KIN_PARAM_LIVE},
    {.name = "crest_rate", .type = KIN_PARAM_NUMBER, .offset = AT(crest_rate), .unit = "1/s", .doc = "Made by a particle of the fluid on a breaking crest.",
     .low = 0, .high = 1e6, .preset = {200}, .flags = KIN_PARAM_LIVE},
    {.name = "lifetime", .type = KIN_PARAM_TWO, .offset = AT(lifetime), .unit = "s", .doc = "Shortest and longest life of foam.",
     .low = 0, .high = 1e6, .preset = {1, 3}, .flags = KIN_PARAM_LIVE},
    {.name = "slow_ageing", .type = KIN_PARAM_NUMBER, .offset = AT(slow_ageing), .doc = "How fast spray and bubbles grow old, to foam's 1.",
     .low = 0, .high = 1, .preset = {0.2}, .flags = KIN_PARAM_LIVE},
    {.name = "spray_below", .type = KIN_PARAM_INTEGER, .offset = AT(spray_below), .doc = "With fewer neighbours it is spray.", .low = 0, .high = 1000, .preset = {6}},
    {.name = "bubbles_above", .type = KIN_PARAM_INTEGER, .offset = AT(bubbles_above), .doc = "With more neighbours it is a bubble.",
     .low = 0, .high = 1000, .preset = {20}},
    {.name = "buoyancy", .type = KIN_PARAM_NUMBER, .offset = AT(buoyancy), .doc = "Bubbles rise with this many times gravity.",
     .low = 0, .high = 1000, .preset = {2}, .flags = KIN_PARAM_LIVE},
    {.name = "drag", .type = KIN_PARAM_NUMBER, .offset = AT(drag), .unit = "1/s", .doc = "How fast bubbles take up the fluid's velocity.",
     .low = 0, .high = 1e6, .preset = {40}, .flags = KIN_PARAM_LIVE},
    {.name = "size", .type = KIN_PARAM_NUMBER, .offset = AT(size), .unit = "spacings", .doc = "Radius in pictures.",
     .low = 0, .high = 10, .preset = {0.12}, .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},
    {0},
};
/* clang-format on */

kin_foam_def kin_foam_def_default(void)
{
    kin_foam_def def = {.spacing = 0.02, .simd = kin_simd_best()};
    kin_params_default(kin_foam_params, &def);
    return def;
}
