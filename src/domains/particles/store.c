/* store.c - the arrays of a particle system: room for particles, putting one in, taking one out.
 *
 * A slot of a dead particle is used again, last freed first; serials are not. Columns that few systems need are made when something asks for them. */
#include "base/alloc.h"
#include "domains/particles/meet.h"
#include "system/flock/bank.h"
#include <string.h>

/* Every array of a particle, for reserving, freeing and counting alike. */
typedef struct column {
    void** data;
    size_t size;
    uint32_t need; /* KIN_COLUMN_*; 0: always there */
} column;

enum { COLUMNS = 64 };

static int add3(column* out, int n, double* array[3], uint32_t need)
{
    for (int axis = 0; axis < 3; ++axis) out[n++] = (column){(void**)&array[axis], sizeof(double), need};
    return n;
}

/* Returns how many there are. */
static int columns_of(kin_particles* p, column out[COLUMNS])
{
    int n = 0;
    double** always[] = {p->x, p->v, p->next_x, p->next_v};
    for (size_t i = 0; i < sizeof always / sizeof *always; ++i) n = add3(out, n, always[i], 0);
    n = add3(out, n, p->memory, KIN_COLUMN_MEMORY);
    n = add3(out, n, p->next_memory, KIN_COLUMN_MEMORY);
    out[n++] = (column){(void**)&p->mass, sizeof *p->mass, 0};
    out[n++] = (column){(void**)&p->radius, sizeof *p->radius, 0};
    out[n++] = (column){(void**)&p->birth, sizeof *p->birth, 0};
    out[n++] = (column){(void**)&p->life, sizeof *p->life, 0};
    out[n++] = (column){(void**)&p->serial, sizeof *p->serial, 0};
    out[n++] = (column){(void**)&p->material, sizeof *p->material, 0};
    out[n++] = (column){(void**)&p->kind, sizeof *p->kind, 0};
    out[n++] = (column){(void**)&p->source, sizeof *p->source, 0};
    out[n++] = (column){(void**)&p->free, sizeof *p->free, 0};
    out[n++] = (column){(void**)&p->charge, sizeof *p->charge, KIN_COLUMN_CHARGE};
    out[n++] = (column){(void**)&p->first_radius, sizeof *p->first_radius, KIN_COLUMN_GROWTH};
    out[n++] = (column){(void**)&p->first_mass, sizeof *p->first_mass, KIN_COLUMN_GROWTH};
    out[n++] = (column){(void**)&p->bank, sizeof *p->bank, KIN_COLUMN_BANK};
    out[n++] = (column){(void**)&p->up, sizeof *p->up, KIN_COLUMN_UP};
    out[n++] = (column){(void**)&p->attributes, (size_t)p->attribute_count * sizeof *p->attributes, KIN_COLUMN_ATTRIBUTES};
    out[n++] = (column){(void**)&p->first_charge, sizeof *p->first_charge, KIN_COLUMN_FIRST_CHARGE};
    out[n++] = (column){(void**)&p->pull_begin, sizeof *p->pull_begin, KIN_COLUMN_INSIDE};
    out[n++] = (column){(void**)&p->pull_depth, sizeof *p->pull_depth, KIN_COLUMN_INSIDE};
    out[n++] = (column){(void**)&p->inside, sizeof *p->inside, KIN_COLUMN_INSIDE};
    out[n++] = (column){(void**)&p->surface, sizeof *p->surface, KIN_COLUMN_SURFACE};
    out[n++] = (column){(void**)&p->last_hit, sizeof *p->last_hit, KIN_COLUMN_HIT};
    out[n++] = (column){(void**)&p->next_hit, sizeof *p->next_hit, KIN_COLUMN_HIT};
    out[n++] = (column){(void**)&p->trail, (size_t)p->trail_points * sizeof *p->trail, KIN_COLUMN_TRAIL};
    out[n++] = (column){(void**)&p->trail_count, sizeof *p->trail_count, KIN_COLUMN_TRAIL};
    uint8_t** bytes[] = {&p->depth, &p->mobility, &p->next_mobility, &p->flags, &p->next_flags, &p->resting, &p->next_resting, &p->moved};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; ++i) out[n++] = (column){(void**)bytes[i], 1, 0};
    return n;
}

