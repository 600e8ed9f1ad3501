/* methods.h - the tables that methods.c becomes, one per lane width. A row without a name ends each. Private to ode.c and methods.c. */
#pragma once
#include "numerics/ode.h"

extern const kin_ode_method kin_ode_methods_none[];
extern const kin_ode_method kin_ode_methods_sse2[];
extern const kin_ode_method kin_ode_methods_avx2[];
