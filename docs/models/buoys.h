/* buoys.h - the def that scenes and C programs fill. In the house: include/kinema/buoys.h. */
#pragma once
#include "kinema/world.h"

typedef struct kin_buoy {
    kin_vec3 position; /**< m: where it floats at rest */
    double lift;       /**< m above that, at the start */
} kin_buoy;

typedef struct kin_buoys_def {
    const char* name; /**< NULL: "buoys" */
    double stiffness; /**< N/m */
    double mass;      /**< kg, of each */
    const kin_buoy* buoys;
    size_t count;
} kin_buoys_def;

extern const struct kin_system_ops kin_buoys_ops;
