/* bonds.c - elastic matter's memory: slots by serial, bonds made at birth, and who is where now. A particle's serial is never used again, and later births have
 * higher ones, so the table of slots is in order by itself and a search finds a slot. Slots of particles that ended stay until half are empty. */
#include "domains/sph/physics/bonds.h"
#include "base/search.h"
#include "base/sort.h"
#include "domains/sph/physics/pairs.h"
#include <string.h>

void kin_sph_elastic_term(kin_sph_memory* e, const kin_allocator* allocator)
{
    kin_free(allocator, e->serial, e->capacity * sizeof *e->serial);
    kin_free(allocator, e->first, e->first_capacity * sizeof *e->first);
    kin_free(allocator, e->bonds, e->bond_capacity * sizeof *e->bonds);
    kin_free(allocator, e->particle, e->particle_capacity * sizeof *e->particle);
    kin_free(allocator, e->stress, e->stress_capacity * sizeof *e->stress);
    *e = (kin_sph_memory){0};
}

size_t kin_sph_elastic_bytes(const kin_sph_memory* e)
{
    return e->capacity * sizeof *e->serial + e->first_capacity * sizeof *e->first + e->bond_capacity * sizeof *e->bonds
           + e->particle_capacity * sizeof *e->particle + e->stress_capacity * sizeof *e->stress;
}

static bool reserve(kin_sph_memory* e, const kin_allocator* a, size_t slots, size_t bonds)
{
    return kin_reserve(a, (void**)&e->serial, &e->capacity, slots, sizeof *e->serial)
           && kin_reserve(a, (void**)&e->first, &e->first_capacity, slots + 1, sizeof *e->first)
           && kin_reserve(a, (void**)&e->bonds, &e->bond_capacity, bonds + 1, sizeof *e->bonds)
           && kin_reserve(a, (void**)&e->particle, &e->particle_capacity, slots + 1, sizeof *e->particle)
           && kin_reserve(a, (void**)&e->stress, &e->stress_capacity, 18 * (slots + 1), sizeof *e->stress);
}

void kin_sph_elastic_visit(kin_sph_memory* e, const kin_allocator* allocator, kin_visitor* v)
{
    bool sound = true; /* serials rise, bonds are counted through */
    size_t slots = kin_visit_count(v, e->count), bonds = kin_visit_count(v, e->bond_count);
    if (v->mode == KIN_VISIT_LOAD && !reserve(e, allocator, slots, bonds)) {
        kin_visit_fail(v, KIN_ERROR_MEMORY);
        return;
    }
    e->count = slots, e->bond_count = bonds;
    if (slots == 0) return;
    kin_visit_u64s(v, e->serial, slots);
    kin_visit_u32s_below(v, e->first, slots + 1, (uint64_t)bonds + 1);
    for (size_t i = 0; i < slots; ++i) sound = sound && e->first[i] <= e->first[i + 1] && (i == 0 || e->serial[i] > e->serial[i - 1]);
    if (v->result == KIN_OK && !(sound && e->first[0] == 0 && e->first[slots] == bonds)) kin_visit_fail(v, KIN_ERROR_FORMAT);
    for (size_t k = 0; k < bonds; ++k) {
        kin_visit_u32s_below(v, &e->bonds[k].to, 1, slots);
        kin_visit_bytes(v, e->bonds[k].x, sizeof e->bonds[k].x);
        kin_visit_bytes(v, &e->bonds[k].g, sizeof e->bonds[k].g);
    }
}

uint32_t kin_sph_slot_of(const kin_sph_memory* e, uint64_t serial)
{
    size_t at = kin_search_u64(e->serial, e->count, serial);
    return at < e->count && e->serial[at] == serial ? (uint32_t)at : UINT32_MAX;
}

static bool remembers(const kin_sph* f, size_t i) { return kin_sph_phase_def_of(f, i)->matter == KIN_SPH_ELASTIC; }

