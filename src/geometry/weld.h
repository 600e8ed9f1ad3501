/* weld.h - points at exactly one place are one point. */
#pragma once
#include "kinema/base.h"
#include "kinema/math.h"

/* first[i] = the lowest point at exactly the place of point i (-0 is 0). No NaN. False: out of memory. */
bool kin_weld(const kin_allocator* allocator, const kin_vec3* points, uint32_t count, uint32_t* first);
