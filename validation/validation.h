/* validation.h - cases with a known answer that no one here wrote. `kinema validate` prints the table; the tests run them all at reduced size.
 * A case is a function that measures and calls kin_case_row once per quantity; a topic's file ends with its table (validation/particles.c). */
#pragma once
#include "kinema/kinema.h"

typedef struct kin_case_row_data {
    char name[48];   /* "particles/free-fall": case, topic first; several rows may share it */
    char method[32]; /* integrator or setting */
    char quantity[64];
    char source[64]; /* of the reference: catalog or text */
    double reference, measured, error, tolerance;
    bool pass;
} kin_case_row_data;

typedef struct kin_case_run { /* collects rows */
    const char* name;
    bool full; /* --full: full size; else reduced for the tests */
    int threads;
    kin_case_row_data* rows;
    size_t count, capacity;
    size_t lost; /* rows there was no memory for: a run with lost rows has not passed */
} kin_case_run;

/* error = |measured - reference|; passes when it is finite and <= tolerance. */
void kin_case_row(kin_case_run* run, const char* method, const char* quantity, double measured, double reference, double tolerance, const char* source);
void kin_case_free(kin_case_run* run); /* the rows */

typedef struct kin_case {
    const char* name; /* topic/case-name */
    const char* doc;
    void (*run)(kin_case_run* run);
} kin_case;

extern const kin_case* const kin_case_topics[]; /* tables, each ending with a NULL name; NULL-terminated */

/* True when a case is chosen by any of the names (exact, or its topic; none given: all). */
bool kin_case_chosen(const char* name, const char* const* names, size_t count);
