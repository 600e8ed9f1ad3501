/* peer_ccd_convex.c - libccd on the same hulls: GJK yes or no, and depth by its expanding polytope. Its support functions are the caller's; these are written as
 * its own examples are. */
#include "bench/collision/peer_convex.h"
#include <ccd/ccd.h>
#include <ccd/quat.h>
#include <stdlib.h>

typedef struct body {
    const kin_vec3* vertices;
    size_t count;
    ccd_vec3_t position;
    ccd_quat_t turn, back;
} body;

struct kin_ccd_convex {
    kin_peer_convex scene;
    body* bodies; /* the second one's for every pose */
    ccd_t settings;
};

static void support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* out)
{
    const body* b = object;
    ccd_vec3_t d = *direction;
    double most = -1e300;
    size_t best = 0;
    ccdQuatRotVec(&d, &b->back);
    for (size_t i = 0; i < b->count; ++i) {
        double along = d.v[0] * b->vertices[i].x + d.v[1] * b->vertices[i].y + d.v[2] * b->vertices[i].z;
        if (along > most) most = along, best = i;
    }
    ccdVec3Set(out, b->vertices[best].x, b->vertices[best].y, b->vertices[best].z);
    ccdQuatRotVec(out, &b->turn);
    ccdVec3Add(out, &b->position);
}

static body body_of(kin_peer_hull hull, kin_transform pose)
{
    body b = {.vertices = hull.vertices, .count = hull.count};
    ccdVec3Set(&b.position, pose.position.x, pose.position.y, pose.position.z);
    ccdQuatSet(&b.turn, pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w);
    ccdQuatInvert2(&b.back, &b.turn);
    return b;
}

kin_ccd_convex* kin_ccd_convex_create(const kin_peer_convex* scene)
{
    const kin_transform still = {{0, 0, 0}, {0, 0, 0, 1}};
    kin_ccd_convex* c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    c->scene = *scene;
    c->bodies = calloc(scene->pairs * (scene->steps + 1), sizeof *c->bodies);
    for (size_t i = 0; c->bodies != NULL && i < scene->pairs; ++i) {
        c->bodies[i] = body_of(scene->hulls[2 * i], still);
        for (size_t k = 0; k < scene->steps; ++k) {
            size_t at = k * scene->pairs + i;
            c->bodies[scene->pairs + at] = body_of(scene->hulls[2 * i + 1], scene->poses[at]);
        }
    }
    CCD_INIT(&c->settings);
    c->settings.support1 = c->settings.support2 = support;
    c->settings.max_iterations = 100;
    c->settings.epa_tolerance = 1e-6;
    if (c->bodies == NULL) free(c), c = NULL;
    return c;
}

size_t kin_ccd_convex_intersect(kin_ccd_convex* c, size_t step)
{
    size_t hits = 0, n = c->scene.pairs;
    for (size_t i = 0; i < n; ++i) hits += (size_t)ccdGJKIntersect(&c->bodies[i], &c->bodies[n + step * n + i], &c->settings);
    return hits;
}

double kin_ccd_convex_depth(kin_ccd_convex* c, size_t step)
{
    double sum = 0;
    size_t n = c->scene.pairs;
    for (size_t i = 0; i < n; ++i) {
        ccd_real_t depth = 0;
        ccd_vec3_t direction, position;
        if (ccdGJKPenetration(&c->bodies[i], &c->bodies[n + step * n + i], &c->settings, &depth, &direction, &position) == 0) sum += depth;
    }
    return sum;
}

void kin_ccd_convex_destroy(kin_ccd_convex* c)
{
    if (c != NULL) free(c->bodies);
    free(c);
}
