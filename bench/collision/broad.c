/* broad.c - broad phases beside Bullet's. */
#include "bench/stage.h"

const kin_bench kin_benches_broad[] = {{NULL, NULL, NULL}};
