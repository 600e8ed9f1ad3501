/* cube.h - the surface of one trilinear cell: which of its cut edges belong together, and triangles between them.
 *
 * No table of cases is written down. On each face the contour of the bilinear function is followed (asymptotic decider, Nielson and Hamann 1991): a face has
 * the same contour in both of its cells, so meshes never have holes. The contours make closed loops. Which loops bound one piece of surface is settled by
 * sweeping a plane through the cell: its cut is bilinear, and changes its kind only at roots of linear and quadratic functions, so that the parts of
 * the cell inside and outside are known exactly. Two loops between the same two parts bound a tunnel; a loop alone bounds a disk. There is no more in a
 * trilinear cell: the same topologies as the 33 cases of Chernyaev 1995.
 *
 * Corner c has coordinates (c & 1, c >> 1 & 1, c >> 2). Edge 4 a + i runs along axis a; bit 0 of i is its coordinate along the next axis, bit 1 along the one
 * after (cyclic). Inside is value <= 0. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum {
    KIN_CUBE_TRIANGLES = 32, /* at most, with room to spare */
    KIN_CUBE_EXTRA = 12,     /* vertices within the cell */
};

typedef struct kin_cube_patch {
    uint8_t corners[KIN_CUBE_TRIANGLES][3]; /* counter-clockwise from outside; below 12: the vertex on that edge, else 12 + an extra one */
    int triangle_count;
    double extra[KIN_CUBE_EXTRA][3]; /* in the cell, 0 to 1 */
    int extra_count;
    int loops, tunnels;
} kin_cube_patch;

/* Triangles of the masks (bit c: corner c inside) whose surface depends on nothing else: one loop, no face with its diagonals of two signs. */
typedef struct kin_cube_table {
    uint8_t corners[256][10][3];
    int8_t triangle_count[256]; /* -1: ask kin_cube_surface */
} kin_cube_table;

void kin_cube_tabulate(kin_cube_table* table);
void kin_cube_surface(const double values[8], kin_cube_patch* patch);
/* The trilinear function of a cell at x, 0 to 1 each way, and its gradient. */
double kin_cube_value(const double values[8], const double x[3], double gradient[3]);

static inline int kin_cube_edge_corner(int edge, int end) /* end 0: low, 1: high */
{
    int a = edge / 4, i = edge % 4;
    return (i & 1) << (a + 1) % 3 | (i >> 1) << (a + 2) % 3 | end << a;
}
/* Where on a cut edge the surface is: never in a corner, so that vertices of different edges are different points. */
static inline double kin_cube_cut(double from, double to)
{
    double t = from / (from - to);
    return t < 1e-6 ? 1e-6 : t > 1 - 1e-6 ? 1 - 1e-6 : t;
}
