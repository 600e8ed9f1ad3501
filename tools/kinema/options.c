/* options.c - reading a command line by its verb's table, and the help that the same table gives. */
#include "options.h"
#include "base/error.h"
#include "base/text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS_MAX = 32 };

const kin_verb* kin_verb_named(const char* name)
{
    for (int i = 0; kin_verbs[i] != NULL; ++i) {
        if (strcmp(kin_verbs[i]->name, name) == 0) return kin_verbs[i];
    }
    return NULL;
}

/* ---- finding ---- */

static const kin_option* option_named(const kin_verb* verb, const char* name, size_t length)
{
    for (const kin_option* o = verb->options; o->name != NULL; ++o) {
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0) return o;
    }
    return NULL;
}

static const kin_option* option_lettered(const kin_verb* verb, char letter)
{
    for (const kin_option* o = verb->options; o->name != NULL; ++o) {
        if (o->letter != 0 && o->letter == letter) return o;
    }
    return NULL;
}

static kin_result fail_unknown(const kin_verb* verb, const char* argument, kin_error* error)
{
    const char* names[OPTIONS_MAX];
    size_t count = 0;
    for (const kin_option* o = verb->options; o->name != NULL && count < OPTIONS_MAX; ++o) names[count++] = o->name;
    char word[64];
    const char* text = argument + strspn(argument, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "="), text);
    const char* nearest = kin_text_nearest(word, names, count);
    if (nearest != NULL) return kin_fail(error, KIN_ERROR_ARGUMENT, verb->name, "there is no option %s; did you mean --%s?", argument, nearest);
    return kin_fail(error, KIN_ERROR_ARGUMENT, verb->name, "there is no option %s; see kinema help %s", argument, verb->name);
}

/* ---- values ---- */

/* Digits only: strtoull would take spaces, signs and what comes after. */
static bool read_whole(const char* text, size_t length, uint64_t* out)
{
    uint64_t value = 0;
    if (length == 0) return false;
    for (size_t i = 0; i < length; ++i) {
        if (text[i] < '0' || text[i] > '9') return false;
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (value > (UINT64_MAX - digit) / 10) return false;
        value = 10 * value + digit;
    }
    *out = value;
    return true;
}

static kin_result read_number(const kin_option* option, const char* text, kin_number_option* out, kin_error* error)
{
    uint64_t value;
    bool ok = read_whole(text, strlen(text), &value) && value >= option->low && value <= option->high;
    if (!ok && option->high == UINT64_MAX) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "--%s: \"%s\" is not a whole number", option->name, text);
    if (!ok) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "--%s: \"%s\" is not a whole number from %llu to %llu", option->name, text,
                        (unsigned long long)option->low, (unsigned long long)option->high);
    }
    *out = (kin_number_option){true, value};
    return KIN_OK;
}

static kin_result read_size(const kin_option* option, const char* text, kin_size_option* out, kin_error* error)
{
    size_t split = strcspn(text, "x");
    uint64_t width, height;
    bool ok = text[split] == 'x' && read_whole(text, split, &width) && read_whole(text + split + 1, strlen(text + split + 1), &height);
    if (!ok || width < option->low || height < option->low || width > option->high || height > option->high) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "--%s: \"%s\" is not a size such as 960x540, each from %llu to %llu", option->name, text,
                        (unsigned long long)option->low, (unsigned long long)option->high);
    }
    *out = (kin_size_option){true, (int)width, (int)height};
    return KIN_OK;
}

static kin_result read_range(const kin_option* option, const char* text, kin_range_option* out, kin_error* error)
{
    size_t split = strcspn(text, ":");
    uint64_t first, last;
    bool ok = text[split] == ':' && read_whole(text, split, &first) && read_whole(text + split + 1, strlen(text + split + 1), &last);
    if (!ok || last < first) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "--%s: \"%s\" is not a range such as 10:60, first to last", option->name, text);
    *out = (kin_range_option){true, first, last};
    return KIN_OK;
}

static kin_result read_decimal(const kin_option* option, const char* text, kin_decimal_option* out, kin_error* error)
{
    char* end;
    double value = strtod(text, &end);
    bool plain = text[strspn(text, "0123456789.eE+-")] == 0; /* strtod also knows hexadecimal, nan and inf */
    if (!plain || *end != 0 || !(value > 0) || !isfinite(value)) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "--%s: \"%s\" is not a number above 0", option->name, text);
    }
    *out = (kin_decimal_option){true, value};
    return KIN_OK;
}

