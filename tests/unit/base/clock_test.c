#include "base/clock.h"
#include "support/test.h"
#include <time.h>

static void time_goes_forward_in_seconds(test* t)
{
    double begin = kin_clock_seconds();
    nanosleep(&(struct timespec){0, 20 * 1000 * 1000}, NULL);
    double end = kin_clock_seconds();
    CHECK(t, end - begin >= 0.0199);
    CHECK(t, end - begin < 10);
}

TEST_MAIN("base/clock", TEST(time_goes_forward_in_seconds))
