/* spring.c - damped springs between points. */
#include "system/spring.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/mat3.h"
#include <string.h>

double kin_spring_relative_stiffness(double per_strain, double rest) { return rest > 0 ? per_strain / rest : per_strain; }

double kin_spring_damping(double ratio, double stiffness, double inv_mass_a, double inv_mass_b)
{
    double inverse = inv_mass_a + inv_mass_b; /* 1 / mu */
    return inverse > 0 ? 2 * ratio * kin_sqrt(stiffness / inverse) : 0;
}

/* Length and direction; false: none. */
static bool span(kin_vec3 xa, kin_vec3 xb, double* length, kin_vec3* u)
{
    kin_vec3 d = kin_sub(xb, xa);
    *length = kin_length(d);
    *u = kin_normalize_or(d, kin_v(0, 0, 0));
    return *length > 0 && (u->x != 0 || u->y != 0 || u->z != 0);
}

kin_vec3 kin_spring_force(const kin_spring* s, kin_vec3 xa, kin_vec3 xb, kin_vec3 va, kin_vec3 vb)
{
    double length;
    kin_vec3 u;
    if (!span(xa, xb, &length, &u)) return kin_v(0, 0, 0);
    return kin_scale(u, -(s->stiffness * (length - s->rest) + s->damping * kin_dot(kin_sub(vb, va), u)));
}

static kin_vec3 at(const double* const lanes[3], uint32_t i) { return kin_v(lanes[0][i], lanes[1][i], lanes[2][i]); }

static kin_vec3 force_of(const kin_spring* s, const double* const x[3], const double* const v[3])
{
    return kin_spring_force(s, at(x, s->a), at(x, s->b), at(v, s->a), at(v, s->b));
}

void kin_springs_force(const kin_spring* links, size_t count, const double* const x[3], const double* const v[3], double* const force[3])
{
    for (size_t k = 0; k < count; ++k) {
        kin_vec3 f = force_of(&links[k], x, v);
        const double by[3] = {f.x, f.y, f.z};
        for (int axis = 0; axis < 3; ++axis) {
            force[axis][links[k].a] -= by[axis];
            force[axis][links[k].b] += by[axis];
        }
    }
}

static double energy_of(const kin_spring* s, const double* const x[3])
{
    return 0.5 * s->stiffness * kin_square(kin_distance(at(x, s->a), at(x, s->b)) - s->rest);
}

/* Halves of halves, down to blocks: errors grow with the logarithm of the count. */
double kin_springs_energy(const kin_spring* links, size_t count, const double* const x[3])
{
    enum { BLOCK = 128 };
    if (count > BLOCK) {
        size_t half = (count / 2 + BLOCK - 1) / BLOCK * BLOCK;
        return kin_springs_energy(links, half, x) + kin_springs_energy(links + half, count - half, x);
    }
    double sum = 0;
    for (size_t k = 0; k < count; ++k) sum += energy_of(&links[k], x);
    return sum;
}

/* ---- derivatives ---- */

static kin_mat3 across(kin_mat3 along) { return kin_mat3_sub(kin_mat3_identity(), along); }

/* F = -(T(l) + d w.u) u, with du/dx = (1 - u u^T) / l: along u the stiffness, across it tension over length, and what damping does as u turns. */
kin_spring_blocks kin_spring_derivative(const kin_spring* s, kin_vec3 xa, kin_vec3 xb, kin_vec3 va, kin_vec3 vb)
{
    double length;
    kin_vec3 u, w = kin_sub(vb, va);
    if (!span(xa, xb, &length, &u)) return (kin_spring_blocks){0};
    kin_mat3 along = kin_mat3_outer(u, u), flat = across(along);
    double slide = kin_dot(w, u), tension = s->stiffness * (length - s->rest) + s->damping * slide;
    kin_mat3 turn = kin_mat3_outer(u, kin_mat3_apply(flat, w)); /* u (dw.u/dx) l */
    kin_mat3 dx = kin_mat3_add(kin_mat3_scale(along, s->stiffness),
                               kin_mat3_scale(kin_mat3_add(kin_mat3_scale(flat, tension), kin_mat3_scale(turn, s->damping)), 1 / length));
    return (kin_spring_blocks){kin_mat3_scale(dx, -1), kin_mat3_scale(along, -s->damping)};
}

