/* command.h - the command as a person runs it: arguments in, what it printed and how it ended out. Also the small files and folders such tests need. */
#pragma once
#include "support/test.h"

typedef struct command {
    const char* program;          /* NULL: kinema of this build */
    const char* folder;           /* to run in; NULL: here */
    const char* const* arguments; /* after the program's name; NULL-terminated */
    const char* variable;         /* NAME=value added to the environment; NULL: none */
    int signal;                   /* to send ... */
    const char* when;             /* ... once this file is there */
    bool close_output;            /* nobody reads its standard output */
} command;

typedef struct command_result {
    int code;   /* exit code; -1: a signal ended it */
    int signal; /* that one, else 0 */
    double seconds;
    char* out; /* both terminated, never NULL */
    char* err;
} command_result;

command_result command_run(const command* command);
void command_free(command_result* result);

/* kinema in a folder: result = kinema(folder, "run", "a.lua"). Free it. */
#define kinema(in, ...) command_run(&(command){.folder = (in), .arguments = (const char* const[]){__VA_ARGS__, NULL}})
/* Runs kinema, checks its exit code (prints what it said when that is another) and keeps the result. */
#define KINEMA(t, result, expected, in, ...)                                                                                                                   \
    command_result result = kinema(in, __VA_ARGS__);                                                                                                           \
    test_check(t, result.code == (expected), __FILE__, __LINE__, "exit code %d (signal %d), not %d\n%s%s", result.code, result.signal, expected, result.out,   \
               result.err)

/* The text or number after "key": in JSON; "" when it is not there. */
void json_value(const char* json, const char* key, char* out, size_t size);

/* A new folder below /tmp (or TMPDIR); folder_remove takes it away with all that is in it. */
void folder_create(char* path, size_t size);
void folder_remove(const char* path);
size_t folder_count(const char* path, const char* suffix); /* files in it, not deeper, that end so */
/* Every file of both, also deeper, has the same name and bytes; prints the first that has not. */
bool folder_same(test* t, const char* a, const char* b);

/* folder/name; one of a few buffers in turn. */
const char* path_in(const char* folder, const char* name);
void file_put(const char* path, const char* text);
char* file_get(const char* path, size_t* size); /* terminated, to be freed; NULL: not there */
