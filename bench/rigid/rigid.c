/* rigid.c - rigid bodies measured: wall, pyramid, pile, chain; the same scenes on peers. */
#include "bench/bench.h"

const kin_bench kin_benches_rigid[] = {
    {NULL, NULL, NULL},
};
