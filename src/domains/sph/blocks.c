/* blocks.c - shapes filled with fluid: a lattice of the spacing.
 *
 * The lattice lies along the world's axes, centred in the box round the shape, with as many layers as fit: the first and the last are at least half a spacing
 * off that box, as mirrored layers behind a wall would have it (a box of whole spacings is filled exactly). Where the box reaches from wall to wall, or all
 * through a periodic tank, its layers are stretched or pressed until they fill it, and along the other axes they give way: a particle has its volume whatever
 * the width of a tank, and nothing falls into gaps when time begins. From a single wall layers are counted off. Of the points those inside the shape are taken:
 * a ball of fluid then has the volume of the ball. A block within a later one is on the lattice of that one: it takes the place of some of its particles, and
 * nothing has to move when time begins. What is nearer to a solid than a quarter of a spacing is left out: where a lattice meets a body as it happens, gaps and
 * crowds are about as many. So is what an earlier block has filled or would crowd; solids are those that are in the world already, and the tank's own
 * surfaces. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"
#include "collision/form/form.h"
#include "domains/sph/boundary/boundary.h"
#include "domains/sph/face.h"
#include "math/aabb.h"
#include "system/shape_params.h"
#include <stdio.h>

#define SLACK 1e-6   /* of the spacing: rounding is worth no layer */
#define CLEAR 0.25   /* of the lattice's smallest step, to solids */
#define TOUCH 0.1    /* spacings: a box that is as near to a wall reaches it */
#define REFUSAL 1e15 /* particles that no machine has room for: counts stay far from their limits */

/* A shape at its place. */
typedef struct mould {
    kin_form* form;
    kin_transform pose;
    kin_aabb box;
    size_t lattice; /* number of the block whose lattice it is filled from: its own, or the last one that it lies in */
} mould;

/* ---- how many there will be ---- */

/* In a flat tank at most the area of the box round it, a metre deep. */
static double volume_of(const kin_sph_block* block, bool flat)
{
    kin_form* form = NULL;
    if (kin_form_create(NULL, &block->shape, &form, NULL) != KIN_OK) return 0;
    double volume = form->bounded && form->has_inside ? form->ops->mass(form).mass : 0;
    kin_quat turn = kin_quat_normalize(block->orientation);
    kin_vec3 size = volume > 0 ? kin_aabb_size(kin_form_box(form, (kin_transform){block->position, turn})) : kin_v(0, 0, 0);
    kin_form_drop(form);
    return flat ? size.x * size.y : volume;
}

double kin_sph_expected(const kin_sph_def* def)
{
    double spacing = 2 * def->radius, sum = 0;
    if (!(def->radius > 0)) return 0;
    for (size_t i = 0; i < def->blocks.count; ++i) sum += volume_of(&def->blocks.data[i], def->flat);
    return kin_min(sum / (spacing * spacing * (def->flat ? 1 : spacing)), REFUSAL);
}

/* ---- moulds ---- */

static kin_result at_block(kin_result result, size_t i, const kin_shape* shape, kin_error* error)
{
    char path[40];
    snprintf(path, sizeof path, "blocks[%zu]", i);
    return kin_within(kin_shape_name_by_keys(result, shape, error), path, error);
}

static kin_result make_mould(const kin_birth* birth, const kin_sph_block* block, mould* out, kin_error* error)
{
    kin_result result = kin_form_create(&birth->allocator, &block->shape, &out->form, error);
    if (result != KIN_OK) return result;
    out->pose = (kin_transform){block->position, kin_quat_normalize(block->orientation)};
    out->box = kin_form_box(out->form, out->pose);
    if (out->form->bounded && out->form->has_inside && out->form->ops->mass(out->form).mass > 0) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, "shape", "must be closed, for it is filled: planes, height fields and open meshes have no inside");
}

/* Negative inside; beyond reach: reach. */
static double distance_to(const mould* m, kin_vec3 x, double reach)
{
    kin_form_hit hit;
    return kin_form_closest(m->form, m->pose, x, reach, &hit) ? hit.distance : reach;
}

/* ---- the lattice ---- */

typedef struct lattice {
    double first[3], step[3]; /* m */
    int64_t count[3];
} lattice;

/* The box along an axis. */
typedef struct extent {
    double low, high; /* m */
    bool walls[2];    /* at these ends */
} extent;

/* Whether solids lie on a face of the box, seen at the middles of its quarters. */
static bool on_wall(const kin_sph* f, const kin_solids* solids, kin_aabb box, int axis, int side)
{
    const kin_vec3 middle = kin_aabb_center(box), size = kin_aabb_size(box);
    const double reach = TOUCH * 2 * f->def.radius;
    for (int quarter = 0; quarter < 4; ++quarter) {
        double x[3];
        x[axis] = kin_component(side == 0 ? box.low : box.high, axis);
        for (int k = 0; k < 2; ++k) {
            int other = (axis + 1 + k) % 3;
            x[other] = kin_component(middle, other) + ((quarter >> k & 1) != 0 ? 0.25 : -0.25) * kin_component(size, other);
        }
        if (f->flat) x[2] = f->def.center.z;
        kin_contact wall;
        if (kin_solids_closest(solids, kin_v(x[0], x[1], x[2]), 0, reach, 1, &wall, 1) == 0 || wall.distance < -reach) return false;
    }
    return true;
}

