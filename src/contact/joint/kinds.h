/* kinds.h - one table entry a kind of joint. */
#pragma once
#include "contact/joint/rows.h"

typedef struct joint_kind {
    const char* name;
    int holds;     /* rows (N4) */
    int freedoms;  /* of the def that it has: 0 to 2 */
    int measures;  /* positions that it can tell: freedoms first */
    bool axes;     /* its rows need the axes of both frames */
    bool turns[2]; /* measures that are angles and count whole turns */
    int (*hold)(const kin_joint* joint, const joint_sides* s, kin_joint_row* rows);
    /* A measure as a row: error is its value (0 unless `value`), J and bias its derivatives. */
    kin_joint_row (*measure)(const kin_joint* joint, const joint_sides* s, int which, bool value);
    /* Limits, motors, springs and friction of its freedoms as rows, when any is used; NULL: it has none. A rope without freedoms has one limit. */
    int (*loosen)(const kin_joint* joint, const joint_sides* s, double look_ahead, kin_joint_row* rows);
} joint_kind;

extern const joint_kind kin_joint_kinds[KIN_JOINT_KIND_COUNT];

static inline bool freedom_used(const kin_joint_freedom* f) { return f->limited || f->motor || f->stiffness > 0 || f->damping > 0 || f->friction > 0; }
