/* repair.h - mending a mesh, each step on its own wish, each step counted. */
#pragma once
#include "geometry/cut/poly.h"

typedef struct kin_repair_def {
    double weld;          /* m: vertices nearer than this become the first of them; 0: at one place; < 0: leave */
    bool drop_duplicates; /* faces with the same corners as an earlier one */
    bool drop_degenerate; /* faces without area; needles hand their middle corner to the neighbour, so that nothing opens */
    bool orient;          /* one winding per component, outward where closed (voids stay voids), else as most faces have it */
    uint32_t fill_holes;  /* covers holes of up to so many edges; 0: none */
} kin_repair_def;

typedef struct kin_repair_steps { /* what was done */
    uint32_t welded;              /* vertices */
    uint32_t duplicates;          /* faces dropped */
    uint32_t degenerate;          /* faces dropped */
    uint32_t flipped;             /* faces turned over */
    uint32_t holes;               /* covered */
    uint32_t new_faces;           /* of the covers; their tag is KIN_REPAIR_COVER */
} kin_repair_steps;

#define KIN_REPAIR_COVER (UINT32_MAX - 1)

kin_repair_def kin_repair_def_default(void); /* all steps; weld at one place; holes of up to 64 edges */
kin_result kin_repair(kin_poly* poly, const kin_repair_def* def, kin_repair_steps* steps, kin_error* error);