kin_spring_blocks kin_spring_derivative_definite(const kin_spring* s, kin_vec3 xa, kin_vec3 xb)
{
    double length;
    kin_vec3 u;
    if (!span(xa, xb, &length, &u)) return (kin_spring_blocks){0};
    kin_mat3 along = kin_mat3_outer(u, u);
    double tension = kin_max(s->stiffness * (length - s->rest), 0);
    kin_mat3 dx = kin_mat3_add(kin_mat3_scale(along, s->stiffness), kin_mat3_scale(across(along), tension / length));
    return (kin_spring_blocks){kin_mat3_scale(dx, -1), kin_mat3_scale(along, -s->damping)};
}

/* ---- gathering ---- */

static kin_result check_links(const kin_spring* links, size_t count, uint32_t point_count, kin_error* error)
{
    if (count > INT32_MAX) return kin_fail(error, KIN_ERROR_ARGUMENT, "springs", "%zu are too many", count);
    for (size_t k = 0; k < count; ++k) {
        uint32_t a = links[k].a, b = links[k].b;
        if (a >= point_count || b >= point_count)
            return kin_fail(error, KIN_ERROR_ARGUMENT, "springs", "number %zu links %u and %u, of %u points", k, a, b, point_count);
        if (a == b) return kin_fail(error, KIN_ERROR_ARGUMENT, "springs", "number %zu links point %u to itself", k, a);
    }
    return KIN_OK;
}

/* A counting sort by point; links come in order, so they rise within a point. */
static void fill_lists(kin_spring_lists* l, const kin_spring* links, size_t count)
{
    memset(l->begin, 0, (l->point_count + (size_t)1) * sizeof *l->begin);
    for (size_t k = 0; k < count; ++k) {
        ++l->begin[links[k].a];
        ++l->begin[links[k].b];
    }
    for (uint32_t i = 0, sum = 0; i <= l->point_count; ++i) {
        sum += l->begin[i];
        l->begin[i] = sum; /* the end of i: filling backwards moves it to the beginning */
    }
    for (size_t k = count; k-- > 0;) {
        l->entries[--l->begin[links[k].a]] = (uint32_t)(2 * k);
        l->entries[--l->begin[links[k].b]] = (uint32_t)(2 * k + 1);
    }
}

kin_result kin_spring_lists_init(kin_spring_lists* l, const kin_allocator* allocator, const kin_spring* links, size_t count, uint32_t point_count,
                                 kin_error* error)
{
    *l = (kin_spring_lists){.allocator = *allocator, .point_count = point_count, .link_count = count};
    kin_result result = check_links(links, count, point_count, error);
    if (result != KIN_OK) return result;
    l->begin = kin_alloc(allocator, (point_count + (size_t)1) * sizeof *l->begin);
    l->entries = kin_alloc(allocator, 2 * count * sizeof *l->entries);
    if (l->begin == NULL || (count > 0 && l->entries == NULL)) {
        kin_spring_lists_term(l);
        return kin_fail_memory(error, "springs", 2 * count * sizeof *l->entries);
    }
    fill_lists(l, links, count);
    return KIN_OK;
}

void kin_spring_lists_term(kin_spring_lists* l)
{
    kin_free(&l->allocator, l->begin, (l->point_count + (size_t)1) * sizeof *l->begin);
    kin_free(&l->allocator, l->entries, 2 * l->link_count * sizeof *l->entries);
    l->begin = l->entries = NULL;
}

typedef struct gather_job {
    const kin_spring_lists* lists;
    const kin_spring* links;
    const double *const *x, *const *v;
    double* const* force;
} gather_job;

static void gather_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const gather_job* job = argument;
    for (int64_t i = begin; i < end; ++i) {
        for (uint32_t k = job->lists->begin[i]; k < job->lists->begin[i + 1]; ++k) {
            uint32_t entry = job->lists->entries[k];
            kin_vec3 f = force_of(&job->links[entry / 2], job->x, job->v);
            if (entry % 2 == 0) f = kin_neg(f);
            job->force[0][i] += f.x;
            job->force[1][i] += f.y;
            job->force[2][i] += f.z;
        }
    }
}

void kin_springs_gather(const kin_spring_lists* lists, const kin_spring* links, kin_jobs* jobs, const double* const x[3], const double* const v[3],
                        double* const force[3])
{
    gather_job job = {lists, links, x, v, force};
    if (jobs != NULL)
        kin_parallel_for(jobs, lists->point_count, 512, gather_range, &job);
    else
        gather_range(&job, 0, lists->point_count, 0, NULL);
}