static void list_choices(const kin_option* option, char* text, size_t size)
{
    text[0] = 0;
    for (int i = 0; option->choices[i] != NULL; ++i) kin_text_append(text, size, "%s%s", i > 0 ? ", " : "", option->choices[i]);
}

static bool is_choice(const kin_option* option, const char* word, size_t length)
{
    for (int i = 0; option->choices[i] != NULL; ++i) {
        if (strlen(option->choices[i]) == length && strncmp(option->choices[i], word, length) == 0) return true;
    }
    return false;
}

static kin_result read_words(const kin_option* option, const char* text, const char** out, kin_error* error)
{
    char known[256];
    list_choices(option, known, sizeof known);
    *out = text;
    for (const char* at = text;; ++at) {
        size_t length = strcspn(at, ",");
        if (!is_choice(option, at, length)) {
            return kin_fail(error, KIN_ERROR_ARGUMENT, "", "--%s: \"%.*s\" is not one of %s", option->name, (int)length, at, known);
        }
        at += length;
        if (*at == 0) return KIN_OK;
    }
}

bool kin_words_have(const char* words, const char* word)
{
    size_t length = strlen(word);
    for (const char* at = words; at != NULL && *at != 0; at += strcspn(at, ","), at += *at == ',') {
        if (strcspn(at, ",") == length && strncmp(at, word, length) == 0) return true;
    }
    return false;
}

static kin_result read_text(const kin_option* option, const char* text, const char** out, kin_error* error)
{
    if (text[0] == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "--%s needs a value: %s", option->name, option->value);
    *out = text;
    if (option->choices == NULL || is_choice(option, text, strlen(text))) return KIN_OK;
    char known[256];
    list_choices(option, known, sizeof known);
    return kin_fail(error, KIN_ERROR_ARGUMENT, "", "--%s: \"%s\" is not one of %s", option->name, text, known);
}

/* The text stays whole: the key is cut off in place, in argv's own bytes. */
static kin_result read_set(char* text, kin_arguments* out, kin_error* error)
{
    char* equals = strchr(text, '=');
    if (equals == NULL || equals == text) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "--set: \"%s\" is not key=value", text);
    *equals = 0;
    out->sets[out->set_count++] = (kin_scene_set){text, equals + 1};
    return KIN_OK;
}

static kin_result read_value(const kin_option* option, char* text, kin_arguments* out, kin_error* error)
{
    void* place = (char*)out + option->offset;
    switch (option->kind) {
    case KIN_OPTION_WORDS: return read_words(option, text, place, error);
    case KIN_OPTION_DECIMAL: return read_decimal(option, text, place, error);
    case KIN_OPTION_NUMBER: return read_number(option, text, place, error);
    case KIN_OPTION_SIZE: return read_size(option, text, place, error);
    case KIN_OPTION_RANGE: return read_range(option, text, place, error);
    case KIN_OPTION_SET: return read_set(text, out, error);
    default: return read_text(option, text, place, error);
    }
}

/* ---- the line ---- */

typedef struct line {
    const kin_verb* verb;
    int argc, next;
    char** argv;
} line;

/* attached: what came with the option itself, --opt=value or -ovalue; NULL: nothing. */
static kin_result take_option(line* l, const kin_option* option, char* attached, kin_arguments* out, kin_error* error)
{
    if (option->kind == KIN_OPTION_FLAG) {
        if (attached != NULL) return kin_fail(error, KIN_ERROR_ARGUMENT, l->verb->name, "--%s takes no value", option->name);
        *(bool*)((char*)out + option->offset) = true;
        return KIN_OK;
    }
    if (attached == NULL) {
        bool missing = l->next >= l->argc || strncmp(l->argv[l->next], "--", 2) == 0;
        if (missing) return kin_fail(error, KIN_ERROR_ARGUMENT, l->verb->name, "--%s needs a value: %s", option->name, option->value);
        attached = l->argv[l->next++];
    }
    kin_result result = read_value(option, attached, out, error);
    if (result != KIN_OK && error != NULL) snprintf(error->where, sizeof error->where, "%s", l->verb->name);
    return result;
}

static kin_result take_long(line* l, char* argument, kin_arguments* out, kin_error* error)
{
    size_t length = strcspn(argument + 2, "=");
    const kin_option* option = option_named(l->verb, argument + 2, length);
    if (option == NULL) return fail_unknown(l->verb, argument, error);
    char* attached = argument[2 + length] == '=' ? argument + 3 + length : NULL;
    return take_option(l, option, attached, out, error);
}

