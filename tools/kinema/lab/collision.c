/* collision.c - the collision study from begin to end: its tables, then its pictures. */
#include "lab/collision.h"
#include "collision/narrow/gjk.h"
#include "collision/narrow/vclip.h"
#include "io/file.h"
#include <math.h>
#include <string.h>

/* ---- meetings ---- */

static const double rod_half = 1, rod_width = 0.05; /* m, half sizes */

static kin_transform turned(double x, double y, kin_vec3 axis, double angle) { return (kin_transform){{x, y, 0}, kin_quat_axis_angle(axis, angle)}; }

/* A rod that turns a quarter in its plane: its flank meets a corner at distance p and angle b when p sin(b - angle) is half its width. */
static double flank_meets(kin_vec3 corner) { return (atan2(corner.y, corner.x) - asin(rod_width / hypot(corner.x, corner.y))) / (0.5 * KIN_PI); }

/* The corner of its tip meets a ceiling at height y when sin(angle) + w cos(angle) = y. */
static double tip_meets(double y) { return (asin(y / hypot(rod_half, rod_width)) - atan2(rod_width, rod_half)) / (0.5 * KIN_PI); }

kin_lab_meeting kin_lab_meeting_of(int which)
{
    const kin_vec3 unit = {1, 1, 1}, rod = {2 * rod_half, 2 * rod_width, 2 * rod_width}, stop = {0.4, 0.4, 0.4}, z = {0, 0, 1}, oblique = {1, 2, 3};
    switch (which) {
    case 0: return (kin_lab_meeting){"faces, straight", unit, unit, turned(-4, 0, z, 0), turned(0, 0, z, 0), turned(0, 0, z, 0), 0.75};
    case 1:
        return (kin_lab_meeting){"through a thin plate", {0.1, 0.1, 0.1},    {0.02, 1, 1},         turned(-1, 0, z, 0),
                                 turned(2, 0, z, 0),     turned(0, 0, z, 0), (1 - 0.05 - 0.01) / 3};
    case 2:
        return (kin_lab_meeting){"turning rod, its flank",       rod, stop, turned(0, 0, z, 0), turned(0, 0, z, 0.5 * KIN_PI), turned(0.4, 0.7, z, 0),
                                 flank_meets(kin_v(0.6, 0.5, 0))};
    case 3:
        return (kin_lab_meeting){"turning rod, its tip", rod, stop, turned(0, 0, z, 0), turned(0, 0, z, 0.5 * KIN_PI), turned(0.87, 0.87, z, 0),
                                 tip_meets(0.67)};
    default:
        return (kin_lab_meeting){
            "tumbling box", {1.2, 0.5, 0.3}, {1.4, 0.6, 1.4}, turned(-2, 1.8, oblique, 0.2), turned(0.9, -0.3, oblique, 2.4), turned(0.6, -0.6, z, 0), NAN};
    }
}

bool kin_lab_meet(kin_lab_study* study, const kin_lab_meeting* m, kin_impact_method method, kin_impact* out)
{
    kin_allocator allocator = kin_allocator_default();
    kin_form *a = NULL, *b = NULL;
    kin_screw moving = kin_screw_between(m->start, m->end), still = kin_screw_still(m->at);
    kin_impact_settings settings = kin_impact_defaults();
    settings.method = method;
    bool made = kin_form_create(&allocator, &(kin_shape){.kind = KIN_SHAPE_BOX, .size = m->size}, &a, NULL) == KIN_OK
                && kin_form_create(&allocator, &(kin_shape){.kind = KIN_SHAPE_BOX, .size = m->other}, &b, NULL) == KIN_OK;
    study->failed = study->failed || !made;
    *out = (kin_impact){0};
    bool met = made && kin_impact_find(a, &moving, b, &still, &settings, &study->arena, out);
    kin_form_drop(a);
    kin_form_drop(b);
    return met;
}

void kin_lab_impacts(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"meeting", "meeting", NULL},    {"exact", "exact", "%.6f"},
                                             {"advance", "advance", "%.6f"},  {"advance_iterations", "steps", "%.0f"},
                                             {"bisect", "bisect", "%.6f"},    {"bisect_iterations", "steps", "%.0f"},
                                             {"features", "features", "%.6f"}};
    kin_lab_begin(
        study, "impacts",
        "Time of impact, as a fraction of the interval, by the three methods; none: no impact was found. Bisection sees only what still overlaps where it "
        "looks, features go along chords. Coutinho 4.4 to 4.8.",
        columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < KIN_LAB_MEETINGS; ++i) {
        kin_lab_meeting m = kin_lab_meeting_of(i);
        kin_lab_word(study, m.name);
        kin_lab_number(study, m.exact);
        for (int method = KIN_IMPACT_ADVANCE; method <= KIN_IMPACT_FEATURES; ++method) {
            kin_impact hit;
            kin_lab_number(study, kin_lab_meet(study, &m, (kin_impact_method)method, &hit) ? hit.t : INFINITY);
            if (method != KIN_IMPACT_FEATURES) kin_lab_number(study, hit.iterations);
        }
    }
}

