/* peer_broad.cpp - the C++ shim to Bullet's dynamic tree broad phase, with its settings as they come. */
#include "bench/collision/peer_broad.h"
#include <btBulletCollisionCommon.h>
#include <cstdint>
#include <vector>

struct kin_peer_broad {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    std::vector<btBroadphaseProxy*> proxies;
};

namespace {
btVector3 vector(const kin_vec3& v) { return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z)); }
} // namespace

extern "C" kin_peer_broad* kin_peer_broad_create(const kin_aabb* boxes, size_t count)
{
    kin_peer_broad* peer = new kin_peer_broad;
    for (size_t i = 0; i < count; ++i) {
        void* user = reinterpret_cast<void*>(uintptr_t(i));
        peer->proxies.push_back(peer->broadphase.createProxy(vector(boxes[i].low), vector(boxes[i].high), BOX_SHAPE_PROXYTYPE, user, 1, -1, &peer->dispatcher));
    }
    return peer;
}

extern "C" void kin_peer_broad_step(kin_peer_broad* peer, const kin_aabb* boxes, size_t count)
{
    for (size_t i = 0; i < count; ++i) peer->broadphase.setAabb(peer->proxies[i], vector(boxes[i].low), vector(boxes[i].high), &peer->dispatcher);
    peer->broadphase.calculateOverlappingPairs(&peer->dispatcher);
}

extern "C" size_t kin_peer_broad_pairs(const kin_peer_broad* peer, const kin_aabb* boxes)
{
    auto* cache = const_cast<kin_peer_broad*>(peer)->broadphase.getOverlappingPairCache();
    size_t pairs = 0;
    for (int i = 0; i < cache->getNumOverlappingPairs(); ++i) {
        const btBroadphasePair& pair = cache->getOverlappingPairArray()[i];
        const kin_aabb &a = boxes[uintptr_t(pair.m_pProxy0->m_clientObject)], &b = boxes[uintptr_t(pair.m_pProxy1->m_clientObject)];
        pairs += a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z;
    }
    return pairs;
}

extern "C" void kin_peer_broad_destroy(kin_peer_broad* peer)
{
    for (btBroadphaseProxy* proxy : peer->proxies) peer->broadphase.destroyProxy(proxy, &peer->dispatcher);
    delete peer;
}
