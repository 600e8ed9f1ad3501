/* block_products.c - nine numbers of a block are two fours and a one. For each column q of L_i its numbers are laid out as the nine of the product need them,
 * once for all R_j; so are those of R_j, once for all L_i. Sums go over q in order, as in block_ldl.c: the same bits. */
#include "numerics/block_products.h"
#include "base/kernel.h"

typedef double four __attribute__((vector_size(32)));
typedef double four_in_memory __attribute__((vector_size(32), aligned(8), may_alias));
#define INLINE static inline __attribute__((always_inline))

INLINE four load(const double* from) { return *(const four_in_memory*)from; }
INLINE void store(double* to, four x) { *(four_in_memory*)to = x; }

/* room[9 q + 3 r + c] = L[r][q] */
INLINE void spread(const double* left, int count, double* room)
{
    for (int i = 0; i < count; ++i, left += 9, room += KIN_BLOCK_WIDE) {
        for (int q = 0; q < 3; ++q) {
            const double x = left[q], y = left[3 + q], z = left[6 + q];
            store(room + 9 * q, (four){x, x, x, y}), store(room + 9 * q + 4, (four){y, y, z, z});
            room[9 * q + 8] = z;
        }
    }
}

static void subtract(const double* left, const double* right, int count, const int* target, double* factor, double* room)
{
    spread(left, count, room);
    for (int j = 0; j < count; ++j, right += 9) {
        four low[3], high[3];
        for (int q = 0; q < 3; ++q) {
            const double x = right[3 * q], y = right[3 * q + 1], z = right[3 * q + 2];
            low[q] = (four){x, y, z, x}, high[q] = (four){y, z, x, y};
        }
        const double last[3] = {right[2], right[5], right[8]};
        const double* l = room + KIN_BLOCK_WIDE * j;
        for (int i = j; i < count; ++i, l += KIN_BLOCK_WIDE) {
            double* to = factor + *target++;
            four a = load(to), b = load(to + 4);
            double c = to[8];
            for (int q = 0; q < 3; ++q) {
                a -= load(l + 9 * q) * low[q];
                b -= load(l + 9 * q + 4) * high[q];
                c -= l[9 * q + 8] * last[q];
            }
            store(to, a), store(to + 4, b);
            to[8] = c;
        }
    }
}

const kin_block_products KIN_KERNEL(kin_block_products) = {subtract};
