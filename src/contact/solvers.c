/* solvers.c - one line per mode of rigid bodies. */
#include "contact/group.h"

const kin_group_ops* const kin_group_solvers[] = {
    [KIN_RIGID_REALTIME] = &kin_realtime_ops,
    [KIN_RIGID_EXACT] = &kin_exact_ops,
};
