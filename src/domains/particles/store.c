/* store.c - the arrays of a particle system: room for particles, and putting one in. */
#include "base/alloc.h"
#include "base/rng.h"
#include "domains/particles/meet.h"
#include "math/random.h"
#include <string.h>

/* Every array of a particle, for reserving, freeing and counting alike. */
typedef struct column {
    void** data;
    size_t size;
} column;

enum { COLUMNS = 30 };
static void columns_of(kin_particles* p, column out[COLUMNS])
{
    int n = 0;
    double** sets[] = {p->x, p->v, p->memory, p->next_x, p->next_v, p->next_memory};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; ++i) {
        for (int axis = 0; axis < 3; ++axis) out[n++] = (column){(void**)&sets[i][axis], sizeof(double)};
    }
    out[n++] = (column){(void**)&p->mass, sizeof *p->mass};
    out[n++] = (column){(void**)&p->inv_mass, sizeof *p->inv_mass};
    out[n++] = (column){(void**)&p->radius, sizeof *p->radius};
    out[n++] = (column){(void**)&p->material, sizeof *p->material};
    out[n++] = (column){(void**)&p->serial, sizeof *p->serial};
    uint8_t** bytes[] = {&p->mobility, &p->next_mobility, &p->flags, &p->next_flags, &p->resting, &p->next_resting, &p->moved};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; ++i) out[n++] = (column){(void**)bytes[i], 1};
}

static void release(kin_particles* p, column columns[COLUMNS], void* const blocks[COLUMNS], size_t capacity)
{
    for (int i = 0; i < COLUMNS; ++i) kin_free(&p->allocator, blocks[i], kin_bytes(capacity, columns[i].size));
}

/* All new arrays or none. */
bool kin_particles_reserve(kin_particles* p, size_t count)
{
    if (count <= p->capacity) return true;
    column columns[COLUMNS];
    void *fresh[COLUMNS], *old[COLUMNS];
    bool ok = true;
    columns_of(p, columns);
    for (int i = 0; i < COLUMNS; ++i) {
        old[i] = *columns[i].data;
        fresh[i] = kin_alloc_zero(&p->allocator, kin_bytes(count, columns[i].size));
        ok = ok && fresh[i] != NULL;
    }
    kin_particle_tally* tallies = kin_alloc(&p->allocator, kin_bytes(kin_particle_blocks(count), sizeof *tallies));
    if (!ok || tallies == NULL) {
        release(p, columns, fresh, count);
        kin_free(&p->allocator, tallies, kin_bytes(kin_particle_blocks(count), sizeof *tallies));
        return false;
    }
    for (int i = 0; i < COLUMNS; ++i) {
        if (old[i] != NULL) memcpy(fresh[i], old[i], p->count * columns[i].size);
        *columns[i].data = fresh[i];
    }
    release(p, columns, old, p->capacity);
    kin_free(&p->allocator, p->tallies, kin_particle_blocks(p->capacity) * sizeof *tallies);
    p->tallies = tallies;
    p->capacity = count;
    return true;
}

void kin_particles_free(kin_particles* p)
{
    kin_allocator allocator = p->allocator;
    column columns[COLUMNS];
    void* blocks[COLUMNS];
    columns_of(p, columns);
    for (int i = 0; i < COLUMNS; ++i) blocks[i] = *columns[i].data;
    release(p, columns, blocks, p->capacity);
    kin_free(&allocator, p->tallies, kin_particle_blocks(p->capacity) * sizeof *p->tallies);
    kin_meetings_destroy(p->meetings);
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
    columns_of(&(kin_particles){0}, columns);
    for (int i = 0; i < COLUMNS; ++i) each += columns[i].size;
    return kin_bytes(kin_particles_total(def), each);
}

/* Draws 0 to 2 place it in the box, 3 to 5 spread its velocity. */
void kin_particles_add(kin_particles* p, const kin_birth* birth, const kin_particle_group* group)
{
    size_t i = p->count++;
    kin_rng_key key = {.seed = birth->seed, .serial = i, .system = birth->system};
    kin_vec3 x = group->position, v = group->velocity, half = kin_scale(group->box, 0.5);
    x.x += kin_rng_uniform(&key, 0, -half.x, half.x);
    x.y += kin_rng_uniform(&key, 1, -half.y, half.y);
    x.z += kin_rng_uniform(&key, 2, -half.z, half.z);
    if (group->spread.x > 0) v.x = kin_rng_normal(&key, 3, v.x, group->spread.x);
    if (group->spread.y > 0) v.y = kin_rng_normal(&key, 4, v.y, group->spread.y);
    if (group->spread.z > 0) v.z = kin_rng_normal(&key, 5, v.z, group->spread.z);
    kin_put3(p->x, i, x);
    kin_put3(p->v, i, v);
    p->mass[i] = group->mass;
    p->inv_mass[i] = 1 / group->mass;
    p->radius[i] = group->radius;
    p->material[i] = group->material.index1;
    p->serial[i] = i;
    p->mobility[i] = (uint8_t)group->mobility;
    p->flags[i] = KIN_PARTICLE_TOUCHING | KIN_PARTICLE_FRESH;
    p->resting[i] = 0;
}
