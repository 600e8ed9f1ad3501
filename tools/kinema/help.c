/* help.c - kinema help: of verbs from their tables, of scenes from the parameter tables. */
#include "base/alloc.h"
#include "base/text.h"
#include "pages.h"
#include "report.h"
#include "scene/scene.h"
#include "verbs.h"
#include <string.h>

static int print_text(kin_text* text, kin_result result, const kin_error* error)
{
    if (result == KIN_OK) fwrite(text->data, 1, text->length, stdout);
    kin_free(&text->allocator, text->data, text->capacity);
    return result == KIN_OK ? KIN_EXIT_DONE : kin_complain(result == KIN_ERROR_MEMORY ? KIN_EXIT_FAILED : KIN_EXIT_WRONG, error);
}

static int print_schema(void)
{
    kin_text text = {.allocator = kin_allocator_default()};
    kin_error error = {.code = KIN_ERROR_MEMORY, .message = "there is no memory for the schema"};
    return print_text(&text, kin_schema_write(&text), &error);
}

static bool is_topic(const char* name)
{
    const char* const* topics = kin_help_topics();
    while (*topics != NULL && strcmp(*topics, name) != 0) ++topics;
    return *topics != NULL;
}

static int print_topic(const char* topic)
{
    kin_text text = {.allocator = kin_allocator_default()};
    kin_error error = {0};
    kin_result result = kin_help_write(topic, &text, &error);
    return print_text(&text, result, &error);
}

static int print_completion(const kin_arguments* a)
{
    const char* shell = a->name_count > 1 ? a->names[1] : "";
    if (kin_completion_print(shell, stdout)) return KIN_EXIT_DONE;
    return kin_complain_text(KIN_EXIT_WRONG, "help: completion is for bash, zsh or fish: kinema help completion bash");
}

static int complain_unknown(const char* name)
{
    enum { NAMES_MAX = 256 };
    const char* names[NAMES_MAX] = {"schema", "man", "completion"};
    size_t count = 3;
    for (int i = 0; kin_verbs[i] != NULL && count < NAMES_MAX; ++i) names[count++] = kin_verbs[i]->name;
    for (const char* const* topic = kin_help_topics(); *topic != NULL && count < NAMES_MAX; ++topic) names[count++] = *topic;
    const char* nearest = kin_text_nearest(name, names, count);
    if (nearest != NULL) return kin_complain_text(KIN_EXIT_WRONG, "help: there is no topic \"%s\"; did you mean %s?", name, nearest);
    return kin_complain_text(KIN_EXIT_WRONG, "help: there is no topic \"%s\"; kinema list topics lists them", name);
}

static int run(const kin_arguments* a)
{
    if (a->name_count == 0) {
        kin_overview_print(stdout);
        return KIN_EXIT_DONE;
    }
    const char* name = a->names[0];
    if (strcmp(name, "completion") == 0) return print_completion(a);
    if (a->name_count > 1) return kin_complain_text(KIN_EXIT_WRONG, "help: \"%s\" is one too many; one topic at a time", a->names[1]);
    if (strcmp(name, "schema") == 0) return print_schema();
    const kin_verb* verb = kin_verb_named(name);
    if (verb == NULL && strcmp(name, "man") != 0) return is_topic(name) ? print_topic(name) : complain_unknown(name);
    if (verb != NULL)
        kin_verb_explain(verb, stdout);
    else
        kin_man_print(stdout);
    return KIN_EXIT_DONE;
}

static const kin_option options[] = {{0}};

const kin_verb kin_verb_help = {
    .name = "help",
    .usage = "[TOPIC|COMMAND|schema]",
    .least = 0,
    .most = 2,
    .operand = KIN_OPERAND_LIST,
    .list = "topics",
    .options = options,
    .run = run,
    .summary = "Explain a command, or what a scene can say.",
    .doc = "kinema help scene begins with the keys of a scene; kinema list topics lists all topics; kinema help schema prints the JSON Schema of scenes for "
           "editors; "
           "kinema help man and kinema help completion bash|zsh|fish print the manual page and the completions.",
};
