/* store.c - memory of a tank. Columns are blocks of their own, of one capacity, whole blocks of eight lanes and one more block (lists read past the end). They
 * grow by a sixteenth at least and never shrink, so steady ticks allocate nothing. */
#include "domains/sph/store.h"
#include "base/alloc.h"
#include "base/error.h"
#include "domains/sph/boundary/boundary.h"
#include "domains/sph/face.h"
#include "domains/sph/physics/physics.h"
#include <stddef.h>
#include <string.h>

#define FAR_AWAY 1e9f /* m: where parked lanes are */
#define FIRST_ROWS 36 /* rows of lists a block that memory is foreseen for: 30 neighbours and what padding takes */

#define STATE(name, size, when)                                                                                                                                \
    {                                                                                                                                                          \
        offsetof(kin_sph, name), size, true, when                                                                                                              \
    }
#define SCRATCH(name, size, when)                                                                                                                              \
    {                                                                                                                                                          \
        offsetof(kin_sph, name), size, false, when                                                                                                             \
    }
const kin_sph_column kin_sph_columns[KIN_SPH_COLUMNS] = {
    STATE(x4, 16, 0),
    STATE(v4, 16, 0),
    STATE(serial, 8, 0),
    STATE(phase, 1, 0),
    STATE(k_density, 4, 0),
    STATE(k_divergence, 4, 0),
    STATE(temperature, 4, KIN_SPH_HAS_HEAT),
    STATE(spin4, 16, KIN_SPH_HAS_SPIN),
    STATE(deform, 36, KIN_SPH_HAS_REST),
    STATE(birth, 8, KIN_SPH_HAS_AGE),
    SCRATCH(xs[0], 4, 0),
    SCRATCH(xs[1], 4, 0),
    SCRATCH(xs[2], 4, 0),
    SCRATCH(a4, 16, 0),
    SCRATCH(p4, 16, 0),
    SCRATCH(kick4, 16, 0),
    SCRATCH(density, 4, 0),
    SCRATCH(pressure, 4, KIN_SPH_HAS_PRESSURE),
    SCRATCH(inv_rho, 4, 0),
    SCRATCH(factor, 4, 0),
    SCRATCH(lambda, 4, 0),
    SCRATCH(b[0], 4, 0),
    SCRATCH(b[1], 4, 0),
    SCRATCH(b[2], 4, 0),
    SCRATCH(wall_rate, 4, 0),
    SCRATCH(wall_moment, 4, 0),
    SCRATCH(neighbours, 2, 0),
    SCRATCH(work[0], 4, 0),
    SCRATCH(work[1], 4, 0),
    SCRATCH(work[2], 4, 0),
};

void kin_sph_set_sizes(kin_sph* f)
{
    static const kin_sph_solver_ops* const solvers[] = {[KIN_SPH_WCSPH] = &kin_sph_wcsph,
                                                        [KIN_SPH_PCISPH] = &kin_sph_pcisph,
                                                        [KIN_SPH_IISPH] = &kin_sph_iisph,
                                                        [KIN_SPH_DFSPH] = &kin_sph_dfsph,
                                                        [KIN_SPH_PBF] = &kin_sph_pbf};
    const kin_sph_def* d = &f->def;
    double spacing = 2 * d->radius, support = d->support * d->radius;
    int dimensions = d->flat ? 2 : 3;
    f->flat = d->flat;
    f->spacing = (float)spacing, f->support = (float)support;
    f->volume = (float)(spacing * spacing * (d->flat ? 1 : spacing));
    f->bell = kin_sph_bell_for_density(d->kernel, dimensions, support, spacing);
    f->gradient = kin_sph_bell_for_gradient(d->kernel, dimensions, support, spacing);
    const double size[3] = {d->periodic.x, d->periodic.y, d->periodic.z},
                 center[3] = {d->center.x - f->origin.x, d->center.y - f->origin.y, d->center.z - f->origin.z};
    for (int a = 0; a < 3; ++a) f->box_size[a] = (float)size[a], f->box_low[a] = (float)(center[a] - 0.5 * size[a]);
    kin_sph_solver solver = d->solver != KIN_SPH_BY_MODE ? d->solver : d->mode == KIN_SPH_EXACT ? KIN_SPH_DFSPH : KIN_SPH_PBF;
    f->solver = solvers[solver];
}

static size_t padded(size_t count) { return (count + 15) / 8 * 8; }
static size_t partial_bytes(size_t capacity) { return (capacity / (8 * KIN_SPH_CHUNK) + 1) * KIN_SPH_PARTIALS * sizeof(double); }

static size_t column_bytes(uint32_t columns)
{
    size_t each = 0;
    for (int c = 0; c < KIN_SPH_COLUMNS; ++c) {
        if (kin_sph_columns[c].optional == 0 || (columns & kin_sph_columns[c].optional) != 0) each += kin_sph_columns[c].bytes;
    }
    return each;
}

size_t kin_sph_bytes_for(size_t count, uint32_t columns)
{
    size_t each = column_bytes(columns) + FIRST_ROWS * (sizeof(int16_t) + sizeof(float)) + sizeof(size_t) / 8;
    size_t bytes = kin_bytes(padded(count), each);
    return bytes > SIZE_MAX - partial_bytes(count) ? SIZE_MAX : bytes + partial_bytes(count);
}

size_t kin_sph_bytes(const kin_sph* f)
{
    const kin_sph_lists* l = &f->lists;
    size_t lists = 8 * (l->row_capacity * sizeof *l->g + l->near_capacity * sizeof *l->near + l->far_capacity * sizeof *l->far);
    size_t around = l->block_capacity * sizeof *l->first + f->cells.capacity * sizeof *f->cells.start + KIN_SPH_SQUEEZE;
    size_t others = kin_sph_forces_bytes(f) + kin_sph_walls_bytes(f->walls) + f->sources->gone_capacity;
    return f->capacity * column_bytes(f->columns) + partial_bytes(f->capacity) + lists + around + others;
}

