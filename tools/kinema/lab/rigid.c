/* rigid.c - how orientation is integrated: the 18 numbers with a matrix against the 13 with a quaternion (House, Keyser 9.3.2 and 9.3.3), by every method of
 * fixed step, on a steady spin and on a body that tumbles; and a picture of what becomes of a brick. */
#include "lab/rigid.h"
#include "domains/rigid/tumble.h"
#include "easel.h"
#include "io/file.h"
#include "lab/sheet.h"
#include "numerics/integrators.h"
#include <math.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

typedef enum state_kind { MATRIX, QUAT, UNIT_QUAT } state_kind; /* a unit one is normalised after every step */
static const char* const state_names[] = {"matrix", "quaternion", "unit quaternion"};

typedef struct spin_run {
    kin_tumbler body;
    state_kind kind;
    const kin_ode_method* method;
    double y[KIN_TUMBLE_MATRIX], energy0;
    bool failed;
} spin_run;

static double energy_of(const spin_run* run)
{
    return run->kind == MATRIX ? kin_tumble_energy_matrix(&run->body, run->y) : kin_tumble_energy_quat(&run->body, run->y);
}

static spin_run begin(const kin_tumbler* body, const kin_ode_method* method, state_kind kind, kin_vec3 spin)
{
    spin_run run = {.body = *body, .kind = kind, .method = method};
    const kin_vec3 still = {0, 0, 0};
    (kind == MATRIX ? kin_tumble_begin_matrix : kin_tumble_begin_quat)(body, still, kin_quat_identity(), still, spin, run.y);
    run.energy0 = energy_of(&run);
    return run;
}

static void advance(spin_run* run, double h, int steps, kin_arena* arena)
{
    bool matrix = run->kind == MATRIX;
    kin_ode ode = {.size = matrix ? KIN_TUMBLE_MATRIX : KIN_TUMBLE_QUAT, .context = &run->body, .derivative = matrix ? kin_tumble_matrix : kin_tumble_quat};
    kin_arena_mark mark = kin_arena_begin(arena);
    double* scratch = kin_arena_take(arena, (size_t)(run->method->scratch_vectors * ode.size) * sizeof *scratch);
    run->failed = run->failed || scratch == NULL;
    for (int i = 0; i < steps && !run->failed; ++i) {
        double rate[KIN_TUMBLE_MATRIX], next[KIN_TUMBLE_MATRIX];
        ode.derivative(ode.context, i * h, run->y, rate);
        run->method->step(&ode, NULL, i * h, h, run->y, rate, next, scratch);
        memcpy(run->y, next, (size_t)ode.size * sizeof *next);
        if (run->kind == UNIT_QUAT) kin_tumble_renormalize(run->y);
    }
    kin_arena_end(arena, mark);
}

/* Where a vector of the body points, with whatever its state has done to its length. */
static kin_vec3 carried(const spin_run* run, kin_vec3 v)
{
    if (run->kind == MATRIX) return kin_mat3_apply(kin_tumble_rotation(run->y), v);
    kin_quat q = kin_tumble_turn(run->y);
    return kin_scale(kin_rotate(kin_quat_normalize(q), v), kin_quat_dot(q, q)); /* q v q*, as it is */
}

/* ---- growth ---- */

static void growth_table(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"wh", "w h", "%g"},
                                             {"matrix", "matrix", "%.12f"},
                                             {"formula", "sqrt(1 + w^2 h^2)", "%.12f"},
                                             {"quaternion", "quaternion", "%.12f"},
                                             {"quaternion_formula", "1 + w^2 h^2 / 4", "%.12f"},
                                             {"turn", "it turns by (rad)", "%.9f"},
                                             {"turn_formula", "2 atan(w h / 2)", "%.9f"},
                                             {"steps_to_double", "steps to double", "%.0f"}};
    static const double turns[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
    const kin_tumbler ball = {.mass = 1, .moments = {1, 1, 1}};
    const kin_ode_method* euler = kin_ode_method_named(KIN_SIMD_NONE, "euler");
    kin_lab_begin(study, "growth",
                  "One Euler step of a steady spin: what becomes of the length of a vector across the axis. A unit quaternion keeps it, but turns too little "
                  "(House, Keyser 9.3.2).",
                  columns, COUNT(columns));
    for (int i = 0; i < COUNT(turns); ++i) {
        const kin_vec3 across = {1, 0, 0};
        spin_run runs[3];
        for (int k = 0; k < 3; ++k) {
            runs[k] = begin(&ball, euler, (state_kind)k, (kin_vec3){0, 0, turns[i]});
            advance(&runs[k], 1, 1, &study->arena);
        }
        double grown = kin_length(carried(&runs[MATRIX], across));
        kin_vec3 turned = carried(&runs[UNIT_QUAT], across);
        kin_lab_number(study, turns[i]);
        kin_lab_number(study, grown);
        kin_lab_number(study, sqrt(1 + turns[i] * turns[i]));
        kin_lab_number(study, kin_length(carried(&runs[QUAT], across)));
        kin_lab_number(study, 1 + turns[i] * turns[i] / 4);
        kin_lab_number(study, atan2(turned.y, turned.x));
        kin_lab_number(study, 2 * atan(turns[i] / 2));
        kin_lab_number(study, ceil(log(2) / log(grown)));
    }
}

/* ---- methods ---- */

