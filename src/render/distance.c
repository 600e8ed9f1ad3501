/* distance.c - points, streaks, lines and sprites by their distance from the camera (House & Keyser 4.5.1).
 *
 * Width: at distance d a picture is 2 d tan(fov / 2) high. What is narrower than the share min_width of that is drawn so wide, and its opacity falls by the ratio of
 * the widths (streaks, lines) or of the areas (spheres, sprites): the light that reaches the picture stays the same, and thin streaks far away neither
 * shimmer nor vanish between samples.
 * Fading: opacity exp(-(d - fade_start) / fade_length) beyond fade_start, as in an even haze.
 *
 * Both are of what the camera sees. Lamps are made before, by the true size and opacity. */
#include "base/alloc.h"
#include "render/stage.h"

static float* new_block(kin_stage* stage, uint64_t count)
{
    size_t bytes = kin_bytes((size_t)count, sizeof(float));
    if (!kin_reserve(&stage->allocator, (void**)&stage->blocks, &stage->block_capacity, stage->block_count + 1, sizeof *stage->blocks)) return NULL;
    float* data = kin_alloc(&stage->allocator, bytes);
    if (data != NULL) stage->blocks[stage->block_count++] = (kin_stage_block){data, bytes};
    return data;
}

void kin_stage_free_blocks(kin_stage* stage)
{
    for (size_t i = 0; i < stage->block_count; ++i) kin_free(&stage->allocator, stage->blocks[i].data, stage->blocks[i].bytes);
    stage->block_count = 0;
}

float kin_distance_fade(const kin_look* look, float distance)
{
    return look->fade_length > 0 ? expf(-maxf(distance - look->fade_start, 0) / look->fade_length) : 1;
}

float kin_distance_radius(const kin_stage* stage, const kin_look* look, float radius, float distance)
{
    return minf(maxf(radius, 0.5f * look->min_width * stage->view_height * distance), stage->far);
}

bool kin_stage_by_distance(kin_stage* stage, const kin_look* look, bool spheres, const float* position, uint64_t count, const float** radius,
                           const float** opacity)
{
    if (!(look->fade_length > 0) && !(look->min_width > 0)) return true;
    float *wide = new_block(stage, count), *faint = new_block(stage, count);
    if (wide == NULL || faint == NULL) return false;
    for (uint64_t i = 0; i < count; ++i) {
        float own = *radius != NULL ? (*radius)[i] : KIN_POINT_RADIUS, distance = vec_length(vec_load(position + 3 * i) - stage->eye);
        wide[i] = kin_distance_radius(stage, look, own, distance);
        float ratio = own < wide[i] ? own / wide[i] : 1;
        faint[i] = (*opacity != NULL ? clampf((*opacity)[i], 0, 1) : 1) * kin_distance_fade(look, distance) * (spheres ? ratio * ratio : ratio);
    }
    *radius = wide;
    *opacity = faint;
    return true;
}
