/* fluid.h - a tank of fluid particles: what they are, what is known of them within a tick, and who computes what. Every file of the domain works on this.
 *
 * All particles of a system have one rest volume V (spacing^3; in the plane spacing^2 x 1 m); a phase gives the mass, rho V. D is the density over the rest
 * density, counted by number (Solenthaler 2008), so that phases of different weight may touch:
 *
 *     D_i = V sum_j W_ij + lambda_i             lambda: what walls fill of a particle's surroundings (boundary/)
 *     c_ij = V grad_i W_ij = g_ij x_ij          x_ij = x_i - x_j,  g = V W'(r)/r <= 0
 *     L_i(u) = sum_j c_ij.(u_i - u_j) + b_i.u_i - w_i      rate of D when all move with u; b = grad lambda, w: what moving walls add (b.u of the wall)
 *     a_i(k) = -(1/rho_i) (sum_j (k_i + k_j) c_ij + k_i b_i)        what pressures p = k D^2 do: -(1/rho) L^T k
 *
 * L and its transpose make pressure work exactly what it takes from motion. Every solver is a way to find k.
 *
 * Order: particles are sorted by cell at every tick, so neighbours are near in memory; their order is state. Arrays are padded to whole blocks of eight lanes;
 * lanes past count are parked far away, have no neighbours and no mass. Where a box is periodic, positions are kept in it, lists are wide and passes over wide
 * lists take x_ij to its nearest image (pair_lanes.h: wrap). Positions are float, relative to `origin` (set at birth, never moved). A lane's
 * sum runs over its own neighbours in the order of the list: width and threads change no bit. Reductions are by chunks of KIN_SPH_CHUNK blocks, in double.
 *
 * One tick (tick.c):  sort, lists, walls, density | forces, viscosity | solver: divergence, kick, density, drift | hold within walls, heat. */
#pragma once
#include "base/arena.h"
#include "base/simd.h"
#include "domains/sph/kernel.h"
#include "domains/sph/lists.h"
#include "kinema/sph.h"
#include "system/reaction.h"
#include "system/system.h"

#define KIN_SPH_LANES 8
#define KIN_SPH_CHUNK 64             /* blocks of eight a chunk of parallel work */
#define KIN_SPH_PARTIALS 10          /* sums of a chunk that are kept at once */
#define KIN_SPH_MOST_NEIGHBOURS 4096 /* of a particle; more is refused */

/* A phase as the passes need it: index = its number in def.phases. */
typedef struct kin_sph_phase {
    float density;     /* kg/m^3 */
    float mass;        /* kg, of a particle */
    float viscosity;   /* m^2/s, kinematic, at the reference temperature */
    float tension;     /* N/m */
    float diffusivity; /* m^2/s, of heat */
    float expansion;   /* 1/K: thermal; buoyancy */
    bool spreads;      /* a gas: its pressure is never 0 */
    bool loose;        /* sand: bears nothing before it is packed. kin_sph_phase_def carries the rest: ask def.phases.data[i] */
} kin_sph_phase;

/* Within a tick: which columns exist. Optional ones are allocated when a setting asks for them. */
enum {
    KIN_SPH_HAS_HEAT = 1,     /* temperature */
    KIN_SPH_HAS_SPIN = 2,     /* micropolar spin */
    KIN_SPH_HAS_REST = 4,     /* elastic and sand: deformation since birth, 3 x 3 */
    KIN_SPH_HAS_PRESSURE = 8, /* somebody has asked for pressures */
    KIN_SPH_HAS_AGE = 16,     /* a field asks for ages */
};

/* The grid of the present sort: cells of at least the support, over the box that particles are in. The box is bounded: who is outside of it counts as in the
 * cell at the rim, which keeps neighbours in cells that touch. */
typedef struct kin_sph_cells {
    int axis[3];          /* slowest, middle, fastest: the slowest is the longest */
    int size[3];          /* cells along x, y, z */
    float low[3], inv[3]; /* m, 1/m */
    uint32_t* start;      /* by cell: its first particle; one more at the end */
    size_t count, capacity;
} kin_sph_cells;

typedef struct kin_sph_walls kin_sph_walls;     /* boundary/boundary.h */
typedef struct kin_sph_physics kin_sph_physics; /* physics/physics.h: its scratch */
typedef struct kin_sph_sources kin_sph_sources; /* face.h: inflows and sinks */
typedef struct kin_sph_solver_ops kin_sph_solver_ops;

