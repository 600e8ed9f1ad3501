/* balls.c - balls with balls, boxes and planes, and boxes on planes: closed forms. */
#include "contact/realtime/narrow.h"

static kin_vec3 axis_of(const kin_rt_solid* s, int k) { return kin_v(s->axis[k][0], s->axis[k][1], s->axis[k][2]); }

/* One point, midway between the surfaces: `on` is on B's. */
static bool one_point(kin_vec3 on, kin_vec3 normal, double gap, double margin, kin_manifold* out)
{
    if (gap > margin) return false;
    out->normal = normal;
    out->count = 1;
    out->points[0] = (kin_manifold_point){kin_add_scaled(on, 0.5 * gap, normal), gap, 0};
    return true;
}

bool kin_rt_collide_balls(const kin_rt_solid* a, const kin_rt_solid* b, double margin, kin_manifold* out)
{
    kin_vec3 d = kin_sub(a->place, b->place);
    double square = kin_length2(d), radii = a->half[0] + b->half[0];
    if (square > kin_square(radii + margin)) return false;
    double distance = kin_sqrt(square);
    kin_vec3 n = distance > 0 ? kin_scale(d, 1 / distance) : kin_v(0, 1, 0);
    return one_point(kin_add_scaled(b->place, b->half[0], n), n, distance - radii, margin, out);
}

/* The nearest point of the box; from inside, the nearest face. */
bool kin_rt_collide_ball_box(const kin_rt_solid* ball, const kin_rt_solid* box, double margin, kin_manifold* out)
{
    kin_vec3 d = kin_sub(ball->place, box->place), off = {0, 0, 0}, on = box->place;
    int face = 0;
    double least = 1e300, side = 1;
    for (int k = 0; k < 3; ++k) {
        kin_vec3 u = axis_of(box, k);
        double x = kin_dot(d, u), h = box->half[k], inside = h - kin_abs(x), at = kin_clamp(x, -h, h);
        if (inside < least) least = inside, face = k, side = x < 0 ? -1 : 1;
        off = kin_add_scaled(off, x - at, u);
        on = kin_add_scaled(on, at, u);
    }
    double square = kin_length2(off), radius = ball->half[0];
    if (square > kin_square(radius + margin)) return false;
    double distance = kin_sqrt(square);
    if (least < 0 && distance > 0) return one_point(on, kin_scale(off, 1 / distance), distance - radius, margin, out);
    kin_vec3 n = kin_scale(axis_of(box, face), side);
    return one_point(kin_add_scaled(ball->place, least, n), n, -least - radius, margin, out);
}

bool kin_rt_collide_ball_plane(const kin_rt_solid* ball, const kin_rt_solid* plane, double margin, kin_manifold* out)
{
    kin_vec3 n = axis_of(plane, 0);
    double height = kin_dot(n, kin_sub(ball->place, plane->place));
    return one_point(kin_add_scaled(ball->place, -height, n), n, height - ball->half[0], margin, out);
}

/* The four corners of the face that looks down most. */
bool kin_rt_collide_box_plane(const kin_rt_solid* box, const kin_rt_solid* plane, double margin, kin_manifold* out)
{
    kin_vec3 n = axis_of(plane, 0);
    double along[3], height = kin_dot(n, kin_sub(box->place, plane->place)), reach = 0;
    int face = 0;
    for (int k = 0; k < 3; ++k) {
        along[k] = kin_dot(n, axis_of(box, k));
        reach += kin_abs(along[k]) * box->half[k];
        if (kin_abs(along[k]) > kin_abs(along[face]) + 1e-9) face = k;
    }
    if (height - reach > margin) return false;
    int u = (face + 1) % 3, v = (face + 2) % 3;
    double down = along[face] > 0 ? -box->half[face] : box->half[face];
    static const double su[4] = {1, -1, -1, 1}, sv[4] = {1, 1, -1, -1};
    out->normal = n;
    out->count = 0;
    for (int k = 0; k < 4; ++k) {
        double a = su[k] * box->half[u], b = sv[k] * box->half[v], gap = height + down * along[face] + a * along[u] + b * along[v];
        if (gap > margin) continue;
        kin_vec3 p = kin_add_scaled(kin_add_scaled(kin_add_scaled(box->place, down, axis_of(box, face)), a, axis_of(box, u)), b, axis_of(box, v));
        out->points[out->count++] = (kin_manifold_point){kin_add_scaled(p, -0.5 * gap, n), gap, (uint32_t)k};
    }
    return out->count > 0;
}
