/* material.c - Oren-Nayar for matte (Fujii's form), GGX with visible normals for coats and metals (Walter 2007, Heitz 2018),
 * a smooth dielectric for glass. */
#include "render/material.h"

static const float coat_at_normal = 0.04f; /* reflectance of a coat seen head on */
static const float narrowest = 0.0012f;    /* GGX width below which a highlight of the sun would be a pin prick */
static const float mirror_width = 0.02f;   /* GGX width below which a reflection counts as clear */

kin_material kin_material_at(const kin_hit* hit, const kin_ray* ray, const kin_crossing* crossing)
{
    float rough = clampf(hit->look->roughness, 0, 1);
    bool outside = vec_dot(hit->facet, ray->direction) < 0;
    kin_material m = {
        .surface = hit->look->surface,
        .color = hit->color,
        .normal = outside ? hit->normal : -hit->normal,
        .facet = outside ? hit->facet : -hit->facet,
        .view = -ray->direction,
        .alpha = maxf(rough * rough, narrowest),
        .entering = outside,
        .index = crossing != NULL ? kin_medium_index(crossing->here) : 1,
        .beyond = crossing != NULL ? kin_medium_index(crossing->beyond) : 1,
    };
    /* Smooth normals may lean away from the viewer at a silhouette. */
    float lean = vec_dot(m.normal, m.view);
    if (lean < 1e-3f) m.normal = vec_normalize(m.normal + m.view * (2e-3f - lean));
    return m;
}

kin_vec kin_material_albedo(const kin_material* m)
{
    switch (m->surface) {
    case KIN_SURFACE_GLASS:
    case KIN_SURFACE_EMISSIVE: return vec_all(1);
    case KIN_SURFACE_METAL: return m->color + vec_all(0.02f);
    case KIN_SURFACE_GLOSSY: return m->color * (1 - coat_at_normal) + vec_all(coat_at_normal);
    case KIN_SURFACE_MATTE: break;
    }
    return m->color + vec_all(0.01f);
}

static float power5(float x) { return x * x * x * x * x; }
static float schlick(float at_normal, float cosine) { return at_normal + (1 - at_normal) * power5(clampf(1 - cosine, 0, 1)); }
static kin_vec schlick_color(kin_vec at_normal, float cosine) { return at_normal + (vec_all(1) - at_normal) * power5(clampf(1 - cosine, 0, 1)); }

/* Reflectance of a dielectric; ratio is the index of the viewer's side over the other's. 1 when all is reflected. */
static float dielectric(float cosine, float ratio)
{
    float sine2 = ratio * ratio * (1 - cosine * cosine);
    if (sine2 >= 1) return 1;
    float inside = sqrtf(1 - sine2);
    float parallel = (cosine - ratio * inside) / (cosine + ratio * inside), across = (ratio * cosine - inside) / (ratio * cosine + inside);
    return 0.5f * (parallel * parallel + across * across);
}

/* Oren-Nayar, qualitative, sigma 0.4: chalk, not plastic. Lambert is 1. */
static float roughness_of_matte(const kin_material* m, kin_vec light, float cos_light, float cos_view)
{
    const float a = 0.87f, b = 0.29f;
    float s = vec_dot(light, m->view) - cos_light * cos_view;
    float t = s > 0 ? maxf(cos_light, cos_view) : 1;
    return a + b * s / maxf(t, 1e-3f);
}

static float ggx(float alpha, float cosine)
{
    float a2 = alpha * alpha, d = cosine * cosine * (a2 - 1) + 1;
    return a2 / (KIN_PI * d * d);
}
static float smith_lambda(float alpha, float cosine)
{
    float c2 = maxf(cosine * cosine, 1e-6f);
    return 0.5f * (sqrtf(1 + alpha * alpha * (1 - c2) / c2) - 1);
}

/* GGX lobe times cosine, without Fresnel: D G / (4 cos_view). */
static float ggx_lobe(float alpha, float cos_half, float cos_light, float cos_view)
{
    float shadow = 1 / (1 + smith_lambda(alpha, cos_light) + smith_lambda(alpha, cos_view));
    return ggx(alpha, cos_half) * shadow / (4 * maxf(cos_view, 1e-3f));
}

kin_vec kin_material_response(const kin_material* m, kin_vec light, bool glints)
{
    float cos_light = vec_dot(m->normal, light), cos_view = maxf(vec_dot(m->normal, m->view), 1e-3f);
    if (cos_light <= 0 || vec_dot(m->facet, light) <= 0) return vec_all(0);
    if (m->surface == KIN_SURFACE_MATTE) return m->color * (roughness_of_matte(m, light, cos_light, cos_view) * cos_light / KIN_PI);
    kin_vec half = vec_normalize(light + m->view);
    float cos_out = vec_dot(m->view, half), alpha = m->surface == KIN_SURFACE_GLASS ? narrowest : m->alpha;
    bool shown = glints || alpha > mirror_width;
    float lobe = shown ? ggx_lobe(maxf(alpha, mirror_width), vec_dot(m->normal, half), cos_light, cos_view) : 0;
    float head_on = m->surface == KIN_SURFACE_GLASS ? (m->index - m->beyond) / (m->index + m->beyond) : 0;
    float coat = schlick(m->surface == KIN_SURFACE_GLASS ? head_on * head_on : coat_at_normal, cos_out) * lobe;
    if (m->surface == KIN_SURFACE_METAL) return schlick_color(m->color, cos_out) * lobe;
    if (m->surface == KIN_SURFACE_GLASS) return vec_all(m->entering ? coat : 0);
    float under = (1 - schlick(coat_at_normal, cos_light)) * (1 - schlick(coat_at_normal, cos_view));
    return m->color * (under * cos_light / KIN_PI) + vec_all(coat);
}

