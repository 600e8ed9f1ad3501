/* embed.c - Kinema as a guest: the host brings the memory, the threads and the pictures.
 *
 *   allocator   counts what is taken and given back; at the end nothing may be missing
 *   scheduler   runs chunks on the calling thread and one helper, started for each loop (a real host has a pool)
 *   renderer    reads frames, and nothing but frames, and draws a side view in letters
 *
 *     cc embed.c $(pkg-config --cflags --libs kinema) -lpthread -o embed && ./embed
 */
#include <kinema/kinema.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

typedef struct meter {
    atomic_size_t bytes, peak; /* in use now, and at most */
    atomic_int blocks;
} meter;

/* Sizes come back at release, so there is nothing to remember beside a block. */
static void* take(void* context, size_t size, size_t alignment)
{
    meter* m = context;
    void* memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory == NULL) return NULL;
    size_t now = atomic_fetch_add(&m->bytes, size) + size, peak = atomic_load(&m->peak);
    while (now > peak && !atomic_compare_exchange_weak(&m->peak, &peak, now)) {
    }
    atomic_fetch_add(&m->blocks, 1);
    return memory;
}

static void give_back(void* context, void* memory, size_t size)
{
    meter* m = context;
    if (memory == NULL) return;
    atomic_fetch_sub(&m->bytes, size);
    atomic_fetch_sub(&m->blocks, 1);
    free(memory);
}

/* ---- threads ---- */

typedef struct loop {
    kin_chunk_fn* fn;
    void* argument;
    int chunk_count;
    atomic_int next;
} loop;

static void work(loop* l, int worker)
{
    for (int chunk; (chunk = atomic_fetch_add(&l->next, 1)) < l->chunk_count;) l->fn(l->argument, chunk, worker);
}

static void* helper(void* argument)
{
    work(argument, 1);
    return NULL;
}

/* Any thread may run any chunk in any order: the result has the same bits. */
static void run_chunks(void* context, kin_chunk_fn* fn, void* argument, int chunk_count)
{
    loop l = {.fn = fn, .argument = argument, .chunk_count = chunk_count};
    pthread_t thread;
    bool helped = chunk_count > 1 && pthread_create(&thread, NULL, helper, &l) == 0;
    work(&l, 0);
    if (helped) pthread_join(thread, NULL);
    atomic_fetch_add((atomic_int*)context, 1);
}

/* ---- pictures ---- */

enum { WIDTH = 60, HEIGHT = 14 };

static void plot(char canvas[HEIGHT][WIDTH + 1], double x, double y, char letter)
{
    int column = (int)((x + 3) * WIDTH / 6), row = HEIGHT - 1 - (int)(y * HEIGHT / 3); /* 6 m wide, 3 m high, floor at the bottom */
    if (x >= -3 && column < WIDTH && y >= 0 && row >= 0) canvas[row][column] = letter;
}

static void draw(const kin_frame* frame)
{
    char canvas[HEIGHT][WIDTH + 1];
    memset(canvas, ' ', sizeof canvas);
    for (uint32_t i = 0; i < frame->layer_count; ++i) {
        const kin_layer* layer = &frame->layers[i];
        const kin_array* position = kin_layer_array(layer, "position");
        if (layer->kind != KIN_LAYER_POINTS || position == NULL) continue;
        const float* p = position->data;
        for (uint64_t k = 0; k < position->count; ++k) plot(canvas, frame->origin.x + p[3 * k], frame->origin.y + p[3 * k + 1], 'o');
    }
    printf("t = %.1f s\n", frame->time);
    for (int row = 0; row < HEIGHT; ++row) printf("|%.*s|\n", WIDTH, canvas[row]);
    for (int column = 0; column < WIDTH + 2; ++column) putchar('=');
    putchar('\n');
}

/* ---- the world ---- */

static kin_result build(kin_world* world, kin_error* error)
{
    kin_collider_def floor = kin_collider_def_default(), ball = floor;
    kin_collider_id id;
    floor.shape = (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}};
    ball.shape = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.8};
    ball.position = (kin_vec3){0, 0.4, 0};
    kin_particle_group drops = kin_particle_group_default();
    drops.count = 4000;
    drops.position = (kin_vec3){0, 2.4, 0};
    drops.box = (kin_vec3){1, 1, 1};
    drops.radius = 0.02;
    kin_particles_def def = kin_particles_def_default();
    def.groups = &drops;
    def.group_count = 1;
    kin_result result = kin_world_add_collider(world, &floor, &id, error);
    if (result == KIN_OK) result = kin_world_add_collider(world, &ball, &id, error);
    return result == KIN_OK ? kin_particles_create(world, &def, NULL, error) : result;
}

static kin_result play(kin_world* world, bool show, kin_error* error)
{
    const int steps_per_frame = 24, frames = 4;
    kin_result result = KIN_OK;
    for (int frame = 0; result == KIN_OK && frame < frames; ++frame) {
        const kin_frame* seen;
        result = kin_world_capture(world, (uint64_t)frame, steps_per_frame * kin_world_time_step(world), &seen, error);
        if (result == KIN_OK && show) draw(seen);
        for (int step = 0; result == KIN_OK && step < steps_per_frame; ++step) result = kin_world_step(world, NULL, error);
    }
    return result;
}

/* workers 2: our scheduler, and pictures; 1: the built-in one, for comparison. */
static kin_result live(meter* m, int workers, uint64_t* hash, kin_error* error)
{
    atomic_int loops = 0;
    kin_scheduler scheduler = {.context = &loops, .worker_count = workers, .run = run_chunks};
    kin_world_def def = kin_world_def_default();
    kin_world* world;
    def.allocator = (kin_allocator){m, take, give_back};
    def.time_step = 1.0 / 80;
    if (workers > 1)
        def.scheduler = &scheduler;
    else
        def.threads = 1;
    kin_result result = kin_world_create(&def, &world, error);
    if (result != KIN_OK) return result;
    result = build(world, error);
    if (result == KIN_OK) result = play(world, workers > 1, error);
    *hash = kin_world_state_hash(world);
    kin_world_destroy(world);
    printf("workers %d: %d loops through our scheduler, state %016llx\n", workers, (int)loops, (unsigned long long)*hash);
    return result;
}

int main(void)
{
    meter m = {0};
    kin_error error = {0};
    uint64_t ours = 0, theirs = 0;
    if (live(&m, 2, &ours, &error) != KIN_OK || live(&m, 1, &theirs, &error) != KIN_OK) {
        char text[1100];
        kin_error_text(&error, text, sizeof text);
        fprintf(stderr, "embed: %s\n", text);
        return 1;
    }
    printf("memory: peak %zu bytes, left %zu bytes in %d blocks\n", (size_t)m.peak, (size_t)m.bytes, (int)m.blocks);
    printf("bits: %s\n", ours == theirs ? "equal" : "different");
    return m.bytes == 0 && m.blocks == 0 && ours == theirs ? 0 : 1;
}
