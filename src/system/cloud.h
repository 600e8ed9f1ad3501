/* cloud.h - all live points of a system at once, for forces between them (field.h, mutual fields). Structure of arrays, no holes, ascending serials not
 * promised. Who asks for a mutual force fills a cloud; who gives one reads it and adds accelerations. */
#pragma once
#include "base/jobs.h"
#include "base/simd.h"
#include "collision/service.h"
#include "kinema/base.h"
#include "kinema/math.h"

typedef struct kin_mutual_cloud {
    kin_jobs* jobs;
    kin_simd simd;
    const kin_solids* solids; /* as published for the present interval; may be NULL */
    uint64_t seed;
    double time;             /* s, of the places below */
    double fraction;         /* of the interval, for questions to solids */
    uint32_t count;          /* length of every array */
    const double* x[3];      /* m */
    const double* v[3];      /* m/s */
    const double* mass;      /* kg, > 0 */
    const double* radius;    /* m */
    const double* charge;    /* C; NULL: none has any */
    const double* age;       /* s; NULL: all as old as the world */
    const uint64_t* tags;    /* a bit each (kin_fields_tag); NULL: no field asks */
    const uint64_t* serial;  /* never reused */
    double* acceleration[3]; /* m/s^2: holds what earlier fields did; added to */
    /* Whose acceleration is asked for, ascending; NULL: everybody's. The others act all the same; what is added to theirs is of no account. */
    const uint32_t* active;
    uint32_t active_count;
} kin_mutual_cloud;
