/* param_visit.c - live parameters are state: a command may have changed them. */
#include "system/param_inside.h"
#include "system/visitor.h"
#include <string.h>

size_t kin_param_size(kin_param_type type)
{
    switch (type) {
    case KIN_PARAM_NUMBER: return sizeof(double);
    case KIN_PARAM_INTEGER:
    case KIN_PARAM_ENUM: return sizeof(int);
    case KIN_PARAM_COUNT:
    case KIN_PARAM_SEED: return sizeof(uint64_t);
    case KIN_PARAM_BOOL: return sizeof(bool);
    case KIN_PARAM_PAIR:
    case KIN_PARAM_TWO:
    case KIN_PARAM_ABOUT: return 2 * sizeof(double);
    case KIN_PARAM_VECTOR:
    case KIN_PARAM_DIRECTION: return sizeof(kin_vec3);
    case KIN_PARAM_ORIENTATION: return sizeof(kin_quat);
    case KIN_PARAM_COLOR: return 3 * sizeof(float);
    default: return 0;
    }
}

void kin_params_visit(const kin_param* params, void* def, kin_visitor* v)
{
    for (const kin_param* p = params; p->name != NULL; ++p) {
        if (p->flags & KIN_PARAM_LIVE) kin_visit_bytes(v, (char*)def + p->offset, kin_param_size(p->type));
        uint8_t byte = 0;
        if (p->type == KIN_PARAM_BOOL) memcpy(&byte, (char*)def + p->offset, 1);
        if (byte > 1) {
            memset((char*)def + p->offset, 0, 1); /* else even looking at it is undefined */
            kin_visit_fail(v, KIN_ERROR_FORMAT);
        }
    }
    if (v->mode == KIN_VISIT_LOAD && v->result == KIN_OK && kin_params_check(params, def, "", NULL) != KIN_OK) kin_visit_fail(v, KIN_ERROR_FORMAT);
}
