/* kernel.h - symbol names of kernel files. Such a file is compiled once per lane width (kin_kernels in cmake/kinema.cmake), with
 * KIN_WIDTH = 0, 1, 2 and KIN_WIDTH_NAME = none, sse2, avx2. Its external symbols are named KIN_KERNEL(name): name_none, name_sse2,
 * name_avx2; everything else in it is static. */
#pragma once

#if !defined(KIN_WIDTH) || !defined(KIN_WIDTH_NAME)
#error "a kernel file is built through kin_kernels(), not kin_sources()"
#endif

#define KIN_KERNEL_JOIN(name, width) name##_##width
#define KIN_KERNEL_OF(name, width) KIN_KERNEL_JOIN(name, width) /* one more round, so that KIN_WIDTH_NAME is replaced first */
#define KIN_KERNEL(name) KIN_KERNEL_OF(name, KIN_WIDTH_NAME)
