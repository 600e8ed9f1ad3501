/* facts.h - what was found out, kept once and printed as text or as JSON: groups of named numbers, lists and sentences. */
#pragma once
#include "kinema/math.h"
#include "report.h"

enum { KIN_FACT_NUMBERS = 12 };

typedef struct kin_fact {
    const char* key; /* in JSON; NULL: begins a group, whose name is label */
    const char* label;
    const char* unit; /* in text; NULL: none */
    bool is_flag;
    int count;                        /* of numbers; 0: text */
    int columns;                      /* of a list of rows; 0: one row */
    double numbers[KIN_FACT_NUMBERS]; /* NaN: none; a list ends there in text and has null in JSON */
    char text[512];
} kin_fact;

typedef struct kin_facts {
    kin_fact* facts;
    size_t count, capacity;
    bool failed; /* no memory */
} kin_facts;

void kin_facts_term(kin_facts* facts);
/* Those that follow belong to it. key: in JSON. */
void kin_facts_group(kin_facts* facts, const char* key, const char* title);
void kin_facts_number(kin_facts* facts, const char* key, const char* label, double value, const char* unit);
void kin_facts_flag(kin_facts* facts, const char* key, const char* label, bool value);
void kin_facts_numbers(kin_facts* facts, const char* key, const char* label, const double* values, int count, const char* unit);
void kin_facts_place(kin_facts* facts, const char* key, const char* label, kin_vec3 value, const char* unit);
void kin_facts_places(kin_facts* facts, const char* key, const char* label, const kin_vec3* values, int count, const char* unit);
void kin_facts_text(kin_facts* facts, const char* key, const char* label, const char* format, ...) KIN_PRINTF(4, 5);
/* Why a part could not be done: the error's message. */
void kin_facts_refused(kin_facts* facts, const kin_error* error);

/* Both return the exit code. pictures: paths, after the facts. */
int kin_facts_print_text(const kin_facts* facts);
int kin_facts_print_json(const kin_facts* facts, const char (*pictures)[1024], size_t picture_count);
