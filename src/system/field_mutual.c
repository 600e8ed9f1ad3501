/* field_mutual.c - forces between the points of one system: what each field remembers for it, and the pass over them. */
#include "base/alloc.h"
#include "base/error.h"
#include "system/field.h"
#include <string.h>

kin_result kin_mutuals_sync(kin_mutuals* m, const kin_fields* fields, const kin_allocator* allocator, kin_error* error)
{
    m->fields = fields;
    m->allocator = *allocator;
    if (m->count == fields->count) return KIN_OK;
    if (!kin_reserve(allocator, (void**)&m->selves, &m->capacity, fields->count, sizeof *m->selves))
        return kin_fail_memory(error, "fields", fields->count * sizeof(void*));
    for (; m->count < fields->count; ++m->count) {
        const kin_field* field = &fields->items[m->count];
        m->selves[m->count] = NULL;
        if (field->ops->mutual == NULL) continue;
        kin_result result = field->ops->mutual->create(field, allocator, &m->selves[m->count], error);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}

void kin_mutuals_term(kin_mutuals* m)
{
    for (size_t i = 0; i < m->count; ++i) {
        if (m->selves[i] != NULL) m->fields->items[i].ops->mutual->destroy(m->selves[i]);
    }
    if (m->fields == NULL) return;
    kin_free(&m->allocator, m->selves, m->capacity * sizeof *m->selves);
    kin_free(&m->allocator, m->scratch, m->scratch_capacity * sizeof *m->scratch);
    *m = (kin_mutuals){0};
}

static kin_field_batch batch_of(const kin_mutual_cloud* c)
{
    return (kin_field_batch){
        .count = (int)c->count,
        .time = c->time,
        .position = {c->x[0], c->x[1], c->x[2]},
        .velocity = {c->v[0], c->v[1], c->v[2]},
        .age = c->age,
        .tags = c->tags,
    };
}

/* Who feels a masked field feels its share; all take part in making it. */
static kin_result evaluate_one(kin_mutuals* m, size_t index, const kin_mutual_cloud* cloud, kin_error* error)
{
    const kin_field* field = &m->fields->items[index];
    size_t n = cloud->count;
    if (!kin_reserve(&m->allocator, (void**)&m->scratch, &m->scratch_capacity, 4 * n, sizeof *m->scratch))
        return kin_fail_memory(error, field->ops->name, 4 * n * sizeof(double));
    kin_field_batch batch = batch_of(cloud);
    double* weight = m->scratch + 3 * n;
    if (!kin_field_weights(field, &batch, 0, weight)) return field->ops->mutual->evaluate(field, m->selves[index], cloud, error);
    for (int axis = 0; axis < 3; ++axis) memcpy(m->scratch + (size_t)axis * n, cloud->acceleration[axis], n * sizeof *m->scratch);
    kin_result result = field->ops->mutual->evaluate(field, m->selves[index], cloud, error);
    for (int axis = 0; axis < 3; ++axis) {
        double *before = m->scratch + (size_t)axis * n, *a = cloud->acceleration[axis];
        if (axis > 0 && kin_field_common_of(field)->drop == KIN_DROP_AXES) kin_field_weights(field, &batch, axis, weight);
        for (size_t i = 0; i < n; ++i) a[i] = before[i] + weight[i] * (a[i] - before[i]);
    }
    return result;
}

kin_result kin_mutuals_evaluate(kin_mutuals* m, const kin_mutual_cloud* cloud, kin_error* error)
{
    kin_result result = KIN_OK;
    for (size_t i = 0; i < m->count && result == KIN_OK; ++i) {
        if (m->selves[i] != NULL) result = evaluate_one(m, i, cloud, error);
    }
    return result;
}

double kin_mutuals_potential(const kin_mutuals* m, const kin_mutual_cloud* cloud)
{
    double sum = 0;
    for (size_t i = 0; i < m->count; ++i) {
        const kin_field* field = &m->fields->items[i];
        if (m->selves[i] != NULL && field->ops->mutual->potential != NULL) sum += field->ops->mutual->potential(field, m->selves[i], cloud);
    }
    return sum;
}

const char* kin_mutuals_warning(const kin_mutuals* m)
{
    for (size_t i = 0; i < m->count; ++i) {
        const kin_mutual_ops* ops = m->fields->items[i].ops->mutual;
        const char* text = m->selves[i] != NULL && ops->warning != NULL ? ops->warning(m->selves[i]) : NULL;
        if (text != NULL && text[0] != 0) return text;
    }
    return NULL;
}

void kin_mutuals_visit(kin_mutuals* m, kin_visitor* v)
{
    for (size_t i = 0; i < m->count; ++i) {
        const kin_mutual_ops* ops = m->fields->items[i].ops->mutual;
        if (m->selves[i] != NULL && ops->visit != NULL) ops->visit(m->selves[i], v);
    }
}
