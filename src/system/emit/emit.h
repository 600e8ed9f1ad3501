/* emit.h - births: how many are due in a step, and where and how fast each begins. House & Keyser 4.2-4.3, Coutinho 3.7.
 *
 * A system of points owns a kin_emitters and asks it once a step, in `commands`; newborns are handed over, the system gives them mass, radius and life by their
 * kind. Every draw is a function of (seed, system, emitter, number of the birth): nothing depends on what others draw. */
#pragma once
#include "base/rng.h"
#include "collision/service.h"
#include "kinema/emitter.h"
#include "system/param.h"
#include "system/visitor.h"

extern const kin_param kin_emitter_params[], kin_split_params[];

typedef struct kin_emitters kin_emitters;

/* What a step tells its emitters. */
typedef struct kin_emit_step {
    uint64_t seed;
    uint32_t system;          /* number of the system */
    uint64_t index;           /* of the step */
    double time, h;           /* s: births of [time, time + h) */
    double radius;            /* m: the largest of this release; for grids and clearance */
    kin_transform start, end; /* of the collider or element it moves with over the step; not read when it stands still */
    const kin_solids* solids; /* for clearance, at the end of their interval; NULL: none */
    /* For clearance against older points; NULL: none are asked about. */
    bool (*crowded)(void* context, kin_vec3 at, double radius);
    void* context;
} kin_emit_step;

/* As it is at the end of the step: without jitter it is born just then, with it at a random instant of the step, from where it flew on straight. */
typedef struct kin_newborn {
    kin_vec3 x, v;
    double age;      /* s: lived by the end of the step, with jitter; else 0 */
    double size;     /* share of the parent's radius, of children; else 1 */
    uint64_t number; /* of the birth, of this emitter: the draws of its mass, radius and life may use the same key with draws from KIN_EMIT_DRAWS on */
} kin_newborn;

enum { KIN_EMIT_DRAWS = 64 }; /* draws below this are the emitter's own */

/* Checks every def ("emitters[2].shape.mesh: ..." in error): a mesh without area, a triangle without area, a curve without length, rates below 0 ... Deep copies. */
kin_result kin_emitters_create(const kin_allocator* allocator, const kin_emitter_def* defs, size_t count, kin_emitters** out, kin_error* error);
void kin_emitters_destroy(kin_emitters* emitters); /* NULL is fine */
size_t kin_emitters_count(const kin_emitters* emitters);
const kin_emitter_def* kin_emitter_def_of(const kin_emitters* emitters, size_t index); /* its copy */
/* How many are due, given how many of it are alive; counts them as born. What a limit holds back is not made up for later. Once a step, every step: with
 * `every` it returns 0 at the steps between and keeps what is due for the next. */
int64_t kin_emitter_due(kin_emitters* emitters, size_t index, const kin_emit_step* step, int64_t alive);
/* The next births: writes up to count, returns how many found room (clearance, largest grid); the others do not count as born after all. One call is one
 * release: a grid is laid out for its count. */
int64_t kin_emitter_bear(kin_emitters* emitters, size_t index, const kin_emit_step* step, int64_t count, kin_newborn* out);
uint64_t kin_emitter_next(const kin_emitters* emitters, size_t index);              /* number of its next birth; that of a release of n: n in a row */
int64_t kin_emitter_born(const kin_emitters* emitters, size_t index);               /* births so far */
kin_rng_key kin_emit_key(const kin_emit_step* step, size_t index, uint64_t number); /* of a birth; independent of the step */
void kin_emitters_visit(kin_emitters* emitters, kin_visitor* v);                    /* carried fractions, births and bursts so far, places in the tables */

/* Mean and largest deviation: normal, of a third of it, cut at all of it (4 with 2 lies in 2..6), never below low. */
double kin_rng_about(const kin_rng_key* key, uint32_t draw, const double mean_deviation[2], double low);

/* The children of a parent. key: of the parent and the split; its draws below KIN_EMIT_DRAWS, and of child c those from KIN_SPLIT_DRAWS (c + 1) on, of which
 * the last half is left to the system for the child's mass, radius and life. */
enum { KIN_SPLIT_DRAWS = 2 * KIN_EMIT_DRAWS };
int kin_split_number(const kin_split_def* def, const kin_rng_key* key); /* how many children */
/* At the parent's place, within `direction` of its velocity (all around when it rests), with `speed` of its speed and the kick. number: the child's. Writes and
 * returns kin_split_number, but at most `most`. */
int kin_split_children(const kin_split_def* def, const kin_rng_key* key, kin_vec3 x, kin_vec3 v, kin_newborn* out, int most);
/* Steps: number n of what happens every so many steps, off its time by a deviation drawn for it. True: one of them is at step `since` (0: the first). */
bool kin_every_now(const double every[2], const kin_rng_key* key, uint64_t since);
int kin_split_depth(const kin_split_def* def, const kin_rng_key* key);  /* generations that split */
double kin_split_age(const kin_split_def* def, const kin_rng_key* key); /* s: at which it first splits */
