/* broad.c - the study of broad phases (Coutinho 2.4; House & Keyser 10.2.2): nine kinds on the same boxes. All give the same pairs, which is checked against all
 * against all; what differs is work, memory and time. */
#include "lab/broad.h"
#include "base/alloc.h"
#include "base/rng.h"
#include "collision/broad/broad.h"
#include "lab/sheet.h"
#include "math/random.h"
#include <math.h>
#include <time.h>

enum { BOXES = 1000, STEPS = 12, WARM_UP = 4 };
#define DENSITY 0.25 /* boxes in the volume of one: about two neighbours each */

/* Boxes of edge 1 on average in a cube with walls that reflect. */
typedef struct motion {
    const char* name;
    double step;    /* way in a step, in mean edges */
    double movers;  /* share of the boxes that move at all */
    double spread;  /* largest size over smallest */
    double crowded; /* share of the boxes that is gathered in a thousandth of the volume */
} motion;

static const motion motions[] = {
    {"resting", 0.02, 0.02, 1, 0}, {"drifting", 0.05, 1, 1, 0}, {"flying", 3, 1, 1, 0}, {"sizes", 0.05, 1, 100, 0}, {"crowded", 0.05, 1, 1, 0.1},
};
enum { MOTIONS = sizeof motions / sizeof *motions };

typedef struct crowd {
    double wall; /* m, half the cube */
    kin_vec3 at[BOXES], velocity[BOXES];
    double half[BOXES]; /* m */
    uint32_t count;
} crowd;

/* Logarithms of sizes are uniform; their mean is 1. */
static double half_of(double u, double spread) { return spread > 1 ? 0.5 * pow(spread, u - 1) * log(spread) / (1 - 1 / spread) : 0.5; }

static void gather(crowd* c, const motion* m, uint32_t count)
{
    c->count = count;
    c->wall = 0.5 * cbrt(count / DENSITY);
    for (uint32_t i = 0; i < count; ++i) {
        const kin_rng_key key = {.seed = 7, .serial = i};
        double reach = i < m->crowded * count ? 0.1 * c->wall : c->wall;
        c->half[i] = half_of(kin_rng_uniform(&key, 4, 0, 1), m->spread);
        c->at[i] = kin_v(kin_rng_uniform(&key, 0, -reach, reach), kin_rng_uniform(&key, 1, -reach, reach), kin_rng_uniform(&key, 2, -reach, reach));
        c->velocity[i] = kin_scale(kin_rng_direction(&key, 3), i < m->movers * count ? m->step : 0);
    }
}

static double reflect(double at, double wall, double* velocity)
{
    if ((at > wall && *velocity > 0) || (at < -wall && *velocity < 0)) *velocity = -*velocity;
    return at + *velocity;
}

static void advance(crowd* c)
{
    for (uint32_t i = 0; i < c->count; ++i) {
        kin_vec3 *x = &c->at[i], *v = &c->velocity[i];
        *x = kin_v(reflect(x->x, c->wall, &v->x), reflect(x->y, c->wall, &v->y), reflect(x->z, c->wall, &v->z));
    }
}

static kin_aabb box_of(const crowd* c, uint32_t i) { return kin_aabb_around(c->at[i], kin_v(c->half[i], c->half[i], c->half[i])); }

typedef struct tally {
    double tests, pairs, wrong, searched, bytes, ms; /* of a step; wrong: pairs that all against all has and this has not, or the other way */
} tally;

static uint32_t count_differences(kin_broad_view x, kin_broad_view y)
{
    uint32_t off = 0;
    size_t i = 0, k = 0;
    while (i < x.count || k < y.count) {
        uint64_t a = i < x.count ? (uint64_t)x.data[i].a << 32 | x.data[i].b : UINT64_MAX,
                 b = k < y.count ? (uint64_t)y.data[k].a << 32 | y.data[k].b : UINT64_MAX;
        off += a != b;
        i += a <= b, k += b <= a;
    }
    return off;
}

static kin_broad* open(const crowd* c, kin_broad_kind kind)
{
    kin_allocator allocator = kin_allocator_default();
    kin_broad_def def = kin_broad_def_default(kind);
    kin_broad* b = NULL;
    bool made = kin_broad_create(&allocator, &def, &b, NULL) == KIN_OK;
    for (uint32_t i = 0; made && i < c->count; ++i) {
        uint32_t proxy;
        made = kin_broad_insert(b, &(kin_broad_proxy_def){.box = box_of(c, i)}, &proxy, NULL) == KIN_OK;
    }
    if (made) return b;
    kin_broad_destroy(b);
    return NULL;
}

static bool update(kin_broad* b, const crowd* c)
{
    bool done = true;
    for (uint32_t i = 0; done && i < c->count; ++i) {
        if (kin_length2(c->velocity[i]) > 0) done = kin_broad_move(b, i, box_of(c, i), c->velocity[i], NULL) == KIN_OK;
    }
    return done && kin_broad_update(b, NULL, NULL) == KIN_OK;
}

