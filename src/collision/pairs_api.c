/* pairs_api.c - the public questions about one form or two: scratch is taken and given back within the call. */
#include "base/error.h"
#include "collision/continuous/impact.h"
#include "collision/manifold/manifold.h"
#include "collision/narrow/distance.h"

static kin_transform unit(kin_transform t) { return (kin_transform){t.position, kin_quat_normalize(t.orientation)}; }

kin_result kin_forms_contacts(const kin_form* a, kin_transform pose_a, const kin_form* b, kin_transform pose_b, double margin, kin_manifold* out, int most,
                              int* count, kin_error* error)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &a->allocator);
    *count = kin_collide(a, unit(pose_a), b, unit(pose_b), margin, NULL, &scratch, out, most);
    bool failed = scratch.failed;
    kin_arena_term(&scratch);
    return failed ? kin_fail_memory(error, "contacts", 0) : KIN_OK;
}

kin_result kin_forms_gap(const kin_form* a, kin_transform pose_a, const kin_form* b, kin_transform pose_b, kin_gap* out, kin_error* error)
{
    *out = (kin_gap){0};
    if (!a->is_convex || !b->is_convex) return kin_fail(error, KIN_ERROR_ARGUMENT, a->is_convex ? "b" : "a", "is not convex: only convex forms have one gap");
    pose_a = unit(pose_a);
    kin_convex_distance(&a->convex, &b->convex, kin_transform_between(pose_a, unit(pose_b)), NULL, out);
    out->on_a = kin_apply(pose_a, out->on_a);
    out->on_b = kin_apply(pose_a, out->on_b);
    out->normal = kin_rotate(pose_a.orientation, out->normal);
    return KIN_OK;
}

kin_result kin_forms_impact(const kin_form* a, kin_transform start_a, kin_transform end_a, const kin_form* b, kin_transform start_b, kin_transform end_b,
                            const kin_impact_settings* settings, kin_impact* out, kin_error* error)
{
    kin_impact_settings defaults = kin_impact_defaults();
    kin_screw ma = kin_screw_between(start_a, end_a), mb = kin_screw_between(start_b, end_b);
    kin_arena scratch;
    kin_arena_init(&scratch, &a->allocator);
    if (!kin_impact_find(a, &ma, b, &mb, settings != NULL ? settings : &defaults, &scratch, out)) *out = (kin_impact){.kind = KIN_IMPACT_NONE, .t = 1};
    bool failed = scratch.failed;
    kin_arena_term(&scratch);
    return failed ? kin_fail_memory(error, "a time of impact", 0) : KIN_OK;
}

static void set_hit(kin_transform pose, const kin_touch* touch, kin_form_hit* hit)
{
    *hit = (kin_form_hit){.point = kin_apply(pose, touch->point),
                          .normal = kin_rotate(pose.orientation, touch->normal),
                          .distance = touch->distance,
                          .part = touch->part,
                          .triangle = touch->feature};
}

bool kin_form_ray(const kin_form* form, kin_transform pose, kin_vec3 origin, kin_vec3 direction, double max_distance, kin_form_hit* hit)
{
    kin_touch touch;
    pose = unit(pose);
    *hit = (kin_form_hit){0};
    if (!form->ops->ray(form, kin_unapply(pose, origin), kin_unrotate(pose.orientation, direction), max_distance, &touch)) return false;
    set_hit(pose, &touch, hit);
    return true;
}

bool kin_form_closest(const kin_form* form, kin_transform pose, kin_vec3 point, double reach, kin_form_hit* hit)
{
    kin_touch touch;
    pose = unit(pose);
    *hit = (kin_form_hit){0};
    if (form->ops->closest(form, kin_unapply(pose, point), reach, &touch, 1) == 0) return false;
    set_hit(pose, &touch, hit);
    return true;
}

kin_result kin_form_mass(const kin_form* form, double density, kin_mass_properties* out, kin_error* error)
{
    *out = (kin_mass_properties){0};
    if (!kin_finite(density) || !(density > 0)) return kin_fail(error, KIN_ERROR_ARGUMENT, "density", "%g must be > 0 (kg/m^3)", density);
    kin_mass m = form->ops->mass(form);
    if (!(m.mass > 0)) return kin_fail(error, KIN_ERROR_ARGUMENT, "form", "has no volume: a plane, a height field, an open mesh, or one turned inside out");
    kin_principal p = kin_mass_principal(kin_mass_times(m, density));
    *out = (kin_mass_properties){.volume = m.mass,
                                 .mass = density * m.mass,
                                 .center = m.center,
                                 .inertia = kin_sym3_matrix(kin_sym3_scale(m.inertia, density)),
                                 .moments = p.moments,
                                 .principal_axes = p.frame.orientation};
    return KIN_OK;
}
