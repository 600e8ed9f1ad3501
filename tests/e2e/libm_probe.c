/* libm_probe.c - prints a fingerprint of libm's own pow, so that a test can see whether a setting of glibc changes its bits. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    uint64_t sum = 14695981039346656037u;
    for (int i = 1; i <= 200000; ++i) {
        volatile double x = 0.5 + 1e-4 * i, y = 0.1 + 3.7e-5 * i;
        double z = pow(x, y);
        uint64_t bits;
        memcpy(&bits, &z, sizeof bits);
        sum = (sum ^ bits) * 1099511628211u;
    }
    printf("%016" PRIx64 "\n", sum);
    return 0;
}
