/* pressure_lanes.c - the sum of pressure.c, in lanes. */
#include "domains/sph/pair_lanes.h"
#include "domains/sph/pressure.h"

INLINE void stress_part(const kin_sph* f, bool wide, size_t block, int at, float* out)
{
    const kin_sph_lists* l = &f->lists;
    const float* fours = f->a4 + 32 * block;
    const wrap box = wrap_of(f);
    size_t i = 8 * block + (size_t)at;
    lane4 own_place = own(fours, at);
    lane sum = all(0);
    for (size_t row = l->first[block]; row < l->first[block + 1]; ++row) {
        lane4 j = gather(fours, l, wide, row, at);
        lane x = own_place.x - j.x, y = own_place.y - j.y, z = own_place.z - j.z;
        if (wide) x = wrapped(x, box.size[0], box.inv[0]), y = wrapped(y, box.size[1], box.inv[1]), z = wrapped(z, box.size[2], box.inv[2]);
        sum -= load(l->g + 8 * row + at) * (own_place.w + j.w) * (x * x + y * y + z * z);
    }
    lane moment = all(0.5f) * sum + own_place.w * load(f->wall_moment + i);
    store(out + i, all(f->flat ? 1.0f / 2 : 1.0f / 3) * load(f->density + i) * moment);
}

void KIN_KERNEL(kin_sph_stress)(const kin_sph* f, size_t begin, size_t end, float* out)
{
    for (size_t block = begin; block < end; ++block) {
        for (int at = 0; at < 8; at += LANES) {
            if (f->lists.wide)
                stress_part(f, true, block, at, out);
            else
                stress_part(f, false, block, at, out);
        }
    }
}
