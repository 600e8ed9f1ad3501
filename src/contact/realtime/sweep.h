/* sweep.h - what the parts of the sweep share: finding meetings (sweep.c), ways (ways.c), stopping (stop.c). Moments are shares of the interval, 0 to 1. */
#pragma once
#include "collision/continuous/impact.h"
#include "contact/realtime/realtime.h"

#define KIN_RT_NEAR 0.02      /* of the least half extent: that near is a meeting; twice that is a touch, as things are left by the sweep before */
#define KIN_RT_STOP_SLACK 0.1 /* of the least half extent: how much farther into what stopped it, or stopped another, a body may go */
#define KIN_RT_PROGRESS 0.5   /* of the least half extent: so far things always go, or what touches and turns would be held in the air for ever */

/* ---- ways.c ---- */

double kin_rt_least_of(const kin_realtime* rt, uint32_t a, uint32_t b); /* m: half extent of the thinner */
double kin_rt_near_of(const kin_realtime* rt, uint32_t a, uint32_t b);  /* m */
double kin_rt_swing(const kin_realtime* rt, uint32_t i);                /* m: that its outermost point turns in the interval */
/* Where a body's form is at a moment, however far it turns; and where it goes between two: what turns too far for a screw, as if it did not. */
kin_transform kin_rt_form_after(const kin_realtime* rt, uint32_t i, double part);
bool kin_rt_is_screw(const kin_realtime* rt, uint32_t i, double part);
kin_screw kin_rt_path_of(const kin_realtime* rt, uint32_t i, double from, double to);
/* How far two things went against each other, in least half extents. */
double kin_rt_way_against(const kin_realtime* rt, uint32_t a, uint32_t b);
/* Farther from each other than their forms reach and they went. */
bool kin_rt_is_out_of_reach(const kin_realtime* rt, uint32_t a, uint32_t b, double way);
/* Two boxes or balls that cannot meet while a goes from one moment to another, and b to a third. */
bool kin_rt_stays_apart(const kin_realtime* rt, uint32_t a, uint32_t b, double from, double to_a, double to_b);
/* Whether two ways come to touch; t: the share of them after which they are to be stopped, 1: not, for they overlap as they begin, or part as they touch. A little
 * before: what is still apart is stopped fully, what overlaps softly. */
bool kin_rt_paths_touch(const kin_realtime* rt, uint32_t a, const kin_screw* pa, uint32_t b, const kin_screw* pb, kin_arena* scratch, double* t);

typedef struct kin_rt_crossing { /* of a surface by a middle */
    double t, speed;             /* share of the interval; m an interval, along the normal */
    kin_vec3 normal;             /* of the surface, as its form has it */
} kin_rt_crossing;

/* Of a's middle, as b's form sees it. */
kin_vec3 kin_rt_middle_after(const kin_realtime* rt, uint32_t a, uint32_t b, double part);
/* The first crossing of b's surface, if the middle of a is too deep in b at the end of any piece of its way from there on. */
bool kin_rt_middle_crosses(const kin_realtime* rt, uint32_t a, uint32_t b, kin_rt_crossing* out);

/* ---- stop.c ---- */

void kin_rt_apply_meetings(kin_rt_step* s, uint32_t count); /* of rt->meetings: sets how far bodies go */
void kin_rt_cut_short(kin_realtime* rt, uint32_t i);        /* its way, to there */
