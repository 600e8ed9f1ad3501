/* initial.c - draws: 0 distance, 1 direction, 2 direction of velocity, 3 deviations, 16 and up the tries of a rejection. */
#include "system/gravity/initial.h"
#include "base/jobs.h"
#include "math/quat.h"
#include "math/random.h"
#include "math/scalar.h"

#define PLUMMER_MASS 0.999 /* the share of the mass that is kept: the rest reaches to infinity */

static kin_rng_key key_of(uint64_t seed, uint64_t index) { return (kin_rng_key){.seed = seed, .serial = index, .system = 0x67726176}; }

/* The share q of the speed of escape has density q^2 (1 - q^2)^(7/2), at most 0.0921 (at q^2 = 2/9). */
static double escape_share(const kin_rng_key* key)
{
    for (uint32_t draw = 16;; ++draw) {
        uint64_t words[4];
        kin_rng_words(key, draw, words);
        double q = kin_rng_unit(words[0]), height = 0.0925 * kin_rng_unit(words[1]), left = 1 - q * q;
        if (height < q * q * left * left * left * kin_sqrt(left)) return q;
    }
}

kin_star kin_plummer_star(const kin_plummer* def, uint64_t seed, uint64_t index)
{
    kin_rng_key key = key_of(seed, index);
    double share = PLUMMER_MASS * kin_rng_unit_positive(kin_rng_bits(&key, 0));
    double third = kin_cbrt(share), r2 = third * third / (1 - third * third); /* M(r) = (r^2 / (1 + r^2))^(3/2) */
    double escape = kin_sqrt(2 * def->constant * def->mass / (def->radius * kin_sqrt(1 + r2)));
    double speed = escape_share(&key) * escape;
    return (kin_star){kin_scale(kin_rng_direction(&key, 1), def->radius * kin_sqrt(r2)), kin_scale(kin_rng_direction(&key, 2), speed)};
}

kin_star kin_ball_star(double radius, uint64_t seed, uint64_t index)
{
    kin_rng_key key = key_of(seed, index);
    return (kin_star){kin_rng_sphere(&key, 0, radius), {0, 0, 0}};
}

/* Of an endless disk, the share of mass within s scales. */
static double disk_share(double s) { return 1 - (1 + s) * kin_exp(-s); }

/* Its inverse by bisection: 53 halvings settle every bit that counts. */
static double disk_distance(double share, double most)
{
    double low = 0, high = most;
    for (int k = 0; k < 53; ++k) {
        double middle = 0.5 * (low + high);
        if (disk_share(middle) < share)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

double kin_galaxy_speed(const kin_galaxy* def, double r)
{
    double all = disk_share(def->extent / def->scale), within = def->disk_mass * kin_min(disk_share(r / def->scale) / all, 1);
    double soft = r * r + def->softening * def->softening;
    if (!(soft > 0)) return 0;
    return kin_sqrt(def->constant * (def->central_mass + within) * r * r / (soft * kin_sqrt(soft)));
}

kin_star kin_galaxy_star(const kin_galaxy* def, uint64_t seed, uint64_t index)
{
    kin_rng_key key = key_of(seed, index);
    double most = def->extent / def->scale;
    double r = def->scale * disk_distance(kin_rng_uniform(&key, 0, 0, disk_share(most)), most);
    kin_sincos angle = kin_sin_cos(kin_rng_uniform(&key, 1, 0, 2 * KIN_PI));
    double speed = kin_galaxy_speed(def, r), spread = def->dispersion * speed;
    kin_vec3 position = {r * angle.cosine, kin_rng_normal(&key, 3, 0, def->thickness), -r * angle.sine};
    kin_vec3 velocity = {-speed * angle.sine, 0, -speed * angle.cosine}; /* counterclockwise about y */
    velocity.x += kin_rng_normal(&key, 4, 0, spread);
    velocity.y += kin_rng_normal(&key, 5, 0, spread);
    velocity.z += kin_rng_normal(&key, 6, 0, spread);
    return (kin_star){kin_rotate(def->orientation, position), kin_rotate(def->orientation, velocity)};
}

static void centre_array(const double* mass, double* x, size_t n)
{
    double sum = 0, total = 0;
    for (size_t i = 0; i < n; ++i) sum += mass[i] * x[i], total += mass[i];
    for (size_t i = 0; i < n && total > 0; ++i) x[i] -= sum / total;
}

void kin_bodies_centre(const double* mass, double* const x[3], double* const v[3], size_t n)
{
    for (int axis = 0; axis < 3; ++axis) {
        centre_array(mass, x[axis], n);
        centre_array(mass, v[axis], n);
    }
}
