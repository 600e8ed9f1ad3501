/* stop.h - being asked to stop: Ctrl-C or a polite kill. A second one ends the program at once. */
#pragma once
#include <stdbool.h>

void kin_stop_listen(void);
bool kin_stop_asked(void);
