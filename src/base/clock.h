/* clock.h - wall time, for profiles and progress only: never for state. */
#pragma once

double kin_clock_seconds(void); /* monotonic */
