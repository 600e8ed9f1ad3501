/* fluid_skin.h - skins of particle fluids in scenes and pictures: the rows that describe one, and its layer in a frame (geometry/skin/skin.h makes it).
 *
 *     kin_fluid_skin_def def;                                   // .sub = kin_fluid_skin_params in the fluid's own table
 *     kin_fluid_skin_picture picture = {.name = "water", .look = &look, .map = KIN_COLORMAPS};
 *     kin_fluid_skin_capture(&def, spacing, jobs, &cloud, &picture, capture, &error); */
#pragma once
#include "geometry/skin/skin.h"
#include "system/colormap.h"
#include "system/param.h"

typedef struct kin_fluid_skin_def {
    int kind;      /* kin_fluid_skin_kind */
    double cell;   /* in spacings */
    double level;  /* 0: the kind's own */
    int smoothing; /* passes */
} kin_fluid_skin_def;
extern const kin_param kin_fluid_skin_params[];
kin_fluid_skin_def kin_fluid_skin_def_default(void);

typedef struct kin_fluid_skin_picture {
    const char* name; /* of the layer */
    const kin_look* look;
    bool velocity;    /* the cloud's first three attributes are its velocity, m/s: for motion blur */
    kin_colormap map; /* by which the first attribute, after the velocity, colours it; KIN_COLORMAPS: the look's colour alone */
    double low, high; /* the ends of the scale */
} kin_fluid_skin_picture;

/* A mesh layer with normals. A fluid without a surface has no layer. Memory is taken from the capture's allocator and given back. */
kin_result kin_fluid_skin_capture(const kin_fluid_skin_def* def, double spacing, kin_jobs* jobs, const kin_fluid_skin_cloud* cloud,
                                  const kin_fluid_skin_picture* picture, kin_capture* capture, kin_error* error);
