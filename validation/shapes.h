/* shapes.h - meshes that cases and benches collide with: height fields on a grid, and the cube. */
#pragma once
#include "kinema/kinema.h"

typedef struct kin_patch {
    kin_vec3* vertices;
    uint32_t* corners;
    kin_shape shape; /* of the arrays above; free the patch after the collider was added */
} kin_patch;

typedef double kin_height_fn(double x, double z);

/* n by n squares of two triangles over [-half, half]^2, looking up. false: out of memory. */
bool kin_patch_grid(kin_patch* patch, uint32_t n, double half, kin_height_fn* height);
/* The cube of House & Keyser 3.4: corners at +-half, 12 triangles looking out. */
bool kin_patch_cube(kin_patch* patch, double half);
void kin_patch_free(kin_patch* patch);