static bool is_there(const column* c, uint32_t columns) { return c->need == 0 || (columns & c->need) != 0; }

/* Of all columns in `wanted`, new arrays of `capacity` with the old ones' first `count`; all or none. */
static bool renew(kin_particles* p, uint32_t wanted, size_t capacity)
{
    column columns[COLUMNS];
    void* fresh[COLUMNS] = {0};
    int n = columns_of(p, columns);
    bool ok = true;
    for (int i = 0; i < n && ok; ++i) {
        if (!is_there(&columns[i], wanted)) continue;
        fresh[i] = kin_alloc_zero(&p->allocator, kin_bytes(capacity, columns[i].size));
        ok = fresh[i] != NULL;
    }
    for (int i = 0; i < n; ++i) {
        bool had = *columns[i].data != NULL;
        if (!ok) {
            kin_free(&p->allocator, fresh[i], kin_bytes(capacity, columns[i].size));
        } else if (fresh[i] != NULL) {
            if (had) memcpy(fresh[i], *columns[i].data, p->capacity * columns[i].size);
            if (had) kin_free(&p->allocator, *columns[i].data, p->capacity * columns[i].size);
            *columns[i].data = fresh[i];
        }
    }
    return ok;
}

bool kin_particles_reserve(kin_particles* p, size_t count)
{
    if (count <= p->capacity) return true;
    size_t blocks = kin_particle_blocks(count);
    kin_particle_tally* tallies = kin_alloc_zero(&p->allocator, kin_bytes(blocks, sizeof *tallies));
    if (tallies == NULL || !renew(p, p->columns, count)) {
        kin_free(&p->allocator, tallies, kin_bytes(blocks, sizeof *tallies));
        return false;
    }
    kin_free(&p->allocator, p->tallies, kin_particle_blocks(p->capacity) * sizeof *tallies);
    p->tallies = tallies;
    p->capacity = count;
    return true;
}

bool kin_particles_need(kin_particles* p, uint32_t columns)
{
    uint32_t wanted = p->columns | columns;
    if (wanted == p->columns) return true;
    if (p->capacity > 0 && !renew(p, wanted, p->capacity)) return false;
    p->columns = wanted;
    return true;
}

static void free_arrays(kin_particles* p)
{
    column columns[COLUMNS];
    int n = columns_of(p, columns);
    for (int i = 0; i < n; ++i) kin_free(&p->allocator, *columns[i].data, kin_bytes(p->capacity, columns[i].size));
    kin_free(&p->allocator, p->tallies, kin_particle_blocks(p->capacity) * sizeof *p->tallies);
}

void kin_particles_free(kin_particles* p)
{
    kin_allocator allocator = p->allocator;
    free_arrays(p);
    kin_free(&allocator, p->springs, p->spring_capacity * sizeof *p->springs);
    kin_free(&allocator, p->newborns, p->newborn_capacity * sizeof *p->newborns);
    kin_particles_free_happenings(p);
    kin_neighbours_destroy(p->crowd);
    kin_mutuals_term(&p->mutuals);
    kin_coupled_destroy(p->coupled);
    kin_emitters_destroy(p->emitters);
    kin_density_destroy(p->volume);
    kin_meetings_destroy(p->meetings);
    kin_reactions_term(&p->reactions);
    for (size_t i = 0; i < p->share_capacity; ++i) kin_reactions_term(&p->shares[i]);
    kin_free(&p->allocator, p->shares, p->share_capacity * sizeof *p->shares);
    kin_arena_term(&p->arena);
    kin_free(&allocator, p, sizeof *p);
}

