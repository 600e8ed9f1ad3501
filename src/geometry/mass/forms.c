/* forms.c - mass properties in closed form, at density 1; hollow bodies as differences. */
#include "geometry/mass/mass.h"

static const kin_vec3 origin = {0, 0, 0};

/* Round the y axis: inertia about it, and across it. */
static kin_mass round_body(double mass, double height, double about, double across)
{
    return (kin_mass){mass, kin_v(0, height, 0), kin_sym3_diagonal(kin_v(across, about, across))};
}

kin_mass kin_mass_point(double mass, kin_vec3 at) { return (kin_mass){mass, at, {0}}; }

kin_mass kin_mass_sphere(double radius)
{
    double mass = 4 * KIN_PI / 3 * radius * radius * radius, i = 0.4 * mass * radius * radius;
    return round_body(mass, 0, i, i);
}

kin_mass kin_mass_ellipsoid(kin_vec3 a)
{
    double mass = 4 * KIN_PI / 3 * a.x * a.y * a.z;
    kin_vec3 s = kin_scale(kin_mul(a, a), 0.2 * mass);
    return (kin_mass){mass, origin, kin_sym3_diagonal(kin_v(s.y + s.z, s.z + s.x, s.x + s.y))};
}

kin_mass kin_mass_box(kin_vec3 size)
{
    double mass = size.x * size.y * size.z;
    kin_vec3 s = kin_scale(kin_mul(size, size), mass / 12);
    return (kin_mass){mass, origin, kin_sym3_diagonal(kin_v(s.y + s.z, s.z + s.x, s.x + s.y))};
}

kin_mass kin_mass_cylinder(double radius, double height)
{
    double mass = KIN_PI * radius * radius * height;
    return round_body(mass, 0, 0.5 * mass * radius * radius, mass * (3 * radius * radius + height * height) / 12);
}

/* A cylinder and two half balls, whose centres of mass lie 3/8 radius beyond its ends. */
kin_mass kin_mass_capsule(double radius, double length)
{
    kin_mass ball = kin_mass_sphere(radius), body = kin_mass_cylinder(radius, length);
    double arm = 0.5 * length, out = 0.375 * radius;
    double across = ball.inertia.xx + ball.mass * (arm * arm + 2 * arm * out); /* shifted from the ball's centre through the halves' own */
    return round_body(body.mass + ball.mass, 0, body.inertia.yy + ball.inertia.yy, body.inertia.xx + across);
}

kin_mass kin_mass_cone(double radius, double height)
{
    double mass = KIN_PI / 3 * radius * radius * height;
    return round_body(mass, -0.25 * height, 0.3 * mass * radius * radius, mass * (0.15 * radius * radius + 0.0375 * height * height));
}

static double within(double size, double less) { return kin_max(0, size - less); }

kin_mass kin_mass_hollow_sphere(double radius, double wall) { return kin_mass_subtract(kin_mass_sphere(radius), kin_mass_sphere(within(radius, wall))); }

kin_mass kin_mass_hollow_box(kin_vec3 size, double wall)
{
    kin_vec3 inner = {within(size.x, 2 * wall), within(size.y, 2 * wall), within(size.z, 2 * wall)};
    return kin_mass_subtract(kin_mass_box(size), kin_mass_box(inner));
}

kin_mass kin_mass_hollow_capsule(double radius, double length, double wall)
{
    double inner = within(radius, wall);
    return kin_mass_subtract(kin_mass_capsule(radius, length), kin_mass_capsule(inner, length));
}

kin_mass kin_mass_hollow_cylinder(double radius, double height, double wall)
{
    return kin_mass_subtract(kin_mass_cylinder(radius, height), kin_mass_cylinder(within(radius, wall), within(height, 2 * wall)));
}

kin_mass kin_mass_pipe(double radius, double height, double wall)
{
    return kin_mass_subtract(kin_mass_cylinder(radius, height), kin_mass_cylinder(within(radius, wall), height));
}

/* The cone within is similar: its base is a wall higher, its apex a wall over the sine of the half angle lower. */
kin_mass kin_mass_hollow_cone(double radius, double height, double wall)
{
    kin_mass outer = kin_mass_cone(radius, height);
    if (!(radius > 0)) return outer;
    double inner_height = within(height, wall + wall * kin_sqrt(radius * radius + height * height) / radius);
    kin_mass inner = kin_mass_cone(radius * inner_height / height, inner_height);
    inner.center.y += wall + 0.5 * (inner_height - height); /* from its base's plane */
    return kin_mass_subtract(outer, inner);
}