static extent extent_of(const kin_sph* f, const kin_solids* solids, kin_aabb box, int axis)
{
    extent e = {.low = kin_component(box.low, axis), .high = kin_component(box.high, axis)};
    const double period = kin_component(f->def.periodic, axis);
    const bool all_through = period > 0 && e.high - e.low > period - TOUCH * 2 * f->def.radius;
    for (int side = 0; side < 2; ++side) e.walls[side] = all_through || (solids != NULL && on_wall(f, solids, box, axis, side));
    return e;
}

/* Distances of layers that leave a particle its volume: between walls as many as fill the width; along axes that are open at an end, what is left. Where
 * all have walls at both ends, the last gives way: rather too few than too many. */
static void choose_steps(const extent* extents, int axes, double spacing, double* steps)
{
    bool open[3] = {false};
    int opens = 0;
    double rest = 1; /* of the spacings that particles had along the open axes, all multiplied */
    for (int a = 0; a < axes; ++a) {
        const double width = extents[a].high - extents[a].low;
        double layers = extents[a].walls[0] && extents[a].walls[1] && (opens > 0 || a < axes - 1) ? kin_floor(width / spacing + 0.5) : 0;
        steps[a] = layers > 0 ? width / layers : spacing;
        rest *= spacing / steps[a];
        open[a] = !(layers > 0);
        opens += open[a];
    }
    for (int a = 0; a < axes; ++a) {
        if (open[a]) steps[a] *= opens == 1 ? rest : kin_sqrt(rest); /* three are open where nothing is between walls: 1 */
    }
}

static lattice lay(const kin_sph* f, const kin_solids* solids, kin_aabb box)
{
    const double spacing = 2 * f->def.radius;
    const int axes = f->flat ? 2 : 3;
    lattice l = {.first = {0, 0, f->def.center.z}, .step = {spacing, spacing, spacing}, .count = {1, 1, 1}};
    extent extents[3];
    for (int a = 0; a < axes; ++a) extents[a] = extent_of(f, solids, box, a);
    choose_steps(extents, axes, spacing, l.step);
    for (int a = 0; a < axes; ++a) {
        const extent* e = &extents[a];
        const double width = e->high - e->low;
        l.count[a] = (int64_t)kin_min(width / l.step[a] + SLACK, REFUSAL);
        if (e->walls[0] && e->walls[1] && l.count[a] > 0) l.step[a] = width / (double)l.count[a];
        double over = width - (double)l.count[a] * l.step[a], shift = 0.5 * over * (e->walls[1] - e->walls[0]);
        l.first[a] = 0.5 * (e->low + e->high) - 0.5 * (double)(l.count[a] - 1) * l.step[a] + shift;
    }
    return l;
}

/* What of it lies in a box. */
static lattice part_of(lattice l, kin_aabb box)
{
    for (int a = 0; a < 3; ++a) {
        double from = (kin_component(box.low, a) - l.first[a]) / l.step[a], to = (kin_component(box.high, a) - l.first[a]) / l.step[a];
        double first = kin_clamp(kin_ceil(from - SLACK), 0, (double)l.count[a]), last = kin_min(kin_floor(to + SLACK), (double)l.count[a] - 1);
        l.first[a] += first * l.step[a];
        l.count[a] = (int64_t)kin_max(0, last - first + 1);
    }
    return l;
}

/* ---- filling ---- */

typedef struct filling {
    kin_sph* f;
    const kin_birth* birth;
    const kin_sph_block* block;
    const mould* moulds;
    size_t number; /* of the one being filled; earlier ones are */
    uint8_t phase;
} filling;

/* step: the smallest of the lattice, m. */
static bool is_free(const filling* w, double step, kin_vec3 x)
{
    const double spacing = 2 * w->f->def.radius, apart = 0.5 * spacing * (1 - SLACK);
    const mould* own = &w->moulds[w->number];
    kin_contact contact;
    if (distance_to(own, x, SLACK * spacing) > 0) return false;
    for (const mould* m = w->moulds; m < own; ++m) {
        if (m->lattice == own->lattice ? !(distance_to(m, x, SLACK * spacing) > 0) : distance_to(m, x, apart) < apart) return false;
    }
    if (w->birth->solids != NULL && kin_solids_closest(w->birth->solids, x, 0, CLEAR * step, 1, &contact, 1) > 0) return false;
    return !kin_sph_walls_take(w->f->walls, x, CLEAR * step);
}

static kin_vec3 jittered(const filling* w, kin_vec3 x)
{
    const double by = 2 * w->f->def.radius * w->block->jitter;
    if (by == 0) return x;
    kin_rng_key key = {.seed = w->birth->seed, .system = w->birth->system, .serial = w->f->next_serial};
    double dx = kin_rng_uniform(&key, 0, -by, by), dy = kin_rng_uniform(&key, 1, -by, by), dz = kin_rng_uniform(&key, 2, -by, by);
    return kin_add(x, kin_v(dx, dy, w->f->flat ? 0 : dz));
}

