#pragma once
#include "collision/facet.h"
typedef struct kin_height kin_height;
static inline uint32_t kin_height_facets(const kin_height* h, kin_aabb box, kin_facet* out, uint32_t most) { return (void)h, (void)box, (void)out, (void)most, 0u; }
static inline bool kin_height_owns(const kin_height* h, uint32_t triangle, kin_feature feature, kin_vec3 u, double slack) { return (void)h, (void)triangle, (void)feature, (void)u, (void)slack, false; }
