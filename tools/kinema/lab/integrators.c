/* integrators.c - the integrator study from begin to end: its tables, then its pictures. */
#include "lab/integrators.h"
#include "io/file.h"
#include "progress.h"

static void (*const tables[])(kin_lab_study*) = {kin_lab_methods, kin_lab_fall_errors, kin_lab_limits,     kin_lab_gains,         kin_lab_growth,
                                                 kin_lab_costs,   kin_lab_damping,     kin_lab_stiff_line, kin_lab_spring_energy, kin_lab_orbits};
static kin_result (*const pictures[])(kin_lab_study*, const char*, kin_error*) = {kin_lab_draw_decay, kin_lab_draw_springs, kin_lab_draw_orbits,
                                                                                  kin_lab_draw_regions};
enum { TABLES = sizeof tables / sizeof *tables, PICTURES = sizeof pictures / sizeof *pictures };

static kin_result run_study(kin_lab_study* study, const char* folder, bool quiet, kin_error* error)
{
    kin_result result = kin_folder_make(folder, error);
    if (result != KIN_OK) return result;
    kin_progress_begin("lab", "part", 0, TABLES + PICTURES, quiet);
    for (int i = 0; i < TABLES; ++i) {
        tables[i](study);
        kin_progress_at((uint64_t)i + 1, -1);
    }
    for (int i = 0; i < PICTURES && result == KIN_OK; ++i) {
        result = pictures[i](study, folder, error);
        kin_progress_at((uint64_t)(TABLES + i) + 1, -1);
    }
    kin_progress_end();
    return result;
}

int kin_lab_integrators(const char* folder, bool json, bool quiet)
{
    kin_lab_study study;
    kin_error error = {0};
    kin_lab_study_init(&study, "integrators");
    int code;
    if (run_study(&study, folder, quiet, &error) != KIN_OK)
        code = kin_complain(KIN_EXIT_FAILED, &error);
    else
        code = json ? kin_lab_print_json(&study) : kin_lab_print_text(&study);
    kin_lab_study_term(&study);
    return code;
}
