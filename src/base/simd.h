/* simd.h - which build of a kernel runs. Kernel files are compiled once per width into tables; lanes are independent
 * items, so the width never changes a result. */
#pragma once
#include "kinema/base.h"

typedef enum kin_simd { KIN_SIMD_NONE, KIN_SIMD_SSE2, KIN_SIMD_AVX2, KIN_SIMD_COUNT } kin_simd;

kin_simd kin_simd_best(void);                             /* the widest this machine has */
bool kin_simd_from_name(const char* name, kin_simd* out); /* none sse2 avx2 */
const char* kin_simd_name(kin_simd simd);