/* A micro normal the viewer sees, Heitz 2018, for the same width both ways. */
static kin_vec visible_normal(kin_vec view, float alpha, kin_pair u)
{
    kin_vec stretched = vec_normalize(vec(alpha * view[0], alpha * view[1], view[2]));
    float side2 = stretched[0] * stretched[0] + stretched[1] * stretched[1];
    kin_vec s = side2 > 1e-12f ? vec(-stretched[1], stretched[0], 0) * (1 / sqrtf(side2)) : vec(1, 0, 0), t = vec_cross(stretched, s);
    kin_pair disk = kin_sample_disk(u);
    float blend = 0.5f * (1 + stretched[2]);
    float y = (1 - blend) * sqrtf(maxf(0, 1 - disk.x * disk.x)) + blend * disk.y;
    kin_vec n = s * disk.x + t * y + stretched * sqrtf(maxf(0, 1 - disk.x * disk.x - y * y));
    return vec_normalize(vec(alpha * n[0], alpha * n[1], maxf(n[2], 1e-6f)));
}

/* Mirrors at a micro normal. *share is what its shadowing leaves; *cosine the angle for Fresnel. */
static bool scatter_ggx(const kin_material* m, kin_pair u, kin_scatter* out, float* share, float* cosine)
{
    kin_vec s, t;
    vec_frame(m->normal, &s, &t);
    kin_vec view = vec(vec_dot(s, m->view), vec_dot(t, m->view), maxf(vec_dot(m->normal, m->view), 1e-3f));
    kin_vec micro = visible_normal(view, m->alpha, u);
    kin_vec light = vec_reflect(-view, micro);
    if (light[2] <= 0) return false;
    float in = smith_lambda(m->alpha, view[2]);
    *share = (1 + in) / (1 + in + smith_lambda(m->alpha, light[2]));
    *cosine = vec_dot(view, micro);
    out->direction = s * light[0] + t * light[1] + m->normal * light[2];
    out->mirror = m->alpha <= mirror_width;
    return vec_dot(out->direction, m->facet) > 0;
}

static bool scatter_matte(const kin_material* m, kin_pair u, kin_scatter* out)
{
    out->direction = kin_sample_cosine(m->normal, u);
    float cos_light = vec_dot(out->direction, m->normal), cos_view = maxf(vec_dot(m->normal, m->view), 1e-3f);
    out->weight = m->color * roughness_of_matte(m, out->direction, cos_light, cos_view);
    return vec_dot(out->direction, m->facet) > 0;
}

static bool scatter_glossy(const kin_material* m, kin_pair choice, kin_pair u, kin_scatter* out)
{
    float cos_view = vec_dot(m->normal, m->view), coat = schlick(coat_at_normal, cos_view);
    float chance = clampf(coat, 0.15f, 0.85f);
    if (choice.x < chance) {
        float share, cosine;
        if (!scatter_ggx(m, u, out, &share, &cosine)) return false;
        out->weight = vec_all(schlick(coat_at_normal, cosine) * share / chance);
        return true;
    }
    out->direction = kin_sample_cosine(m->normal, u);
    float under = (1 - schlick(coat_at_normal, vec_dot(out->direction, m->normal))) * (1 - coat);
    out->weight = m->color * (under / (1 - chance));
    return vec_dot(out->direction, m->facet) > 0;
}

static bool scatter_metal(const kin_material* m, kin_pair u, kin_scatter* out)
{
    float share, cosine;
    if (!scatter_ggx(m, u, out, &share, &cosine)) return false;
    out->weight = schlick_color(m->color, cosine) * share;
    return true;
}

static bool scatter_glass(const kin_material* m, kin_pair choice, kin_scatter* out)
{
    float ratio = m->index / m->beyond, cosine = clampf(vec_dot(m->normal, m->view), 0, 1);
    out->mirror = true;
    out->weight = vec_all(1);
    float reflectance = dielectric(cosine, ratio);
    bool reflected = choice.x < reflectance;
    out->likely = reflected == (reflectance > 0.5f);
    if (reflected) {
        out->direction = vec_reflect(-m->view, m->normal);
        return true;
    }
    float inside = sqrtf(maxf(0, 1 - ratio * ratio * (1 - cosine * cosine)));
    out->direction = vec_normalize(m->normal * (ratio * cosine - inside) - m->view * ratio);
    out->weight = vec(sqrtf(m->color[0]), sqrtf(m->color[1]), sqrtf(m->color[2])); /* the other half on the way out */
    return true;
}

bool kin_material_scatter(const kin_material* m, kin_pair choice, kin_pair u, kin_scatter* out)
{
    *out = (kin_scatter){.weight = vec_all(0)};
    switch (m->surface) {
    case KIN_SURFACE_MATTE: return scatter_matte(m, u, out);
    case KIN_SURFACE_GLOSSY: return scatter_glossy(m, choice, u, out);
    case KIN_SURFACE_METAL: return scatter_metal(m, u, out);
    case KIN_SURFACE_GLASS: return scatter_glass(m, choice, out);
    case KIN_SURFACE_EMISSIVE: break;
    }
    return false;
}