/* Slots without particles go, and bonds to them. */
static void compact(kin_sph_memory* e)
{
    uint32_t kept = 0, bonds = 0;
    uint32_t* now = (uint32_t*)e->stress; /* by slot: its new number */
    for (size_t s = 0; s < e->count; ++s) now[s] = e->particle[s] == UINT32_MAX ? UINT32_MAX : kept++;
    for (size_t s = 0, begin = 0; s < e->count; ++s) {
        size_t end = e->first[s + 1];
        if (now[s] != UINT32_MAX) {
            uint32_t start = bonds;
            for (size_t k = begin; k < end; ++k) {
                kin_sph_bond bond = e->bonds[k];
                bond.to = now[bond.to];
                if (bond.to != UINT32_MAX) e->bonds[bonds++] = bond;
            }
            e->serial[now[s]] = e->serial[s], e->particle[now[s]] = e->particle[s], e->first[now[s]] = start;
        }
        begin = end;
    }
    e->first[kept] = bonds;
    e->count = kept, e->bond_count = bonds;
}

static size_t find_all(kin_sph* f, kin_sph_memory* e, size_t* born)
{
    size_t found = 0;
    *born = 0;
    for (size_t s = 0; s < e->count; ++s) e->particle[s] = UINT32_MAX;
    for (size_t i = 0; i < f->count; ++i) {
        if (!remembers(f, i)) continue;
        uint32_t slot = kin_sph_slot_of(e, f->serial[i]);
        if (slot == UINT32_MAX)
            ++*born;
        else
            e->particle[slot] = (uint32_t)i, ++found;
    }
    return found;
}

static bool earlier(void* context, const void* a, const void* b)
{
    (void)context;
    return *(const uint64_t*)a < *(const uint64_t*)b;
}

/* Slots of the new ones, in order of serials. */
static void add_slots(const kin_sph* f, kin_sph_memory* e, size_t old)
{
    for (size_t i = 0; i < f->count; ++i) {
        if (!remembers(f, i) || kin_sph_slot_of(&(kin_sph_memory){.serial = e->serial, .count = old}, f->serial[i]) != UINT32_MAX) continue;
        e->particle[e->count] = UINT32_MAX;
        e->serial[e->count++] = f->serial[i];
    }
    kin_sort(e->serial + old, e->stress, e->count - old, sizeof *e->serial, earlier, NULL);
    for (size_t i = 0; i < f->count; ++i) {
        uint32_t slot = remembers(f, i) ? kin_sph_slot_of(e, f->serial[i]) : UINT32_MAX;
        if (slot != UINT32_MAX) e->particle[slot] = (uint32_t)i;
    }
}

static size_t add_bonds(const kin_sph* f, kin_sph_memory* e, size_t old, bool count_only)
{
    kin_sph_pairs pairs = kin_sph_pairs_of(f);
    size_t bonds = e->bond_count;
    for (size_t s = old; s < e->count; ++s) {
        size_t i = e->particle[s];
        if (!count_only) e->first[s] = (uint32_t)bonds;
        if (i == UINT32_MAX) continue; /* its serial is out of order: of a state that was changed */
        for (kin_sph_walk w = kin_sph_walk_of(&pairs, i); kin_sph_walk_next(&w);) {
            uint32_t to = remembers(f, w.j) && f->phase[w.j] == f->phase[i] ? kin_sph_slot_of(e, f->serial[w.j]) : UINT32_MAX;
            if (to == UINT32_MAX || to < old || w.g == 0) continue;
            if (!count_only) e->bonds[bonds] = (kin_sph_bond){.to = to, .x = {w.x[0], w.x[1], w.x[2]}, .g = w.g};
            ++bonds;
        }
    }
    if (!count_only) e->first[e->count] = (uint32_t)bonds, e->bond_count = bonds;
    return bonds;
}

bool kin_sph_bonds_update(kin_sph* f)
{
    kin_sph_memory* e = &f->physics->elastic;
    const kin_allocator* a = &f->physics->allocator;
    size_t born, found = find_all(f, e, &born);
    if (e->count > 64 && found < e->count / 2) compact(e);
    if (born == 0) return true;
    size_t old = e->count;
    if (!reserve(e, a, old + born, e->bond_count)) return false;
    add_slots(f, e, old);
    if (!reserve(e, a, e->count, add_bonds(f, e, old, true))) {
        e->count = old;
        return false;
    }
    add_bonds(f, e, old, false);
    return true;
}
