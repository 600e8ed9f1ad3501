/* broad.h - the study of broad phases: what each costs on motions that suit it and on motions that do not. */
#pragma once
#include <stdbool.h>

int kin_lab_broad(const char* folder, bool json, bool quiet);
