/* verbs.h - every verb there is, a file each; main.c lists them in the order of the handbook. */
#pragma once
#include "options.h"

extern const kin_verb kin_verb_run, kin_verb_render, kin_verb_plot, kin_verb_export, kin_verb_check, kin_verb_expand, kin_verb_new, kin_verb_list,
    kin_verb_help, kin_verb_validate, kin_verb_bench, kin_verb_lab, kin_verb_inspect, kin_verb_replay;
