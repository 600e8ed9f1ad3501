/* queries.c - asks a world of solids: what does a ray meet, what does a shape meet on its way or where it is, what is nearest.
 *
 *     cc queries.c $(pkg-config --cflags --libs kinema) -o queries && ./queries */
#include <kinema/kinema.h>
#include <stdio.h>

enum { FURNITURE = 1, CURTAIN = 2, RAYS = 400 }; /* categories, bits of a filter; rays of the batch */

static int fail(const kin_error* error)
{
    char text[1100];
    kin_error_text(error, text, sizeof text);
    fprintf(stderr, "queries: %s\n", text);
    return 1;
}

static bool add(kin_world* world, const char* name, kin_shape shape, kin_vec3 position, uint64_t category, kin_collider_id* id, kin_error* error)
{
    kin_collider_def def = kin_collider_def_default();
    def.name = name;
    def.shape = shape;
    def.position = position;
    def.filter.category = category;
    return kin_world_add_collider(world, &def, id, error) == KIN_OK;
}

/* A floor, a ball on it, a table of five boxes, a vase on the table, and a thin curtain in front of it all. Numbers are given in this order. */
static const char* const names[] = {"floor", "ball", "table", "vase", "curtain"};

static bool furnish(kin_world* world, kin_collider_id ids[5], kin_error* error)
{
    kin_shape parts[5] = {{.kind = KIN_SHAPE_BOX, .size = {1.6, 0.05, 0.9}, .offset = {0, 0.75, 0}}}; /* the top; then the legs */
    for (int i = 1; i < 5; ++i) {
        parts[i] = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.06, 0.725, 0.06}, .offset = {i % 2 ? 0.7 : -0.7, 0.3625, i < 3 ? 0.35 : -0.35}};
    }
    const kin_shape floor = {.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}}, ball = {.kind = KIN_SHAPE_SPHERE, .radius = 0.3};
    const kin_shape table = {.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 5}, vase = {.kind = KIN_SHAPE_CYLINDER, .radius = 0.1, .length = 0.4};
    const kin_shape curtain = {.kind = KIN_SHAPE_BOX, .size = {4, 2, 0.01}};
    return add(world, names[0], floor, (kin_vec3){0, 0, 0}, FURNITURE, &ids[0], error)
           && add(world, names[1], ball, (kin_vec3){-1.5, 0.3, 0}, FURNITURE, &ids[1], error)
           && add(world, names[2], table, (kin_vec3){0, 0, 0}, FURNITURE, &ids[2], error)
           && add(world, names[3], vase, (kin_vec3){0.4, 0.975, 0}, FURNITURE, &ids[3], error)
           && add(world, names[4], curtain, (kin_vec3){0, 1, 2}, CURTAIN, &ids[4], error);
}

/* A hit's anchor says which solid it is: colliders are counted from 0 as they were added. */
static const char* name_of(const kin_query_hit* hit) { return names[hit->anchor.element]; }

static void print_hits(const char* question, const kin_query_hit* hits, int count)
{
    printf("%s:", question);
    for (int i = 0; i < count; ++i) printf(" %s (%.3f)", name_of(&hits[i]), hits[i].distance);
    printf("%s\n", count == 0 ? " nothing" : "");
}

static void ask_rays(const kin_world* world)
{
    const kin_vec3 eye = {0.4, 1, 4}, ahead = {0, 0, -1};
    const kin_query through = {.filter = {.mask = FURNITURE}}; /* the curtain is not asked */
    kin_query_hit hits[8];
    kin_query_hit first = kin_world_ray(world, eye, ahead, 100);
    print_hits("first along a ray", &first, first.found);
    print_hits("all along it", hits, kin_world_ray_all(world, eye, ahead, 100, NULL, hits, 8));
    print_hits("through the curtain", hits, kin_world_ray_all(world, eye, ahead, 100, &through, hits, 8));
}

/* What is near a point: one answer a solid, nearest first; negative distances are inside. */
static void ask_nearest(const kin_world* world)
{
    kin_query_hit hits[8];
    print_hits("within a metre of a point", hits, kin_world_closest_all(world, (kin_vec3){-0.9, 0.5, 0}, 1, NULL, hits, 8));
}

/* A box is put down, and a capsule is carried: what do they touch? */
static bool ask_shapes(kin_world* world, const kin_collider_id ids[5], kin_error* error)
{
    const kin_shape chest = {.kind = KIN_SHAPE_BOX, .size = {1, 0.8, 0.5}}, person = {.kind = KIN_SHAPE_CAPSULE, .radius = 0.25, .length = 1.2};
    const kin_transform place = {{-0.9, 0.39, 0}, {0, 0, 0, 1}}, from = {{-3, 0.9, 0}, {0, 0, 0, 1}}, to = {{3, 0.9, 0}, {0, 0, 0, 1}};
    const kin_query not_the_floor = {.ignore = ids[0]};
    kin_query_hit hits[8];
    int count;
    if (kin_world_overlap(world, &chest, place, 0, &not_the_floor, hits, 8, &count, error) != KIN_OK) return false;
    print_hits("a chest would stand in", hits, count);
    if (kin_world_cast(world, &person, from, to, &not_the_floor, hits, 8, &count, error) != KIN_OK) return false;
    printf("a person who walks straight on meets:");
    for (int i = 0; i < count; ++i) printf(" %s (after %.3f m)", name_of(&hits[i]), 6 * hits[i].fraction);
    printf("\n");
    return true;
}

/* Many rays at once, on all threads of the world: a scan from above. */
static void ask_batch(kin_world* world)
{
    static kin_ray rays[RAYS];
    static kin_query_hit hits[RAYS];
    int seen[5] = {0};
    for (int i = 0; i < RAYS; ++i) rays[i] = (kin_ray){{-2.375 + 0.25 * (i % 20), 3, -1.1875 + 0.125 * (i / 20)}, {0, -1, 0}, 10};
    kin_world_rays(world, rays, RAYS, NULL, hits);
    for (int i = 0; i < RAYS; ++i) seen[hits[i].anchor.element] += hits[i].found;
    printf("%d rays from above:", RAYS);
    for (int i = 0; i < 5; ++i) printf(" %s %d", names[i], seen[i]);
    printf("\n");
}

int main(void)
{
    kin_error error = {0};
    kin_world* world;
    kin_world_def def = kin_world_def_default();
    if (kin_world_create(&def, &world, &error) != KIN_OK) return fail(&error);
    kin_collider_id ids[5];
    bool ok = furnish(world, ids, &error);
    if (ok) {
        ask_rays(world);
        ask_nearest(world);
        ok = ask_shapes(world, ids, &error);
        ask_batch(world);
    }
    kin_world_destroy(world);
    return ok ? 0 : fail(&error);
}
