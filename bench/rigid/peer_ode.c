/* peer_ode.c - ODE: iterative quick step with contacts, its direct solver for joints alone; settings as they come. */
#include "bench/rigid/engine.h"
#include <ode/ode.h>
#include <stdlib.h>

enum { POINTS = 8 }; /* of a pair, at most */

typedef struct peer {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID* bodies;
    int count;
    bool collide;
} peer;

static void meet(void* data, dGeomID a, dGeomID b)
{
    peer* p = data;
    dContact contacts[POINTS];
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (body_a != NULL && body_b != NULL && dAreConnectedExcluding(body_a, body_b, dJointTypeContact)) return;
    int count = dCollide(a, b, POINTS, &contacts[0].geom, sizeof *contacts);
    for (int i = 0; i < count; ++i) {
        contacts[i].surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = KIN_BENCH_FRICTION};
        dJointAttach(dJointCreateContact(p->world, p->contacts, &contacts[i]), body_a, body_b);
    }
}

static void add_body(peer* p, const kin_bench_body* b, int i)
{
    dGeomID geom = b->shape == KIN_BENCH_BALL ? dCreateSphere(p->space, b->radius) : dCreateBox(p->space, b->size.x, b->size.y, b->size.z);
    if (i < p->count) {
        dMass mass;
        dMassSetParameters(&mass, b->mass, 0, 0, 0, b->moments.x, b->moments.y, b->moments.z, 0, 0, 0);
        p->bodies[i] = dBodyCreate(p->world);
        dBodySetMass(p->bodies[i], &mass);
        dGeomSetBody(geom, p->bodies[i]);
    }
    dGeomSetPosition(geom, b->at.x, b->at.y, b->at.z); /* moves its body */
}

/* A motor of no speed about three axes. */
static void add_ball_friction(peer* p, const kin_bench_joint* j)
{
    dJointID motor = dJointCreateAMotor(p->world, 0);
    dJointAttach(motor, j->a < 0 ? NULL : p->bodies[j->a], p->bodies[j->b]);
    dJointSetAMotorMode(motor, dAMotorUser);
    dJointSetAMotorNumAxes(motor, 3);
    for (int i = 0; i < 3; ++i) dJointSetAMotorAxis(motor, i, j->a < 0 ? 0 : 1, i == 0, i == 1, i == 2);
    dJointSetAMotorParam(motor, dParamFMax1, j->friction);
    dJointSetAMotorParam(motor, dParamFMax2, j->friction);
    dJointSetAMotorParam(motor, dParamFMax3, j->friction);
}

static void add_joint(peer* p, const kin_bench_joint* j)
{
    dJointID joint = j->hinge ? dJointCreateHinge(p->world, 0) : dJointCreateBall(p->world, 0);
    dJointAttach(joint, j->a < 0 ? NULL : p->bodies[j->a], p->bodies[j->b]);
    if (!j->hinge) {
        dJointSetBallAnchor(joint, j->anchor.x, j->anchor.y, j->anchor.z);
        if (j->friction > 0) add_ball_friction(p, j);
        return;
    }
    dJointSetHingeAnchor(joint, j->anchor.x, j->anchor.y, j->anchor.z);
    dJointSetHingeAxis(joint, j->axis.x, j->axis.y, j->axis.z);
    dJointSetHingeParam(joint, dParamFMax, j->friction);
}

static void* create(const kin_bench_scene* scene, int threads, kin_error* error)
{
    peer* p = calloc(1, sizeof *p);
    (void)threads, (void)error;
    if (p == NULL || (p->bodies = calloc((size_t)scene->count, sizeof(dBodyID))) == NULL) {
        free(p);
        return NULL;
    }
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    dRandSetSeed(1); /* it shuffles its rows: the same way in every run */
    p->world = dWorldCreate();
    p->space = dHashSpaceCreate(NULL);
    p->contacts = dJointGroupCreate(0);
    p->count = scene->count;
    p->collide = scene->collide;
    dWorldSetGravity(p->world, 0, -KIN_BENCH_GRAVITY, 0);
    dWorldSetAutoDisableFlag(p->world, scene->sleep);
    for (int i = 0; i < scene->count + scene->fixed; ++i) add_body(p, &scene->bodies[i], i);
    for (int i = 0; i < scene->joint_count; ++i) add_joint(p, &scene->joints[i]);
    return p;
}

static bool step(void* world, kin_error* error)
{
    peer* p = world;
    (void)error;
    if (!p->collide) return dWorldStep(p->world, KIN_BENCH_STEP) != 0;
    dSpaceCollide(p->space, p, meet);
    bool done = dWorldQuickStep(p->world, KIN_BENCH_STEP) != 0;
    dJointGroupEmpty(p->contacts);
    return done;
}

static kin_vec3 vector(const dReal* v) { return (kin_vec3){v[0], v[1], v[2]}; }

static void read(void* world, kin_bench_motion* out)
{
    const peer* p = world;
    for (int i = 0; i < p->count; ++i) {
        const dReal* q = dBodyGetQuaternion(p->bodies[i]);
        out[i].pose = (kin_transform){vector(dBodyGetPosition(p->bodies[i])), {q[1], q[2], q[3], q[0]}};
        out[i].velocity = vector(dBodyGetLinearVel(p->bodies[i]));
        out[i].spin = vector(dBodyGetAngularVel(p->bodies[i]));
        out[i].awake = dBodyIsEnabled(p->bodies[i]) != 0;
    }
}

static void destroy(void* world)
{
    peer* p = world;
    dJointGroupDestroy(p->contacts);
    dSpaceDestroy(p->space);
    dWorldDestroy(p->world);
    dCloseODE();
    free(p->bodies);
    free(p);
}

const kin_bench_engine kin_bench_ode = {"ode", 0, true, false, create, step, read, destroy, NULL};
