/* media.h - which clear bodies a ray is in, and what light meets where it passes from one into another.
 *
 * Bodies may overlap: where they do, the one with the highest index of refraction is there, the one entered first among equals (after Schmidt and Budge 2002,
 * with the index as priority). So water may reach into the wall of its glass, and should: two surfaces at exactly the same place cannot be told apart. A layer
 * counts how often it was entered; a heap of clear spheres is one body. Only closed surfaces have an inside; planes have none. */
#pragma once
#include "kinema/frame.h"
#include "render/vec.h"

enum { KIN_MOST_MEDIA = 6 };

typedef struct kin_media {
    struct {
        const kin_look* look; /* of a layer */
        int depth;            /* times entered */
    } in[KIN_MOST_MEDIA];
    int count;
} kin_media;

/* A surface between two media; NULL is air. The same on both sides: the surface is not there. */
typedef struct kin_crossing {
    const kin_look *here, *beyond;
    kin_media after; /* for a ray that goes through */
} kin_crossing;

float kin_medium_index(const kin_look* look);                   /* of refraction; air is 1 */
kin_vec kin_medium_clear(const kin_look* look, float distance); /* what is left of light after a way: Beer and Lambert */
bool kin_media_holds(const kin_media* media, const kin_look* look);
const kin_look* kin_media_here(const kin_media* media);
/* A ray that leaves a body it was not known to be in was in it. */
kin_crossing kin_media_cross(const kin_media* media, const kin_look* look, bool entering);
