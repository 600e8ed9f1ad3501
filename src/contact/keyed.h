/* keyed.h - the paths of keyed bodies over an interval: from start to end at constant rates in real time, the true path in exact mode. */
#pragma once
#include "contact/group.h"
#include "system/keys.h"

/* Start, end and mean rates, and in exact mode the smooth stretches in between: Hermite paths as short as it takes for them to be on the keys' path to a hundredth
 * of the tolerance. time: of the interval's start. False: out of memory. */
bool kin_group_follow_keys(kin_group* group, uint32_t body, const kin_keys* keys, bool smooth, double time, double h);
