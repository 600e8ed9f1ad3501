/* bisect.c - the first overlap by halving the interval (C4.5, C1.4.4).
 *
 * Overlap at the middle: the first half is kept, with the deepest points; else the second. The answer is after the touch by at most the last interval. It needs
 * them to overlap at the end: what passes through in between is not seen. */
#include "collision/continuous/swept.h"
#include "collision/manifold/manifold.h"

static bool overlap_at(const kin_form* a, const kin_screw* ma, const kin_form* b, const kin_screw* mb, double t, kin_arena* scratch, kin_impact* out)
{
    kin_manifold m;
    out->iterations += 1;
    if (kin_collide(a, kin_screw_at(ma, t), b, kin_screw_at(mb, t), 0, NULL, scratch, &m, 1) == 0) return false;
    int deepest = kin_manifold_deepest(&m);
    out->kind = KIN_IMPACT_ROUND;
    out->t = t;
    out->normal = m.normal;
    out->point = m.points[deepest].point;
    out->distance = m.points[deepest].separation;
    out->part_a = m.part_a, out->part_b = m.part_b;
    out->triangle_a = m.triangle_a, out->triangle_b = m.triangle_b;
    return true;
}

bool kin_impact_bisect(const kin_form* a, const kin_screw* ma, const kin_form* b, const kin_screw* mb, const kin_impact_settings* settings, kin_arena* scratch,
                       kin_impact* out)
{
    if (overlap_at(a, ma, b, mb, 0, scratch, out)) return true;
    if (!overlap_at(a, ma, b, mb, 1, scratch, out)) return false;
    double low = 0, high = 1;
    for (int i = 0; i < settings->most_iterations && high - low > settings->least_interval && -out->distance > settings->tolerance; ++i) {
        double middle = 0.5 * (low + high);
        if (overlap_at(a, ma, b, mb, middle, scratch, out))
            high = middle;
        else
            low = middle;
    }
    return true;
}
