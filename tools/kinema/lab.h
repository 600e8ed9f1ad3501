/* lab.h - the studies that kinema lab runs. */
#pragma once
#include <stdbool.h>

typedef struct kin_lab {
    const char* name;
    const char* doc;
    int (*run)(const char* folder, bool json, bool quiet); /* tables on stdout, pictures into the folder; returns the exit code */
} kin_lab;

extern const kin_lab kin_labs[]; /* a row without a name ends it */
