/* kernel_lanes.h - bells in lanes: W and W'/q as functions of q = r / support, without the peak (kernel.h). For kernel files only. The kind is a constant of
 * the inlined copy, so there is no branch on it. q >= 1 gives 0. */
#pragma once
#include "base/lanes.h"
#include "domains/sph/kernel.h"

typedef struct bell_lanes {
    lane w, slope;
} bell_lanes;

INLINE bell_lanes cubic_lanes(lane q, lane s)
{
    lane s2 = s * s;
    which inner = q < all(0.5f);
    return (bell_lanes){pick(inner, all(1) - all(6) * (q * q) * s, all(2) * s2 * s), pick(inner, all(18) * q - all(12), (all(-6) * s2) / q)};
}

INLINE bell_lanes quintic_lanes(lane q)
{
    static const float weight[3] = {1, -6, 15};
    bell_lanes sum = {all(0), all(0)};
    for (int i = 0; i < 3; ++i) {
        lane s = more(all((float)(3 - i)) - all(3) * q, all(0)), s2 = s * s, s4 = s2 * s2;
        sum.w += all(weight[i]) * (s4 * s);
        sum.slope -= all(15 * weight[i]) * s4;
    }
    sum.slope /= more(q, all(1e-6f));
    return sum;
}

INLINE bell_lanes wendland2_lanes(lane q, lane s)
{
    lane s2 = s * s;
    return (bell_lanes){s2 * s2 * (all(1) + all(4) * q), all(-20) * (s2 * s)};
}

INLINE bell_lanes wendland4_lanes(lane q, lane s)
{
    lane s2 = s * s, s4 = s2 * s2;
    return (bell_lanes){s4 * s2 * (all(1) + q * (all(6) + q * all(35.0f / 3))), all(-56.0f / 3) * (s4 * s) * (all(1) + all(5) * q)};
}

INLINE bell_lanes quartic_lanes(lane q)
{
    lane u = all(2.5f) * q, u2 = u * u, a = more(all(2.5f) - u, all(0)), b = more(all(1.5f) - u, all(0)), a2 = a * a, b2 = b * b;
    which inner = u < all(0.5f);
    return (bell_lanes){pick(inner, u2 * (all(6) * u2 - all(15)) + all(14.375f), a2 * a2 - all(5) * (b2 * b2)),
                        pick(inner, all(150) * u2 - all(187.5f), all(-10) * (a2 * a - all(5) * (b2 * b)) / more(q, all(1e-6f)))};
}

INLINE bell_lanes poly6_lanes(lane q)
{
    lane s = more(all(1) - q * q, all(0));
    return (bell_lanes){s * s * s, all(-6) * (s * s)};
}

INLINE bell_lanes spiky_lanes(lane q, lane s) { return (bell_lanes){s * s * s, (all(-3) * (s * s)) / more(q, all(1e-6f))}; }

INLINE bell_lanes bell_in_lanes(kin_sph_bell_kind kind, lane q)
{
    lane s = more(all(1) - q, all(0));
    switch (kind) {
    case KIN_SPH_BELL_CUBIC: return cubic_lanes(q, s);
    case KIN_SPH_BELL_QUINTIC: return quintic_lanes(q);
    case KIN_SPH_BELL_WENDLAND2: return wendland2_lanes(q, s);
    case KIN_SPH_BELL_WENDLAND4: return wendland4_lanes(q, s);
    case KIN_SPH_BELL_QUARTIC: return quartic_lanes(q);
    case KIN_SPH_BELL_POLY6: return poly6_lanes(q);
    default: return spiky_lanes(q, s);
    }
}
