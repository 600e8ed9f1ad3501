/* solids.c - balls on meshes: over inner edges, in a bowl, on a cube; and the walls of the world (Coutinho 1.4.1). */
#include "math/quat.h"
#include "math/scalar.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include "validation/shapes.h"
#include <math.h>

#define G 10.0

static double flat(double x, double z) { return (void)x, (void)z, 0; }
static double bowl(double x, double z) { return 0.25 * (x * x + z * z); }

static bool add_patch(kin_rig* r, bool made, kin_patch* patch)
{
    if (!made) return false;
    kin_rig_add(r, &patch->shape, kin_v(0, 0, 0), kin_quat_identity());
    kin_patch_free(patch);
    return kin_rig_ok(r);
}

/* ---- a flat floor of triangles is the plane ---- */

static void add_floor(kin_rig* r, bool triangles)
{
    kin_patch patch;
    if (triangles)
        add_patch(r, kin_patch_grid(&patch, 40, 20, flat), &patch);
    else
        kin_rig_plane(r, kin_v(0, 0, 0), kin_v(0, 1, 0));
}

static kin_rig on_floor(kin_case_run* run, const char* method, bool triangles, double e, kin_vec3 x, kin_vec3 v)
{
    kin_rig r = kin_rig_begin(run, method, 1.0 / 60);
    r.restitution = e;
    r.friction[0] = r.friction[1] = 0.05;
    r.group.radius = 0.2;
    kin_rig_open(&r);
    add_floor(&r, triangles);
    kin_rig_ball(&r, x, v);
    return r;
}

static void same_as_plane(kin_case_run* run, const char* method, double e, kin_vec3 x, kin_vec3 v, const char* quantity)
{
    kin_rig plane = on_floor(run, method, false, e, x, v), mesh = on_floor(run, method, true, e, x, v);
    double most = 0;
    for (int i = 0; i < 300; ++i) {
        kin_rig_step(&plane);
        kin_rig_step(&mesh);
        most = kin_max(most, kin_distance(kin_rig_x(&plane), kin_rig_x(&mesh)));
    }
    bool moved = kin_distance(kin_rig_x(&mesh), x) > 1; /* over several squares */
    kin_case_row(run, method, quantity, moved ? most : NAN, 0, 1e-9, "House & Keyser 3.5-3.6: a flat mesh is a plane");
    kin_rig_close(&plane);
    kin_rig_close(&mesh);
}

/* ---- a bowl: facets lie above the paraboloid they are cut from, so the centre of a ball on them does too ---- */

static void in_bowl(kin_case_run* run, const char* method, double friction)
{
    const double radius = 0.05;
    kin_patch patch;
    kin_rig r = kin_rig_begin(run, method, 1.0 / 120);
    r.restitution = 0.4;
    r.friction[0] = r.friction[1] = friction;
    r.group.radius = radius;
    kin_rig_open(&r);
    add_patch(&r, kin_patch_grid(&patch, 24, 3, bowl), &patch);
    kin_rig_balls(&r, run->full ? 200 : 30, kin_v(0, 2, 0), kin_v(2.4, 1, 2.4), kin_v(0.5, 0, 0.5));
    double lowest = 1;
    for (int i = 0; i < 120 * (run->full ? 60 : 10) && kin_rig_ok(&r); ++i) {
        kin_rig_step(&r);
        for (size_t k = 0; k < kin_rig_count(&r); ++k) {
            kin_vec3 x = kin_rig_x_at(&r, k);
            lowest = kin_min(lowest, x.y - bowl(x.x, x.z));
        }
    }
    kin_case_row(run, method, "bowl of triangles: lowest centre above it (m)", kin_rig_ok(&r) ? kin_min(lowest, radius) : NAN, radius, 1e-8,
                 "House & Keyser 3.5: not through edges");
    kin_rig_close(&r);
}

/* ---- a cube of 12 triangles on a floor, under a shower ---- */

static double outside_cube(kin_vec3 x, double half)
{
    kin_vec3 d = kin_sub(kin_abs3(x), kin_v(half, half, half));
    kin_vec3 out = kin_max3(d, kin_v(0, 0, 0));
    return kin_largest(d) < 0 ? kin_largest(d) : kin_length(out);
}

