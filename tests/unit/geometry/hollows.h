/* hollows.h - solids with hollows: an L, a cup, a ring; faces are flat and convex. */
#pragma once
#include "unit/geometry/shapes.h"

/* Arms of 2 m by 0.5 m by 1 m along x and y. */
static inline soup l_soup(void)
{
    static const double xy[6][2] = {{0, 0}, {2, 0}, {2, 0.5}, {0.5, 0.5}, {0.5, 2}, {0, 2}};
    static const uint32_t ends[2][4] = {{0, 1, 2, 3}, {0, 3, 4, 5}};
    soup s = soup_new(12, 10, 40);
    for (int z = 0; z < 2; ++z)
        for (int i = 0; i < 6; ++i) soup_vertex(&s, kin_v(xy[i][0], xy[i][1], z));
    for (int e = 0; e < 2; ++e) {
        const uint32_t* q = ends[e];
        soup_face(&s, 4, (uint32_t[]){q[0] + 6, q[1] + 6, q[2] + 6, q[3] + 6});
        soup_face(&s, 4, (uint32_t[]){q[3], q[2], q[1], q[0]});
    }
    for (uint32_t i = 0; i < 6; ++i) soup_face(&s, 4, (uint32_t[]){i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6});
    return s;
}

/* Sides of a prism between two rings of n vertices; seen from outside the second is on the right hand of a walk along the first. */
static inline void add_band(soup* s, uint32_t n, uint32_t first, uint32_t second)
{
    for (uint32_t i = 0; i < n; ++i) soup_face(s, 4, (uint32_t[]){first + i, second + i, second + (i + 1) % n, first + (i + 1) % n});
}

/* n vertices round y at a height, from +x towards -z. */
static inline uint32_t add_loop(soup* s, uint32_t n, double radius, double y)
{
    uint32_t first = (uint32_t)s->vertex_count;
    for (uint32_t i = 0; i < n; ++i) {
        double a = 2 * KIN_PI * (i + 0.5) / n;
        soup_vertex(s, kin_v(radius * cos(a), y, -radius * sin(a)));
    }
    return first;
}

/* n-sided about y: outer radius 1, hollow of radius 0.7; bottom at 0, of the hollow at 0.3, rim at 1.5. */
static inline soup cup_soup(uint32_t n)
{
    soup s = soup_new(4 * n, 3 * n + 2, 14 * n);
    uint32_t low = add_loop(&s, n, 1, 0), rim = add_loop(&s, n, 1, 1.5), inner = add_loop(&s, n, 0.7, 1.5), base = add_loop(&s, n, 0.7, 0.3), up[64], down[64];
    add_band(&s, n, rim, low);
    add_band(&s, n, inner, rim);
    add_band(&s, n, base, inner);
    for (uint32_t i = 0; i < n; ++i) up[i] = base + i, down[i] = low + n - 1 - i;
    soup_face(&s, n, up);
    soup_face(&s, n, down);
    return s;
}

/* n-sided about y: radii 0.6 and 1, from y = -0.2 to 0.2. */
static inline soup ring_soup(uint32_t n)
{
    soup s = soup_new(4 * n, 4 * n, 16 * n);
    uint32_t a = add_loop(&s, n, 1, -0.2), b = add_loop(&s, n, 1, 0.2), c = add_loop(&s, n, 0.6, 0.2), d = add_loop(&s, n, 0.6, -0.2);
    add_band(&s, n, b, a);
    add_band(&s, n, c, b);
    add_band(&s, n, d, c);
    add_band(&s, n, a, d);
    return s;
}
