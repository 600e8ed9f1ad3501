/* notch.h - convex pieces of any closed mesh, exactly: planes through reflex edges until none is left (Chazelle 1984).
 *
 * No standards of quality, so it does not get stuck; up to the square of the number of reflex edges in parts. Voids and handles are welcome. */
#pragma once
#include "geometry/decompose/pieces.h"
#include "math/primitive.h"

typedef struct kin_notch_def {
    uint32_t most_parts; /* stops there, with parts that are not convex; 0: 65536 */
} kin_notch_def;

typedef struct kin_notch_report {
    uint32_t reflex; /* edges of the input */
    uint32_t cuts;
    uint32_t unresolved; /* parts that are not convex */
    double lost;         /* m^3: crumbs and slivers without a volume to speak of, less than 1e-9 of the whole */
} kin_notch_report;

/* KIN_ERROR_NUMERICS: parts are left that are not convex; `out` holds all so far, with their flags. Other errors leave it empty. */
kin_result kin_decompose_notch(const kin_poly* poly, const kin_notch_def* def, kin_pieces* out, kin_notch_report* report, kin_error* error);

/* Planes through reflex edge h: along its two faces, and halfway between. */
void kin_notch_planes(const kin_connect* connect, uint32_t half, kin_plane3 planes[3]);
