/* ghosts.c - mirrored particles (Coutinho 3.8): a particle near a plane sees its neighbours once more, behind it, with their velocities along the normal turned
 * round, so that nothing goes through the plane on the mean. They are made for the evaluation and are nowhere stored.
 *
 *     lambda_i = V sum_j W(x_i - x_j')            j: itself and its neighbours, x_j' their images
 *     b_i = 2 n sum_j V W'/r (x_i - x_j') . n      its rate when all move alike: then images come as fast as particles go
 *
 * An image that is within reach is that of a neighbour: |x_i - x_j'| >= |x_i - x_j| on one side of the plane. */
#include "domains/sph/boundary/ghosts.h"
#include "math/vec3.h"

typedef struct sum {
    double share, pull;
} sum;

static void add_image(const kin_sph_profile* p, kin_vec3 x, kin_vec3 image, kin_vec3 n, sum* s)
{
    kin_vec3 d = kin_sub(x, image);
    double r = kin_length(d), slope, unused;
    if (r >= p->bell.end) return;
    s->share += kin_sph_curve_at(&p->bell, r, &unused);
    kin_sph_curve_at(&p->force, r, &slope);
    s->pull += r > 0 ? 2 * slope / r * kin_dot(d, n) : 0;
}

bool kin_sph_ghosts_feel(const kin_sph* f, size_t i, kin_vec3 n, double offset, kin_sph_felt* out)
{
    const kin_sph_profile* p = &f->walls->profile;
    const kin_sph_lists* lists = &f->lists;
    kin_vec3 x = kin_sph_place(f, f->x4 + 4 * i);
    size_t block = i / KIN_SPH_LANES, lane = i % KIN_SPH_LANES;
    double d = kin_dot(n, x) - offset;
    sum s = {0, 0};
    if (!(d < p->bell.end)) return false;
    add_image(p, x, kin_sph_mirror(n, offset, x), n, &s);
    for (size_t row = lists->first[block]; row < lists->first[block + 1]; ++row) {
        size_t at = KIN_SPH_LANES * row + lane;
        size_t j = (size_t)((ptrdiff_t)(KIN_SPH_LANES * block) + (lists->wide ? (ptrdiff_t)lists->far[at] : (ptrdiff_t)lists->near[at]));
        kin_vec3 y = kin_sph_place(f, f->x4 + 4 * j);
        if (j != i && kin_dot(n, y) > offset) add_image(p, x, kin_sph_mirror(n, offset, y), n, &s);
    }
    if (!(s.share > 0)) return false;
    double volume = (double)f->volume;
    out->share = kin_min(volume * s.share, 0.99);
    out->slope = kin_scale(n, volume * s.pull);
    out->distance = d;
    out->normal = n;
    return true;
}
