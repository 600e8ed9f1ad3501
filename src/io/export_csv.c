/* export_csv.c - points, sprites, bodies and fluids as a table: frame,time,system,id,x,y,z,vx,vy,vz. SI units; a layer without ids counts its points, one without
 * velocities says 0. Named numbers of particles are the columns user.NAME. Where particles of the run keep hits, the columns hit_age, hit_x, hit_y, hit_z, hit_system and hit_element follow; without a hit they are
 * empty. What has no rows of its own (other meshes, lines, planes, volumes) is left out. Poses: bodies alone, with how they are turned and spin. */
#include "io/export.h"
#include "io/file.h"
#include <inttypes.h>
#include <string.h>

/* RFC 4180: a name with a comma, a quote or a line break stands in quotes. */
static void put_name(FILE* stream, const char* name)
{
    if (strpbrk(name, ",\"\r\n") == NULL) {
        fputs(name, stream);
        return;
    }
    fputc('"', stream);
    for (; *name != 0; ++name) {
        if (*name == '"') fputc('"', stream);
        fputc(*name, stream);
    }
    fputc('"', stream);
}

enum { MAX_NAMES = 64 };

/* Columns beside those that every table has: what any frame of the run has. */
typedef struct columns {
    bool hits;
    int name_count; /* of named numbers (arrays user.NAME), in the order in which they are found */
    char names[MAX_NAMES][sizeof((kin_array*)0)->name];
} columns;

static const char user_prefix[] = "user.";

static void note_names(columns* out, const kin_layer* layer)
{
    for (uint32_t i = 0; i < layer->array_count && out->name_count < MAX_NAMES; ++i) {
        const char* name = layer->arrays[i].name;
        int at = 0;
        if (strncmp(name, user_prefix, strlen(user_prefix)) != 0) continue;
        while (at < out->name_count && strcmp(out->names[at], name) != 0) ++at;
        if (at == out->name_count) memcpy(out->names[out->name_count++], name, sizeof out->names[0]);
    }
}

/* What the layer has none of is empty. */
static void put_names(FILE* stream, const kin_layer* layer, uint64_t i, const columns* extra)
{
    for (int k = 0; k < extra->name_count; ++k) {
        const kin_array* values = layer != NULL ? kin_layer_array(layer, extra->names[k]) : NULL;
        bool good = values != NULL && values->type == KIN_F32 && values->width == 1 && i < values->count;
        if (good) fprintf(stream, ",%.9g", (double)((const float*)values->data)[i]);
        if (!good) fputc(',', stream);
    }
}

/* A system's later layers are called after it, with a number: the table has the system. */
static void put_system(FILE* stream, const char* layer)
{
    char name[sizeof((kin_layer*)0)->name];
    snprintf(name, sizeof name, "%s", layer);
    char* slash = strrchr(name, '/');
    if (slash != NULL && slash[1] != 0 && slash[1 + strspn(slash + 1, "0123456789")] == 0) *slash = 0;
    put_name(stream, name);
}

/* Of one point: its last hit, when the table has these columns. */
static void put_hit(FILE* stream, const kin_frame* frame, const kin_layer* layer, uint64_t i, int digits)
{
    const kin_array *age = kin_layer_array(layer, "hit_age"), *place = kin_layer_array(layer, "hit_position"), *other = kin_layer_array(layer, "hit_other");
    if (age == NULL || place == NULL || other == NULL || !(((const float*)age->data)[i] >= 0)) {
        fputs(",,,,,,", stream);
        return;
    }
    const float* x = (const float*)place->data + 3 * i;
    const uint32_t* whom = (const uint32_t*)other->data + 2 * i;
    kin_vec3 o = frame->origin;
    fprintf(stream, ",%.9g,%.*g,%.*g,%.*g,%" PRIu32 ",%" PRIu32, (double)((const float*)age->data)[i], digits, o.x + (double)x[0], digits, o.y + (double)x[1],
            digits, o.z + (double)x[2], whom[0], whom[1]);
}

/* names: of positions, velocities and ids. */
static void put_points(FILE* stream, const kin_frame* frame, const kin_layer* layer, const char* const names[3], const columns* extra)
{
    static const float still[3];
    const kin_array* position = kin_layer_array(layer, names[0]);
    const kin_array* velocity = kin_layer_array(layer, names[1]);
    const kin_array* id = kin_layer_array(layer, names[2]);
    if (position == NULL) return;
    const float* x = position->data;
    const float* v = velocity != NULL ? velocity->data : NULL;
    const uint64_t* ids = id != NULL ? id->data : NULL;
    kin_vec3 o = frame->origin;
    int digits = o.x == 0 && o.y == 0 && o.z == 0 ? 9 : 15; /* 9 hold a float; the sum with an origin is a double */
    for (uint64_t i = 0; i < position->count; ++i) {
        const float* vi = v != NULL ? v + 3 * i : still;
        fprintf(stream, "%" PRIu64 ",%.9g,", frame->index, frame->time);
        put_system(stream, layer->name);
        fprintf(stream, ",%" PRIu64 ",%.*g,%.*g,%.*g,%.9g,%.9g,%.9g", ids != NULL ? ids[i] : i, digits, o.x + (double)x[3 * i], digits,
                o.y + (double)x[3 * i + 1], digits, o.z + (double)x[3 * i + 2], (double)vi[0], (double)vi[1], (double)vi[2]);
        if (extra->hits) put_hit(stream, frame, layer, i, digits);
        put_names(stream, layer, i, extra);
        fputc('\n', stream);
    }
}

