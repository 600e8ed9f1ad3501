/* narrow.h - where two bodies touch, from what is kept of their forms for the length of an interval: boxes and balls by closed forms, planes under both, the
 * rest through collision/manifold. */
#pragma once
#include "collision/manifold/manifold.h"

typedef enum kin_rt_form { KIN_RT_FORM_NONE, KIN_RT_FORM_BOX, KIN_RT_FORM_BALL, KIN_RT_FORM_PLANE, KIN_RT_FORM_OTHER } kin_rt_form;

/* A form where its body is at the start of the interval. */
typedef struct kin_rt_solid {
    kin_vec3 place;    /* m, of the form's origin */
    double axis[3][3]; /* the form's axes in the world; plane: the first is its normal */
    double half[3];    /* m: box; ball: the first is its radius */
} __attribute__((aligned(64))) kin_rt_solid;

/* What is asked before all that: enough to see that most pairs are apart. */
typedef struct kin_rt_glance {
    kin_vec3 place; /* m, of the form's origin */
    float shift[3]; /* m: way in this interval, if nothing stops it */
    float swing;    /* m: and what turning adds to it */
    float reach;    /* m: of the form from its origin; infinite: planes */
    float arm;      /* m: of the form from the centre of mass */
    float least;    /* m: least half extent; very large for what forces do not move */
    uint8_t form;   /* kin_rt_form */
} __attribute__((aligned(64))) kin_rt_glance;

typedef enum kin_rt_meet { KIN_RT_APART, KIN_RT_MEET, KIN_RT_UNSURE } kin_rt_meet; /* unsure: the general way has to tell */

/* Apart by more than margin, or not. axis: of 1..6 parted them last; 0: none. *gap: by how much at least they are apart, m. Normals from B to A, as everywhere. */
kin_rt_meet kin_rt_collide_boxes(const kin_rt_solid* a, const kin_rt_solid* b, double margin, uint8_t* axis, kin_manifold* out, double* gap);
/* False: apart by more than margin. */
bool kin_rt_collide_balls(const kin_rt_solid* a, const kin_rt_solid* b, double margin, kin_manifold* out);
bool kin_rt_collide_ball_box(const kin_rt_solid* ball, const kin_rt_solid* box, double margin, kin_manifold* out); /* ball is A */
bool kin_rt_collide_ball_plane(const kin_rt_solid* ball, const kin_rt_solid* plane, double margin, kin_manifold* out);
bool kin_rt_collide_box_plane(const kin_rt_solid* box, const kin_rt_solid* plane, double margin, kin_manifold* out);
