/* verbs.h - the verbs of anchors as a coupler sees them: the world lends them, batches may mix systems. */
#pragma once
#include "kinema/anchor.h"
#include "kinema/world.h"

typedef struct kin_anchor_verbs {
    bool (*there)(const kin_world* world, kin_anchor a); /* its element exists */
    void (*motion)(const kin_world* world, const kin_anchor* a, int n, double s, kin_motion* out);
    void (*respond)(const kin_world* world, const kin_anchor* a, const kin_wrench* impulse, int n, kin_twist* dv);
} kin_anchor_verbs;

/* First half of the ledger keys of the world's own couplers: high, so that hosts may count from 0. */
#define KIN_COUPLER_ATTACH 0xffff0001u
