/* ledger.h - what systems did to each other in this interval: per pair of anchors the *total* impulse so far, equal and opposite by construction.
 *
 * Posting again replaces; a flush pushes the differences in key order. So passes converge, the largest change is the residual, and Newton's third law
 * is a property of the structure. Last interval's totals warm-start this one (kin_ledger_last). What is posted after its taker has committed is
 * carried: it is pushed at the start of the next interval, and is state. */
#pragma once
#include "kinema/anchor.h"
#include "kinema/base.h"
#include "system/visitor.h"

typedef enum kin_entry_kind { KIN_ENTRY_HIT, KIN_ENTRY_LOAD } kin_entry_kind; /* now, or a force over the interval */

/* First half of the keys of what points do to solids, plus the number of their system: high, so that hosts may count from 0. */
#define KIN_COUPLER_POINTS 0xfffe0000u

/* Names an exchange: which coupler, which of its many, between which anchors. */
typedef struct kin_entry_key {
    uint32_t coupler, slot;
} kin_entry_key;

typedef struct kin_entry {
    kin_entry_key key;
    kin_entry_kind kind;
    kin_anchor a, b;
    kin_vec3 point;                /* m: where it acts, so that both sides' angular impulse is about the same place */
    kin_wrench total;              /* on a; b gets the opposite */
    kin_wrench pushed_a, pushed_b; /* what each side has taken of it; b's with a's sign */
    kin_wrench last;               /* the previous interval's total */
    bool posted;                   /* in this interval */
} kin_entry;

/* A push on its way: sorted by system, so that each system gets one batch. */
typedef struct kin_due {
    kin_anchor anchor;
    kin_wrench wrench;
} kin_due;

typedef struct kin_ledger {
    kin_allocator allocator;
    kin_entry* entries; /* sorted by key */
    size_t count, capacity;
    kin_due *due, *due_scratch; /* room for both sides of every entry */
    kin_anchor* anchors;        /* one system's batch */
    kin_wrench* wrenches;
    size_t due_capacity, due_scratch_capacity, anchor_capacity, wrench_capacity;
    double residual;  /* N s: largest change at the last flush */
    kin_wrench given; /* sum of all pushed, over both sides: zero to round-off */
} kin_ledger;

/* Who takes the pushes: the world, which knows the systems and whether they have committed. */
typedef struct kin_ledger_taker {
    void* context;
    bool (*open)(void* context, uint32_t system);                                                  /* false: it has committed, carry */
    void (*push)(void* context, const kin_anchor* anchors, const kin_wrench* wrenches, int count); /* of one system */
} kin_ledger_taker;

void kin_ledger_init(kin_ledger* ledger, const kin_allocator* allocator);
void kin_ledger_term(kin_ledger* ledger);
kin_result kin_ledger_post(kin_ledger* ledger, kin_entry_key key, kin_entry_kind kind, kin_anchor a, kin_anchor b, kin_vec3 point, kin_wrench total);
/* What both sides have had already, each in its own way: for the books. */
kin_result kin_ledger_note(kin_ledger* ledger, kin_entry_key key, kin_entry_kind kind, kin_anchor a, kin_anchor b, kin_vec3 point, kin_wrench total);
kin_wrench kin_ledger_total(const kin_ledger* ledger, kin_entry_key key); /* zero if there is none */
kin_wrench kin_ledger_last(const kin_ledger* ledger, kin_entry_key key);
/* Pushes what has not been pushed, sets residual. */
void kin_ledger_flush(kin_ledger* ledger, const kin_ledger_taker* taker);
void kin_ledger_flush_kind(kin_ledger* ledger, kin_entry_kind kind, const kin_ledger_taker* taker); /* of entries of one kind only */
/* A new interval: carried parts stay due, totals become last, what was not posted for a whole interval goes. */
void kin_ledger_turn(kin_ledger* ledger);
kin_wrench kin_ledger_carried(const kin_ledger* ledger, uint32_t system); /* still due to a system: counts in the budgets */
/* The next load, from *i on (begin at 0), that its side a is still due; false: there are no more. */
bool kin_ledger_load_due(const kin_ledger* ledger, size_t* i, kin_anchor* a);
void kin_ledger_visit(kin_ledger* ledger, kin_visitor* v);
