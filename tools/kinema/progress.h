/* progress.h - how far it is, on stderr: a bar on a terminal, now and then a line elsewhere. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Begins at `first` of `last`; what names the work ("run"), unit what it counts ("frame"). One at a time. quiet: nothing is shown. */
void kin_progress_begin(const char* what, const char* unit, uint64_t first, uint64_t last, bool quiet);
/* time: simulated seconds, by which the speed is told; negative: there are none. */
void kin_progress_at(uint64_t at, double time);
/* Takes the bar off the screen, so that a message can stand there; the next kin_progress_at draws it again. */
void kin_progress_clear(void);
void kin_progress_end(void);
