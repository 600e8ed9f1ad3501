/* peer_mujoco.c - MuJoCo: joint trees in reduced coordinates, and of its solvers the conjugate gradients, which are the fastest on stacks (Newton's method takes
 * five times as long for a wall of 91 cubes); other settings as they come. The scene goes in as a text of its own language.
 *
 * This version keeps dense tables of rows by rows in a buffer whose size is an int: a few hundred bodies are the most it takes. */
#include "bench/rigid/engine.h"
#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200, ROWS_MOST = 11000, CONTACTS_MOST = 3600, NAME_MOST = 32 };

typedef struct peer {
    mjModel* model;
    mjData* data;
    int* bodies; /* its number for each of ours */
    int count;
} peer;

/* ---- the scene as text ---- */

typedef struct writer {
    char* text;
    size_t size, capacity;
    bool failed;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer* w, const char* format, ...)
{
    char line[512];
    va_list list;
    va_start(list, format);
    size_t length = (size_t)vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (w->size + length + 1 > w->capacity) {
        size_t capacity = 2 * w->capacity + sizeof line;
        char* text = realloc(w->text, capacity);
        if (text == NULL) w->failed = true;
        if (text == NULL) return;
        w->text = text;
        w->capacity = capacity;
    }
    memcpy(w->text + w->size, line, length + 1);
    w->size += length;
}

static void put_geom(writer* w, const kin_bench_body* b, kin_vec3 at, const char* bits)
{
    put(w, "<geom pos='%.17g %.17g %.17g' friction='%g 0 0' %s ", at.x, at.y, at.z, KIN_BENCH_FRICTION, bits);
    if (b->mass > 0) put(w, "mass='%.17g' ", b->mass);
    if (b->shape == KIN_BENCH_BALL)
        put(w, "type='sphere' size='%.17g'/>\n", b->radius);
    else
        put(w, "type='box' size='%.17g %.17g %.17g'/>\n", b->size.x / 2, b->size.y / 2, b->size.z / 2);
}

static const kin_bench_joint* joint_of(const kin_bench_scene* scene, int body)
{
    for (int i = 0; i < scene->joint_count; ++i) {
        if (scene->joints[i].b == body) return &scene->joints[i];
    }
    return NULL;
}

static void put_joint(writer* w, const kin_bench_joint* j, kin_vec3 at)
{
    if (j == NULL)
        put(w, "<freejoint/>\n");
    else if (j->hinge)
        put(w, "<joint type='hinge' pos='%.17g %.17g %.17g' axis='%g %g %g' frictionloss='%g'/>\n", j->anchor.x - at.x, j->anchor.y - at.y, j->anchor.z - at.z,
            j->axis.x, j->axis.y, j->axis.z, j->friction);
    else
        put(w, "<joint type='ball' pos='%.17g %.17g %.17g' frictionloss='%g'/>\n", j->anchor.x - at.x, j->anchor.y - at.y, j->anchor.z - at.z, j->friction);
}

/* Bodies are nested: a body closes after all that hang on it, which follow it in the list. */
static void put_body(writer* w, const kin_bench_scene* scene, int i, const char* bits)
{
    const kin_bench_body* b = &scene->bodies[i];
    const kin_bench_joint* j = joint_of(scene, i);
    kin_vec3 from = j != NULL && j->a >= 0 ? scene->bodies[j->a].at : (kin_vec3){0, 0, 0};
    put(w, "<body name='%d' pos='%.17g %.17g %.17g'>\n", i, b->at.x - from.x, b->at.y - from.y, b->at.z - from.z);
    put_joint(w, j, b->at);
    put_geom(w, b, (kin_vec3){0, 0, 0}, bits);
    for (int k = 0; k < scene->joint_count; ++k) {
        if (scene->joints[k].a == i) put_body(w, scene, scene->joints[k].b, bits);
    }
    put(w, "</body>\n");
}

