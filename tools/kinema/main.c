/* main.c - the command: finds the verb, reads its options, runs it. */
#include "base/text.h"
#include "pages.h"
#include "report.h"
#include "verbs.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

const kin_verb* const kin_verbs[] = {
    &kin_verb_run,  &kin_verb_render,   &kin_verb_plot,  &kin_verb_export, &kin_verb_check,   &kin_verb_expand, &kin_verb_new, &kin_verb_list,
    &kin_verb_help, &kin_verb_validate, &kin_verb_bench, &kin_verb_lab,    &kin_verb_inspect, &kin_verb_replay, NULL,
};

static int complain_unknown(const char* word)
{
    const char* names[sizeof kin_verbs / sizeof *kin_verbs];
    size_t count = 0;
    for (; kin_verbs[count] != NULL; ++count) names[count] = kin_verbs[count]->name;
    const char* nearest = kin_text_nearest(word, names, count);
    if (nearest != NULL) return kin_complain_text(KIN_EXIT_WRONG, "there is no command \"%s\"; did you mean %s?", word, nearest);
    return kin_complain_text(KIN_EXIT_WRONG, "there is no command \"%s\"; see kinema help", word);
}

static bool asks_for_help(int argc, char** argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; ++i) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    }
    return false;
}

static int run_verb(const kin_verb* verb, int argc, char** argv)
{
    if (asks_for_help(argc, argv)) {
        kin_verb_explain(verb, stdout);
        return KIN_EXIT_DONE;
    }
    kin_arguments arguments = {.names = calloc((size_t)argc + 1, sizeof(char*)), .sets = calloc((size_t)argc + 1, sizeof(kin_scene_set))};
    kin_error error = {0};
    int code;
    if (arguments.names == NULL || arguments.sets == NULL)
        code = kin_complain_text(KIN_EXIT_FAILED, "there is no memory to begin with");
    else if (kin_options_parse(verb, argc, argv, &arguments, &error) != KIN_OK)
        code = kin_complain(KIN_EXIT_WRONG, &error);
    else
        code = verb->run(&arguments);
    free(arguments.names);
    free(arguments.sets);
    return code;
}

static int dispatch(int argc, char** argv)
{
    if (argc < 2) {
        kin_overview_print(stderr);
        return KIN_EXIT_WRONG;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("kinema %s\n", kin_version());
        return KIN_EXIT_DONE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        kin_overview_print(stdout);
        return KIN_EXIT_DONE;
    }
    const kin_verb* verb = kin_verb_named(argv[1]);
    return verb != NULL ? run_verb(verb, argc - 2, argv + 2) : complain_unknown(argv[1]);
}

/* Results that did not arrive are a failure; but a reader who has seen enough (kinema list | head) needs no message. */
static int flush_results(int code)
{
    errno = 0;
    bool lost = fflush(stdout) != 0 || ferror(stdout);
    if (!lost) return code;
    if (errno != EPIPE && errno != 0) kin_complain_text(0, "cannot write the results: %s", strerror(errno));
    return code != KIN_EXIT_DONE ? code : KIN_EXIT_FAILED;
}

int main(int argc, char** argv)
{
    signal(SIGPIPE, SIG_IGN);
    return flush_results(dispatch(argc, argv));
}