typedef enum kin_sph_stage {
    KIN_SPH_STAGE_NEIGHBOURS, /* order and lists */
    KIN_SPH_STAGE_WALLS,      /* feeling them, friction, being held */
    KIN_SPH_STAGE_DENSITY,
    KIN_SPH_STAGE_FORCES, /* and what calms */
    KIN_SPH_STAGE_PRESSURE,
    KIN_SPH_STAGE_MOTION, /* and heat */
    KIN_SPH_STAGES,
} kin_sph_stage;

typedef struct kin_sph {
    kin_allocator allocator;
    kin_arena arena; /* of the def's copies */
    kin_simd simd;
    kin_sph_def def;
    const kin_sph_solver_ops* solver;
    kin_sph_phase* phases;
    uint32_t phase_count;
    uint32_t system;
    uint64_t seed;

    /* ---- sizes that follow from the def ---- */
    float spacing, volume, support; /* m, m^3, m: 2 radius, V, reach of the kernel */
    bool flat;                      /* two dimensions: z stays */
    kin_vec3 origin;                /* m: positions are relative to it */
    kin_sph_bell bell;              /* of densities; divided by its sum over a lattice, so that a block at rest has D = 1 */
    kin_sph_bell gradient;          /* of g; another one for KIN_SPH_POLY6 alone */
    float box_low[3], box_size[3];  /* m: the periodic box, relative to origin; size 0: not periodic along this axis */

    /* ---- state: in the order of the present sort. count <= 8 blocks <= capacity ---- */
    size_t count, blocks, capacity;
    uint32_t columns; /* KIN_SPH_HAS_* */
    float* x4;        /* x y z, and a free fourth for passes (pressures ride there) */
    float* v4;        /* m/s; the fourth is 0 */
    uint64_t* serial; /* never used again */
    uint8_t* phase;
    float* k_density;    /* warm start of the density solve, J/m^3 over D^2 */
    float* k_divergence; /* warm start of the divergence solve; 0 but of dfsph */
    float* temperature;  /* K; or NULL */
    float* spin4;        /* rad/s; or NULL */
    float* deform;       /* 9 a particle; or NULL */
    double* birth;       /* s: when it came out of its opening, 0 of who was there; or NULL */
    uint64_t next_serial;
    double dissipated; /* J so far, by what friction and viscosity are known to take */
    double sound;      /* m/s: of wcsph where the def leaves it open; it only grows */
    double borne;      /* m/s: as seen.pressed, in a tick that is remembered (tick.c); at birth beyond all bounds */
    double borne_for;  /* s: since that tick */

    /* ---- of the present tick; scratch, but valid until the next sort ---- */
    float* xs[3];    /* the positions once more, by axis: for lists and walls */
    float* a4;       /* m/s^2: forces besides pressure, summed by fields and physics/ */
    float* p4;       /* m/s^2: what pressures do (of the last backward pass) */
    float* kick4;    /* m/s: change of this tick by all but pressure (books.c) */
    float* density;  /* D */
    float* pressure; /* Pa, at the end of the last interval, where pressure_known; NULL until somebody asks: kin_sph_pressures */
    bool pressure_known;
    size_t pressed;   /* blocks whose lists, g, D, a4 and walls are still those of the interval's last tick: what pressures are found from; 0: they are gone */
    bool full;        /* no room in it anywhere: pressures are known but for a constant (passes.c, project.c) */
    float rest;       /* D above which a particle counts as compressed: 1; where nothing can make room, the mean of D if that is more (passes.c) */
    float* inv_rho;   /* m^3/kg: 1 / rest density of its phase; 0 for parked lanes */
    float* factor;    /* S_i = |sum c + b|^2 / rho_i + sum |c|^2 / rho_j : diagonal of L (1/rho) L^T. Of solvers by state: L_i(v) as the tick began, 1/s */
    float* lambda;    /* share of walls */
    float* b[3];      /* its gradient, 1/m */
    float* wall_rate; /* w_i, 1/s */
    float* wall_moment;                   /* -sum over walls of b . (x - nearest point of it): their part of a pressure (pressure.c) */
    uint16_t* neighbours;                 /* how many */
    float* work[3];                       /* of the pressure solve: residual, direction, image; free for others outside of `advance` */
    double energy, kick_work, given_work; /* J: of this tick, as it began; by forces, with the velocities before them; by pressure on bodies (books.c) */
    double* partial;                      /* KIN_SPH_PARTIALS a chunk: for reductions */
    kin_sph_cells cells;
    kin_sph_lists lists;
    kin_sph_walls* walls;
    kin_sph_physics* physics;
    kin_sph_sources* sources; /* its counts are state */
    kin_reactions reactions;  /* on solids that give way, in this interval */

    /* ---- what the last step was like: measures ---- */
    struct {
        double ticks, iterations, divergence_iterations;       /* sums over the step */
        double density_error, worst_density, divergence_error; /* mean of the last tick, largest, mean */
        double speed, rms;                                     /* m/s, largest and root of the mean square, at the end of the last tick */
        double pressed;                                        /* m/s: root of pressure over density, weighed by pressure: what bounds a tick (tick.c) */
        double caps;                                           /* ticks that ended at max_iterations */
        double escaped;                                        /* put back inside by hold */
        double elastic; /* J, in surfaces and elastic matter, after the last tick: its lists are gone when it is asked for */
    } seen;
    double seconds[KIN_SPH_STAGES], since; /* wall time so far by stage (kin_sph_stage), and when the present one began; not state */
} kin_sph;

