/* new.c - kinema new: a scene to begin with. */
#include "io/file.h"
#include "report.h"
#include "verbs.h"
#include <string.h>

/* Everything a first scene wants to change, once. The title is the name. */
static const char* const starter =
    "-- kinema run %s.lua      then: kinema render out/%s\n"
    "-- Units are SI: metres, seconds, kilograms. y is up. `kinema help scene` lists all keys, `kinema help particles` those of this system.\n"
    "local n = param(\"n\", 200, \"how many balls\") -- change it with --set n=500\n"
    "\n"
    "return {\n"
    "  title = \"%s\",\n"
    "  duration = 4, fps = 30,\n"
    "  gravity = {0, -9.81, 0},\n"
    "  fields = { { drag = 0.02 }, { wind = {1.5, 0, 0} } },\n"
    "\n"
    "  -- What things are made of: presets by name (`kinema list materials`), or your own.\n"
    "  materials = {\n"
    "    ball = { restitution = 0.7, friction = 0.3, color = \"#d9552c\", surface = \"glossy\", roughness = 0.3 },\n"
    "  },\n"
    "\n"
    "  -- Solids that do not feel the balls.\n"
    "  colliders = {\n"
    "    { shape = { plane = {0, 1, 0} }, material = \"concrete\" },\n"
    "    { shape = { box = {2, 0.2, 2} }, position = {0, 1, 0}, orientation = { axis = {0, 0, 1}, angle = -0.35 }, material = \"oak\" },\n"
    "    { shape = { sphere = 0.6 }, position = {2, 0.6, 0}, material = \"steel\" },\n"
    "  },\n"
    "\n"
    "  -- What moves.\n"
    "  systems = {\n"
    "    { type = \"particles\", name = \"balls\", integrator = \"rk4\",\n"
    "      particles = { count = n, box = {1, 1, 1}, position = {0, 3, 0}, radius = 0.06, mass = 0.1, material = \"ball\" } },\n"
    "  },\n"
    "\n"
    "  camera = { eye = {4, 2.6, 6}, target = {0.8, 0.9, 0} },\n"
    "}\n";

static bool allowed(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; }

/* Where the name itself begins after its folders; NULL: it is no name. */
static const char* check_name(const char* path, size_t length)
{
    size_t begin = length;
    while (begin > 0 && path[begin - 1] != '/') --begin;
    bool ok = begin < length && path[begin] != '-';
    for (size_t i = begin; ok && i < length; ++i) ok = allowed(path[i]);
    return ok ? path + begin : NULL;
}

static int run(const kin_arguments* a)
{
    const char* given = a->names[0];
    size_t length = strlen(given);
    if (length > 4 && strcmp(given + length - 4, ".lua") == 0) length -= 4;
    const char* begin = length < 1000 ? check_name(given, length) : NULL;
    if (begin == NULL) return kin_complain_text(KIN_EXIT_WRONG, "new: \"%s\" is not a name: letters, digits, - and _ make one", given);
    char path[1024], stem[1024], name[1024], text[8192];
    snprintf(path, sizeof path, "%.*s.lua", (int)length, given);
    snprintf(stem, sizeof stem, "%.*s", (int)length, given);
    snprintf(name, sizeof name, "%.*s", (int)(given + length - begin), begin);
    if (kin_file_exists(path)) return kin_complain_text(KIN_EXIT_WRONG, "%s: is there already, and is not overwritten", path);
    int size = snprintf(text, sizeof text, starter, stem, name, name);
    kin_error error = {0};
    if (kin_file_write(path, text, (size_t)size, &error) != KIN_OK) return kin_complain(KIN_EXIT_FAILED, &error);
    puts(path);
    return KIN_EXIT_DONE;
}

static const kin_option options[] = {{0}};

const kin_verb kin_verb_new = {
    .name = "new",
    .usage = "NAME",
    .least = 1,
    .most = 1,
    .operand = KIN_OPERAND_NEW,
    .options = options,
    .run = run,
    .summary = "Write NAME.lua, a scene to begin with.",
    .doc = "A file that is there already is not overwritten.",
};
