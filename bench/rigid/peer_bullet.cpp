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
    std::vector<std::unique_ptr<btTriangleMesh>> meshes;
    std::vector<std::unique_ptr<btDefaultMotionState>> states; /* of those that turn */
    std::vector<kin_bench_body> turning;
    int count = 0; /* that move */
    int steps = 0; /* done */
};

btVector3 vector(const kin_vec3& v) { return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z)); }
kin_vec3 vector(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

btQuaternion quaternion(const kin_quat& q) { return btQuaternion(btScalar(q.x), btScalar(q.y), btScalar(q.z), btScalar(q.w)); }

bool same(const kin_bench_body& b, const kin_bench_body& c)
{
    return b.shape == c.shape && b.radius == c.radius && b.length == c.length && b.cloud == c.cloud && b.size.x == c.size.x && b.size.y == c.size.y &&
           b.size.z == c.size.z;
}

btCollisionShape* keep(peer* p, btCollisionShape* shape)
{
    p->shapes.emplace_back(shape);
    return shape;
}

btCollisionShape* make_hull(peer* p, const kin_bench_cloud& c)
{
    auto* hull = new btConvexHullShape;
    for (int i = 0; i < c.point_count; ++i) hull->addPoint(vector(c.points[i]), false);
    hull->recalcLocalAabb();
    return keep(p, hull);
}

btCollisionShape* make_mesh(peer* p, const kin_bench_cloud& c)
{
    p->meshes.emplace_back(new btTriangleMesh);
    auto vertex = [&](int i) { return vector(c.points[c.corners[i]]); };
    for (int i = 0; i < c.triangle_count; ++i) p->meshes.back()->addTriangle(vertex(3 * i), vertex(3 * i + 1), vertex(3 * i + 2));
    return keep(p, new btBvhTriangleMeshShape(p->meshes.back().get(), true));
}

btCollisionShape* make_room(peer* p, const kin_bench_scene* scene, const kin_bench_body& b)
{
    kin_shape walls[KIN_BENCH_WALLS];
    kin_bench_shape_of(scene, &b, walls);
    auto* room = new btCompoundShape;
    for (const kin_shape& wall : walls) {
        const btTransform at(btQuaternion::getIdentity(), vector(wall.offset));
        room->addChildShape(at, keep(p, new btBoxShape(vector(wall.size) * btScalar(0.5))));
    }
    return keep(p, room);
}

/* Equal ones share it, as is its custom. */
btCollisionShape* shape_of(peer* p, const kin_bench_scene* scene, int i)
{
    const kin_bench_body& b = scene->bodies[i];
    for (int k = i - 1; k >= 0 && k > i - 64; --k) {
        if (same(b, scene->bodies[k])) return p->bodies[size_t(k)]->getCollisionShape();
    }
    switch (b.shape) {
    case KIN_BENCH_BALL: return keep(p, new btSphereShape(btScalar(b.radius)));
    case KIN_BENCH_CAPSULE: return keep(p, new btCapsuleShape(btScalar(b.radius), btScalar(b.length)));
    case KIN_BENCH_HULL: return make_hull(p, scene->clouds[b.cloud]);
    case KIN_BENCH_MESH: return make_mesh(p, scene->clouds[b.cloud]);
    case KIN_BENCH_ROOM: return make_room(p, scene, b);
    default: return keep(p, new btBoxShape(vector(b.size) * btScalar(0.5)));
    }
}

/* A body that turns: kinematic, moved by its motion state before every step. */
void turn_body(peer* p, const kin_bench_body& b, btRigidBody* body)
{
    p->states.emplace_back(new btDefaultMotionState(body->getWorldTransform()));
    p->turning.push_back(b);
    body->setMotionState(p->states.back().get());
    body->setCollisionFlags(body->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
    body->setActivationState(DISABLE_DEACTIVATION);
}

void add_body(peer* p, const kin_bench_scene* scene, int i)
{
    const kin_bench_body& b = scene->bodies[i];
    btCollisionShape* shape = shape_of(p, scene, i);
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(b.mass), nullptr, shape, vector(b.moments));
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin(vector(b.at));
    info.m_startWorldTransform.setRotation(quaternion(b.turn));
    info.m_friction = btScalar(0.774596669241483); /* the pair's is the product */
    p->bodies.emplace_back(new btRigidBody(info));
    btRigidBody* body = p->bodies.back().get();
    if (!scene->sleep && b.mass > 0) body->setActivationState(DISABLE_DEACTIVATION);
    if (b.spin.x != 0 || b.spin.y != 0 || b.spin.z != 0) turn_body(p, b, body);
    if (scene->collide)
        p->world.addRigidBody(body);
    else
        p->world.addRigidBody(body, 1, 0);
}

void add_joint(peer* p, const kin_bench_scene* scene, const kin_bench_joint& j)
{
    btRigidBody& b = *p->bodies[size_t(j.b)];
    btRigidBody& a = j.a < 0 ? btTypedConstraint::getFixedBody() : *p->bodies[size_t(j.a)];
    const btTransform to_a = a.getWorldTransform().inverse(), to_b = b.getWorldTransform().inverse();
    const btVector3 anchor = vector(j.anchor), axis = vector(j.axis), on_a = to_a * anchor, on_b = to_b * anchor;
    if (j.hinge) {
        auto made = new btHingeConstraint(a, b, on_a, on_b, to_a.getBasis() * axis, to_b.getBasis() * axis);
        if (j.friction > 0) made->enableAngularMotor(true, 0, btScalar(j.friction * KIN_BENCH_STEP));
        if (j.limited) made->setLimit(btScalar(j.low), btScalar(j.high));
        p->joints.emplace_back(made);
    } else if (j.limited) { // its x is the axis of cone and twist
        const btTransform frame(shortestArcQuat(btVector3(1, 0, 0), axis), anchor);
        auto made = new btConeTwistConstraint(a, b, to_a * frame, to_b * frame);
        made->setLimit(btScalar(j.swing), btScalar(j.swing), btScalar(j.twist));
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
    peer* p = static_cast<peer*>(world);
    ++p->steps;
    for (size_t i = 0; i < p->turning.size(); ++i) {
        const kin_transform pose = kin_bench_pose(&p->turning[i], p->steps * KIN_BENCH_STEP);
        p->states[i]->setWorldTransform(btTransform(quaternion(pose.orientation), vector(pose.position)));
    }
    p->world.stepSimulation(btScalar(KIN_BENCH_STEP), 0);
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

extern "C" const kin_bench_engine kin_bench_bullet = {"bullet", 0, true, true, create, step, read, destroy, nullptr};
