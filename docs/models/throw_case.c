/* throw_case.c - a validation case: how far a throw goes in a vacuum. */
#include "validation/rig.h"

void kin_case_throw(kin_case_run* run);
void kin_case_throw(kin_case_run* run)
{
    static const char* const methods[] = {"average", "rk4", "velocity_verlet"}; /* exact for constant acceleration: round-off is all there is */
    for (int i = 0; i < 3; ++i) {
        kin_rig r = kin_rig_begin(run, methods[i], 0.01);
        kin_rig_open(&r);
        kin_rig_ball(&r, (kin_vec3){0, 0, 0}, (kin_vec3){3, 5, 0});
        kin_rig_steps(&r, 100); /* 2 v_y / g = 1 s */
        kin_case_row(run, methods[i], "range of a throw (m)", kin_rig_x(&r).x, 3, 1e-13, "closed form: 2 v_x v_y / g");
        kin_case_row(run, methods[i], "height at its end (m)", kin_rig_x(&r).y, 0, 1e-12, "closed form");
        kin_rig_close(&r);
    }
}