/* Takes what is new first: a failure leaves all as it was. */
static bool grow(kin_sph* f, size_t capacity)
{
    void* fresh[KIN_SPH_COLUMNS] = {0};
    double* partial = kin_alloc_zero(&f->allocator, partial_bytes(capacity));
    bool ok = partial != NULL;
    for (int c = 0; c < KIN_SPH_COLUMNS && ok; ++c) {
        if (!kin_sph_has(f, &kin_sph_columns[c])) continue;
        fresh[c] = kin_alloc_zero(&f->allocator, kin_bytes(capacity, kin_sph_columns[c].bytes));
        ok = fresh[c] != NULL;
    }
    for (int c = 0; c < KIN_SPH_COLUMNS; ++c) {
        const kin_sph_column* column = &kin_sph_columns[c];
        void** at = kin_sph_column_of(f, column);
        if (!ok) {
            kin_free(&f->allocator, fresh[c], capacity * column->bytes);
        } else if (kin_sph_has(f, column)) {
            if (*at != NULL) memcpy(fresh[c], *at, f->count * column->bytes);
            kin_free(&f->allocator, *at, f->capacity * column->bytes);
            *at = fresh[c];
        }
    }
    if (!ok) {
        kin_free(&f->allocator, partial, partial_bytes(capacity));
        return false;
    }
    kin_free(&f->allocator, f->partial, partial_bytes(f->capacity));
    f->partial = partial;
    f->capacity = capacity;
    return true;
}

bool kin_sph_reserve(kin_sph* f, size_t count)
{
    if (count > SIZE_MAX / 64) return false;
    size_t need = padded(count);
    if (need <= f->capacity) return true;
    size_t ample = padded(f->capacity + f->capacity / 16);
    if (!grow(f, need > ample ? need : ample)) return false;
    kin_sph_park(f);
    return true;
}

void kin_sph_free(kin_sph* f)
{
    for (int c = 0; c < KIN_SPH_COLUMNS; ++c) {
        void** at = kin_sph_column_of(f, &kin_sph_columns[c]);
        kin_free(&f->allocator, *at, f->capacity * kin_sph_columns[c].bytes);
        *at = NULL;
    }
    if (f->partial != NULL) kin_free(&f->allocator, f->partial, partial_bytes(f->capacity));
    f->partial = NULL;
    f->count = f->blocks = f->capacity = 0;
    kin_free(&f->allocator, f->cells.start, f->cells.capacity * sizeof *f->cells.start);
    f->cells = (kin_sph_cells){0};
    kin_sph_lists* l = &f->lists;
    kin_free(&f->allocator, l->first, l->block_capacity * sizeof *l->first);
    kin_free(&f->allocator, l->near, l->near_capacity * 8 * sizeof *l->near);
    kin_free(&f->allocator, l->far, l->far_capacity * 8 * sizeof *l->far);
    kin_free(&f->allocator, l->g, l->row_capacity * 8 * sizeof *l->g);
    kin_free(&f->allocator, l->squeeze, KIN_SPH_SQUEEZE);
    *l = (kin_sph_lists){0};
}

void kin_sph_append(kin_sph* f, const float x[3], const float v[3], uint8_t phase, float temperature)
{
    KIN_ASSERT(f->count < f->capacity);
    size_t i = f->count++;
    for (int c = 0; c < KIN_SPH_COLUMNS; ++c) { /* what is not said below starts at 0 */
        const kin_sph_column* column = &kin_sph_columns[c];
        if (kin_sph_has(f, column)) memset((char*)*kin_sph_column_of(f, column) + i * column->bytes, 0, column->bytes);
    }
    for (int a = 0; a < 3; ++a) f->x4[4 * i + (size_t)a] = x[a], f->v4[4 * i + (size_t)a] = v[a], f->xs[a][i] = x[a];
    f->serial[i] = f->next_serial++;
    f->phase[i] = phase;
    f->density[i] = 1;
    f->inv_rho[i] = 1 / f->phases[phase].density;
    if (f->temperature != NULL) f->temperature[i] = temperature;
    if (f->deform != NULL) f->deform[9 * i] = f->deform[9 * i + 4] = f->deform[9 * i + 8] = 1;
}

void kin_sph_remove(kin_sph* f, const uint8_t* gone)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->count; ++i) {
        if (gone[i] != 0) continue;
        for (int c = 0; c < KIN_SPH_COLUMNS && kept != i; ++c) {
            const kin_sph_column* column = &kin_sph_columns[c];
            if (!kin_sph_has(f, column)) continue;
            char* data = *kin_sph_column_of(f, column);
            memcpy(data + kept * column->bytes, data + i * column->bytes, column->bytes);
        }
        ++kept;
    }
    f->count = kept;
    kin_sph_park(f);
}

void kin_sph_park(kin_sph* f)
{
    f->blocks = (f->count + 7) / 8;
    for (size_t i = f->count; i < f->blocks * 8; ++i) {
        for (int c = 0; c < KIN_SPH_COLUMNS; ++c) {
            const kin_sph_column* column = &kin_sph_columns[c];
            if (kin_sph_has(f, column)) memset((char*)*kin_sph_column_of(f, column) + i * column->bytes, 0, column->bytes);
        }
        for (size_t a = 0; a < 3; ++a) f->x4[4 * i + a] = f->xs[a][i] = FAR_AWAY;
    }
}
