/* peer_bullet.cpp - Bullet: its discrete world, tree broad phase and sequential impulses, all settings as they come. */
#include "bench/rigid/engine.h"
#include <btBulletDynamicsCommon.h>
#include <memory>
#include <vector>

namespace {
struct peer {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;
    int count = 0; /* that move */
};

btVector3 vector(const kin_vec3& v) { return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z)); }
kin_vec3 vector(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

/* Equal ones share it, as is its custom. */
btCollisionShape* shape_of(peer* p, const kin_bench_scene* scene, int i)
{
    const kin_bench_body& b = scene->bodies[i];
    for (int k = i - 1; k >= 0 && k > i - 12; --k) {
        const kin_bench_body& c = scene->bodies[k];
        if (b.radius == c.radius && b.size.x == c.size.x && b.size.y == c.size.y && b.size.z == c.size.z) return p->bodies[size_t(k)]->getCollisionShape();
    }
    if (b.radius > 0)
        p->shapes.emplace_back(new btSphereShape(btScalar(b.radius)));
    else
        p->shapes.emplace_back(new btBoxShape(vector(b.size) * btScalar(0.5)));
    return p->shapes.back().get();
}

void add_body(peer* p, const kin_bench_scene* scene, int i)
{
    const kin_bench_body& b = scene->bodies[i];
    btCollisionShape* shape = shape_of(p, scene, i);
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(b.mass), nullptr, shape, vector(kin_bench_moments(&b)));
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin(vector(b.at));
    info.m_friction = btScalar(0.774596669241483); /* the pair's is the product */
    p->bodies.emplace_back(new btRigidBody(info));
    btRigidBody* body = p->bodies.back().get();
    if (!scene->sleep && b.mass > 0) body->setActivationState(DISABLE_DEACTIVATION);
    if (scene->collide)
        p->world.addRigidBody(body);
    else
        p->world.addRigidBody(body, 1, 0);
}

void add_joint(peer* p, const kin_bench_scene* scene, const kin_bench_joint& j)
{
    bool hinge = j.axis.x != 0 || j.axis.y != 0 || j.axis.z != 0;
    btRigidBody& b = *p->bodies[size_t(j.b)];
    btVector3 anchor = vector(j.anchor), on_b = anchor - vector(scene->bodies[j.b].at), on_a = j.a < 0 ? anchor : anchor - vector(scene->bodies[j.a].at);
    btRigidBody& a = j.a < 0 ? btTypedConstraint::getFixedBody() : *p->bodies[size_t(j.a)];
    if (hinge) {
        auto made = new btHingeConstraint(a, b, on_a, on_b, vector(j.axis), vector(j.axis));
        if (j.friction > 0) made->enableAngularMotor(true, 0, btScalar(j.friction * KIN_BENCH_STEP));
        p->joints.emplace_back(made);
    } else { // which have no friction here
        p->joints.emplace_back(new btPoint2PointConstraint(a, b, on_a, on_b));
    }
    p->world.addConstraint(p->joints.back().get(), true);
}

void* create(const kin_bench_scene* scene, int, kin_error*)
{
    peer* p = new peer;
    p->count = scene->count;
    p->world.setGravity(btVector3(0, btScalar(-KIN_BENCH_GRAVITY), 0));
    for (int i = 0; i < scene->count + scene->fixed; ++i) add_body(p, scene, i);
    for (int i = 0; i < scene->joint_count; ++i) add_joint(p, scene, scene->joints[i]);
    return p;
}

bool step(void* world, kin_error*)
{
    static_cast<peer*>(world)->world.stepSimulation(btScalar(KIN_BENCH_STEP), 0);
    return true;
}

void read(void* world, kin_bench_motion* out)
{
    peer* p = static_cast<peer*>(world);
    for (int i = 0; i < p->count; ++i) {
        const btRigidBody& b = *p->bodies[size_t(i)];
        btQuaternion q = b.getOrientation();
        out[i] = {
            {vector(b.getCenterOfMassPosition()), {q.x(), q.y(), q.z(), q.w()}}, vector(b.getLinearVelocity()), vector(b.getAngularVelocity()), b.isActive()};
    }
}

void destroy(void* world)
{
    peer* p = static_cast<peer*>(world);
    for (auto& joint : p->joints) p->world.removeConstraint(joint.get());
    for (auto& body : p->bodies) p->world.removeRigidBody(body.get());
    delete p;
}
} // namespace

extern "C" const kin_bench_engine kin_bench_bullet = {"bullet", 0, true, create, step, read, destroy, nullptr};
