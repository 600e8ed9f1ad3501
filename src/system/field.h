/* field.h - fields: what the world does to points, evaluated in batches of structure-of-arrays lanes. Everything of House & Keyser's choreography (5.1-5.3)
 * and Coutinho's force fields (3.3) is a row of one table.
 *
 * A kind of field may act in six places, each over a whole batch, in order of creation:
 *
 *     medium   adds to the velocity of the air at the points                    wind, flows
 *     force    adds to accelerations                                            gravity, drag, attractors
 *     gyration adds to the rate w at which velocities turn, dv/dt = w x v       magnetic field
 *     mutual   adds to accelerations, from all points of a system (cloud.h)     n-body gravity, molecules, flocks
 *     change   after a step: the new velocity from the new and the old one      limiters, random kicks
 *     carry    after a step: the velocity by which points are carried along, momentum untouched (H5.2)     vortex, cartoon fall
 *
 * Every field's def begins with a kin_field_common: its strength over time and its mask (which points feel it, and how much). Kernels know nothing of it: the
 * caller scales what they add. The kinds live in one file each; field.c has the table and the passes. */
#pragma once
#include "base/arena.h"
#include "base/simd.h"
#include "kinema/base.h"
#include "kinema/field.h"
#include "kinema/math.h"
#include "system/cloud.h"
#include "system/param.h"
#include "system/visitor.h"

/* n points, each array n long. Arrays that may be NULL are there when kin_fields_wants says so. */
typedef struct kin_field_batch {
    int count;
    double time;
    uint64_t seed;            /* the world's */
    uint32_t system;          /* number of the system: part of the keys of random draws, for serials are its own */
    const kin_solids* solids; /* for steering; NULL: none */
    double fraction;          /* of the interval, for questions to solids */
    const double* position[3];
    const double* velocity[3];
    const double* inv_mass;
    const double* age;       /* s; may be NULL */
    const double* charge;    /* C; may be NULL: none */
    const double* radius;    /* m; may be NULL: points */
    const uint64_t* serial;  /* may be NULL */
    const uint64_t* tags;    /* may be NULL */
    double* air[3];          /* m/s, the medium's velocity: scratch of the caller */
    double* acceleration[3]; /* m/s^2, the result */
    double* gyration[3];     /* rad/s, the result: w of the term w x v, for integrators that turn velocities (ode.h); NULL: it is part of acceleration */
    const double* so_far[3]; /* m/s^2: what earlier fields did, for those that make up for it; NULL: it is in acceleration */
    double* scratch;         /* 4 count numbers; for masks */
} kin_field_batch;

/* After a step of h from (batch.position, batch.velocity) at batch.time; acceleration and air of the batch are not used. */
typedef struct kin_field_after {
    const kin_field_batch* batch; /* where the step began */
    double h;                     /* s */
    double* velocity[3];          /* m/s, at its end: change may alter it */
    double* carried[3];           /* m/s, by which each point is displaced over the step: starts as (old + new) / 2 and carry may alter it */
} kin_field_after;

typedef struct kin_field kin_field;
typedef struct kin_field_ops kin_field_ops;
typedef struct kin_fields kin_fields;
typedef void kin_field_fn(const kin_field* field, const kin_field_batch* batch);
typedef void kin_field_after_fn(const kin_field* field, const kin_field_after* after);

/* Forces between points. A system that takes them keeps one `self` per field (kin_mutuals): what is remembered from call to call is its state. */
typedef struct kin_mutual_ops {
    kin_result (*create)(const kin_field* field, const kin_allocator* allocator, void** self, kin_error* error);
    void (*destroy)(void* self);
    /* Adds. KIN_ERROR_MEMORY, or KIN_ERROR_NUMERICS with what and where in error. */
    kin_result (*evaluate)(const kin_field* field, void* self, const kin_mutual_cloud* cloud, kin_error* error);
    double (*potential)(const kin_field* field, void* self, const kin_mutual_cloud* cloud); /* J, of all; NULL: none */
    void (*visit)(void* self, kin_visitor* v);                                              /* NULL: it remembers nothing */
    /* A warning to be reported once, of the last evaluation; NULL or "" when there is none (coincident masses). */
    const char* (*warning)(const void* self);
} kin_mutual_ops;

/* What kinds need of a batch beyond places, velocities and masses. */
enum { KIN_FIELD_WANTS_AGE = 1, KIN_FIELD_WANTS_CHARGE = 2, KIN_FIELD_WANTS_SERIAL = 4, KIN_FIELD_WANTS_TAGS = 8, KIN_FIELD_WANTS_RADIUS = 16 };

typedef enum kin_field_place { KIN_FIELD_MEDIUM, KIN_FIELD_FORCE, KIN_FIELD_GYRATION, KIN_FIELD_CHANGE, KIN_FIELD_CARRY } kin_field_place;

