/* curve.h - values over time or age by keys (kinema/curve.h). */
#pragma once
#include "kinema/curve.h"
#include "kinema/math.h"

/* One number at t; `otherwise` when the curve was not given. */
double kin_curve_at(const kin_curve* curve, double t, double otherwise);
/* Three numbers at t into out, which is left as it is when the curve was not given. */
void kin_curve_at3(const kin_curve* curve, double t, double out[3]);
/* The integral of one number from a to b, exact; `otherwise` times b - a when the curve was not given. For rates over a step. */
double kin_curve_integral(const kin_curve* curve, double a, double b, double otherwise);
