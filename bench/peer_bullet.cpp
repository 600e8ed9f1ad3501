/* peer_bullet.cpp - the C++ shim to Bullet. Restitution 1, no friction, no sleeping, one step of 1/60 s a call: the work that particles/bounce does. */
#include "bench/peer_bullet.h"
#include <btBulletDynamicsCommon.h>
#include <memory>
#include <vector>

struct kin_peer_world {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<btScalar> vertices;
    std::vector<int> corners;
    std::unique_ptr<btTriangleIndexVertexArray> triangles;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
};

namespace {
enum { SPHERES = 1, SOLIDS = 2 };

btVector3 vector(const kin_vec3& v) { return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z)); }

btRigidBody* add(kin_peer_world* w, btCollisionShape* shape, btScalar mass, const btVector3& position, int group, int mask)
{
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin(position);
    info.m_restitution = 1;
    info.m_friction = 0;
    w->bodies.emplace_back(new btRigidBody(info));
    w->world.addRigidBody(w->bodies.back().get(), group, mask);
    return w->bodies.back().get();
}

void add_hills(kin_peer_world* w, const kin_peer_scene* scene)
{
    for (size_t i = 0; i < scene->vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) w->vertices.push_back(vector(scene->vertices[i])[k]);
    }
    w->corners.assign(scene->corners, scene->corners + 3 * scene->triangle_count);
    w->triangles.reset(new btTriangleIndexVertexArray(int(scene->triangle_count), w->corners.data(), 3 * sizeof(int), int(scene->vertex_count), w->vertices.data(), 3 * sizeof(btScalar)));
    w->shapes.emplace_back(new btBvhTriangleMeshShape(w->triangles.get(), true));
    add(w, w->shapes.back().get(), 0, btVector3(0, 0, 0), SOLIDS, SPHERES);
}

void add_walls(kin_peer_world* w, btScalar wall)
{
    const btVector3 normals[4] = {{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
    for (const btVector3& normal : normals) {
        w->shapes.emplace_back(new btStaticPlaneShape(normal, -wall));
        add(w, w->shapes.back().get(), 0, btVector3(0, 0, 0), SOLIDS, SPHERES);
    }
}
} // namespace

extern "C" kin_peer_world* kin_peer_bullet_create(const kin_peer_scene* scene)
{
    auto* w = new kin_peer_world;
    w->world.setGravity(btVector3(0, btScalar(-9.81), 0));
    add_hills(w, scene);
    add_walls(w, btScalar(scene->wall));
    w->shapes.emplace_back(new btSphereShape(btScalar(scene->radius)));
    btCollisionShape* ball = w->shapes.back().get();
    for (size_t i = 0; i < scene->count; ++i) {
        btRigidBody* body = add(w, ball, 1, vector(scene->positions[i]), SPHERES, SOLIDS);
        body->setLinearVelocity(vector(scene->velocities[i]));
        body->setActivationState(DISABLE_DEACTIVATION);
    }
    return w;
}

extern "C" void kin_peer_bullet_step(kin_peer_world* w) { w->world.stepSimulation(btScalar(1) / 60, 0); }

extern "C" void kin_peer_bullet_destroy(kin_peer_world* w)
{
    for (auto& body : w->bodies) w->world.removeRigidBody(body.get());
    delete w;
}