/* The present tick. */
typedef struct kin_sph_tick {
    kin_step* step;
    double begin, end; /* fractions of the interval: solids are asked at `end` */
    double time;       /* s, at its start */
    float h;           /* s */
    float mending;     /* s: in which half of a compression is to be mended (tick.c); shorter than h, or 0: at once */
    uint64_t number;   /* of the tick within the step */
    float fastest;     /* m/s: nobody goes faster; 0: any speed */
    bool late;         /* h is less than what passes in the world */
} kin_sph_tick;

/* A pressure solver: from velocities with all other forces in a4, to new velocities and places. false: refused (kin_step_refuse was called). */
struct kin_sph_solver_ops {
    const char* name;
    const char* doc;
    uint64_t most_ticks; /* of an interval, made longer where it would take more; 0: as many as it takes, and a refusal beyond all measure (tick.c) */
    bool by_state;       /* pressure follows from density and its rate: `factor` is that rate */
    bool (*advance)(kin_sph* f, kin_sph_tick* tick);
    /* Longest stable tick, s, beside what all solvers keep to (CFL, forces); seen.speed is there. Called before the sort. NULL: any. */
    double (*longest)(kin_sph* f, const kin_step* step);
};
extern const kin_sph_solver_ops kin_sph_wcsph, kin_sph_pcisph, kin_sph_iisph, kin_sph_dfsph, kin_sph_pbf;

/* J/m^3 over D^2: all that pressed a particle in the last tick. Of dfsph two solves change velocities, and each bears a part: in fluid that moves, the first most. */
static inline float kin_sph_multiplier(const kin_sph* f, size_t i) { return f->k_density[i] + f->k_divergence[i]; }

/* v += h a(k), k from the equation of state, whose stiffness is the square of the speed of sound (wcsph.c). Uses `work` and p4. */
void kin_sph_wcsph_push(kin_sph* f, kin_jobs* jobs, double stiffness, float h);

/* ---- books.c: what pressure takes in a tick ---- */
void kin_sph_books_begin(kin_sph* f, kin_jobs* jobs); /* before velocities change */
void kin_sph_books_before_kick(kin_sph* f, kin_jobs* jobs);
void kin_sph_books_after_kick(kin_sph* f, kin_jobs* jobs);
void kin_sph_books_end(kin_sph* f, kin_sph_tick* tick); /* after pressure, before walls are held to */

/* ---- pressure.c ---- */
/* Pa by particle, at the end of the last interval; found at the first call after it, so whoever has a tank to look at may ask. NULL: out of memory. */
const float* kin_sph_pressures(kin_sph* f);
/* Room for them. False: out of memory. */
bool kin_sph_make_pressures(kin_sph* f);

/* ---- store.c: memory ---- */
/* spacing, volume, support, bells and the periodic box from f->def; solver too. Phases and origin are the caller's. */
void kin_sph_set_sizes(kin_sph* f);
/* Lists read a block past the last particle. */
static inline bool kin_sph_fits(const kin_sph* f, size_t count) { return count + KIN_SPH_LANES <= f->capacity; }
bool kin_sph_reserve(kin_sph* f, size_t count);           /* room for all columns, padded; false: out of memory, nothing changed */
void kin_sph_free(kin_sph* f);                            /* all columns, cells and lists */
size_t kin_sph_bytes_for(size_t count, uint32_t columns); /* foreseen */
size_t kin_sph_bytes(const kin_sph* f);                   /* that a tank holds now: columns, lists, cells, and the scratch of forces, walls and drains */
/* A particle more; serial is given. The caller reserves. x relative to origin. */
void kin_sph_append(kin_sph* f, const float x[3], const float v[3], uint8_t phase, float temperature);
void kin_sph_remove(kin_sph* f, const uint8_t* gone); /* flag by particle; the others keep their order */
void kin_sph_park(kin_sph* f);                        /* after count changed: blocks, and the lanes past count */

