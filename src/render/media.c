/* media.c - a short list of looks; the highest index counts. */
#include "render/media.h"

static const float index_of_glass = 1.5f;

float kin_medium_index(const kin_look* look)
{
    if (look == NULL) return 1;
    return look->ior > 0 ? clampf(look->ior, 0.2f, 5) : index_of_glass;
}

kin_vec kin_medium_clear(const kin_look* look, float distance)
{
    if (look == NULL || !(distance < INFINITY)) return vec_all(1);
    kin_vec left = vec_all(1);
    for (int c = 0; c < 3; ++c) {
        if (look->absorption[c] > 0) left[c] = expf(-look->absorption[c] * distance);
    }
    return left;
}

const kin_look* kin_media_here(const kin_media* media)
{
    const kin_look* best = NULL;
    for (int i = 0; i < media->count; ++i) {
        if (best == NULL || kin_medium_index(media->in[i].look) > kin_medium_index(best)) best = media->in[i].look;
    }
    return best;
}

static int find(const kin_media* media, const kin_look* look)
{
    int i = 0;
    while (i < media->count && media->in[i].look != look) ++i;
    return i;
}

bool kin_media_holds(const kin_media* media, const kin_look* look) { return find(media, look) < media->count; }

static void enter(kin_media* media, const kin_look* look)
{
    int i = find(media, look);
    if (i == KIN_MOST_MEDIA) return;
    if (i == media->count) {
        media->in[i].look = look;
        media->in[i].depth = 0;
        media->count += 1;
    }
    media->in[i].depth += 1;
}

static void leave(kin_media* media, const kin_look* look)
{
    int i = find(media, look);
    if (i == media->count || --media->in[i].depth > 0) return;
    media->count -= 1;
    for (; i < media->count; ++i) media->in[i] = media->in[i + 1];
}

kin_crossing kin_media_cross(const kin_media* media, const kin_look* look, bool entering)
{
    kin_media before = *media;
    if (!entering && find(media, look) == media->count) enter(&before, look);
    kin_crossing c = {.here = kin_media_here(&before), .after = before};
    if (entering)
        enter(&c.after, look);
    else
        leave(&c.after, look);
    c.beyond = kin_media_here(&c.after);
    return c;
}