static kin_result put(const filling* w, kin_vec3 at, kin_error* error)
{
    kin_sph* f = w->f;
    if ((int64_t)f->count >= f->def.max_particles)
        return kin_fail(error, KIN_ERROR_LIMIT, "max_particles", "the blocks hold more than %lld particles", (long long)f->def.max_particles);
    size_t grown = f->count + f->count / 2 + 1024;
    if (!kin_sph_fits(f, f->count + 1) && !kin_sph_reserve(f, grown)) return kin_fail_memory(error, "particles", kin_sph_bytes_for(grown, f->columns));
    kin_vec3 x = kin_sub(jittered(w, at), f->origin);
    kin_vec3 v = kin_add(w->block->velocity, kin_cross(w->block->spin, kin_sub(at, w->block->position)));
    if (f->flat) v.z = 0;
    kin_sph_append(f, (float[3]){(float)x.x, (float)x.y, (float)x.z}, (float[3]){(float)v.x, (float)v.y, (float)v.z}, w->phase, (float)w->block->temperature);
    return KIN_OK;
}

static kin_result fill_block(const filling* w, kin_error* error)
{
    const mould* m = &w->moulds[w->number];
    lattice l = lay(w->f, w->birth->solids, w->moulds[m->lattice].box);
    if (m->lattice != w->number) l = part_of(l, m->box);
    const double step = kin_min(l.step[0], kin_min(l.step[1], l.step[2]));
    for (int64_t k = 0; k < l.count[2]; ++k) {
        for (int64_t j = 0; j < l.count[1]; ++j) {
            for (int64_t i = 0; i < l.count[0]; ++i) {
                kin_vec3 x = kin_v(l.first[0] + (double)i * l.step[0], l.first[1] + (double)j * l.step[1], l.first[2] + (double)k * l.step[2]);
                if (!is_free(w, step, x)) continue;
                kin_result result = put(w, x, error);
                if (result != KIN_OK) return result;
            }
        }
    }
    return KIN_OK;
}

static kin_result fill_one(filling* w, const kin_sph_def* def, size_t i, kin_error* error)
{
    char where[40];
    w->block = &def->blocks.data[i];
    w->number = i;
    snprintf(where, sizeof where, "blocks[%zu].phase", i);
    kin_result result = kin_sph_find_phase(w->f, w->block->phase, where, &w->phase, error);
    return result == KIN_OK ? fill_block(w, error) : result;
}

/* From the last to the first, so that who lies in one that lies in another has the lattice of the outer one. */
static kin_result make_moulds(const kin_birth* birth, const kin_sph_def* def, mould* moulds, kin_error* error)
{
    kin_result result = KIN_OK;
    for (size_t i = 0; i < def->blocks.count && result == KIN_OK; ++i)
        result = at_block(make_mould(birth, &def->blocks.data[i], &moulds[i], error), i, &def->blocks.data[i].shape, error);
    for (size_t i = result == KIN_OK ? def->blocks.count : 0; i-- > 0;) {
        moulds[i].lattice = i;
        for (size_t k = i + 1; k < def->blocks.count; ++k) {
            if (kin_aabb_contains_box(moulds[k].box, moulds[i].box)) moulds[i].lattice = moulds[k].lattice;
        }
    }
    return result;
}

/* Refused by the bytes it would take, before they are asked for: a machine that hands out more than it has would end the process later. */
static kin_result make_room(kin_sph* f, const kin_sph_def* def, kin_error* error)
{
    double expected = kin_floor(kin_sph_expected(def) + 0.5); /* of volumes, so rounded: particles are counted one by one as they are made */
    if (expected > (double)def->max_particles)
        return kin_fail(error, KIN_ERROR_LIMIT, "max_particles", "the blocks hold about %.3g particles, more than %lld", expected,
                        (long long)def->max_particles);
    size_t bytes = kin_sph_bytes_for((size_t)expected, f->columns);
    if (bytes > kin_memory_available() || !kin_sph_reserve(f, (size_t)expected)) return kin_fail_memory(error, "particles", bytes);
    return KIN_OK;
}

kin_result kin_sph_fill(kin_sph* f, const kin_birth* birth, const kin_sph_def* def, kin_error* error)
{
    const size_t count = def->blocks.count;
    if (count == 0) return KIN_OK;
    kin_result result = make_room(f, def, error);
    if (result != KIN_OK) return result;
    mould* moulds = kin_alloc_zero(&f->allocator, kin_bytes(count, sizeof *moulds));
    if (moulds == NULL) return kin_fail_memory(error, "blocks", kin_bytes(count, sizeof *moulds));
    filling work = {.f = f, .birth = birth, .moulds = moulds};
    result = make_moulds(birth, def, moulds, error);
    for (size_t i = 0; i < count && result == KIN_OK; ++i) result = fill_one(&work, def, i, error);
    for (size_t i = 0; i < count; ++i) kin_form_drop(moulds[i].form);
    kin_free(&f->allocator, moulds, kin_bytes(count, sizeof *moulds));
    if (result == KIN_OK) kin_sph_park(f);
    return result;
}
