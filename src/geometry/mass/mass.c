/* mass.c - masses added, moved, stretched; principal axes. */
#include "geometry/mass/mass.h"
#include "base/error.h"

/* m (r^2 1 - r r^T): what a mass at r adds to the inertia about the origin. */
static kin_sym3 steiner(double m, kin_vec3 r)
{
    double square = kin_length2(r);
    return kin_sym3_add(kin_sym3_diagonal(kin_v(m * square, m * square, m * square)), kin_sym3_scale(kin_sym3_square(r), -m));
}

kin_mass kin_mass_add(kin_mass a, kin_mass b)
{
    kin_mass sum = {a.mass + b.mass, a.center, kin_sym3_add(a.inertia, b.inertia)};
    if (sum.mass == 0) return sum;
    kin_vec3 apart = kin_sub(b.center, a.center);
    double share = b.mass / sum.mass;
    sum.center = kin_add_scaled(a.center, share, apart);
    sum.inertia = kin_sym3_add(sum.inertia, steiner(a.mass * share, apart)); /* both about the common centre: the reduced mass */
    return sum;
}

kin_mass kin_mass_times(kin_mass m, double factor) { return (kin_mass){m.mass * factor, m.center, kin_sym3_scale(m.inertia, factor)}; }
kin_mass kin_mass_subtract(kin_mass a, kin_mass b) { return kin_mass_add(a, kin_mass_times(b, -1)); }
kin_mass kin_mass_to_total(kin_mass m, double total) { return kin_mass_times(m, total / m.mass); }

kin_mass kin_mass_sum(const kin_mass* parts, size_t count)
{
    kin_mass sum = {0};
    for (size_t i = 0; i < count; ++i) sum = i == 0 ? parts[0] : kin_mass_add(sum, parts[i]);
    return sum;
}

kin_mass kin_mass_transform(kin_mass m, kin_transform t)
{
    return (kin_mass){m.mass, kin_apply(t, m.center), kin_sym3_rotate(kin_quat_to_matrix(t.orientation), m.inertia)};
}

kin_mass kin_mass_stretch(kin_mass m, kin_vec3 by)
{
    double half = 0.5 * (m.inertia.xx + m.inertia.yy + m.inertia.zz), grown = kin_abs(by.x * by.y * by.z);
    kin_vec3 squares = kin_v(half - m.inertia.xx, half - m.inertia.yy, half - m.inertia.zz); /* the integrals of x^2, y^2, z^2 */
    squares = kin_scale(kin_mul(squares, kin_mul(by, by)), grown);
    kin_sym3 inertia = {squares.y + squares.z,
                        squares.z + squares.x,
                        squares.x + squares.y,
                        m.inertia.xy * grown * by.x * by.y,
                        m.inertia.xz * grown * by.x * by.z,
                        m.inertia.yz * grown * by.y * by.z};
    return (kin_mass){m.mass * grown, kin_mul(m.center, by), inertia};
}

kin_sym3 kin_mass_inertia_about(kin_mass m, kin_vec3 point) { return kin_sym3_add(m.inertia, steiner(m.mass, kin_sub(m.center, point))); }

kin_mass kin_mass_compound(const kin_mass_part* parts, size_t count)
{
    kin_mass sum = {0};
    for (size_t i = 0; i < count; ++i) {
        kin_mass part = kin_mass_transform(kin_mass_times(parts[i].shape, parts[i].density), parts[i].at);
        sum = i == 0 ? part : kin_mass_add(sum, part);
    }
    return sum;
}

kin_principal kin_mass_principal(kin_mass m)
{
    kin_eigen3 e = kin_sym3_eigen(m.inertia);
    return (kin_principal){{m.center, kin_quat_normalize(kin_quat_from_matrix(e.vectors))}, e.values};
}

kin_result kin_mass_check(kin_mass m, kin_error* error)
{
    kin_sym3 i = m.inertia;
    bool finite = kin_finite(m.mass) && kin_finite3(m.center) && kin_finite3(kin_v(i.xx, i.yy, i.zz)) && kin_finite3(kin_v(i.xy, i.xz, i.yz));
    if (!finite) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "mass, centre or inertia is not finite");
    if (!(m.mass > 0)) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "the mass is %g kg: it must be positive", m.mass);
    kin_vec3 moments = kin_sym3_eigen(i).values; /* falling */
    double slack = 1e-9 * kin_abs(moments.x);
    if (moments.z < -slack) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "a principal moment is %g kg m^2: none may be negative", moments.z);
    if (moments.x > moments.y + moments.z + slack) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "the principal moment %g exceeds the sum of the others, %g and %g kg m^2: no body has such inertia",
                        moments.x, moments.y, moments.z);
    }
    return KIN_OK;
}
