/* particles.c - the cases of particles, in the order of the books. */
#include "validation/cases.h"

const kin_case kin_cases_particles[] = {
    {"particles/free-fall", "Heights and velocities of a falling ball at all printed times.", kin_case_free_fall},
    {"particles/ballistic", "A thrown ball in vacuum.", kin_case_ballistic},
    {"particles/drag", "Air drag: the printed table, the closed form, terminal velocity.", kin_case_drag},
    {"particles/wind", "Drag in wind: the printed table, the closed form, terminal velocity.", kin_case_wind},
    {"particles/decay", "Gain of one step of exponential decay, for steps up to the limit of stability.", kin_case_decay},
    {"particles/order", "Order of convergence of every integrator on the undamped oscillator.", kin_case_order},
    {"particles/order-in-air", "Order of convergence of the particle system in drag and wind.", kin_case_order_in_air},
    {"particles/hit-time", "Exact time of a hit, on straight and curved paths.", kin_case_hit_time},
    {"particles/bounce", "Bounce heights H e^(2k).", kin_case_bounce},
    {"particles/bounce-stop", "When a series of bounces ends.", kin_case_bounce_stop},
    {"particles/energy", "Kinetic energy among perfect walls over ten thousand steps.", kin_case_energy},
    {"particles/policies", "Exact, approximate, project, reflect: sides, mirror, order.", kin_case_policies},
    {"particles/friction", "One hit with friction: simple, Coulomb, by direction.", kin_case_friction},
    {"particles/incline", "Rests if and only if tan a < mu; else slides with g (sin a - mu cos a).", kin_case_incline},
    {"particles/slide", "Stopping distance and time on a flat floor.", kin_case_slide},
    {"particles/box", "Balls in a box stop without jitter and stay.", kin_case_box},
    {"particles/no-rest", "Apex, vertical wall, ceiling: what must not rest.", kin_case_no_rest},
    {"particles/mesh", "Over the edges of triangle meshes, not through them.", kin_case_mesh},
    {"particles/moving", "Paddles, platforms and belts moved by keys.", kin_case_moving},
    {"particles/bounds", "Leaving the world: inactive, or bounced back.", kin_case_bounds},
    {0},
};
