/* interlock.c - meshes that hold each other: a chain of rings, a nut on a screw. None of them is convex, and all of it is touched from inside. */
#include "math/quat.h"
#include "math/scalar.h"
#include "validation/cases.h"
#include "validation/rigid/rig.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 4096 };

typedef struct quads {
    kin_vec3 vertices[ROOM];
    uint32_t corners[ROOM][4], sizes[ROOM];
    size_t vertex_count, count;
} quads;

static quads net; /* one at a time; forms copy it */

static void vertex(double r, double angle, double y) { net.vertices[net.vertex_count++] = kin_v(r * cos(angle), y, -r * sin(angle)); }

/* Closes rows of points into a ring of quads. */
static kin_shape ring_of(uint32_t around, uint32_t row, bool inward)
{
    net.count = 0;
    for (uint32_t i = 0; i < around; ++i) {
        for (uint32_t j = 0; j < row; ++j) {
            const uint32_t next = (i + 1) % around * row, here = i * row, k = (j + 1) % row;
            const uint32_t out[4] = {here + j, next + j, next + k, here + k}, in[4] = {here + j, here + k, next + k, next + j};
            memcpy(net.corners[net.count], inward ? in : out, sizeof out);
            net.sizes[net.count++] = 4;
        }
    }
    return (kin_shape){.kind = KIN_SHAPE_MESH, .mesh = {net.vertices, net.vertex_count, net.sizes, &net.corners[0][0], net.count}};
}

static kin_shape torus(double ring, double tube)
{
    net.vertex_count = 0;
    for (int i = 0; i < 24; ++i) {
        for (int j = 0; j < 12; ++j) {
            const double v = 2 * KIN_PI * j / 12;
            vertex(ring + tube * cos(v), 2 * KIN_PI * i / 24, tube * sin(v));
        }
    }
    return ring_of(24, 12, false);
}

/* ---- a chain ---- */

static void chain(kin_case_run* run)
{
    enum { LINKS = 4 };
    const double radius = 0.1, thick = 0.02, hang = 2 * (radius - thick);
    for (int mode = 0; mode < 2; ++mode) {
        kin_yard y = kin_yard_begin(run, mode ? KIN_RIGID_EXACT : KIN_RIGID_REALTIME, 1.0 / 120);
        uint32_t link[LINKS];
        y.friction = 0.3;
        kin_yard_open(&y);
        kin_body_def def = y.body;
        def.shape = torus(radius, thick);
        for (int i = 0; i < LINKS; ++i) {
            def.mobility = i == 0 ? KIN_MOBILITY_STATIC : KIN_MOBILITY_DYNAMIC;
            def.position = kin_v(0, -(hang - 5e-3) * i, 0);
            def.orientation = kin_quat_mul(kin_quat_axis_angle(kin_v(0, 1, 0), i % 2 * KIN_PI / 2), kin_quat_axis_angle(kin_v(1, 0, 0), KIN_PI / 2));
            link[i] = kin_yard_add(&y, &def);
        }
        kin_yard_steps(&y, run->full ? 600 : 120);
        kin_case_row(run, kin_yard_mode(&y), "last of four links under the first, m", kin_yard_state(&y, link[LINKS - 1]).center.y, -hang * (LINKS - 1), 1e-3,
                     "tubes on tubes");
        kin_yard_close(&y);
    }
}

/* ---- a nut on a screw ---- */

#define PITCH 0.12
#define THREAD 0.02
#define PLAY 0.0035 /* m, along the radius */

/* A tube, of which one side has a thread. */
static kin_shape threaded(double radius, double smooth, double length, uint32_t rows)
{
    enum { AROUND = 32 };
    net.vertex_count = 0;
    for (int i = 0; i < AROUND; ++i) {
        const double angle = 2 * KIN_PI * i / AROUND;
        for (uint32_t j = 0; j <= rows; ++j) {
            const double z = length * (j / (double)rows - 0.5), x = z / PITCH - i / (double)AROUND;
            vertex(radius + THREAD * (1 - fabs(2 * (x - floor(x)) - 1)), angle, z);
        }
        vertex(smooth, angle, 0.5 * length);
        vertex(smooth, angle, -0.5 * length);
    }
    return ring_of(AROUND, rows + 3, smooth > radius);
}

/* Without friction it turns as it falls, a turn a pitch; with enough it stays. Floating, what it pushes itself along goes the other way. */
static void nut(kin_case_run* run)
{
    const double h = 1.0 / 120;
    for (int rough = 0; rough < 2; ++rough) {
        kin_yard y = kin_yard_begin(run, KIN_RIGID_REALTIME, h);
        y.friction = rough ? 0.5 : 0;
        kin_yard_open(&y);
        kin_body_def def = y.body;
        def.shape = threaded(0.03, 0.01, 0.48, 64);
        def.mobility = KIN_MOBILITY_STATIC;
        kin_yard_add(&y, &def);
        def.shape = threaded(0.03 + PLAY, 0.08, 0.06, 8);
        def.mobility = KIN_MOBILITY_DYNAMIC;
        def.position = kin_v(0, PITCH, 0);
        const uint32_t body = kin_yard_add(&y, &def);
        const int settle = 30, steps = settle + (run->full ? 150 : 45);
        double turned = 0, height = 0;
        kin_body_state s = kin_yard_state(&y, body);
        for (int i = 0; i < steps; ++i) {
            kin_yard_step(&y);
            s = kin_yard_state(&y, body);
            if (i < settle) height = s.center.y;
            if (i >= settle) turned += s.spin.y * h;
        }
        const double fallen = height - s.center.y;
        if (rough) kin_case_row(run, "rough", "way in the time, m", fallen, 0, 1e-3, "friction over the slope of the thread");
        if (!rough)
            kin_case_row(run, "smooth", "way over turns, m", -fallen / turned * 2 * KIN_PI, PITCH, 0.15 * PITCH, "the pitch; it has play of a sixth of that");
        if (!rough) kin_case_row(run, "smooth", "it comes down", fallen > 0.01, 1, 0, "nothing holds it");
        kin_case_row(run, rough ? "rough" : "smooth", "beside the axis, m", kin_length(kin_v(s.center.x, 0, s.center.z)), 0, PLAY + 1e-3, "the play");
        kin_yard_close(&y);
    }
}

const kin_case kin_cases_interlock[] = {
    {"collision/chain", "Rings of triangles hang in each other, in both modes.", chain},
    {"collision/nut", "A nut of triangles on a screw of triangles.", nut},
    {NULL, NULL, NULL},
};
