/* damper.h - see damper.c. */
#pragma once
#include "system/system.h"

typedef struct kin_damper {
    kin_anchor a, b;
    double c;        /* N s/m */
    uint32_t number; /* of the coupler: part of its ledger keys */
} kin_damper;

extern const kin_coupler_ops kin_damper_ops;
