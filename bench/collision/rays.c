/* rays.c - rays and tree builds beside Embree. */
#include "bench/stage.h"

const kin_bench kin_benches_rays[] = {{NULL, NULL, NULL}};