static void on_cube(kin_case_run* run, const char* method)
{
    const double radius = 0.1;
    kin_patch patch;
    kin_rig r = kin_rig_begin(run, method, 1.0 / 60);
    r.restitution = 0.5;
    r.friction[0] = r.friction[1] = 0.2;
    r.group.radius = radius;
    kin_rig_open(&r);
    add_patch(&r, kin_patch_cube(&patch, 1), &patch);
    kin_rig_plane(&r, kin_v(0, -1, 0), kin_v(0, 1, 0));
    kin_rig_balls(&r, run->full ? 1000 : 100, kin_v(0, 3, 0), kin_v(3, 2, 3), kin_v(1, 1, 1));
    double nearest = 1;
    for (int i = 0; i < 600 && kin_rig_ok(&r); ++i) {
        kin_rig_step(&r);
        for (size_t k = 0; k < kin_rig_count(&r); ++k) {
            kin_vec3 x = kin_rig_x_at(&r, k);
            nearest = kin_min(nearest, kin_min(outside_cube(x, 1), x.y + 1));
        }
    }
    kin_case_row(run, method, "cube of triangles: nearest centre (m)", kin_rig_ok(&r) ? kin_min(nearest, radius) : NAN, radius, 1e-12,
                 "House & Keyser 3.4-3.6: cube +-1");
    kin_rig_close(&r);
}

void kin_case_mesh(kin_case_run* run)
{
    static const char* const methods[] = {"semi_implicit", "rk4"};
    for (int i = 0; i < 2; ++i) {
        same_as_plane(run, methods[i], 0, kin_v(-3.1, 0.2 + 1e-6, -2.7), kin_v(2.3, 0, 1.9), "flat mesh, sliding: off the plane's path (m)");
        same_as_plane(run, methods[i], 0.7, kin_v(-3.1, 1.2, -2.7), kin_v(1.3, 0, 0.9), "flat mesh, bouncing: off the plane's path (m)");
        same_as_plane(run, methods[i], 0, kin_v(-4, 0.2 + 1e-6, 1), kin_v(2, 0, 0), "flat mesh, along an edge: off it (m)");
        in_bowl(run, methods[i], 0);
        in_bowl(run, methods[i], 0.3);
        on_cube(run, methods[i]);
    }
}

/* ---- bounds of the world ---- */

static void bounds_deactivate(kin_case_run* run)
{
    kin_rig r = kin_rig_begin(run, "average", 0.1);
    r.def.bounds = KIN_BOUNDS_DEACTIVATE;
    r.def.bounds_low = kin_v(-1, -1, -1);
    r.def.bounds_high = kin_v(1, 1, 1);
    kin_rig_open(&r);
    kin_rig_ball(&r, kin_v(0, 0, 0), kin_v(0, 0, 0)); /* 5 t^2 = 1 at t = 0.447: outside at the end of step 5 */
    kin_rig_steps(&r, 4);
    kin_case_row(run, "deactivate", "active inside", kin_rig_measure(&r, "count"), 1, 0, "Coutinho 1.4.1");
    kin_rig_step(&r);
    kin_case_row(run, "deactivate", "active after it left", kin_rig_measure(&r, "count"), 0, 0, "Coutinho 1.4.1: inactive for good");
    kin_vec3 x = kin_rig_x(&r);
    kin_rig_steps(&r, 10);
    kin_case_row(run, "deactivate", "move after that (m)", kin_distance(x, kin_rig_x(&r)), 0, 0, "Coutinho 1.4.1: inactive for good");
    kin_rig_close(&r);
}

/* The walls have no material of their own: the balls' counts. */
static void bounds_bounce(kin_case_run* run)
{
    kin_rig r = kin_rig_begin(run, "rk4", 1.0 / 60);
    r.def.gravity = kin_v(0, 0, 0);
    r.def.bounds = KIN_BOUNDS_BOUNCE;
    r.def.bounds_low = kin_v(-1, -2, -3);
    r.def.bounds_high = kin_v(1, 2, 3);
    r.restitution = 1;
    r.particles.rest_speed = 0; /* no hit is too slow to bounce */
    r.particles.friction = KIN_FRICTION_SIMPLE;
    r.particles.simple_friction = 0;
    r.group.radius = 0.1;
    kin_rig_open(&r);
    kin_rig_balls(&r, 50, kin_v(0, 0, 0), kin_v(1, 3, 5), kin_v(4, 4, 4));
    double before = kin_rig_measure(&r, "kinetic_energy"), out = 0;
    for (int i = 0; i < 1000 && kin_rig_ok(&r); ++i) {
        kin_rig_step(&r);
        for (size_t k = 0; k < kin_rig_count(&r); ++k) {
            kin_vec3 past = kin_sub(kin_abs3(kin_rig_x_at(&r, k)), kin_v(0.9, 1.9, 2.9));
            out = kin_max(out, kin_largest(past));
        }
    }
    kin_case_row(run, "bounce", "farthest outside (m)", kin_rig_ok(&r) ? out : NAN, 0, 1e-15, "Coutinho 1.4.1: bounds are walls");
    kin_case_row(run, "bounce", "kinetic energy over start, e = 1", kin_rig_measure(&r, "kinetic_energy") / before, 1, 1e-13, "conservation of energy");
    kin_case_row(run, "bounce", "active", kin_rig_measure(&r, "count"), 50, 0, "Coutinho 1.4.1");
    kin_rig_close(&r);
}

void kin_case_bounds(kin_case_run* run)
{
    bounds_deactivate(run);
    bounds_bounce(run);
}
