/* material.h - how a surface answers light: matte, glossy, metal, glass. Emissive surfaces answer none. */
#pragma once
#include "render/sample.h"
#include "render/scene.h"

/* A hit made ready: both normals on the viewer's side. */
typedef struct kin_material {
    kin_surface surface;
    kin_vec color;
    kin_vec normal, facet;
    kin_vec view;        /* towards the viewer */
    float alpha;         /* GGX width: roughness squared */
    bool entering;       /* glass: the viewer is outside */
    float index, beyond; /* glass: of refraction, on the viewer's side and on the other */
} kin_material;

typedef struct kin_scatter {
    kin_vec direction;
    kin_vec weight; /* throughput of the path is multiplied by this */
    bool mirror;    /* sharp: what lies behind it is still seen clearly */
    bool likely;    /* glass: of reflection and refraction the way that most of the light takes */
} kin_scatter;

kin_material kin_material_at(const kin_hit* hit, const kin_ray* ray, const kin_crossing* crossing); /* crossing: of glass, else it may be NULL */
/* Colour that survives the denoiser untouched: light is filtered after division by it. */
kin_vec kin_material_albedo(const kin_material* material);
/* Reflectance times cosine towards a small light. glints: also the highlight of sharp reflections, for a light that paths do not find. */
kin_vec kin_material_response(const kin_material* material, kin_vec light, bool glints);
/* Where the path goes on; false if it is swallowed. */
bool kin_material_scatter(const kin_material* material, kin_pair choice, kin_pair u, kin_scatter* out);
