/* validation.c - rows, and which cases are meant by a name. The tables of cases are at the end. */
#include "validation/validation.h"
#include "validation/cases.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kin_case_row_data* next_row(kin_case_run* run)
{
    if (run->count == run->capacity) {
        size_t capacity = run->capacity > 0 ? 2 * run->capacity : 64;
        kin_case_row_data* rows = realloc(run->rows, capacity * sizeof *rows);
        if (rows == NULL) {
            run->lost += 1;
            return NULL;
        }
        run->rows = rows;
        run->capacity = capacity;
    }
    return &run->rows[run->count++];
}

void kin_case_row(kin_case_run* run, const char* method, const char* quantity, double measured, double reference, double tolerance, const char* source)
{
    kin_case_row_data* row = next_row(run);
    if (row == NULL) return;
    *row = (kin_case_row_data){.reference = reference, .measured = measured, .error = fabs(measured - reference), .tolerance = tolerance};
    row->pass = isfinite(row->error) && row->error <= tolerance;
    snprintf(row->name, sizeof row->name, "%s", run->name);
    snprintf(row->method, sizeof row->method, "%s", method);
    snprintf(row->quantity, sizeof row->quantity, "%s", quantity);
    snprintf(row->source, sizeof row->source, "%s", source);
}

void kin_case_free(kin_case_run* run)
{
    free(run->rows);
    *run = (kin_case_run){0};
}

bool kin_case_chosen(const char* name, const char* const* names, size_t count)
{
    if (count == 0) return true;
    size_t topic = strcspn(name, "/");
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(names[i], name) == 0) return true;
        if (strlen(names[i]) == topic && strncmp(names[i], name, topic) == 0) return true;
    }
    return false;
}

const kin_case* const kin_case_topics[] = {kin_cases_world,     kin_cases_particles,
                                           kin_cases_hulls,     kin_cases_volumes,
                                           kin_cases_pieces,    kin_cases_cells,
                                           kin_cases_fields,    kin_cases_surfaces,
                                           kin_cases_distance,  kin_cases_primitives,
                                           kin_cases_broad,     kin_cases_impacts,
                                           kin_cases_manifolds, kin_cases_contacts,
                                           kin_cases_interlock, kin_cases_queries,
                                           kin_cases_motion,    kin_cases_collisions,
                                           kin_cases_forces,    kin_cases_joints,
                                           kin_cases_stacks,    kin_cases_modes,
                                           kin_cases_throws,    kin_cases_ellipsoids,
                                           kin_cases_sph,       NULL};
