/* solvers.c - one line per mode of rigid bodies. */
#include "contact/group.h"

const kin_group_ops* const kin_group_solvers[] = {
    [KIN_RIGID_REALTIME] = NULL,
    [KIN_RIGID_EXACT] = NULL,
};
