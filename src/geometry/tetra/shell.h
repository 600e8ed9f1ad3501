/* shell.h - how far a point is inside a closed mesh. */
#pragma once
#include "geometry/bvh.h"
#include "geometry/mesh.h"

typedef struct kin_shell {
    const kin_mesh* mesh;
    kin_bvh tree; /* of its triangles */
} kin_shell;

bool kin_shell_init(kin_shell* shell, const kin_allocator* allocator, const kin_mesh* mesh); /* false: out of memory; term all the same */
void kin_shell_term(kin_shell* shell);
/* m, negative inside: the sign by the normal of the nearest feature (Baerentzen and Aanaes 2005). */
double kin_shell_distance(const kin_shell* shell, kin_vec3 x);
