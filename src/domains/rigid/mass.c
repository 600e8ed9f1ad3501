/* mass.c - what a body weighs: from its form and densities, or as it was given; and the frame in which its inertia is three numbers (C1.4.1a, H9.2 to H9.5). */
#include "base/error.h"
#include "domains/rigid/rigid.h"

/* Inertia that is diagonal already is left so: then the body's axes are the shape's, and no sort of its moments turns them. */
kin_principal kin_rigid_principal(kin_mass m)
{
    const double slack = 1e-13;
    double trace = m.inertia.xx + m.inertia.yy + m.inertia.zz;
    double off = kin_max(kin_abs(m.inertia.xy), kin_max(kin_abs(m.inertia.xz), kin_abs(m.inertia.yz)));
    if (off > slack * trace) return kin_mass_principal(m);
    return (kin_principal){{m.center, kin_quat_identity()}, {m.inertia.xx, m.inertia.yy, m.inertia.zz}};
}

static double density_of(const kin_materials* materials, kin_material_id own, kin_material_id else_this)
{
    return kin_materials_at(materials, own.index1 != 0 ? own : else_this)->density;
}

/* At density 1: the integral, or the sum over cells. */
static kin_result volume_of(const kin_form* form, const kin_body_def* def, kin_mass* out, kin_error* error)
{
    if (def->voxels > 0) return kin_within(kin_form_mass_by_voxels(form, (uint32_t)def->voxels, out, error), "voxels", error);
    *out = form->ops->mass(form);
    return KIN_OK;
}

/* D9: each part of a compound by its own material, unless one density is given for all. */
static kin_result mass_by_density(const kin_form* form, const kin_body_def* def, const kin_materials* materials, kin_mass* out, kin_error* error)
{
    const bool as_one = def->density > 0 || !kin_form_is_assembled(form);
    kin_mass m, sum = {0};
    kin_result result = as_one ? volume_of(form, def, out, error) : KIN_OK;
    if (as_one) *out = kin_mass_times(*out, def->density > 0 ? def->density : density_of(materials, form->material, def->material));
    for (uint32_t i = 0; !as_one && i < form->part_count; ++i) {
        const kin_form_part* part = &form->parts[i];
        result = volume_of(part->form, def, &m, error);
        if (result != KIN_OK) return result;
        m = kin_mass_times(kin_mass_transform(m, part->pose), density_of(materials, kin_form_material(form, i), def->material));
        sum = sum.mass > 0 ? kin_mass_add(sum, m) : m.mass > 0 ? m : sum;
    }
    if (!as_one) *out = sum;
    return result;
}

static bool is_given(kin_vec3 v) { return v.x != 0 || v.y != 0 || v.z != 0; }

static kin_result check(kin_mass m, const kin_body_def* def, kin_error* error)
{
    bool heavy = m.mass > 0 && kin_finite(m.mass) && kin_finite(1 / m.mass);
    if (!heavy) return kin_fail(error, KIN_ERROR_ARGUMENT, def->mass > 0 ? "mass" : "shape", "%g must be > 0 and finite (kg)", m.mass);
    kin_result result = kin_mass_check(m, error);
    if (result != KIN_OK && error != NULL) kin_within(result, is_given(def->moments) ? "moments" : "shape", error);
    return result;
}

kin_result kin_rigid_weigh(const kin_form* form, const kin_body_def* def, const kin_materials* materials, kin_weight* out, kin_error* error)
{
    kin_mass m;
    kin_result result = mass_by_density(form, def, materials, &m, error);
    if (result != KIN_OK) return result;
    bool has_volume = m.mass > 0, dynamic = def->mobility == KIN_MOBILITY_DYNAMIC;
    *out = (kin_weight){.frame.frame = kin_transform_identity()};
    if (is_given(def->products) && !is_given(def->moments)) return kin_fail(error, KIN_ERROR_ARGUMENT, "products", "need moments beside them");
    if (dynamic && !form->bounded) return kin_fail(error, KIN_ERROR_ARGUMENT, "shape", "a plane has no end: it can be static or animated, not moved by forces");
    if (has_volume && def->mass > 0) m = kin_mass_to_total(m, def->mass);
    if (!has_volume && (def->mass <= 0 || !is_given(def->moments))) {
        if (!dynamic) return KIN_OK;
        return kin_fail(error, KIN_ERROR_ARGUMENT, "shape", "has no volume: a body that forces move needs a mass and moments then, or a closed shape");
    }
    if (!has_volume) m = (kin_mass){.mass = def->mass};
    if (is_given(def->moments)) m.inertia = (kin_sym3){def->moments.x, def->moments.y, def->moments.z, def->products.x, def->products.y, def->products.z};
    if (def->has_center) m.center = def->center;
    result = check(m, def, error);
    if (result != KIN_OK) return result;
    *out = (kin_weight){m.mass, kin_rigid_principal(m)};
    kin_vec3 inverse = {1 / out->frame.moments.x, 1 / out->frame.moments.y, 1 / out->frame.moments.z};
    bool turns = kin_finite3(inverse) && inverse.x > 0 && inverse.y > 0 && inverse.z > 0;
    return turns ? KIN_OK : kin_fail(error, KIN_ERROR_ARGUMENT, is_given(def->moments) ? "moments" : "shape", "every moment of inertia must be > 0 (kg m^2)");
}

/* Half the way through at the thinnest place, roughly: from the middle of a solid to its surface. */
double kin_rigid_thickness(const kin_form* form)
{
    if (!form->bounded) return 1e300;
    kin_vec3 half = kin_scale(kin_sub(form->bounds.high, form->bounds.low), 0.5);
    double least = kin_min(half.x, kin_min(half.y, half.z));
    for (uint32_t i = 0; i < form->part_count; ++i) least = kin_min(least, kin_rigid_thickness(form->parts[i].form));
    if (form->part_count > 0) return least;
    kin_form_hit hit;
    kin_vec3 middle = form->has_inside ? form->ops->mass(form).center : kin_v(0, 0, 0);
    if (!form->has_inside || !kin_form_closest(form, kin_transform_identity(), middle, 0, &hit)) return form->has_inside ? 0.25 * least : 0;
    return kin_min(least, -hit.distance);
}
