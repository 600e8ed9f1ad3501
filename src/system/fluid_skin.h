/* fluid_skin.h - particle fluids in pictures: their surface as a mesh (geometry/skin/skin.h makes it), and drops in flight as spray.
 *
 *     kin_fluid_skin_def def = {.kind = KIN_SKIN_ANISOTROPIC, .cell = 0.5, .spray = true};
 *     kin_fluid_skin_picture picture = {.name = "water", .look = &look, .map = KIN_COLORMAPS};
 *     kin_fluid_skin_capture(&def, spacing, &cloud, &picture, capture, &error); */
#pragma once
#include "geometry/skin/skin.h"
#include "system/capture.h"
#include "system/colormap.h"

typedef struct kin_fluid_skin_def {
    kin_fluid_skin_kind kind;
    double cell;   /* in spacings */
    int smoothing; /* passes */
    bool rays;     /* no mesh: the field itself is in the frame, for rays; not ZHU_BRIDSON */
    bool spray;    /* clumps too small for a surface are drawn as droplets; else each has a surface */
} kin_fluid_skin_def;

typedef struct kin_fluid_skin_picture {
    const char* name; /* of the layer; the spray's has "/1" behind it */
    const kin_look* look;
    kin_colormap map;    /* by which the cloud's fourth attribute colours it; KIN_COLORMAPS: the look's colour alone */
    double low, high;    /* the ends of the scale */
    const uint64_t* ids; /* of the cloud's particles, which then are in the frame for tables; NULL: they are not */
} kin_fluid_skin_picture;

/* A mesh layer with normals and velocities, and a layer of points for spray; the cloud's first three attributes are its velocity, m/s. A fluid without a surface has no
 * mesh. Errors: particles too far apart for a mesh, or not finite; nothing is captured then. Memory is taken from the capture's allocator and given back. */
kin_result kin_fluid_skin_capture(const kin_fluid_skin_def* def, double spacing, const kin_fluid_skin_cloud* cloud, const kin_fluid_skin_picture* picture,
                                  kin_capture* capture, kin_error* error);