/* All kinds take turns, step by step, on the same boxes. */
static bool run_motion(const motion* m, uint32_t count, crowd* c, tally tallies[KIN_BROAD_KIND_COUNT])
{
    kin_broad* broad[KIN_BROAD_KIND_COUNT] = {NULL};
    bool done = true;
    gather(c, m, count);
    for (int k = 0; k < KIN_BROAD_KIND_COUNT; ++k) {
        broad[k] = open(c, (kin_broad_kind)k);
        tallies[k] = (tally){0};
        done = done && broad[k] != NULL;
    }
    for (int step = -WARM_UP; done && step < STEPS; ++step) {
        advance(c);
        for (int k = KIN_BROAD_BRUTE; done && k >= 0; --k) {
            clock_t began = clock(); /* of this process: other work on the machine does not count */
            done = update(broad[k], c);
            double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
            if (!done || step < 0) continue;
            kin_broad_report report = kin_broad_reports(broad[k]);
            tally* t = &tallies[k];
            t->tests += (double)report.tests / STEPS, t->searched += (double)report.searched / STEPS;
            t->pairs += (double)kin_broad_pairs(broad[k]).count / STEPS;
            t->wrong += count_differences(kin_broad_pairs(broad[k]), kin_broad_pairs(broad[KIN_BROAD_BRUTE]));
            t->bytes = (double)report.bytes;
            t->ms += 1e3 * seconds / STEPS;
        }
    }
    for (int k = 0; k < KIN_BROAD_KIND_COUNT; ++k) kin_broad_destroy(broad[k]);
    return done;
}

static void motion_table(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"motion", "boxes", NULL},        {"method", "method", NULL},       {"pairs", "pairs", "%.0f"},
                                             {"wrong", "wrong", "%.0f"},       {"searched", "searched", "%.3f"}, {"tests", "tests a box", "%.2f"},
                                             {"bytes", "bytes a box", "%.0f"}, {"ms", "ms a step", "%.3f"}};
    kin_lab_begin(study, "motions",
                  "1000 boxes in a cube, two neighbours each. resting: two of a hundred move; drifting: all by 5 % of their size a step; flying: by three "
                  "sizes; sizes: drifting, the largest 100 times the smallest; crowded: a tenth of them in a thousandth of the room. Wrong: pairs that differ "
                  "from all against all, over all steps. Searched: share of the boxes that left their stored box. Tests: pairs of boxes compared. Time: of one "
                  "processor, the mean of 12 steps. Coutinho 2.4.",
                  columns, sizeof columns / sizeof *columns);
    crowd* c = kin_arena_take(&study->arena, sizeof *c);
    study->failed = study->failed || c == NULL;
    for (int m = 0; !study->failed && m < MOTIONS; ++m) {
        tally tallies[KIN_BROAD_KIND_COUNT];
        study->failed = !run_motion(&motions[m], BOXES, c, tallies);
        for (int k = 0; k < KIN_BROAD_KIND_COUNT; ++k) {
            const tally* t = &tallies[k];
            const double row[] = {t->pairs, t->wrong, t->searched / BOXES, t->tests / BOXES, t->bytes / BOXES, t->ms};
            kin_lab_word(study, motions[m].name);
            kin_lab_word(study, kin_broad_names[k]);
            for (size_t i = 0; i < sizeof row / sizeof *row; ++i) kin_lab_number(study, row[i]);
        }
    }
}

/* Exponent of growth: ln(tests of 1000 / tests of 250) / ln 4. */
static void growth_table(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {
        {"method", "method", NULL}, {"n_250", "250", "%.0f"}, {"n_500", "500", "%.0f"}, {"n_1000", "1000", "%.0f"}, {"exponent", "grows as n^", "%.2f"}};
    static const uint32_t counts[] = {250, 500, 1000};
    tally tallies[3][KIN_BROAD_KIND_COUNT];
    kin_lab_begin(study, "growth", "Tests a step of drifting boxes as their number grows, the room with them.", columns, sizeof columns / sizeof *columns);
    crowd* c = kin_arena_take(&study->arena, sizeof *c);
    study->failed = study->failed || c == NULL;
    for (int i = 0; !study->failed && i < 3; ++i) study->failed = !run_motion(&motions[1], counts[i], c, tallies[i]);
    for (int k = 0; !study->failed && k < KIN_BROAD_KIND_COUNT; ++k) {
        kin_lab_word(study, kin_broad_names[k]);
        for (int i = 0; i < 3; ++i) kin_lab_number(study, tallies[i][k].tests);
        kin_lab_number(study, log(tallies[2][k].tests / tallies[0][k].tests) / log(4));
    }
}

static kin_lab_table_fn* const tables[] = {motion_table, growth_table, NULL};
static kin_lab_draw_fn* const pictures[] = {NULL};

int kin_lab_broad(const char* folder, bool json, bool quiet) { return kin_lab_study_run("broad", tables, pictures, folder, json, quiet); }
