/* distance.c - distances of hulls beside libccd and Bullet. */
#include "bench/stage.h"

const kin_bench kin_benches_distance[] = {{NULL, NULL, NULL}};