static void put_scene(writer* w, const kin_bench_scene* scene)
{
    const char* bits = scene->collide ? "" : "contype='0' conaffinity='0'";
    put(w, "<mujoco><size njmax='%d' nconmax='%d'/>\n", scene->collide ? ROWS_MOST : 500, scene->collide ? CONTACTS_MOST : 100);
    put(w, "<option timestep='%.17g' gravity='0 %g 0' solver='CG'/><worldbody>\n", KIN_BENCH_STEP, -KIN_BENCH_GRAVITY);
    for (int i = 0; i < scene->fixed; ++i) put_geom(w, &scene->bodies[scene->count + i], scene->bodies[scene->count + i].at, bits);
    for (int i = 0; i < scene->count; ++i) {
        const kin_bench_joint* j = joint_of(scene, i);
        if (j == NULL || j->a < 0) put_body(w, scene, i, bits);
    }
    put(w, "</worldbody></mujoco>\n");
}

/* ---- the engine ---- */

static void be_quiet(const char* message) { (void)message; }

static mjModel* load(const writer* w, kin_error* error)
{
    mjVFS* files = malloc(sizeof *files);
    mjModel* model = NULL;
    if (files == NULL) return NULL;
    mj_defaultVFS(files);
    if (mj_makeEmptyFileVFS(files, "scene.xml", (int)w->size + 1) == 0) {
        memcpy(files->filedata[0], w->text, w->size + 1);
        model = mj_loadXML("scene.xml", files, error->message, sizeof error->message);
    }
    mj_deleteVFS(files);
    free(files);
    return model;
}

static void destroy(void* world)
{
    peer* p = world;
    if (p->data != NULL) mj_deleteData(p->data);
    if (p->model != NULL) mj_deleteModel(p->model);
    free(p->bodies);
    free(p);
}

static void* create(const kin_bench_scene* scene, int threads, kin_error* error)
{
    if (scene->loops) return NULL; /* its joints make trees */
    writer w = {0};
    peer* p = calloc(1, sizeof *p);
    (void)threads;
    if (p == NULL) return NULL;
    put_scene(&w, scene);
    mju_user_warning = be_quiet; /* or it writes a file */
    p->count = scene->count;
    p->bodies = calloc((size_t)scene->count, sizeof *p->bodies);
    if (!w.failed && p->bodies != NULL) p->model = load(&w, error);
    free(w.text);
    if (p->model != NULL) p->data = mj_makeData(p->model);
    for (int i = 0; p->data != NULL && i < p->count; ++i) {
        char name[NAME_MOST];
        snprintf(name, sizeof name, "%d", i);
        p->bodies[i] = mj_name2id(p->model, mjOBJ_BODY, name);
    }
    if (p->data != NULL) return p;
    destroy(p);
    return NULL;
}

/* A warning is a failure: contacts left out, or the state thrown away and begun anew. */
static bool step(void* world, kin_error* error)
{
    peer* p = world;
    (void)error;
    mj_step(p->model, p->data);
    for (int i = 0; i < mjNWARNING; ++i) {
        if (i != mjWARN_INERTIA && p->data->warning[i].number > 0) return false;
    }
    return true;
}

static kin_vec3 vector(const mjtNum* v) { return (kin_vec3){v[0], v[1], v[2]}; }

static void read(void* world, kin_bench_motion* out)
{
    const peer* p = world;
    mj_kinematics(p->model, p->data); /* the step leaves poses of its start */
    mj_comPos(p->model, p->data);
    mj_comVel(p->model, p->data);
    for (int i = 0; i < p->count; ++i) {
        const int b = p->bodies[i];
        const mjtNum* q = p->data->xquat + 4 * b;
        mjtNum v[6]; /* spin, then velocity */
        mj_objectVelocity(p->model, p->data, mjOBJ_BODY, b, v, 0);
        out[i] = (kin_bench_motion){{vector(p->data->xpos + 3 * b), {q[1], q[2], q[3], q[0]}}, vector(v + 3), vector(v), true};
    }
}

const kin_bench_engine kin_bench_mujoco = {"mujoco", MOST, false, false, create, step, read, destroy, NULL};