static void put_bodies(FILE* stream, const kin_frame* frame, const kin_layer* layer, bool turned, const columns* extra)
{
    const kin_array *pose = kin_layer_array(layer, "pose"), *velocity = kin_layer_array(layer, "pose_velocity"), *id = kin_layer_array(layer, "id");
    if (pose == NULL || velocity == NULL || id == NULL) return;
    const uint64_t* ids = id->data;
    kin_vec3 o = frame->origin;
    int digits = o.x == 0 && o.y == 0 && o.z == 0 ? 9 : 15;
    for (uint64_t i = 0; i < pose->count; ++i) {
        const float *x = (const float*)pose->data + 7 * i, *v = (const float*)velocity->data + 6 * i;
        fprintf(stream, "%" PRIu64 ",%.9g,", frame->index, frame->time);
        put_system(stream, layer->name);
        fprintf(stream, ",%" PRIu64 ",%.*g,%.*g,%.*g,%.9g,%.9g,%.9g", ids[i], digits, o.x + (double)x[0], digits, o.y + (double)x[1], digits,
                o.z + (double)x[2], (double)v[0], (double)v[1], (double)v[2]);
        if (turned)
            fprintf(stream, ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g", (double)x[3], (double)x[4], (double)x[5], (double)x[6], (double)v[3], (double)v[4],
                    (double)v[5]);
        if (extra->hits) fputs(",,,,,,", stream);
        put_names(stream, NULL, 0, extra);
        fputc('\n', stream);
    }
}

static void put_layer(FILE* stream, const kin_frame* frame, const kin_layer* layer, bool poses, const columns* extra)
{
    static const char* const points[3] = {"position", "velocity", "id"};
    static const char* const particles[3] = {"particle_position", "particle_velocity", "particle_id"}; /* of the fluid in a skin */
    if (layer->kind == KIN_LAYER_MESH) put_bodies(stream, frame, layer, poses, extra);
    if (poses) return;
    bool traced = layer->kind == KIN_LAYER_ISOSURFACE, cloud = traced && kin_layer_array(layer, "particle_position") != NULL;
    if (layer->kind == KIN_LAYER_MESH || cloud) put_points(stream, frame, layer, particles, extra);
    if (layer->kind == KIN_LAYER_POINTS || layer->kind == KIN_LAYER_SPRITES || (traced && !cloud)) put_points(stream, frame, layer, points, extra);
}

static kin_result find_columns(kin_cache* cache, columns* out, kin_error* error)
{
    for (uint64_t index = 0; index < kin_cache_frame_count(cache); ++index) {
        const kin_frame* frame;
        kin_result result = kin_cache_read(cache, index, &frame, error);
        if (result != KIN_OK) return result;
        for (uint32_t i = 0; i < frame->layer_count; ++i) {
            out->hits = out->hits || kin_layer_array(&frame->layers[i], "hit_age") != NULL;
            note_names(out, &frame->layers[i]);
        }
    }
    return KIN_OK;
}

/* A full disk is seen by the stream's error mark: no use to go on then. */
static kin_result put_frames(kin_cache* cache, FILE* stream, bool poses, kin_error* error)
{
    columns extra = {0};
    kin_result found = poses ? KIN_OK : find_columns(cache, &extra, error);
    if (found != KIN_OK) return found;
    fprintf(stream, "frame,time,system,id,x,y,z,vx,vy,vz%s%s", poses ? ",qx,qy,qz,qw,wx,wy,wz" : "",
            extra.hits ? ",hit_age,hit_x,hit_y,hit_z,hit_system,hit_element" : "");
    for (int k = 0; k < extra.name_count; ++k) fprintf(stream, ",%s", extra.names[k]);
    fputc('\n', stream);
    for (uint64_t index = 0; index < kin_cache_frame_count(cache) && !ferror(stream); ++index) {
        const kin_frame* frame;
        kin_result result = kin_cache_read(cache, index, &frame, error);
        if (result != KIN_OK) return result;
        for (uint32_t i = 0; i < frame->layer_count; ++i) put_layer(stream, frame, &frame->layers[i], poses, &extra);
    }
    return KIN_OK;
}

static kin_result write_table(kin_cache* cache, const char* path, bool poses, kin_error* error)
{
    kin_file_out out;
    kin_result result = kin_file_begin(&out, path, error);
    if (result != KIN_OK) return result;
    result = put_frames(cache, out.stream, poses, error);
    kin_result ended = kin_file_end(&out, result == KIN_OK, error);
    return result != KIN_OK ? result : ended;
}

kin_result kin_export_csv(kin_cache* cache, const char* path, kin_error* error) { return write_table(cache, path, false, error); }
kin_result kin_export_poses(kin_cache* cache, const char* path, kin_error* error) { return write_table(cache, path, true, error); }
