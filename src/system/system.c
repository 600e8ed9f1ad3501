/* system.c - the small things stages call. */
#include "system/system.h"
#include "base/error.h"
#include <stdio.h>
#include <string.h>

kin_status kin_step_refuse(kin_step* step, uint64_t element, double residual, const char* why)
{
    snprintf(step->report->note, sizeof step->report->note, "%s[%llu]: %s (residual %.3g)", step->system_name, (unsigned long long)element, why, residual);
    return KIN_STATUS_REFUSED;
}

void kin_step_note_cap(kin_step* step, int64_t count, const char* what)
{
    step->report->capped += (int)count;
    snprintf(step->report->note, sizeof step->report->note, "%s: %s (%lld)", step->system_name, what, (long long)count);
}

void kin_step_warn(kin_step* step, uint64_t element, const char* what)
{
    step->report->warnings += 1;
    snprintf(step->report->note, sizeof step->report->note, "%s[%llu]: %s", step->system_name, (unsigned long long)element, what);
    kin_log_text(step->log, KIN_LOG_WARNING, "step %llu: %s", (unsigned long long)step->index, step->report->note);
}

void kin_budget_add(kin_budget* budget, const char* name, const char* unit, double value)
{
    for (size_t i = 0; i < budget->count && i < budget->capacity; ++i) KIN_ASSERT(strcmp(budget->items[i].name, name) != 0); /* each is a column */
    if (budget->count < budget->capacity) budget->items[budget->count] = (kin_measure){name, unit, value};
    budget->count += 1;
}

void kin_moved_add(kin_moved_list* list, uint32_t system, uint32_t element, kin_transform pose)
{
    if (list->count < list->capacity) list->items[list->count] = (kin_moved){system, element, pose};
    list->count += 1;
}
