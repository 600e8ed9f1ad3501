/* peer_bullet_convex.cpp - btGjkPairDetector on hulls without margin; a detector a query, as its dispatcher makes them. */
#include "bench/collision/peer_convex.h"
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <btBulletCollisionCommon.h>
#include <memory>
#include <vector>

struct kin_bullet_convex {
    std::vector<std::unique_ptr<btConvexHullShape>> shapes;
    std::vector<btTransform> poses;
    size_t pairs;
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver depth;
};

extern "C" kin_bullet_convex* kin_bullet_convex_create(const kin_peer_convex* scene)
{
    auto* b = new kin_bullet_convex;
    b->pairs = scene->pairs;
    for (size_t i = 0; i < 2 * scene->pairs; ++i) {
        b->shapes.emplace_back(new btConvexHullShape);
        for (size_t k = 0; k < scene->hulls[i].count; ++k) {
            const kin_vec3& v = scene->hulls[i].vertices[k];
            b->shapes.back()->addPoint(btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z)), false);
        }
        b->shapes.back()->recalcLocalAabb();
        b->shapes.back()->setMargin(0);
    }
    for (size_t i = 0; i < scene->pairs * scene->steps; ++i) {
        const kin_transform& t = scene->poses[i];
        btQuaternion q(btScalar(t.orientation.x), btScalar(t.orientation.y), btScalar(t.orientation.z), btScalar(t.orientation.w));
        b->poses.emplace_back(q, btVector3(btScalar(t.position.x), btScalar(t.position.y), btScalar(t.position.z)));
    }
    return b;
}

extern "C" double kin_bullet_convex_run(kin_bullet_convex* b, size_t step, int is_deep)
{
    double sum = 0;
    for (size_t i = 0; i < b->pairs; ++i) {
        btGjkPairDetector detector(b->shapes[2 * i].get(), b->shapes[2 * i + 1].get(), &b->simplex, is_deep ? &b->depth : nullptr);
        btGjkPairDetector::ClosestPointInput input;
        btPointCollector out;
        input.m_transformA.setIdentity();
        input.m_transformB = b->poses[step * b->pairs + i];
        input.m_maximumDistanceSquared = btScalar(1e18);
        detector.getClosestPoints(input, out, nullptr);
        if (out.m_hasResult) sum += double(out.m_distance);
    }
    return sum;
}

extern "C" void kin_bullet_convex_destroy(kin_bullet_convex* b) { delete b; }
