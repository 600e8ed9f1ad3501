/* visitor.h - one walk over a system's state serves saving, loading, hashing, marking and rewinding. Fields are visited one by one, never padding.
 *
 * State is whatever survives a step and can change a bit. Loading may need room first:
 *
 *     size_t n = kin_visit_count(v, self->count);          // saves or hashes count; loads the stored one
 *     if (v->mode == KIN_VISIT_LOAD && !reserve(self, n)) { kin_visit_fail(v); return; }
 *     self->count = n;
 *     kin_visit_f64s(v, self->x, n); */
#pragma once
#include "base/hash.h"
#include "kinema/base.h"
#include "kinema/math.h"

typedef enum kin_visit_mode { KIN_VISIT_SAVE, KIN_VISIT_LOAD, KIN_VISIT_HASH } kin_visit_mode;

typedef struct kin_visitor {
    kin_visit_mode mode;
    kin_result result; /* first failure: memory when saving, format when loading */
    kin_allocator allocator;
    uint8_t* data; /* save: grows; load: read only */
    size_t size, capacity, position;
    kin_hasher hasher;
} kin_visitor;

void kin_visit_bytes(kin_visitor* v, void* data, size_t size); /* of one type without padding */
static inline void kin_visit_u8(kin_visitor* v, uint8_t* x) { kin_visit_bytes(v, x, sizeof *x); }
static inline void kin_visit_u32(kin_visitor* v, uint32_t* x) { kin_visit_bytes(v, x, sizeof *x); }
static inline void kin_visit_i32(kin_visitor* v, int* x) { kin_visit_bytes(v, x, sizeof *x); }
static inline void kin_visit_u64(kin_visitor* v, uint64_t* x) { kin_visit_bytes(v, x, sizeof *x); }
static inline void kin_visit_u8s(kin_visitor* v, uint8_t* x, size_t n) { kin_visit_bytes(v, x, n); }
static inline void kin_visit_u64s(kin_visitor* v, uint64_t* x, size_t n) { kin_visit_bytes(v, x, n * sizeof *x); }
static inline void kin_visit_u32s(kin_visitor* v, uint32_t* x, size_t n) { kin_visit_bytes(v, x, n * sizeof *x); }
/* What is loaded may be anything, however right its checksum: numbers must be finite, a quaternion must turn, an index must be below its limit and an enum's value
 * one of `limit`. Anything else fails. */
void kin_visit_f64s(kin_visitor* v, double* x, size_t n);
void kin_visit_f32s(kin_visitor* v, float* x, size_t n);
static inline void kin_visit_f64(kin_visitor* v, double* x) { kin_visit_f64s(v, x, 1); }
static inline void kin_visit_f32(kin_visitor* v, float* x) { kin_visit_f32s(v, x, 1); }
static inline void kin_visit_vec3(kin_visitor* v, kin_vec3* x) { kin_visit_f64s(v, &x->x, 3); }
void kin_visit_quat(kin_visitor* v, kin_quat* x);
void kin_visit_serials(kin_visitor* v, uint64_t* x, size_t n); /* no two alike */
void kin_visit_u8s_below(kin_visitor* v, uint8_t* x, size_t n, uint64_t limit);
void kin_visit_u16s_below(kin_visitor* v, uint16_t* x, size_t n, uint64_t limit);
void kin_visit_u32s_below(kin_visitor* v, uint32_t* x, size_t n, uint64_t limit);
/* When loading, a count that the rest of the data cannot hold (an element is at least a byte) fails and gives 0. */
size_t kin_visit_count(kin_visitor* v, size_t count);
void kin_visit_fail(kin_visitor* v, kin_result result);

struct kin_param;
/* The live rows of a def (param.h). */
void kin_params_visit(const struct kin_param* params, void* def, kin_visitor* v);