static kin_result take_short(line* l, char* argument, kin_arguments* out, kin_error* error)
{
    const kin_option* option = option_lettered(l->verb, argument[1]);
    if (option == NULL) return fail_unknown(l->verb, argument, error);
    char* attached = argument[2] == 0 ? NULL : argument + 2 + (argument[2] == '=');
    return take_option(l, option, attached, out, error);
}

static kin_result check_required(const kin_verb* verb, const kin_arguments* out, kin_error* error)
{
    for (const kin_option* o = verb->options; o->name != NULL; ++o) {
        if (!o->required || *(const char* const*)((const char*)out + o->offset) != NULL) continue;
        char text[64];
        kin_option_spell(o, text, sizeof text);
        return kin_fail(error, KIN_ERROR_ARGUMENT, verb->name, "needs %s", text);
    }
    return KIN_OK;
}

static kin_result check_names(const kin_verb* verb, const kin_arguments* out, kin_error* error)
{
    if (out->name_count < (size_t)verb->least) return kin_fail(error, KIN_ERROR_ARGUMENT, verb->name, "needs %s; see kinema help %s", verb->usage, verb->name);
    if (out->name_count <= (size_t)verb->most) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, verb->name, "\"%s\" is one too many; see kinema help %s", out->names[verb->most], verb->name);
}

kin_result kin_options_parse(const kin_verb* verb, int argc, char** argv, kin_arguments* out, kin_error* error)
{
    line l = {verb, argc, 0, argv};
    bool options_end = false;
    kin_result result = KIN_OK;
    while (l.next < argc && result == KIN_OK) {
        char* argument = argv[l.next++];
        if (!options_end && strcmp(argument, "--") == 0)
            options_end = true;
        else if (!options_end && strncmp(argument, "--", 2) == 0)
            result = take_long(&l, argument, out, error);
        else if (!options_end && argument[0] == '-' && argument[1] != 0)
            result = take_short(&l, argument, out, error);
        else
            out->names[out->name_count++] = argument;
    }
    if (result == KIN_OK) result = check_names(verb, out, error);
    if (result == KIN_OK) result = check_required(verb, out, error);
    return result;
}

/* ---- help ---- */

void kin_option_spell(const kin_option* option, char* text, size_t size)
{
    text[0] = 0;
    if (option->letter != 0) kin_text_append(text, size, "-%c, ", option->letter);
    kin_text_append(text, size, "--%s", option->name);
    if (option->value != NULL) kin_text_append(text, size, " %s", option->value);
}

void kin_print_wrapped(FILE* out, const char* text, int indent, int column)
{
    enum { WIDTH = 96 };
    bool first = true;
    while (*text != 0) {
        int length = (int)strcspn(text, " ");
        bool breaks = !first && column + 1 + length > WIDTH;
        if (breaks)
            fprintf(out, "\n%*s", indent, "");
        else if (!first)
            fputc(' ', out);
        fprintf(out, "%.*s", length, text);
        column = (breaks ? indent : column + !first) + length;
        text += length;
        text += strspn(text, " ");
        first = false;
    }
    fputc('\n', out);
}

static void print_option(const kin_option* option, FILE* out)
{
    enum { INDENT = 26 };
    char text[64];
    kin_option_spell(option, text, sizeof text);
    int printed = fprintf(out, "  %s%s", option->letter != 0 ? "" : "    ", text);
    if (printed >= INDENT)
        fprintf(out, "\n%*s", INDENT, "");
    else
        fprintf(out, "%*s", INDENT - printed, "");
    kin_print_wrapped(out, option->doc, INDENT, INDENT);
}

void kin_verb_explain(const kin_verb* verb, FILE* out)
{
    bool takes_options = verb->options->name != NULL;
    fprintf(out, "kinema %s%s%s%s\n\n", verb->name, verb->usage[0] != 0 ? " " : "", verb->usage, takes_options ? " [options]" : "");
    kin_print_wrapped(out, verb->summary, 0, 0);
    if (verb->doc[0] != 0) {
        fputc('\n', out);
        kin_print_wrapped(out, verb->doc, 0, 0);
    }
    if (takes_options) fputc('\n', out);
    for (const kin_option* o = verb->options; o->name != NULL; ++o) print_option(o, out);
}
