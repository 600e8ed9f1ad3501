/* field.h - fields as functions of (x, v, t), evaluated in batches of structure-of-arrays lanes.
 *
 * Two passes: first the winds are summed into the air's velocity, then forces are summed into accelerations, in order of creation.
 * A field kind is a row in the table of field.c; its kernels are built per lane width in field_kernels.c. */
#pragma once
#include "base/simd.h"
#include "kinema/base.h"
#include "kinema/math.h"
#include "system/param.h"
#include "system/visitor.h"

/* n points, each array n long. */
typedef struct kin_field_batch {
    int count;
    double time;
    const double* position[3];
    const double* velocity[3];
    const double* inv_mass;
    double* air[3];          /* m/s, the medium's velocity: scratch of the caller */
    double* acceleration[3]; /* m/s^2, the result */
} kin_field_batch;

typedef struct kin_field_ops {
    const char* name; /* the key in scenes, and the name of the first parameter */
    const char* doc;
    const kin_param* params;
    size_t def_size;
    void (*medium[KIN_SIMD_COUNT])(const void* def, const kin_field_batch* batch); /* adds to air; all NULL: none */
    void (*force[KIN_SIMD_COUNT])(const void* def, const kin_field_batch* batch);  /* adds to acceleration; all NULL: none */
    /* Potential energy of a mass at x, J; NULL: the field has none. */
    double (*potential)(const void* def, double mass, kin_vec3 x, double time);
} kin_field_ops;

extern const kin_field_ops* const kin_field_registry[]; /* gravity drag wind; NULL-terminated */
const kin_field_ops* kin_field_named(const char* name);

typedef union kin_field_def {
    kin_vec3 vector;
    double number;
} kin_field_def; /* room for any def */
typedef struct kin_field {
    const kin_field_ops* ops;
    kin_field_def def;
} kin_field;

typedef struct kin_fields {
    kin_allocator allocator;
    kin_simd simd;
    kin_vec3 gravity; /* the world's */
    kin_field* items;
    size_t count, capacity;
    bool has_medium; /* some field moves the air */
} kin_fields;

void kin_fields_init(kin_fields* fields, const kin_allocator* allocator, kin_simd simd);
void kin_fields_term(kin_fields* fields);
kin_result kin_fields_add(kin_fields* fields, const kin_field_ops* ops, const void* def, uint32_t* index, kin_error* error);
/* Writes every acceleration (air is overwritten too). */
void kin_fields_evaluate(const kin_fields* fields, const kin_field_batch* batch);
double kin_fields_potential(const kin_fields* fields, double mass, kin_vec3 x, double time);
void kin_fields_visit(kin_fields* fields, kin_visitor* v);
