/* field_kernels.h - the lanes of each field, one symbol per width. */
#pragma once
#include "system/field.h"

#define KIN_FIELD_KERNELS(width)                                                                                                                               \
    void kin_field_reset_##width(const kin_vec3* gravity, const kin_field_batch* batch);                                                                       \
    void kin_field_gravity_##width(const void* def, const kin_field_batch* batch);                                                                             \
    void kin_field_wind_##width(const void* def, const kin_field_batch* batch);                                                                                \
    void kin_field_drag_##width(const void* def, const kin_field_batch* batch);

KIN_FIELD_KERNELS(none)
KIN_FIELD_KERNELS(sse2)
KIN_FIELD_KERNELS(avx2)
