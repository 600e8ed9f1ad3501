/* ledger.c - totals by key, pushed as differences. Entries are kept sorted by key, so every walk has one order. */
#include "system/ledger.h"
#include "base/alloc.h"
#include "base/search.h"
#include "base/sort.h"
#include "math/vec3.h"
#include <string.h>

void kin_ledger_init(kin_ledger* ledger, const kin_allocator* allocator) { *ledger = (kin_ledger){.allocator = *allocator}; }

void kin_ledger_term(kin_ledger* ledger)
{
    const kin_allocator* allocator = &ledger->allocator;
    kin_free(allocator, ledger->entries, ledger->capacity * sizeof *ledger->entries);
    kin_free(allocator, ledger->due, ledger->due_capacity * sizeof *ledger->due);
    kin_free(allocator, ledger->due_scratch, ledger->due_scratch_capacity * sizeof *ledger->due_scratch);
    kin_free(allocator, ledger->anchors, ledger->anchor_capacity * sizeof *ledger->anchors);
    kin_free(allocator, ledger->wrenches, ledger->wrench_capacity * sizeof *ledger->wrenches);
    *ledger = (kin_ledger){.allocator = *allocator};
}

/* Room for count entries and all their pushes: a flush can then not fail. */
static bool reserve(kin_ledger* ledger, size_t count)
{
    const kin_allocator* allocator = &ledger->allocator;
    return kin_reserve(allocator, (void**)&ledger->entries, &ledger->capacity, count, sizeof *ledger->entries)
           && kin_reserve(allocator, (void**)&ledger->due, &ledger->due_capacity, 2 * count, sizeof *ledger->due)
           && kin_reserve(allocator, (void**)&ledger->due_scratch, &ledger->due_scratch_capacity, 2 * count, sizeof *ledger->due_scratch)
           && kin_reserve(allocator, (void**)&ledger->anchors, &ledger->anchor_capacity, 2 * count, sizeof *ledger->anchors)
           && kin_reserve(allocator, (void**)&ledger->wrenches, &ledger->wrench_capacity, 2 * count, sizeof *ledger->wrenches);
}

static uint64_t order(kin_entry_key key) { return (uint64_t)key.coupler << 32 | key.slot; }

static bool is_below(const void* entries, size_t i, const void* key) { return order(((const kin_entry*)entries)[i].key) < order(*(const kin_entry_key*)key); }

/* The first entry not below the key. */
static size_t lower_bound(const kin_ledger* ledger, kin_entry_key key) { return kin_search(ledger->entries, ledger->count, is_below, &key); }

static const kin_entry* find(const kin_ledger* ledger, kin_entry_key key)
{
    size_t i = lower_bound(ledger, key);
    return i < ledger->count && order(ledger->entries[i].key) == order(key) ? &ledger->entries[i] : NULL;
}

static kin_entry* post(kin_ledger* ledger, kin_entry_key key, kin_entry_kind kind, kin_anchor a, kin_anchor b, kin_vec3 point, kin_wrench total)
{
    size_t i = lower_bound(ledger, key);
    if (i == ledger->count || order(ledger->entries[i].key) != order(key)) {
        if (!reserve(ledger, ledger->count + 1)) return NULL;
        memmove(&ledger->entries[i + 1], &ledger->entries[i], (ledger->count - i) * sizeof *ledger->entries);
        ledger->entries[i] = (kin_entry){.key = key};
        ledger->count += 1;
    }
    kin_entry* e = &ledger->entries[i];
    e->kind = kind;
    e->a = a;
    e->b = b;
    e->point = point;
    e->total = total;
    e->posted = true;
    return e;
}

kin_result kin_ledger_post(kin_ledger* ledger, kin_entry_key key, kin_entry_kind kind, kin_anchor a, kin_anchor b, kin_vec3 point, kin_wrench total)
{
    return post(ledger, key, kind, a, b, point, total) != NULL ? KIN_OK : KIN_ERROR_MEMORY;
}

