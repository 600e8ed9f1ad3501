/* scene.h - a scene of boxes that several broad phases and a plain double loop follow, for tests. */
#pragma once
#include "base/rng.h"
#include "collision/broad/broad.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

typedef struct dice {
    uint64_t seed, rolls;
} dice;

static inline double roll(dice* d, double low, double high) { return kin_rng_uniform(&(kin_rng_key){.seed = d->seed, .serial = d->rolls++}, 0, low, high); }
static inline kin_vec3 roll3(dice* d, double reach)
{
    double x = roll(d, -reach, reach), y = roll(d, -reach, reach);
    return kin_v(x, y, roll(d, -reach, reach));
}

#define SCENE_MAX 512

typedef struct scene {
    test* t;
    kin_broad* broad[KIN_BROAD_KIND_COUNT]; /* one of each kind */
    kin_jobs* jobs;
    bool alive[SCENE_MAX];
    kin_broad_proxy_def proxy[SCENE_MAX];
    uint32_t id_count;
    kin_broad_pair *known, *now; /* of the update before, and of this one */
    size_t known_count, now_count;
} scene;

static inline scene* scene_open(test* t)
{
    scene* s = calloc(1, sizeof *s);
    s->t = t;
    s->known = malloc(SCENE_MAX * SCENE_MAX * sizeof *s->known);
    s->now = malloc(SCENE_MAX * SCENE_MAX * sizeof *s->now);
    for (int k = 0; k < KIN_BROAD_KIND_COUNT; ++k) {
        kin_broad_def def = kin_broad_def_default((kin_broad_kind)k);
        EQUAL(t, kin_broad_create(&t->allocator, &def, &s->broad[k], NULL), KIN_OK);
    }
    return s;
}

static inline void scene_close(scene* s)
{
    for (int k = 0; k < KIN_BROAD_KIND_COUNT; ++k) kin_broad_destroy(s->broad[k]);
    free(s->known);
    free(s->now);
    free(s);
}

/* All kinds give the same id. */
static inline uint32_t scene_add(scene* s, const kin_broad_proxy_def* def)
{
    uint32_t first = 0;
    for (int k = 0; k < KIN_BROAD_KIND_COUNT; ++k) {
        uint32_t id;
        EQUAL(s->t, kin_broad_insert(s->broad[k], def, &id, NULL), KIN_OK);
        if (k == 0) first = id;
        EQUAL(s->t, id, first);
    }
    s->alive[first] = true;
    s->proxy[first] = *def;
    if (first >= s->id_count) s->id_count = first + 1;
    return first;
}

static inline uint32_t scene_box(scene* s, kin_vec3 center, kin_vec3 half)
{
    return scene_add(s, &(kin_broad_proxy_def){.box = kin_aabb_around(center, half)});
}

static inline void scene_move(scene* s, uint32_t id, kin_aabb box, kin_vec3 displacement)
{
    s->proxy[id].box = box;
    for (int k = 0; k < KIN_BROAD_KIND_COUNT; ++k) EQUAL(s->t, kin_broad_move(s->broad[k], id, box, displacement, NULL), KIN_OK);
}

static inline void scene_shift(scene* s, uint32_t id, kin_vec3 by)
{
    kin_aabb box = s->proxy[id].box;
    scene_move(s, id, (kin_aabb){kin_add(box.low, by), kin_add(box.high, by)}, by);
}

static inline void scene_remove(scene* s, uint32_t id)
{
    s->alive[id] = false;
    for (int k = 0; k < KIN_BROAD_KIND_COUNT; ++k) kin_broad_remove(s->broad[k], id);
}

static inline void scene_filter(scene* s, uint32_t id, kin_filter filter)
{
    s->proxy[id].filter = filter;
    for (int k = 0; k < KIN_BROAD_KIND_COUNT; ++k) kin_broad_set_filter(s->broad[k], id, filter);
}

/* The rules in the words of the header, written once more. */
static inline bool scene_pairs(const kin_broad_proxy_def* a, const kin_broad_proxy_def* b)
{
    kin_aabb x = a->box, y = b->box;
    if (a->fixed && b->fixed) return false;
    if (x.high.x < y.low.x || y.high.x < x.low.x || x.high.y < y.low.y || y.high.y < x.low.y || x.high.z < y.low.z || y.high.z < x.low.z) return false;
    if (a->filter.group == b->filter.group && a->filter.group > 0) return true;
    if (a->filter.group == b->filter.group && a->filter.group < 0) return false;
    uint64_t category_a = a->filter.category ? a->filter.category : 1, mask_a = a->filter.mask ? a->filter.mask : ~(uint64_t)0;
    uint64_t category_b = b->filter.category ? b->filter.category : 1, mask_b = b->filter.mask ? b->filter.mask : ~(uint64_t)0;
    return (mask_a & category_b) && (mask_b & category_a);
}

static inline void scene_check_list(scene* s, int kind, const char* what, kin_broad_view got, const kin_broad_pair* want, size_t count)
{
    bool same = got.count == count && (count == 0 || memcmp(got.data, want, count * sizeof *want) == 0);
    test_check(s->t, same, __FILE__, __LINE__, "%s of %s: %zu pairs, the double loop has %zu, or others", what, kin_broad_kind_name((kin_broad_kind)kind),
               got.count, count);
}

static inline bool scene_has(const kin_broad_pair* list, size_t count, kin_broad_pair p)
{
    size_t low = 0, high = count;
    uint64_t key = (uint64_t)p.a << 32 | p.b;
    while (low < high) {
        size_t middle = (low + high) / 2;
        uint64_t at = (uint64_t)list[middle].a << 32 | list[middle].b;
        if (at == key) return true;
        if (at < key)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* Those of a list that another has not. Removed ids are not reused before the update, so ids tell pairs apart. */
static inline size_t scene_without(const kin_broad_pair* list, size_t count, const kin_broad_pair* other, size_t other_count, kin_broad_pair* out)
{
    size_t n = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!scene_has(other, other_count, list[i])) out[n++] = list[i];
    }
    return n;
}

/* Updates all and compares with the double loop: pairs, begun, ended. */
static inline void scene_update(scene* s)
{
    kin_broad_pair* swap = s->known;
    s->known = s->now, s->known_count = s->now_count, s->now = swap, s->now_count = 0;
    for (uint32_t a = 0; a < s->id_count; ++a) {
        for (uint32_t b = a + 1; b < s->id_count && s->alive[a]; ++b) {
            if (s->alive[b] && scene_pairs(&s->proxy[a], &s->proxy[b])) s->now[s->now_count++] = (kin_broad_pair){a, b};
        }
    }
    kin_broad_pair *begun = malloc((s->now_count + 1) * sizeof *begun), *ended = malloc((s->known_count + 1) * sizeof *ended);
    size_t begun_count = scene_without(s->now, s->now_count, s->known, s->known_count, begun);
    size_t ended_count = scene_without(s->known, s->known_count, s->now, s->now_count, ended);
    for (int k = 0; k < KIN_BROAD_KIND_COUNT; ++k) {
        EQUAL(s->t, kin_broad_update(s->broad[k], s->jobs, NULL), KIN_OK);
        scene_check_list(s, k, "pairs", kin_broad_pairs(s->broad[k]), s->now, s->now_count);
        scene_check_list(s, k, "begun", kin_broad_begun(s->broad[k]), begun, begun_count);
        scene_check_list(s, k, "ended", kin_broad_ended(s->broad[k]), ended, ended_count);
    }
    free(begun);
    free(ended);
}