/* Methods that tell positions from velocities are plain Euler here: a spin has no position of its own. */
static bool takes_part(const kin_ode_method* m) { return m->restart == NULL && strcmp(m->name, "semi_implicit") != 0 && strcmp(m->name, "average") != 0; }

/* After 2 s at 3 rad/s the x axis is known. */
static double steady_error(const kin_ode_method* method, state_kind kind, int steps, kin_arena* arena)
{
    const kin_tumbler ball = {.mass = 1, .moments = {1, 1, 1}};
    const double time = 2, w = 3;
    spin_run run = begin(&ball, method, kind, (kin_vec3){0, 0, w});
    advance(&run, time / steps, steps, arena);
    kin_vec3 truth = {cos(w * time), sin(w * time), 0};
    return run.failed ? NAN : kin_length(kin_sub(carried(&run, (kin_vec3){1, 0, 0}), truth));
}

static void method_table(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"method", "method", NULL},
                                             {"state", "state", NULL},
                                             {"error", "error of a spin", "%.3e"},
                                             {"order", "order", "%.3f"},
                                             {"shear", "|R^T R - 1| or |q| - 1", "%.3e"},
                                             {"energy", "energy drift, tumbling", "%.3e"}};
    enum { STEPS = 128 };
    const kin_tumbler brick = {.mass = 1, .moments = {1, 2, 3}};
    kin_lab_begin(
        study, "methods",
        "A steady spin of 3 rad/s for 2 s in 128 steps, and the order by halving them; a brick tumbling about its middle axis for 10 s in 1000 steps: "
        "what its axes have become, and its energy. L is constant to the last bit in all.",
        columns, COUNT(columns));
    for (int i = 0; i < kin_ode_method_count(); ++i) {
        const kin_ode_method* method = kin_ode_method_at(KIN_SIMD_NONE, i);
        for (int k = 0; k < 3 && takes_part(method); ++k) {
            double coarse = steady_error(method, (state_kind)k, STEPS, &study->arena), fine = steady_error(method, (state_kind)k, 2 * STEPS, &study->arena);
            spin_run run = begin(&brick, method, (state_kind)k, (kin_vec3){0.01, 2, 0.01});
            advance(&run, 0.01, 1000, &study->arena);
            kin_lab_word(study, method->name);
            kin_lab_word(study, state_names[k]);
            kin_lab_number(study, coarse);
            kin_lab_number(study, log2(coarse / fine));
            kin_lab_number(study, k == MATRIX ? kin_tumble_shear(kin_tumble_rotation(run.y)) : fabs(kin_quat_length(kin_tumble_turn(run.y)) - 1));
            kin_lab_number(study, energy_of(&run) / run.energy0 - 1);
        }
    }
}

/* ---- picture ---- */

/* The brick as its state has it: corners carried one by one. */
static void put_brick(kin_easel* easel, const spin_run* run, kin_vec3 at, const float color[3])
{
    static const uint32_t triangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                              {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    kin_vec3 corners[8];
    for (int i = 0; i < 8; ++i) corners[i] = carried(run, (kin_vec3){i & 1 ? 0.5 : -0.5, i & 2 ? 0.15 : -0.15, i & 4 ? 0.3 : -0.3});
    kin_easel_triangles(easel, corners, 8, triangles, 12, at, color);
}

/* Euler's method, a column a second: with a matrix above, with a unit quaternion below. */
static kin_result draw(kin_easel* easel, kin_lab_study* study, const char* path, kin_error* error)
{
    enum { COLUMNS = 5, STEPS = 50 };
    const kin_tumbler brick = {.mass = 1, .moments = {1, 3, 2}};
    const kin_ode_method* euler = kin_ode_method_named(KIN_SIMD_NONE, "euler");
    spin_run above = begin(&brick, euler, MATRIX, (kin_vec3){0.4, 0.6, 1.6}), below = begin(&brick, euler, UNIT_QUAT, (kin_vec3){0.4, 0.6, 1.6});
    kin_easel_begin(easel, (kin_aabb){{-0.8, -0.8, -0.8}, {1.6 * COLUMNS - 0.8, 2.4, 0.8}});
    for (int k = 0; k < COLUMNS; ++k) {
        put_brick(easel, &above, kin_v(1.6 * k, 1.5, 0), kin_easel_palette[1]);
        put_brick(easel, &below, kin_v(1.6 * k, 0, 0), kin_easel_palette[0]);
        advance(&above, 1.0 / STEPS, STEPS, &study->arena);
        advance(&below, 1.0 / STEPS, STEPS, &study->arena);
    }
    return kin_easel_finish(easel, (kin_vec3){0, 0.25, 1}, path, error);
}

static kin_result draw_all(kin_lab_study* study, const char* folder, kin_error* error)
{
    kin_easel easel;
    char path[KIN_PATH_SIZE];
    kin_result result = kin_path_make(path, folder, "shear.png", error);
    if (result != KIN_OK) return result;
    result = kin_easel_init(&easel, 1280, 520, 0, error);
    if (result == KIN_OK) result = draw(&easel, study, path, error);
    if (result == KIN_OK) kin_lab_picture(study, path);
    kin_easel_term(&easel);
    return result;
}

static kin_lab_table_fn* const tables[] = {growth_table, method_table, NULL};
static kin_lab_draw_fn* const pictures[] = {draw_all, NULL};

int kin_lab_rigid(const char* folder, bool json, bool quiet) { return kin_lab_study_run("rigid", tables, pictures, folder, json, quiet); }