/* ---- coherence ---- */

/* Points spread evenly over a unit sphere, on a spiral. */
static kin_hull* ball_hull(uint32_t count)
{
    enum { MOST = 512 };
    kin_allocator allocator = kin_allocator_default();
    kin_vec3 points[MOST];
    kin_hull* hull = NULL;
    for (uint32_t i = 0; i < count && i < MOST; ++i) {
        double y = 1 - (2.0 * i + 1) / count, r = sqrt(1 - y * y), angle = i * KIN_PI * (3 - sqrt(5));
        points[i] = kin_v(r * kin_cos(angle), y, r * kin_sin(angle));
    }
    return kin_hull_create(&allocator, points, count, 0, &hull, NULL) == KIN_OK ? hull : NULL;
}

typedef struct tally {
    double vclip_cold, vclip_warm, gjk_cold, gjk_warm, apart;
} tally;

/* Each method from scratch and from where it ended a frame before; the second body turns and swings to and fro. */
static tally count_steps(const kin_hull* hull, double turn)
{
    enum { FRAMES = 360 };
    const kin_convex body = {.core = KIN_CORE_HULL, .hull = hull};
    kin_vclip_pair pair = {0};
    kin_gjk_cache cache = {0};
    tally sum = {0};
    for (int frame = 0; frame < FRAMES; ++frame) {
        kin_transform pose = {{2.6, 0.5 * kin_sin(frame * turn), 0}, kin_quat_axis_angle(kin_v(1, 2, 3), frame * turn)};
        kin_vclip_result v;
        kin_gjk_result g;
        kin_vclip(hull, hull, pose, NULL, NULL, NULL, &v);
        sum.vclip_cold += v.steps / (double)FRAMES;
        kin_gjk_distance(&body, &body, pose, NULL, NULL, &g);
        sum.gjk_cold += g.iterations / (double)FRAMES;
        kin_vclip(hull, hull, pose, &pair, NULL, NULL, &v);
        kin_gjk_distance(&body, &body, pose, NULL, &cache, &g);
        if (frame > 0) sum.vclip_warm += v.steps / (FRAMES - 1.0), sum.gjk_warm += g.iterations / (FRAMES - 1.0);
        sum.apart = fmax(sum.apart, fabs(v.distance - g.distance));
    }
    return sum;
}

void kin_lab_coherence(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"vertices", "vertices", "%.0f"}, {"turn", "turn, deg", "%.3g"},     {"vclip_cold", "V-Clip, cold", "%.2f"},
                                             {"vclip_warm", "warm", "%.2f"},   {"gjk_cold", "GJK, cold", "%.2f"}, {"gjk_warm", "warm", "%.2f"},
                                             {"apart", "apart, m", "%.1e"}};
    static const uint32_t sizes[] = {20, 100, 500};
    static const double turns[] = {0.1, 1, 10};
    kin_lab_begin(
        study, "coherence",
        "Steps a frame of two equal polyhedra, one of which turns: from scratch, and from where the last frame ended. A step of V-Clip looks at one pair of "
        "features, one of GJK asks both bodies for a support point. Apart: the greatest difference of their distances. Coutinho 4.9, 4.10.",
        columns, sizeof columns / sizeof *columns);
    for (int s = 0; s < 3; ++s) {
        kin_hull* hull = ball_hull(sizes[s]);
        study->failed = study->failed || hull == NULL;
        for (int k = 0; hull != NULL && k < 3; ++k) {
            tally t = count_steps(hull, turns[k] * KIN_PI / 180);
            const double row[] = {sizes[s], turns[k], t.vclip_cold, t.vclip_warm, t.gjk_cold, t.gjk_warm, t.apart};
            for (int c = 0; c < 7; ++c) kin_lab_number(study, row[c]);
        }
        kin_hull_destroy(hull);
    }
}

/* ---- all of it ---- */

static const struct {
    const char* name;
    kin_result (*draw)(kin_lab_study*, kin_easel*, const char*, kin_error*);
} pictures[] = {{"regions.png", kin_lab_draw_voronoi_regions}, {"swept.png", kin_lab_draw_swept}};
enum { PICTURES = sizeof pictures / sizeof *pictures };

static kin_result draw_all(kin_lab_study* study, const char* folder, kin_error* error)
{
    kin_easel easel;
    kin_result result = kin_easel_init(&easel, 960, 540, 0, error);
    for (int i = 0; i < PICTURES && result == KIN_OK; ++i) {
        char path[KIN_PATH_SIZE];
        result = kin_path_make(path, folder, pictures[i].name, error);
        if (result == KIN_OK) result = pictures[i].draw(study, &easel, path, error);
        if (result == KIN_OK) kin_lab_picture(study, path);
    }
    kin_easel_term(&easel);
    return result;
}

static kin_lab_table_fn* const tables[] = {kin_lab_impacts, kin_lab_coherence, NULL};
static kin_lab_draw_fn* const draws[] = {draw_all, NULL};

int kin_lab_collision(const char* folder, bool json, bool quiet) { return kin_lab_study_run("collision", tables, draws, folder, json, quiet); }
