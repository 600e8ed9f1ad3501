/* meet.h - particles that meet particles: what a system keeps for it. Two ways: sweep.c (fast, many) and island.c (exact, event by event).
 *
 * kin_particles_meet runs between free motion and the pass over solids: it overwrites next_x, next_v, next_flags and next_resting of those it handled, solids
 * included, and marks them in `met`. All others keep their free motion bit for bit. */
#pragma once
#include "base/arena.h"
#include "domains/particles/particles.h"
#include "geometry/neighbours.h"

/* How long a grain has been still, and what it was still under: it wakes when that changes. Only doubles: visited as such. */
typedef struct kin_calm {
    double still;    /* s slower than rest_speed, in contact */
    kin_vec3 pull;   /* m/s^2, of the fields */
    double supports; /* how many things touched it */
} kin_calm;

/* An impulse to start the next interval's sweeps from. */
typedef struct kin_kept {
    uint64_t key; /* particle in the high half; the other one, or SOLID + number, in the low */
    uint64_t feature;
    double normal; /* N s */
    kin_vec3 rub;  /* N s, on the first */
} kin_kept;

typedef struct kin_meetings {
    kin_allocator allocator;
    kin_neighbours* near;
    kin_arena arena; /* of the present interval */
    uint8_t* met;
    uint32_t lost;     /* the particle whose path has no end of hits, + 1; 0: none */
    double lost_speed; /* m/s */
    kin_calm *calm, *next_calm;
    size_t capacity;            /* of the three, equal */
    kin_kept *kept, *next_kept; /* sorted by key, then feature */
    size_t kept_count, next_kept_count, kept_capacity, next_kept_capacity;
    kin_reactions foretold; /* what hits will do to bodies: scratch */
    double kept_h;          /* s: the interval they are for */
    double dissipated;      /* J, of the present interval */
    uint64_t hits;
    int64_t capped;
} kin_meetings;

kin_result kin_meetings_create(const kin_allocator* allocator, kin_meetings** out);
void kin_meetings_destroy(kin_meetings* m); /* NULL is fine */
void kin_meetings_forget(kin_particles* p); /* the impulses of those that have left: their slots are used again */
void kin_meetings_visit(kin_meetings* m, size_t count, kin_visitor* v);
kin_status kin_particles_meet(kin_particles* p, kin_step* step);
void kin_meetings_commit(kin_particles* p, kin_step* step); /* the interval stands: its sums and memory become the present ones */

/* sweep.c, island.c. False: no memory. */
bool kin_particles_sweep(kin_particles* p, const kin_step* step);
bool kin_particles_islands(kin_particles* p, const kin_step* step);
