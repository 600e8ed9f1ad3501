/* pages.h - what is generated from the tables of verbs and options: overview, manual page, shell completions. */
#pragma once
#include "options.h"

void kin_overview_print(FILE* out);
void kin_man_print(FILE* out);                           /* docs/man/kinema.1 */
bool kin_completion_print(const char* shell, FILE* out); /* tools/completion/; false: only bash, zsh and fish */
