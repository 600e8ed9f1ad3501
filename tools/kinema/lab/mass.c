/* mass.c - the study of mass properties (House & Keyser 9.2, Coutinho appendix D): integrals over the faces, signed tetrahedra and cells, against closed forms. */
#include "geometry/mass/mass.h"
#include "lab/solids.h"
#include <math.h>
#include <time.h>

enum { SOLIDS = 4, LEVELS = 8 };
static const char* const names[SOLIDS] = {"cube", "cube, turned", "ball", "torus"};
static const uint32_t cells[LEVELS] = {8, 12, 16, 24, 32, 48, 64, 96};

static kin_mesh* solid(int which)
{
    if (which == 0) return kin_lab_cube(1, (kin_quat){0, 0, 0, 1});
    if (which == 1) return kin_lab_cube(1, kin_quat_axis_angle(kin_v(1, 2, 3), 0.7));
    return which == 2 ? kin_lab_ball(0.5, 1e-4) : kin_lab_torus(0.5, 0.2, 1e-4);
}

static kin_mass closed_form(int which)
{
    if (which < 2) return kin_mass_box(kin_v(1, 1, 1));
    if (which == 2) return kin_mass_sphere(0.5);
    const double a = 0.2, c = 0.5, mass = 2 * KIN_PI * KIN_PI * c * a * a, across = mass * (0.5 * c * c + 0.625 * a * a);
    return (kin_mass){mass, {0, 0, 0}, {across, mass * (c * c + 0.75 * a * a), across, 0, 0, 0}};
}

/* The largest error of a moment, in parts of it. */
static double error_of(const kin_mass* m, const kin_mass* exact)
{
    const double x = fabs(m->inertia.xx / exact->inertia.xx - 1), y = fabs(m->inertia.yy / exact->inertia.yy - 1);
    return fmax(fmax(x, y), fabs(m->inertia.zz / exact->inertia.zz - 1));
}

static void put_row(kin_lab_study* study, const char* name, const char* method, double count, const kin_mass* m, const kin_mass* exact, double ms)
{
    kin_lab_word(study, name);
    kin_lab_word(study, method);
    kin_lab_number(study, count);
    kin_lab_number(study, fabs(m->mass / exact->mass - 1));
    kin_lab_number(study, error_of(m, exact));
    kin_lab_number(study, ms);
}

/* Least squares of log error over log cells. */
static double order_of(const double* errors)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < LEVELS; ++i) {
        const double x = log(cells[i]), y = log(errors[i] + 1e-15);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return -(LEVELS * sxy - sx * sy) / (LEVELS * sxx - sx * sx);
}

static void methods_table(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"solid", "solid", NULL},
                                             {"method", "method", NULL},
                                             {"cells", "cells", "%.0f"},
                                             {"mass_error", "mass off", "%.1e"},
                                             {"moment_error", "moment off", "%.1e"},
                                             {"ms", "ms", "%.3f"}};
    static const char* const methods[] = {"faces", "tetrahedra"};
    kin_allocator allocator = kin_allocator_default();
    kin_lab_begin(study, "methods",
                  "Mass and moments of inertia against closed forms, as parts of them; ball and torus are triangles within 1e-4 m, which is what the integrals "
                  "see. Cells: along the longest side, those whose middles are inside count. House & Keyser 9.2; Coutinho, appendix D.",
                  columns, sizeof columns / sizeof *columns);
    for (int s = 0; s < SOLIDS; ++s) {
        kin_mesh* mesh = solid(s);
        const kin_mass exact = closed_form(s);
        kin_mass m = {0};
        study->failed = study->failed || mesh == NULL;
        for (int k = 0; k < 2 && !study->failed; ++k) {
            const long began = clock();
            study->failed = kin_mass_of_mesh(mesh, (kin_mass_method)k, &m, NULL) != KIN_OK;
            put_row(study, names[s], methods[k], NAN, &m, &exact, kin_lab_ms(began));
        }
        for (int i = 0; i < LEVELS && !study->failed; ++i) {
            const long began = clock();
            study->failed = kin_mass_of_voxels(&allocator, mesh, cells[i], NULL, NULL, &m, NULL) != KIN_OK;
            put_row(study, names[s], "voxels", cells[i], &m, &exact, kin_lab_ms(began));
        }
        kin_mesh_destroy(mesh);
    }
}

static void order_table(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"solid", "solid", NULL}, {"order", "order", "%.2f"}};
    kin_allocator allocator = kin_allocator_default();
    kin_lab_begin(
        study, "orders",
        "How the error of moments by cells falls: the power of the cell's size, fitted to 8 to 96 cells, against the integral over the faces. A box that "
        "the cells fit has exactly 1 - 1/n^2 of its inertia: 2. Elsewhere cells at the surface err by chance, better than 1.",
        columns, sizeof columns / sizeof *columns);
    for (int s = 0; s < SOLIDS; ++s) {
        kin_mesh* mesh = solid(s);
        kin_mass exact = {0}, m = {0};
        double errors[LEVELS] = {0};
        study->failed = study->failed || mesh == NULL || kin_mass_of_mesh(mesh, KIN_MASS_SURFACE, &exact, NULL) != KIN_OK;
        for (int i = 0; i < LEVELS && !study->failed; ++i) {
            study->failed = kin_mass_of_voxels(&allocator, mesh, cells[i], NULL, NULL, &m, NULL) != KIN_OK;
            errors[i] = error_of(&m, &exact);
        }
        kin_lab_word(study, names[s]);
        kin_lab_number(study, order_of(errors));
        kin_mesh_destroy(mesh);
    }
}

static kin_lab_table_fn* const tables[] = {methods_table, order_table, NULL};
static kin_lab_draw_fn* const pictures[] = {NULL};

int kin_lab_mass(const char* folder, bool json, bool quiet) { return kin_lab_study_run("mass", tables, pictures, folder, json, quiet); }
