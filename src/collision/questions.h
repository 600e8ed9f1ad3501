/* questions.h - questions about many solids at once, with a filter: rays, casts of any form, overlaps. service.h has those that particles ask by the million. */
#pragma once
#include "base/arena.h"
#include "collision/continuous/impact.h"
#include "collision/service.h"

/* Who asks, and whom it wants to hear of. */
typedef struct kin_asker {
    kin_filter filter;                             /* zeros: all */
    uint32_t ignore;                               /* a solid that is not asked; UINT32_MAX: none */
    bool (*accept)(void* context, uint32_t solid); /* NULL: all; must always say the same */
    void* context;
} kin_asker;

/* All give up to `most` answers, one a solid, nearest (earliest, deepest) first, ties to the lower solid, and return how many. A NULL asker asks all.
 * s: the fraction of the interval at which solids stand. */
int kin_solids_ray_all(const kin_solids* solids, kin_vec3 origin, kin_vec3 direction, double max_distance, double s, const kin_asker* asker, kin_contact* out,
                       int most);
int kin_solids_near_all(const kin_solids* solids, kin_vec3 center, double radius, double reach, double s, const kin_asker* asker, kin_contact* out, int most);
/* Solids that come within margin (m) of a form; distance is that of the deepest point. */
int kin_solids_overlap_all(const kin_solids* solids, const kin_form* form, kin_transform pose, double margin, double s, const kin_asker* asker,
                           kin_arena* scratch, kin_contact* out, int most);
/* A form on its way. Solids stand at s, or, if s < 0, move over their interval as it does. fraction is when; the velocity is the solid's. */
int kin_solids_cast_all(const kin_solids* solids, const kin_form* form, const kin_screw* motion, double s, const kin_impact_settings* settings,
                        const kin_asker* asker, kin_arena* scratch, kin_contact* out, int most);