kin_result kin_ledger_note(kin_ledger* ledger, kin_entry_key key, kin_entry_kind kind, kin_anchor a, kin_anchor b, kin_vec3 point, kin_wrench total)
{
    kin_entry* e = post(ledger, key, kind, a, b, point, total);
    if (e == NULL) return KIN_ERROR_MEMORY;
    e->pushed_a = e->pushed_b = total;
    return KIN_OK;
}

kin_wrench kin_ledger_total(const kin_ledger* ledger, kin_entry_key key)
{
    const kin_entry* e = find(ledger, key);
    return e != NULL ? e->total : (kin_wrench){0};
}

kin_wrench kin_ledger_last(const kin_ledger* ledger, kin_entry_key key)
{
    const kin_entry* e = find(ledger, key);
    return e != NULL ? e->last : (kin_wrench){0};
}

static kin_wrench wrench_sub(kin_wrench a, kin_wrench b) { return (kin_wrench){kin_sub(a.impulse, b.impulse), kin_sub(a.angular, b.angular)}; }
static kin_wrench wrench_add(kin_wrench a, kin_wrench b) { return (kin_wrench){kin_add(a.impulse, b.impulse), kin_add(a.angular, b.angular)}; }
static kin_wrench wrench_neg(kin_wrench a) { return (kin_wrench){kin_neg(a.impulse), kin_neg(a.angular)}; }
static double wrench_size(kin_wrench a) { return kin_max(kin_length(a.impulse), kin_length(a.angular)); }

/* One side of an entry: what it has not taken becomes due, if it still takes. */
static void collect_side(kin_ledger* ledger, const kin_ledger_taker* taker, kin_anchor anchor, kin_wrench total, kin_wrench* pushed, double sign, size_t* count)
{
    kin_wrench change = wrench_sub(total, *pushed);
    double size = wrench_size(change);
    if (size == 0 || !taker->open(taker->context, anchor.system)) return;
    kin_wrench given = sign > 0 ? change : wrench_neg(change);
    ledger->due[(*count)++] = (kin_due){anchor, given};
    *pushed = total;
    ledger->given = wrench_add(ledger->given, given);
    ledger->residual = kin_max(ledger->residual, size);
}

static bool lower_system(void* context, const void* a, const void* b)
{
    (void)context;
    return ((const kin_due*)a)->anchor.system < ((const kin_due*)b)->anchor.system;
}

static void push_batches(kin_ledger* ledger, const kin_ledger_taker* taker, size_t count)
{
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && ledger->due[end].anchor.system == ledger->due[begin].anchor.system; ++end) {
            ledger->anchors[end - begin] = ledger->due[end].anchor;
            ledger->wrenches[end - begin] = ledger->due[end].wrench;
        }
        taker->push(taker->context, ledger->anchors, ledger->wrenches, (int)(end - begin));
    }
}

static void flush_kinds(kin_ledger* ledger, bool hits, bool loads, const kin_ledger_taker* taker)
{
    size_t count = 0;
    ledger->residual = 0;
    for (size_t i = 0; i < ledger->count; ++i) {
        kin_entry* e = &ledger->entries[i];
        if (!(e->kind == KIN_ENTRY_HIT ? hits : loads)) continue;
        collect_side(ledger, taker, e->a, e->total, &e->pushed_a, 1, &count);
        collect_side(ledger, taker, e->b, e->total, &e->pushed_b, -1, &count);
    }
    kin_sort(ledger->due, ledger->due_scratch, count, sizeof *ledger->due, lower_system, NULL); /* stable: key order within a system */
    push_batches(ledger, taker, count);
}

void kin_ledger_flush(kin_ledger* ledger, const kin_ledger_taker* taker) { flush_kinds(ledger, true, true, taker); }

