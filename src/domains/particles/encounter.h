/* encounter.h - when two flights meet (C2.5.16, on curved paths too). */
#pragma once
#include "domains/particles/particles.h"

/* The first fraction in [0, end] at which the centres come within `reach` of each other from outside. Both flights span the same time. */
bool kin_flights_meet(const kin_flight* a, const kin_flight* b, double reach, double end, double* s);
