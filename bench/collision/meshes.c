/* meshes.c - mesh against mesh. */
#include "bench/stage.h"

const kin_bench kin_benches_meshes[] = {{NULL, NULL, NULL}};