size_t kin_particles_total(const kin_particles_def* def)
{
    size_t sum = 0;
    for (size_t i = 0; i < def->group_count; ++i) {
        size_t count = (size_t)def->groups[i].count;
        if (count > SIZE_MAX - sum) return SIZE_MAX;
        sum += count;
    }
    return sum;
}

size_t kin_particles_bytes(const void* def)
{
    column columns[COLUMNS];
    size_t each = sizeof(kin_particle_tally) / KIN_PARTICLE_BLOCK + 1;
    int n = columns_of(&(kin_particles){.trail_points = kin_particles_trail_points(def), .attribute_count = kin_particles_attribute_count(def)}, columns);
    for (int i = 0; i < n; ++i) each += columns[i].size;
    return kin_bytes(kin_particles_total(def), each);
}

size_t kin_particles_bear(kin_particles* p, const kin_particle_birth* b)
{
    size_t i = p->free_count > 0 ? p->free[--p->free_count] : p->count++;
    kin_put3(p->x, i, b->x);
    kin_put3(p->v, i, b->v);
    p->mass[i] = b->mass;
    p->radius[i] = b->radius;
    p->birth[i] = b->time;
    p->life[i] = (float)b->life;
    p->serial[i] = p->next_serial++;
    p->material[i] = (uint16_t)b->material;
    p->kind[i] = (uint16_t)b->kind;
    p->source[i] = (uint16_t)b->source;
    p->depth[i] = (uint8_t)b->depth;
    p->mobility[i] = (uint8_t)b->mobility;
    p->flags[i] = KIN_PARTICLE_TOUCHING | KIN_PARTICLE_FRESH;
    p->resting[i] = 0;
    p->moved[i] = 0;
    if (p->columns & KIN_COLUMN_CHARGE) p->charge[i] = b->charge;
    if (p->columns & KIN_COLUMN_GROWTH) {
        p->first_radius[i] = (float)b->radius;
        p->first_mass[i] = (float)b->mass;
    }
    if (p->columns & KIN_COLUMN_BANK) p->bank[i] = 0;
    if (p->columns & KIN_COLUMN_UP) p->up[i] = kin_heading_of(b->v, p->kinds[b->kind].def->up).up;
    if (p->columns & KIN_COLUMN_ATTRIBUTES) memcpy(p->attributes + i * (size_t)p->attribute_count, b->attributes, (size_t)p->attribute_count * sizeof(double));
    if (p->columns & KIN_COLUMN_FIRST_CHARGE) p->first_charge[i] = (float)b->charge;
    if (p->columns & KIN_COLUMN_SURFACE) p->surface[i] = b->surface;
    if (p->columns & KIN_COLUMN_HIT) p->last_hit[i] = p->next_hit[i] = (kin_particle_hit){0};
    if (p->columns & KIN_COLUMN_TRAIL) p->trail_count[i] = 0;
    if (p->columns & KIN_COLUMN_INSIDE) p->pull_begin[i] = p->pull_depth[i] = 0;
    if (p->meetings != NULL && i < p->meetings->capacity) p->meetings->calm[i] = (kin_calm){0}; /* a newborn has not been still */
    if (p->columns & KIN_COLUMN_GROWTH) kin_particle_grow(p, i, 0);
    if (b->source > 0) p->alive[b->source - 1] += 1;
    p->born += 1;
    return i;
}

/* Its slot waits for the next birth. */
void kin_particles_kill(kin_particles* p, size_t i)
{
    p->mobility[i] = KIN_MOBILITY_INACTIVE;
    if (p->source[i] > 0) p->alive[p->source[i] - 1] -= 1;
    p->source[i] = 0;
    p->flags[i] = KIN_PARTICLE_DEAD;
    p->resting[i] = p->moved[i] = 0;
    p->free[p->free_count++] = (uint32_t)i;
    p->died += 1;
}
