/* shatter.c - the picture of a body broken into Voronoi pieces, pulled apart. */
#include "geometry/tetra/voronoi.h"
#include "inspect/inspection.h"
#include "math/aabb.h"

kin_result kin_inspect_draw_voronoi(kin_inspection* i, kin_easel* easel, const char* path, kin_error* error)
{
    enum { SEEDS = 24 };
    kin_vec3 seeds[SEEDS];
    kin_shards* pieces = NULL;
    kin_result result = kin_voronoi_scatter(&i->allocator, i->mesh, 1, SEEDS, seeds, error);
    if (result == KIN_OK) result = kin_voronoi_break(&i->allocator, i->mesh, seeds, SEEDS, &pieces, error);
    if (result != KIN_OK) return result;
    kin_easel_begin(easel, i->mesh->bounds);
    for (size_t k = 0; k < pieces->count; ++k) {
        const kin_shard* piece = &pieces->shards[k];
        kin_easel_mesh(easel, piece->mesh, kin_inspect_apart(i, piece->mass.center), kin_easel_palette[piece->seed % 8]);
    }
    kin_shards_destroy(pieces);
    return kin_easel_finish(easel, kin_inspect_toward, path, error);
}
