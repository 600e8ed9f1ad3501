/* collision.h - the collision study: when moving bodies meet by three methods (C4.4 to C4.8, H13), and how coherence pays for V-Clip and GJK (C4.9, C4.10). */
#pragma once
#include "collision/continuous/impact.h"
#include "easel.h"
#include "lab/sheet.h"

/* Two boxes, one of which moves. */
typedef struct kin_lab_meeting {
    const char* name;
    kin_vec3 size, other;         /* full sizes, m: of what moves, of what stands still */
    kin_transform start, end, at; /* of the first; of the second */
    double exact;                 /* fraction of the interval; NaN: no closed form */
} kin_lab_meeting;
enum { KIN_LAB_MEETINGS = 5 };
kin_lab_meeting kin_lab_meeting_of(int which);
/* The forms of a meeting, and its impact. False: none was found, or no memory. */
bool kin_lab_meet(kin_lab_study* study, const kin_lab_meeting* meeting, kin_impact_method method, kin_impact* out);

void kin_lab_impacts(kin_lab_study* study);
void kin_lab_coherence(kin_lab_study* study);
kin_result kin_lab_draw_voronoi_regions(kin_lab_study* study, kin_easel* easel, const char* path, kin_error* error);
kin_result kin_lab_draw_swept(kin_lab_study* study, kin_easel* easel, const char* path, kin_error* error);

/* All of it. Returns the exit code, having printed. */
int kin_lab_collision(const char* folder, bool json, bool quiet);
