/* export.c - kinema export: frames to the files of other tools. */
#include "io/export.h"
#include "base/text.h"
#include "io/file.h"
#include "report.h"
#include "verbs.h"
#include <string.h>

static const kin_export_format* format_named(const char* name)
{
    const kin_export_format* f = kin_export_formats;
    while (f->name != NULL && strcmp(f->name, name) != 0) ++f;
    return f->name != NULL ? f : NULL;
}

static int complain_format(const char* name)
{
    char known[256] = "";
    for (const kin_export_format* f = kin_export_formats; f->name != NULL; ++f)
        kin_text_append(known, sizeof known, "%s%s", known[0] != 0 ? ", " : "", f->name);
    return kin_complain_text(KIN_EXIT_WRONG, "export: --to: \"%s\" is not one of %s", name, known);
}

static int run(const kin_arguments* a)
{
    const kin_export_format* format = format_named(a->to);
    if (format == NULL) return complain_format(a->to);
    kin_allocator allocator = kin_allocator_default();
    kin_error error = {0};
    kin_cache* cache = NULL;
    char frames[KIN_PATH_SIZE];
    kin_result result = kin_path_make(frames, a->names[0], "frames", &error);
    if (result == KIN_OK && !kin_file_exists(a->names[0])) return kin_complain_text(KIN_EXIT_WRONG, "%s: there is no such run folder", a->names[0]);
    if (result == KIN_OK) result = kin_cache_open(&allocator, frames, &cache, &error);
    if (result == KIN_OK) result = format->write(cache, a->output, &error);
    kin_cache_close(cache);
    if (result != KIN_OK) return kin_complain(KIN_EXIT_FAILED, &error);
    puts(a->output);
    return KIN_EXIT_DONE;
}

static const kin_option options[] = {
    {.name = "to",
     .kind = KIN_OPTION_TEXT,
     .offset = KIN_ARGUMENT(to),
     .value = "FORMAT",
     .doc = "The format; see kinema list formats.",
     .list = "formats",
     .required = true},
    {.name = "output", .letter = 'o', .kind = KIN_OPTION_TEXT, .offset = KIN_ARGUMENT(output), .value = "PATH", .doc = "The file to write.", .required = true},
    {0},
};

const kin_verb kin_verb_export = {
    .name = "export",
    .usage = "DIR",
    .least = 1,
    .most = 1,
    .operand = KIN_OPERAND_FOLDER,
    .options = options,
    .run = run,
    .summary = "Write the frames of a run for other tools.",
    .doc =
        "csv gives a row a particle or rigid body and frame: frame,time,system,id,x,y,z,vx,vy,vz. poses gives bodies alone, with qx,qy,qz,qw,wx,wy,wz behind.",
};
