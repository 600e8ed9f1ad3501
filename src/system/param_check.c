/* param_check.c - checking defs that came through the C API, by the rows that describe them. */
#include "base/error.h"
#include "math/scalar.h"
#include "system/param_inside.h"

static kin_result check_table(const kin_reading* r, const kin_param* params, const void* def, const kin_place* at);
static kin_result check_row(const kin_reading* r, const kin_param* p, const void* def, const kin_place* at);
static kin_result check_one_of(const kin_reading* r, const kin_param* p, const void* def, const kin_place* at);

static kin_result check_list(const kin_reading* r, const kin_param* p, const kin_param_list* list, const kin_place* at)
{
    if (list->count > 0 && list->data == NULL) return kin_param_refuse(r, at, "has a count of %zu, but no data", list->count);
    for (size_t i = 0; i < list->count; ++i) {
        kin_place item = {at, NULL, (uint32_t)i};
        const char* element = (const char*)list->data + i * p->sub_size;
        kin_result result = (p->flags & KIN_PARAM_CHOICE) != 0 ? check_one_of(r, p, element, &item) : check_table(r, p->sub, element, &item);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}

static kin_result check_index(const kin_reading* r, int index, int count, const kin_place* at)
{
    return index >= 0 && index < count ? KIN_OK : kin_param_refuse(r, at, "%d must be >= 0 and < %d", index, count);
}

static kin_result check_one_of(const kin_reading* r, const kin_param* p, const void* def, const kin_place* at)
{
    int tag = *(const int*)((const char*)def + p->tag_offset);
    if (tag == -1 && p->preset[0] == -1) return KIN_OK;
    kin_result result = check_index(r, tag, kin_params_count(p->sub), at);
    if (result != KIN_OK) return result;
    kin_place inner = {at, p->sub[tag].name, 0};
    result = check_row(r, &p->sub[tag], def, &inner);
    for (const kin_param* row = p->sub; row->name != NULL && result == KIN_OK; ++row) {
        inner.key = row->name;
        if ((row->flags & KIN_PARAM_BESIDE) != 0) result = check_row(r, row, def, &inner);
    }
    return result;
}

static kin_result check_colour(const kin_reading* r, const kin_param* p, const float* rgb, const kin_place* at)
{
    double values[3] = {(double)rgb[0], (double)rgb[1], (double)rgb[2]};
    return kin_param_check_numbers(r, p, values, 3, at);
}

static kin_result check_nonzero(const kin_reading* r, const kin_param* p, const double* values, uint32_t count, const kin_place* at)
{
    kin_result result = kin_param_check_numbers(r, p, values, count, at);
    if (result != KIN_OK) return result;
    for (uint32_t i = 0; i < count; ++i) {
        if (values[i] != 0) return KIN_OK;
    }
    return kin_param_refuse(r, at, "must not be zero");
}

static kin_result check_curve(const kin_reading* r, const kin_param* p, const kin_curve* curve, const kin_place* at)
{
    if (curve->count > 0 && curve->keys == NULL) return kin_param_refuse(r, at, "has a count of %zu, but no keys", curve->count);
    for (size_t i = 0; i < curve->count; ++i) {
        kin_place item = {at, NULL, (uint32_t)i};
        kin_result result = kin_param_check_numbers(r, p, curve->keys[i].value, p->type == KIN_PARAM_CURVE ? 1 : 3, &item);
        if (result != KIN_OK) return result;
        bool rises = kin_finite(curve->keys[i].time) && (i == 0 || curve->keys[i].time > curve->keys[i - 1].time);
        if (!rises) return kin_param_refuse(r, &item, "keys must rise in time");
    }
    return check_index(r, (int)curve->mode, KIN_CURVE_SMOOTH + 1, at);
}

static kin_result check_vectors(const kin_reading* r, const kin_param* p, const kin_points_view* list, const kin_place* at)
{
    if (list->count > 0 && list->data == NULL) return kin_param_refuse(r, at, "has a count of %zu, but no data", list->count);
    for (size_t i = 0; i < list->count; ++i) {
        kin_place item = {at, NULL, (uint32_t)i};
        kin_result result = kin_param_check_numbers(r, p, &list->data[i].x, 3, &item);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}

static kin_result check_numbers(const kin_reading* r, const kin_param* p, const kin_numbers_view* list, const kin_place* at)
{
    if (list->count > 0 && list->data == NULL) return kin_param_refuse(r, at, "has a count of %zu, but no data", list->count);
    for (size_t i = 0; i < list->count; ++i) {
        kin_place item = {at, NULL, (uint32_t)i};
        kin_result result = kin_param_check_numbers(r, p, &list->data[i], 1, &item);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}

static kin_result check_row(const kin_reading* r, const kin_param* p, const void* def, const kin_place* at)
{
    const void* in = (const char*)def + p->offset;
    if ((p->flags & KIN_PARAM_TELLS) != 0 && !*(const bool*)((const char*)def + p->told_offset)) return KIN_OK;
    switch (p->type) {
    case KIN_PARAM_NUMBER: return kin_param_check_number(r, p, *(const double*)in, at);
    case KIN_PARAM_INTEGER: return kin_param_check_number(r, p, *(const int*)in, at);
    case KIN_PARAM_WHICH:
    case KIN_PARAM_COUNT: return kin_param_check_number(r, p, (double)*(const int64_t*)in, at);
    case KIN_PARAM_SEED: return kin_param_check_number(r, p, (double)*(const uint64_t*)in, at);
    case KIN_PARAM_PAIR:
    case KIN_PARAM_TWO: return kin_param_check_numbers(r, p, in, 2, at);
    case KIN_PARAM_ABOUT: return kin_param_check_about(r, p, in, at);
    case KIN_PARAM_VECTOR: return kin_param_check_numbers(r, p, in, 3, at); /* three doubles in a row */
    case KIN_PARAM_DIRECTION: return check_nonzero(r, p, in, 3, at);
    case KIN_PARAM_ORIENTATION: return (p->flags & KIN_PARAM_OR_NONE) != 0 ? kin_param_check_numbers(r, p, in, 4, at) : check_nonzero(r, p, in, 4, at);
    case KIN_PARAM_COLOR: return check_colour(r, p, in, at);
    case KIN_PARAM_ENUM: return check_index(r, *(const int*)in, (int)kin_names_count(p->names), at);
    case KIN_PARAM_TABLE: return check_table(r, p->sub, in, at);
    case KIN_PARAM_LIST: return check_list(r, p, in, at);
    case KIN_PARAM_ONE_OF: return check_one_of(r, p, in, at);
    case KIN_PARAM_CURVE:
    case KIN_PARAM_COLOR_CURVE:
    case KIN_PARAM_VECTOR_CURVE: return check_curve(r, p, in, at);
    case KIN_PARAM_VECTORS: return check_vectors(r, p, in, at);
    case KIN_PARAM_NUMBERS: return check_numbers(r, p, in, at);
    case KIN_PARAM_BOOL:
    case KIN_PARAM_TEXT:
    case KIN_PARAM_TEXTS:
    case KIN_PARAM_FILE:
    case KIN_PARAM_MATERIAL:
    case KIN_PARAM_PICTURE:
    case KIN_PARAM_MESH: break; /* any value will do, or its owner checks it */
    }
    return KIN_OK;
}

static kin_result check_table(const kin_reading* r, const kin_param* params, const void* def, const kin_place* at)
{
    for (const kin_param* p = params; p->name != NULL; ++p) {
        kin_place inner = {at, p->name, 0};
        kin_result result = check_row(r, p, def, &inner);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}

kin_result kin_params_check(const kin_param* params, const void* def, const char* path, kin_error* error)
{
    kin_reading r = {NULL, error};
    kin_place root = {NULL, path, 0};
    return check_table(&r, params, def, &root);
}