/* ---- tick.c ---- */
kin_status kin_sph_advance(kin_sph* f, kin_step* step); /* all ticks of an interval; posts the reactions */
/* Order, lists, walls, D, S and g of where particles are. False: refused. */
bool kin_sph_look_around(kin_sph* f, kin_sph_tick* tick);
/* v += h a4, what calms, friction with walls: all that comes before pressure. False: refused. */
bool kin_sph_kick(kin_sph* f, kin_sph_tick* tick);
/* J/kg: between the highest and the lowest particle along gravity; p / rho at the foot of such a column, and how much the fluid may gain by falling. */
double kin_sph_head(kin_sph* f, const kin_step* step);
void kin_sph_count_time(kin_sph* f, kin_sph_stage stage); /* what passed since the last call was this stage */
/* v += h u4. */
void kin_sph_add_velocity(kin_sph* f, kin_jobs* jobs, float h, const float* u4);
/* seen: how much the fluid is compressed now. */
void kin_sph_note_compression(kin_sph* f, kin_jobs* jobs);
/* seen: the same, and how a density solve went. */
void kin_sph_note_solve(kin_sph* f, kin_jobs* jobs, int iterations, double error, bool capped);
/* x += h v, held within walls. a4 is where particles came from then. False: somebody's place or velocity is not finite; refused. */
bool kin_sph_drift(kin_sph* f, kin_sph_tick* tick);

/* ---- sort.c, link.c, passes.c: over all particles ---- */
bool kin_sph_sort(kin_sph* f, kin_jobs* jobs); /* all columns of state, and xs; false: out of memory */
/* Lists. False: out of memory, or somebody has too many neighbours: *crowded is that particle, else SIZE_MAX. */
bool kin_sph_link(kin_sph* f, kin_jobs* jobs, size_t* crowded);
/* The cell of a place along an axis. */
static inline int kin_sph_cell_along(const kin_sph_cells* cells, int axis, float x)
{
    float c = (x - cells->low[axis]) * cells->inv[axis];
    int last = cells->size[axis] - 1;
    return !(c > 0) ? 0 : c >= (float)last ? last : (int)c;
}
/* D, S (or L(v)), and g of every pair; lambda, b and w must be there. False: two particles are at the same place (kin_sph_part moves them apart). */
bool kin_sph_measure_density(kin_sph* f, kin_jobs* jobs);
void kin_sph_part(kin_sph* f, kin_jobs* jobs); /* who is where another one is: off by a thousandth of the spacing, in a direction from its serial */
/* rate[i] = L_i(u4), u: velocities or accelerations (walls: with w when with_walls, without for accelerations). */
void kin_sph_forward(kin_sph* f, kin_jobs* jobs, const float* u4, bool with_walls, float* rate);
/* out4[i] = a_i(k). k goes by the fourth of x4; NULL: it is there already. */
void kin_sph_backward(kin_sph* f, kin_jobs* jobs, const float* k, float* out4);
/* v += h a(k), k as above. */
void kin_sph_press(kin_sph* f, kin_jobs* jobs, const float* k, float h);
/* Sum over particles of x_i y_i, by chunks. */
double kin_sph_dot(kin_sph* f, kin_jobs* jobs, const float* x, const float* y);
float kin_sph_mean(kin_sph* f, kin_jobs* jobs, const float* x);
/* Runs over all particles by chunks: fn(f, argument, first block, end, chunk). */
typedef void kin_sph_chunk_fn(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk);
void kin_sph_for(kin_sph* f, kin_jobs* jobs, kin_sph_chunk_fn* fn, void* argument);
size_t kin_sph_chunks(const kin_sph* f);
/* Sum over the chunks of partial[slot]. */
double kin_sph_total(const kin_sph* f, int slot);
/* Largest over the chunks of partial[slot]. */
double kin_sph_largest(const kin_sph* f, int slot);
