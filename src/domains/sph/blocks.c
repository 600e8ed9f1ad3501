/* blocks.c - shapes filled with fluid: a lattice of the spacing.
 *
 * The lattice lies along the world's axes, centred in the box round the shape, with as many layers as fit: the first and the last are at least half a spacing
 * off that box, as mirrored layers behind a wall would have it (a box of whole spacings is filled exactly). Of its points those inside the shape are taken: a
 * ball of fluid then has the volume of the ball. A block within a later one is on the lattice of that one: it takes the place of some of its particles, and
 * nothing has to move when time begins. What is nearer to a solid than all but half a spacing is left out, and so is what an earlier block has filled or would
 * crowd; solids are those that are in the world already. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"
#include "collision/form/form.h"
#include "domains/sph/face.h"
#include "math/aabb.h"
#include "system/shape_params.h"
#include <stdio.h>

#define SLACK 1e-6   /* of the spacing: rounding is worth no layer */
#define CLEAR 0.45   /* spacings to solids */
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
    kin_vec3 first; /* m */
    double spacing;
    int64_t count[3];
} lattice;

static lattice lay(const kin_sph* f, kin_aabb box)
{
    lattice l = {.spacing = 2 * f->def.radius};
    double first[3];
    for (int a = 0; a < 3; ++a) {
        double low = kin_component(box.low, a), high = kin_component(box.high, a);
        bool cut = f->flat && a == 2;
        l.count[a] = cut ? 1 : (int64_t)kin_min((high - low) / l.spacing + SLACK, REFUSAL);
        first[a] = cut ? f->def.center.z : 0.5 * (low + high) - 0.5 * (double)(l.count[a] - 1) * l.spacing;
    }
    l.first = kin_v(first[0], first[1], first[2]);
    return l;
}

/* What of it lies in a box. */
static lattice part_of(lattice l, kin_aabb box)
{
    double shift[3];
    for (int a = 0; a < 3; ++a) {
        double from = (kin_component(box.low, a) - kin_component(l.first, a)) / l.spacing,
               to = (kin_component(box.high, a) - kin_component(l.first, a)) / l.spacing;
        double first = kin_clamp(kin_ceil(from - SLACK), 0, (double)l.count[a]), last = kin_min(kin_floor(to + SLACK), (double)l.count[a] - 1);
        shift[a] = first;
        l.count[a] = (int64_t)kin_max(0, last - first + 1);
    }
    l.first = kin_add_scaled(l.first, l.spacing, kin_v(shift[0], shift[1], shift[2]));
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

static bool is_free(const filling* w, kin_vec3 x)
{
    const double spacing = 2 * w->f->def.radius, apart = 0.5 * spacing * (1 - SLACK);
    const mould* own = &w->moulds[w->number];
    kin_contact contact;
    if (distance_to(own, x, SLACK * spacing) > 0) return false;
    for (const mould* m = w->moulds; m < own; ++m) {
        if (m->lattice == own->lattice ? !(distance_to(m, x, SLACK * spacing) > 0) : distance_to(m, x, apart) < apart) return false;
    }
    return w->birth->solids == NULL || kin_solids_closest(w->birth->solids, x, 0, CLEAR * spacing, 1, &contact, 1) == 0;
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
    lattice l = lay(w->f, w->moulds[m->lattice].box);
    if (m->lattice != w->number) l = part_of(l, m->box);
    for (int64_t k = 0; k < l.count[2]; ++k) {
        for (int64_t j = 0; j < l.count[1]; ++j) {
            for (int64_t i = 0; i < l.count[0]; ++i) {
                kin_vec3 x = kin_add_scaled(l.first, l.spacing, kin_v((double)i, (double)j, (double)k));
                if (!is_free(w, x)) continue;
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
