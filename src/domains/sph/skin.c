/* skin.c - the surface and the spray of a phase in a frame: its particles, their velocities and what they are painted by are handed to system/fluid_skin.h. */
#include "base/alloc.h"
#include "domains/sph/face.h"
#include "system/fluid_skin.h"
#include <string.h>

enum { NUMBERS = 4 }; /* of a particle: its velocity and its paint */

static const kin_fluid_skin_kind kinds[] = {KIN_SKIN_ANISOTROPIC, KIN_SKIN_ZHU_BRIDSON, KIN_SKIN_COLOR};

static void gather(const kin_sph_seen* s, float* x4, float* numbers, uint64_t* ids)
{
    const kin_sph* f = s->f;
    for (size_t i = 0, k = 0; i < f->count; ++i) {
        if (f->phase[i] != s->phase) continue;
        memcpy(&x4[4 * k], &f->x4[4 * i], 4 * sizeof *x4);
        memcpy(&numbers[NUMBERS * k], &f->v4[4 * i], 3 * sizeof *numbers);
        numbers[NUMBERS * k + 3] = (float)kin_sph_painted(f, i);
        ids[k++] = f->serial[i];
    }
}

bool kin_sph_capture_skin(const kin_sph_seen* s, const char* layer, const kin_look* look, kin_capture* capture)
{
    const kin_sph* f = s->f;
    const kin_sph_look* seen = &f->def.look;
    const size_t bytes = kin_bytes((size_t)s->count, (4 + NUMBERS) * sizeof(float)), id_bytes = kin_bytes((size_t)s->count, sizeof(uint64_t));
    float* room = kin_alloc(&f->allocator, bytes);
    uint64_t* ids = kin_alloc(&f->allocator, id_bytes);
    kin_result result = KIN_ERROR_MEMORY;
    if (room != NULL && ids != NULL) {
        gather(s, room, room + 4 * s->count, ids);
        const kin_fluid_skin_def def = {
            .kind = kinds[seen->skin], .cell = seen->cell, .smoothing = seen->smoothing, .rays = seen->surface == KIN_SPH_SURFACE_RAYS, .spray = seen->spray};
        const kin_fluid_skin_cloud cloud = {
            .positions = room, .stride = 4, .count = (uint32_t)s->count, .origin = f->origin, .attributes = room + 4 * s->count, .attribute_width = NUMBERS};
        const kin_fluid_skin_picture picture = {.name = layer,
                                                .look = look,
                                                .map = kin_sph_colors(s),
                                                .low = s->range[0],
                                                .high = s->range[1],
                                                .ids = seen->draw == KIN_SPH_DRAW_SKIN ? ids : NULL};
        result = kin_fluid_skin_capture(&def, (double)f->spacing, &cloud, &picture, capture, NULL);
    }
    kin_free(&f->allocator, room, bytes);
    kin_free(&f->allocator, ids, id_bytes);
    if (result == KIN_ERROR_MEMORY) capture->failed = true;
    return result == KIN_OK || capture->failed;
}
