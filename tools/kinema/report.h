/* report.h - how the command speaks: results on stdout, everything else on stderr. */
#pragma once
#include "base/tree.h"
#include "kinema/base.h"

enum {
    KIN_EXIT_DONE = 0,
    KIN_EXIT_FAILED = 1, /* while running */
    KIN_EXIT_WRONG = 2,  /* usage, or the scene: whatever `kinema check` finds */
};

/* "kinema: where: message" on stderr; returns code, so that a failure is one line. */
int kin_complain(int code, const kin_error* error);
int kin_complain_text(int code, const char* format, ...) KIN_PRINTF(2, 3);
/* A kin_log for worlds: "kinema: warning: ...". */
kin_log kin_report_log(void);

/* JSON: null for what is no number, which JSON cannot write. */
kin_node* kin_report_number(kin_tree* tree, double value);
kin_node* kin_report_text(kin_tree* tree, const char* text);
kin_node* kin_report_hash(kin_tree* tree, uint64_t hash); /* 16 hex digits */
/* Prints the tree's root on stdout; made says whether building it succeeded. Returns the exit code. */
int kin_report_print(const kin_tree* tree, bool made);
