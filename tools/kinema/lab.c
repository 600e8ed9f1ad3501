/* lab.c - kinema lab: studies of methods. Each is a file in lab/ and a row here. */
#include "lab.h"
#include "base/text.h"
#include "io/file.h"
#include "lab/broad.h"
#include "lab/collision.h"
#include "lab/integrators.h"
#include "lab/rigid.h"
#include "lab/solids.h"
#include "report.h"
#include "verbs.h"
#include <string.h>

const kin_lab kin_labs[] = {
    {"integrators", "every integrator on decays, springs and orbits: stability, accuracy, cost", kin_lab_integrators},
    {"rigid", "why bodies have quaternions: matrices that shear and grow, by every method", kin_lab_rigid},
    {"collision", "when moving bodies meet by three methods; V-Clip and GJK with and without memory", kin_lab_collision},
    {"broad", "which boxes overlap: nine broad phases on boxes that rest, drift, fly, crowd and differ in size", kin_lab_broad},
    {"primitives", "tests of spheres, boxes, segments and triangles against their distances; meshes through each other", kin_lab_primitives},
    {"volumes", "eleven kinds of bounding volumes and a hybrid round two rings: size, tests, time", kin_lab_volumes},
    {"fields", "signed distances by scanlines and by a band against the triangles: accuracy, memory, time; trees in fields", kin_lab_fields},
    {"mass", "mass and inertia by faces, tetrahedra and cells against closed forms", kin_lab_mass},
    {0},
};

static const kin_lab* lab_named(const char* name)
{
    for (const kin_lab* lab = kin_labs; lab->name != NULL; ++lab) {
        if (strcmp(lab->name, name) == 0) return lab;
    }
    return NULL;
}

static int complain_unknown(const char* name)
{
    const char* names[sizeof kin_labs / sizeof *kin_labs];
    size_t count = 0;
    for (; kin_labs[count].name != NULL; ++count) names[count] = kin_labs[count].name;
    const char* nearest = kin_text_nearest(name, names, count);
    if (nearest != NULL) return kin_complain_text(KIN_EXIT_WRONG, "lab: there is no study \"%s\"; did you mean %s?", name, nearest);
    return kin_complain_text(KIN_EXIT_WRONG, "lab: there is no study \"%s\"; kinema lab lists them", name);
}

static int run(const kin_arguments* a)
{
    if (a->name_count == 0) {
        for (const kin_lab* lab = kin_labs; lab->name != NULL; ++lab) printf("%-24s %s\n", lab->name, lab->doc);
        return KIN_EXIT_DONE;
    }
    const kin_lab* lab = lab_named(a->names[0]);
    if (lab == NULL) return complain_unknown(a->names[0]);
    char folder[KIN_PATH_SIZE];
    snprintf(folder, sizeof folder, "out/lab-%s", lab->name);
    return lab->run(a->output != NULL ? a->output : folder, a->json, a->quiet);
}

static const kin_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = KIN_OPTION_TEXT,
     .offset = KIN_ARGUMENT(output),
     .value = "DIR",
     .doc = "Folder of the pictures; by default out/lab- and the name of the study."},
    KIN_OPTION_JSON,
    KIN_OPTION_QUIET,
    {0},
};

const kin_verb kin_verb_lab = {
    .name = "lab",
    .usage = "[STUDY]",
    .least = 0,
    .most = 1,
    .operand = KIN_OPERAND_LIST,
    .list = "labs",
    .options = options,
    .run = run,
    .summary = "Study methods on problems with known answers: tables and pictures.",
    .doc = "Prints the tables and, after them, the paths of the pictures drawn. Without STUDY: what there is to study.",
};