struct kin_field_ops {
    const char* name; /* the key in scenes, and the name of the first parameter */
    const char* doc;
    const kin_param* params; /* of the def; ends with KIN_FIELD_COMMON_ROWS */
    size_t def_size;
    uint32_t wants;                             /* KIN_FIELD_WANTS_* */
    kin_field_fn* medium[KIN_SIMD_COUNT];       /* all NULL: none */
    kin_field_fn* force[KIN_SIMD_COUNT];        /* all NULL: none */
    kin_field_fn* gyration[KIN_SIMD_COUNT];     /* all NULL: none; does no work. Its mask scales w, component by component */
    kin_field_after_fn* change[KIN_SIMD_COUNT]; /* scaled by the mask: v += w (v' - v) */
    kin_field_after_fn* carry[KIN_SIMD_COUNT];
    const kin_mutual_ops* mutual; /* NULL: none */
    /* For kinds whose def chooses: whether it acts in a place where the kind has a kernel, by what is not live. NULL: in all. */
    bool (*acts)(const void* def, kin_field_place place);
    bool (*serial)(const void* def); /* whether it must be called by one thread at a time (a script); NULL: no */
    /* Potential energy of a mass at x, J; NULL: the field has none. */
    double (*potential)(const kin_field* field, double mass, kin_vec3 x, double time);
    /* What the def cannot say by its rows alone; and what is made of it once (points on a mesh, bits of tags): NULL: nothing. made lives in the fields' arena. */
    kin_result (*make)(kin_fields* fields, const void* def, kin_arena* arena, void** made, kin_error* error);
};

extern const kin_field_ops* const kin_field_registry[]; /* NULL-terminated */
const kin_field_ops* kin_field_named(const char* name);

struct kin_field {
    const kin_field_ops* ops;
    void* def;      /* owned; begins with a kin_field_common */
    void* made;     /* by ops->make */
    uint64_t tags;  /* bits of the mask's tags; 0: felt by all */
    uint32_t index; /* in order of creation: keys of random draws */
};
static inline const kin_field_common* kin_field_common_of(const kin_field* field) { return field->def; }

struct kin_fields {
    kin_allocator allocator;
    kin_arena arena; /* defs and what is made of them */
    kin_simd simd;
    kin_vec3 gravity; /* the world's */
    kin_field* items;
    size_t count, capacity;
    char (*tag_names)[32];
    size_t tag_count, tag_capacity; /* at most 64 */
    bool has_medium, has_gyration, has_mutual, has_after, has_serial;
    uint32_t wants; /* of all */
};

void kin_fields_init(kin_fields* fields, const kin_allocator* allocator, kin_simd simd);
void kin_fields_term(kin_fields* fields);
/* The def is copied, with all it points to. */
kin_result kin_fields_add(kin_fields* fields, const kin_field_ops* ops, const void* def, uint32_t* index, kin_error* error);
/* The bit of a tag: a new one when the name is new. 0: too many, or no memory. */
uint64_t kin_fields_tag(kin_fields* fields, const char* name);
uint64_t kin_fields_find_tag(const kin_fields* fields, const char* name); /* the same of a name that is known; 0: nobody has asked for it */
/* A tag's bit, added to bits; the error says which of the two it was. */
kin_result kin_fields_add_tag(kin_fields* fields, const char* name, uint64_t* bits, const char* where, kin_error* error);
/* Writes every acceleration, and gyration where there is room for it (air is overwritten too): medium, force and gyration passes. */
void kin_fields_evaluate(const kin_fields* fields, const kin_field_batch* batch);
/* Change and carry passes. */
void kin_fields_after(const kin_fields* fields, const kin_field_after* after);
/* The same at the end of a step from y0 to y1, [x y z | vx vy vz] of batch->count points: y1 is altered. carried: room for three numbers each, then the velocity
 * beside their own. */
void kin_fields_apply_after(const kin_fields* fields, const kin_field_batch* batch, double h, const double* y0, double* y1, double* carried);
double kin_fields_potential(const kin_fields* fields, double mass, kin_vec3 x, double time);
void kin_fields_visit(kin_fields* fields, kin_visitor* v);
/* How much of a field each point feels of its component along an axis: strength(time) times the mask; into weight[count]. False: all feel it whole, weight
 * is not written. */
bool kin_field_weights(const kin_field* field, const kin_field_batch* batch, int axis, double* weight);
uint32_t kin_field_mask_wants(const kin_field_common* common); /* KIN_FIELD_WANTS_* */

/* The mutual forces as one system feels them. */
typedef struct kin_mutuals {
    kin_allocator allocator;
    const kin_fields* fields;
    void** selves; /* by number of the field; NULL: not mutual */
    size_t count, capacity;
    double* scratch; /* for masks */
    size_t scratch_capacity;
} kin_mutuals;
/* Makes selves for fields that came since the last call. {0} before the first. */
kin_result kin_mutuals_sync(kin_mutuals* mutuals, const kin_fields* fields, const kin_allocator* allocator, kin_error* error);
void kin_mutuals_term(kin_mutuals* mutuals);
kin_result kin_mutuals_evaluate(kin_mutuals* mutuals, const kin_mutual_cloud* cloud, kin_error* error);
double kin_mutuals_potential(const kin_mutuals* mutuals, const kin_mutual_cloud* cloud);
/* The first thing to be warned of in the last evaluation; NULL: nothing. */
const char* kin_mutuals_warning(const kin_mutuals* mutuals);
void kin_mutuals_visit(kin_mutuals* mutuals, kin_visitor* v); /* after a sync */
