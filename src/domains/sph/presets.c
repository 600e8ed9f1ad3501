/* presets.c - fluids by name: what is poured when a scene says no more than "mercury".
 *
 * The first fourteen are the table of House & Keyser 13.3 (liquids at 20 C after Marks' handbook, gases at 25 C and one atmosphere), with two things put right.
 * Its columns of viscosity are in millionths, which it does not say: water has 1000e-6 Pa s. And its two oils would then be thinner than gasoline: they are
 * thousandths there, 0.453 and 0.0867 Pa s, as an oil of SAE 40 and one of SAE 10 are. The prose beside it gives 0.002 Pa s to water, twice what it has.
 *
 * Surface tension, conductivity, heat capacity and expansion are those of common handbooks at the same temperatures, to two or three digits; gases expand by
 * 1/T. Honey stands beside them because everybody asks for it: it has anything from 2 to 20 Pa s. */
#include "domains/sph/face.h"
#include <string.h>

#define GAS_EXPANSION (1 / 298.15)

static const kin_fluid_preset presets[] = {
    /* name, density, viscosity, tension, conductivity, heat capacity, expansion */
    {"alcohol", 789, 834e-6, 0.0223, 0.167, 2440, 1.09e-3},
    {"gasoline", 675, 286e-6, 0.0216, 0.15, 2220, 9.5e-4},
    {"glycerine", 1260, 1.41, 0.0634, 0.285, 2410, 5.0e-4},
    {"mercury", 13500, 1550e-6, 0.486, 8.5, 139, 1.81e-4},
    {"heavy_oil", 903, 0.453, 0.031, 0.145, 1880, 7.0e-4},
    {"light_oil", 903, 0.0867, 0.030, 0.135, 1900, 7.0e-4},
    {"sea_water", 1020, 1080e-6, 0.0735, 0.596, 3990, 2.57e-4},
    {"water", 998, 1000e-6, 0.0728, 0.598, 4182, 2.07e-4},
    {"air", 1.18, 18.7e-6, 0, 0.0261, 1005, GAS_EXPANSION},
    {"carbon_dioxide", 1.81, 14.8e-6, 0, 0.0166, 844, GAS_EXPANSION},
    {"helium", 0.164, 19.4e-6, 0, 0.155, 5193, GAS_EXPANSION},
    {"hydrogen", 0.0824, 8.75e-6, 0, 0.182, 14300, GAS_EXPANSION},
    {"nitrogen", 1.15, 17.5e-6, 0, 0.0258, 1040, GAS_EXPANSION},
    {"oxygen", 1.31, 20.3e-6, 0, 0.0263, 918, GAS_EXPANSION},
    {"honey", 1420, 10, 0.055, 0.5, 2400, 3e-4},
};
enum { PRESETS = sizeof presets / sizeof *presets };

/* How they look where a scene does not say. Clear ones have an index of refraction and take light on its way, 1/m; as spheres they are a glossy colour. */
#define CLEAR(index, r, g, b)                                                                                                                                  \
    {                                                                                                                                                          \
        .surface = KIN_SURFACE_GLASS, .color = {1, 1, 1}, .ior = index, .absorption = { r, g, b }                                                              \
    }
#define DULL(r, g, b)                                                                                                                                          \
    {                                                                                                                                                          \
        .surface = KIN_SURFACE_MATTE, .color = {r, g, b}, .roughness = 1                                                                                       \
    }
static const struct {
    kin_look skin;
    float sphere[3];
} looks[PRESETS] = {
    {CLEAR(1.361f, 0.5f, 0.2f, 0.2f), {0.55f, 0.62f, 0.70f}},
    {CLEAR(1.40f, 1, 2, 12), {0.75f, 0.62f, 0.18f}},
    {CLEAR(1.473f, 0.5f, 0.5f, 1), {0.70f, 0.70f, 0.62f}},
    {{.surface = KIN_SURFACE_METAL, .color = {0.78f, 0.78f, 0.80f}, .roughness = 0.05f}, {0.60f, 0.60f, 0.63f}},
    {CLEAR(1.49f, 12, 25, 70), {0.28f, 0.12f, 0.02f}},
    {CLEAR(1.47f, 4, 6, 25), {0.72f, 0.42f, 0.05f}},
    {CLEAR(1.339f, 0.9f, 0.2f, 0.15f), {0.05f, 0.30f, 0.38f}},
    {CLEAR(1.333f, 0.45f, 0.09f, 0.035f), {0.06f, 0.32f, 0.62f}},
    {DULL(0.80f, 0.85f, 0.90f), {0.60f, 0.66f, 0.75f}},
    {DULL(0.70f, 0.70f, 0.70f), {0.45f, 0.45f, 0.45f}},
    {DULL(0.90f, 0.85f, 0.60f), {0.80f, 0.70f, 0.35f}},
    {DULL(0.85f, 0.75f, 0.85f), {0.70f, 0.50f, 0.70f}},
    {DULL(0.75f, 0.80f, 0.90f), {0.50f, 0.58f, 0.75f}},
    {DULL(0.70f, 0.80f, 0.95f), {0.40f, 0.55f, 0.85f}},
    {CLEAR(1.49f, 3, 18, 90), {0.80f, 0.35f, 0.02f}},
};

const kin_fluid_preset* kin_fluid_presets(size_t* count)
{
    *count = PRESETS;
    return presets;
}

int kin_fluid_preset_find(const char* name)
{
    for (int i = 0; i < PRESETS; ++i) {
        if (strcmp(presets[i].name, name) == 0) return i;
    }
    return -1;
}

const char* kin_fluid_preset_nearest(const char* name)
{
    const char* names[PRESETS];
    for (int i = 0; i < PRESETS; ++i) names[i] = presets[i].name;
    return kin_text_nearest(name, names, PRESETS);
}

kin_look kin_fluid_preset_look(const char* name, bool spheres)
{
    int found = name != NULL ? kin_fluid_preset_find(name) : -1, i = found >= 0 ? found : kin_fluid_preset_find("water");
    kin_look look = looks[i].skin;
    if (spheres) {
        look = (kin_look){.surface = look.surface == KIN_SURFACE_GLASS ? KIN_SURFACE_GLOSSY : look.surface, .roughness = 0.3f};
        for (int c = 0; c < 3; ++c) look.color[c] = looks[i].sphere[c];
    }
    return look;
}

/* What a phase leaves open is its preset's. */
void kin_sph_phase_resolve(kin_sph_phase_def* p)
{
    int i = kin_fluid_preset_find(p->fluid != NULL ? p->fluid : "water");
    const kin_fluid_preset* from = &presets[i];
    if (p->name == NULL) p->name = p->fluid != NULL ? p->fluid : "fluid";
    if (p->density == 0) p->density = from->density;
    if (p->viscosity < 0) p->viscosity = from->viscosity;
    if (p->tension < 0) p->tension = from->tension;
    if (p->conductivity < 0) p->conductivity = from->conductivity;
    if (p->heat_capacity == 0) p->heat_capacity = from->heat_capacity;
    if (p->expansion < 0) p->expansion = from->expansion;
}
