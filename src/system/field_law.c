/* field_law.c - a law of one's own, as a function of the program or the script that made the world. A scene file has no functions: there it is refused, by
 * what make says. */
#include "base/error.h"
#include "system/field_kinds.h"

static void law(const kin_field* field, const kin_field_batch* b)
{
    const kin_law_field* d = field->def;
    kin_law_points points = {
        .count = b->count,
        .time = b->time,
        .x = b->position[0],
        .y = b->position[1],
        .z = b->position[2],
        .vx = b->velocity[0],
        .vy = b->velocity[1],
        .vz = b->velocity[2],
        .inv_mass = b->inv_mass,
        .age = b->age,
        .ax = b->acceleration[0],
        .ay = b->acceleration[1],
        .az = b->acceleration[2],
    };
    d->fn(d->context, &points);
}

static kin_result check_law(kin_fields* fields, const void* def, kin_arena* arena, void** made, kin_error* error)
{
    (void)fields, (void)arena, (void)made;
    const kin_law_field* d = def;
    if (d->fn != NULL) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, "law", "\"%.40s\" has no function: it is given by a program (kin_world_add_law) or a script",
                    d->law != NULL ? d->law : "");
}

static bool law_serial(const void* def) { return ((const kin_law_field*)def)->one_thread; }

static const kin_param law_params[] = {
    {.name = "law",
     .type = KIN_PARAM_TEXT,
     .offset = offsetof(kin_law_field, law),
     .doc = "In a Lua scene function(x, y, z, vx, vy, vz, t, m, age) that returns ax, ay, az, m/s^2; a program gives it by kin_world_add_law."},
    KIN_FIELD_COMMON_ROWS,
};

const kin_field_ops kin_field_law_ops = {
    .name = "law",
    .doc =
        "A force law of one's own. It must be pure: what it returns depends on its arguments alone; it may not draw random numbers, see the world or remember. "
        "One that fails, runs on for ever or returns anything but three finite numbers stops the run with the name of its field; the frames before stay.",
    .params = law_params,
    .def_size = sizeof(kin_law_field),
    .wants = KIN_FIELD_WANTS_AGE,
    .force = KIN_ANY_WIDTH(law),
    .serial = law_serial,
    .make = check_law,
};
