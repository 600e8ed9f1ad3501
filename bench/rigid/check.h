/* check.h - how well an engine did, from what its bodies do alone: the same measures for ours and for every peer. Overlaps are those of our collision kit. */
#pragma once
#include "bench/rigid/engine.h"

typedef struct kin_bench_verdict {
    bool stands;        /* nobody is lower by more than half his height than where he began */
    double drift;       /* m, sideways, of who went farthest */
    double top;         /* m, of the highest centre */
    int escaped;        /* centres outside the scene's room now */
    int awake;          /* now */
    double deepest;     /* m, overlap of the worst pair now */
    double p99;         /* m, of the pairs that touch now */
    double worst;       /* m, the deepest seen, after every tenth step */
    double joint_error; /* m, of one joint, the worst ever */
    double stretch;     /* m, of all joints together, the worst ever */
    double energy_rise; /* J, the most that was gained after any moment */
    kin_vec3 last;      /* m: centre of the last body */
} kin_bench_verdict;

typedef struct kin_bench_check kin_bench_check;
/* NULL: no memory. The scene must outlive it. */
kin_bench_check* kin_bench_check_create(const kin_bench_scene* scene);
/* After every step. false: something is not finite any more, or there is no memory. */
bool kin_bench_check_see(kin_bench_check* check, const kin_bench_motion* motions);
kin_bench_verdict kin_bench_check_verdict(const kin_bench_check* check); /* of what was seen last */
void kin_bench_check_destroy(kin_bench_check* check);                    /* may be NULL */
