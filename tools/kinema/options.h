/* options.h - what the command understands. One table of options per verb; parsing, `kinema help VERB`, the man page and the shell completions all
 * come from it. */
#pragma once
#include "kinema/scene.h"
#include <stdio.h>

typedef struct kin_number_option {
    bool given;
    uint64_t value;
} kin_number_option;
typedef struct kin_decimal_option {
    bool given;
    double value;
} kin_decimal_option;
typedef struct kin_size_option {
    bool given;
    int width, height;
} kin_size_option;
typedef struct kin_range_option {
    bool given;
    uint64_t first, last;
} kin_range_option;

/* All that any verb can be told. A verb reads what its own table fills in. */
typedef struct kin_arguments {
    const char** names; /* what stood without an option, in order */
    size_t name_count;
    kin_scene_set* sets;
    size_t set_count;
    const char *output, *simd, *of, *to, *draw, *tree;
    kin_number_option frames, frame, threads, seed, checkpoint, samples, bounces, level, resolution, pieces, exact;
    kin_decimal_option density, scale, concavity;
    kin_size_option size;
    kin_range_option range;
    bool resume, profile, json, quiet, full, peers;
} kin_arguments;

/* What an option takes, and where in kin_arguments that goes. */
typedef enum kin_option_kind {
    KIN_OPTION_FLAG,    /* bool */
    KIN_OPTION_TEXT,    /* const char* */
    KIN_OPTION_WORDS,   /* const char*: some of the choices, with commas between */
    KIN_OPTION_NUMBER,  /* kin_number_option: whole, low to high */
    KIN_OPTION_DECIMAL, /* kin_decimal_option: finite, above 0 */
    KIN_OPTION_SIZE,    /* kin_size_option: WxH */
    KIN_OPTION_RANGE,   /* kin_range_option: A:B */
    KIN_OPTION_SET,     /* one more of sets: key=value */
} kin_option_kind;

typedef struct kin_option {
    const char* name; /* without its dashes; NULL ends a table */
    char letter;      /* the short form; 0: none */
    kin_option_kind kind;
    size_t offset;     /* in kin_arguments */
    const char* value; /* as usage shows it: DIR, N */
    const char* doc;
    uint64_t low, high;
    const char* const* choices; /* the only texts allowed; NULL: any */
    const char* list;           /* completion: the values that `kinema list THIS` prints */
    bool required;
} kin_option;

#define KIN_ARGUMENT(member) offsetof(kin_arguments, member)
#define KIN_OPTION_THREADS                                                                                                                                     \
    {                                                                                                                                                          \
        .name = "threads", .kind = KIN_OPTION_NUMBER, .offset = KIN_ARGUMENT(threads), .value = "N", .high = 256,                                              \
        .doc = "Threads to use; 0, the default: one per core. The result is the same for any number."                                                          \
    }
#define KIN_OPTION_JSON                                                                                                                                        \
    {                                                                                                                                                          \
        .name = "json", .kind = KIN_OPTION_FLAG, .offset = KIN_ARGUMENT(json), .doc = "Print one JSON object instead of text."                                 \
    }
#define KIN_OPTION_QUIET                                                                                                                                       \
    {                                                                                                                                                          \
        .name = "quiet", .letter = 'q', .kind = KIN_OPTION_FLAG, .offset = KIN_ARGUMENT(quiet), .doc = "Show no progress."                                     \
    }
#define KIN_OPTION_SETS                                                                                                                                        \
    {                                                                                                                                                          \
        .name = "set", .kind = KIN_OPTION_SET, .value = "key=value",                                                                                           \
        .doc = "Set a param() of the scene by name, or any value by its path: systems[0].integrator=rk4. May be given many times."                             \
    }
#define KIN_OPTION_SEED                                                                                                                                        \
    {                                                                                                                                                          \
        .name = "seed", .kind = KIN_OPTION_NUMBER, .offset = KIN_ARGUMENT(seed), .value = "N", .high = UINT64_MAX,                                             \
        .doc = "Seed of all random numbers, instead of the scene's."                                                                                           \
    }

/* What stands without an option: for completion. */
typedef enum kin_operand {
    KIN_OPERAND_NONE,
    KIN_OPERAND_NEW,
    KIN_OPERAND_SCENE,
    KIN_OPERAND_FOLDER,
    KIN_OPERAND_SCENE_OR_FOLDER,
    KIN_OPERAND_FILE,
    KIN_OPERAND_LIST
} kin_operand;

typedef struct kin_verb {
    const char* name;
    const char* usage; /* of what stands without an option: "SCENE", "[CASE...]" */
    int least, most;   /* of these */
    kin_operand operand;
    const char* list;    /* KIN_OPERAND_LIST: those that `kinema list THIS` prints */
    const char* summary; /* one line */
    const char* doc;     /* more of it */
    const kin_option* options;
    int (*run)(const kin_arguments* arguments); /* returns the exit code, having said why */
} kin_verb;

enum { KIN_ANY_NUMBER = 1000000 };

extern const kin_verb* const kin_verbs[]; /* NULL-terminated */
const kin_verb* kin_verb_named(const char* name);

/* Reads what follows the verb. out->names and out->sets have room for argc each. On failure error says which, and the nearest known one. */
kin_result kin_options_parse(const kin_verb* verb, int argc, char** argv, kin_arguments* out, kin_error* error);
/* Whether a list of words with commas between, or NULL, has this one. */
bool kin_words_have(const char* words, const char* word);
/* `kinema help VERB`. */
void kin_verb_explain(const kin_verb* verb, FILE* out);
/* Words broken at the width of a page; the first line begins at column, the others at indent. Ends the line. */
void kin_print_wrapped(FILE* out, const char* text, int indent, int column);
/* "-o, --output DIR" */
void kin_option_spell(const kin_option* option, char* text, size_t size);
