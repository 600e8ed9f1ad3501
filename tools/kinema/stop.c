/* stop.c - SIGINT and SIGTERM set a flag; whoever works looks at it between two steps. */
#include "stop.h"
#include <signal.h>

static volatile sig_atomic_t asked;

static void note(int number)
{
    (void)number;
    asked = 1;
}

void kin_stop_listen(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool kin_stop_asked(void) { return asked != 0; }