void kin_ledger_flush_kind(kin_ledger* ledger, kin_entry_kind kind, const kin_ledger_taker* taker)
{
    flush_kinds(ledger, kind == KIN_ENTRY_HIT, kind == KIN_ENTRY_LOAD, taker);
}

/* What a side has not taken stays due: the new interval starts with a total of exactly that. A side that has taken all starts even. */
void kin_ledger_turn(kin_ledger* ledger)
{
    size_t kept = 0;
    for (size_t i = 0; i < ledger->count; ++i) {
        kin_entry e = ledger->entries[i];
        kin_wrench due_a = wrench_sub(e.total, e.pushed_a), due_b = wrench_sub(e.total, e.pushed_b);
        bool due = wrench_size(due_a) > 0 || wrench_size(due_b) > 0;
        if (!e.posted && !due) continue;
        e.last = e.posted ? e.total : (kin_wrench){0};
        e.total = (kin_wrench){0};
        e.pushed_a = wrench_neg(due_a);
        e.pushed_b = wrench_neg(due_b);
        e.posted = false;
        ledger->entries[kept++] = e;
    }
    ledger->count = kept;
    ledger->residual = 0;
}

kin_wrench kin_ledger_carried(const kin_ledger* ledger, uint32_t system)
{
    kin_wrench sum = {0};
    for (size_t i = 0; i < ledger->count; ++i) {
        const kin_entry* e = &ledger->entries[i];
        if (e->a.system == system) sum = wrench_add(sum, wrench_sub(e->total, e->pushed_a));
        if (e->b.system == system) sum = wrench_add(sum, wrench_sub(e->pushed_b, e->total));
    }
    return sum;
}

bool kin_ledger_load_due(const kin_ledger* ledger, size_t* i, kin_anchor* a)
{
    for (; *i < ledger->count; ++*i) {
        const kin_entry* e = &ledger->entries[*i];
        if (e->kind != KIN_ENTRY_LOAD || wrench_size(wrench_sub(e->total, e->pushed_a)) == 0) continue;
        *a = e->a, ++*i;
        return true;
    }
    return false;
}

static void visit_wrench(kin_visitor* v, kin_wrench* w)
{
    kin_visit_vec3(v, &w->impulse);
    kin_visit_vec3(v, &w->angular);
}

static void visit_anchor(kin_visitor* v, kin_anchor* a)
{
    kin_visit_u32(v, &a->system);
    kin_visit_u32(v, &a->element);
    kin_visit_vec3(v, &a->local);
}

static void visit_entry(kin_visitor* v, kin_entry* e)
{
    uint8_t kind = (uint8_t)e->kind, posted = e->posted;
    kin_visit_u32(v, &e->key.coupler);
    kin_visit_u32(v, &e->key.slot);
    kin_visit_u8(v, &kind);
    kin_visit_u8(v, &posted);
    visit_anchor(v, &e->a);
    visit_anchor(v, &e->b);
    kin_visit_vec3(v, &e->point);
    visit_wrench(v, &e->total);
    visit_wrench(v, &e->pushed_a);
    visit_wrench(v, &e->pushed_b);
    visit_wrench(v, &e->last);
    e->kind = kind == KIN_ENTRY_LOAD ? KIN_ENTRY_LOAD : KIN_ENTRY_HIT;
    e->posted = posted != 0;
}

void kin_ledger_visit(kin_ledger* ledger, kin_visitor* v)
{
    size_t count = kin_visit_count(v, ledger->count);
    if (v->mode == KIN_VISIT_LOAD) {
        if (!reserve(ledger, count)) {
            kin_visit_fail(v, KIN_ERROR_MEMORY);
            return;
        }
        ledger->count = count;
        if (count > 0) memset(ledger->entries, 0, count * sizeof *ledger->entries);
    }
    for (size_t i = 0; i < count; ++i) visit_entry(v, &ledger->entries[i]);
    visit_wrench(v, &ledger->given);
}
