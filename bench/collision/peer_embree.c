/* peer_embree.c - see the header. */
#include "bench/collision/peer_embree.h"
#include "base/clock.h"
#include <embree3/rtcore.h>
#include <stdlib.h>

struct kin_peer_embree {
    RTCDevice device;
    RTCScene scene;
    RTCGeometry geometry;
    float (*vertices)[3]; /* ours: Embree reads 16 bytes at the last one */
    uint32_t (*triangles)[3];
};

void kin_peer_embree_destroy(kin_peer_embree* p)
{
    if (p == NULL) return;
    if (p->scene != NULL) rtcReleaseScene(p->scene);
    if (p->geometry != NULL) rtcReleaseGeometry(p->geometry);
    if (p->device != NULL) rtcReleaseDevice(p->device);
    free(p->vertices);
    free(p->triangles);
    free(p);
}

kin_peer_embree* kin_peer_embree_create(const float (*vertices)[3], size_t vertex_count, const uint32_t (*triangles)[3], size_t triangle_count)
{
    kin_peer_embree* p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    p->device = rtcNewDevice("threads=1,set_affinity=0");
    p->vertices = malloc((vertex_count + 1) * sizeof *p->vertices);
    p->triangles = malloc(triangle_count * sizeof *p->triangles);
    if (p->device == NULL || p->vertices == NULL || p->triangles == NULL) {
        kin_peer_embree_destroy(p);
        return NULL;
    }
    __builtin_memcpy(p->vertices, vertices, vertex_count * sizeof *vertices);
    __builtin_memcpy(p->triangles, triangles, triangle_count * sizeof *triangles);
    p->geometry = rtcNewGeometry(p->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(p->geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, p->vertices, 0, sizeof *vertices, vertex_count);
    rtcSetSharedGeometryBuffer(p->geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, p->triangles, 0, sizeof *triangles, triangle_count);
    rtcCommitGeometry(p->geometry);
    return p;
}

double kin_peer_embree_build(kin_peer_embree* p)
{
    if (p->scene != NULL) rtcReleaseScene(p->scene);
    p->scene = rtcNewScene(p->device);
    rtcSetSceneBuildQuality(p->scene, RTC_BUILD_QUALITY_MEDIUM);
    rtcAttachGeometry(p->scene, p->geometry);
    double began = kin_clock_seconds();
    rtcCommitScene(p->scene);
    return kin_clock_seconds() - began;
}

kin_peer_hits kin_peer_embree_cast(kin_peer_embree* p, const kin_peer_ray* rays, size_t count)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    kin_peer_hits all = {0, 0};
    for (size_t i = 0; i < count; ++i) {
        const kin_peer_ray* r = &rays[i];
        struct RTCRayHit q = {.ray = {.org_x = r->origin[0],
                                      .org_y = r->origin[1],
                                      .org_z = r->origin[2],
                                      .dir_x = r->direction[0],
                                      .dir_y = r->direction[1],
                                      .dir_z = r->direction[2],
                                      .tnear = 0,
                                      .tfar = 1e30f,
                                      .mask = ~0u},
                              .hit = {.geomID = RTC_INVALID_GEOMETRY_ID, .instID = {RTC_INVALID_GEOMETRY_ID}}};
        rtcIntersect1(p->scene, &context, &q);
        if (q.hit.geomID == RTC_INVALID_GEOMETRY_ID) continue;
        all.hits += 1;
        all.sum += q.ray.tfar;
    }
    return all;
}
