/* recording.c - commands to lines and back. */
#include "io/recording.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "io/file.h"
#include "io/hex.h"
#include "io/json.h"
#include "world/record.h"
#include "world/world.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LAST_LINE_SIZE = 96 };

/* By it a reader knows that all that stands before is whole. */
static size_t make_last_line(char line[LAST_LINE_SIZE], const char* text, size_t length, size_t commands)
{
    return (size_t)snprintf(line, LAST_LINE_SIZE, "{\"checksum\":\"%016" PRIx64 "\",\"commands\":%zu}\n", kin_hash(text, length), commands);
}

/* ---- writing ---- */

typedef struct output {
    const kin_allocator* allocator;
    char* text;
    size_t length, capacity;
} output;

static bool put(output* out, const char* text, size_t length)
{
    if (!kin_reserve(out->allocator, (void**)&out->text, &out->capacity, out->length + length, 1)) return false;
    memcpy(out->text + out->length, text, length);
    out->length += length;
    return true;
}

static bool put_line(output* out, const kin_node* node)
{
    return node != NULL && kin_node_write(node, 0, out->allocator, &out->text, &out->length, &out->capacity) && put(out, "\n", 1);
}

static bool put_header(output* out, const kin_world* world, const kin_node* scene, const kin_node* files, uint64_t seed, double fps)
{
    kin_tree tree;
    kin_tree_init(&tree, out->allocator);
    kin_node* head = kin_node_table(&tree);
    bool ok =
        kin_node_set(&tree, head, "kinema", kin_node_string(&tree, kin_version(), strlen(kin_version())))
        && kin_node_set(&tree, head, "scene", (kin_node*)scene) && kin_node_set(&tree, head, "files", files != NULL ? (kin_node*)files : kin_node_table(&tree))
        && kin_node_set(&tree, head, "seed", kin_node_hex(&tree, seed))
        && kin_node_set(&tree, head, "steps", kin_node_number(&tree, (double)kin_world_step_count(world)))
        && kin_node_set(&tree, head, "state_hash", kin_node_hex(&tree, kin_world_state_hash(world)))
        && kin_node_set(&tree, head, "script_state", kin_node_string(&tree, world->script_state_size > 0 ? world->script_state : "", world->script_state_size))
        && kin_node_set(&tree, head, "fps", kin_node_number(&tree, fps)) && put_line(out, head);
    kin_tree_term(&tree);
    return ok;
}

static bool put_command(output* out, const kin_command* command)
{
    kin_tree tree;
    kin_tree_init(&tree, out->allocator);
    bool ok = put_line(out, kin_command_to_node(&tree, command));
    kin_tree_term(&tree);
    return ok;
}

static bool put_all(output* out, const kin_world* world, const kin_node* scene, const kin_node* files, uint64_t seed, double fps)
{
    size_t count;
    const kin_command* commands = kin_world_recorded(world, &count);
    bool ok = put_header(out, world, scene, files, seed, fps);
    for (size_t i = 0; ok && i < count; ++i) ok = put_command(out, &commands[i]);
    char last[LAST_LINE_SIZE];
    return ok && put(out, last, make_last_line(last, out->text, out->length, count));
}

kin_result kin_recording_write(const kin_allocator* allocator, const char* path, const kin_world* world, const kin_node* scene, const kin_node* files,
                               uint64_t seed, double fps, kin_error* error)
{
    output out = {.allocator = allocator};
    kin_result result =
        put_all(&out, world, scene, files, seed, fps) ? kin_file_write(path, out.text, out.length, error) : kin_fail_memory(error, "a recording", out.length);
    kin_free(allocator, out.text, out.capacity);
    return result;
}

/* ---- reading ---- */

typedef struct input {
    const kin_allocator* allocator;
    const char* path;
    const char* at;
    const char* end; /* of the last command */
    int line;
    kin_error* error;
} input;

static const kin_json_limits limits = {SIZE_MAX, 1000, SIZE_MAX};

static kin_result fail_line(const input* in, const char* what)
{
    char where[512];
    snprintf(where, sizeof where, "%.480s:%d", in->path, in->line);
    return kin_fail(in->error, KIN_ERROR_FORMAT, where, "%s", what);
}

/* Leaves the last line out once it has vouched for the others. */
static kin_result check_whole(input* in, const char* text, size_t size)
{
    size_t begin = size > 0 ? size - 1 : 0; /* of the last line */
    while (begin > 0 && text[begin - 1] != '\n') --begin;
    size_t lines = 0;
    for (size_t i = 0; i < begin; ++i) lines += text[i] == '\n';
    char last[LAST_LINE_SIZE];
    size_t length = lines > 0 ? make_last_line(last, text, begin, lines - 1) : 0;
    if (lines == 0 || length != size - begin || memcmp(text + begin, last, length) != 0) {
        return kin_fail(in->error, KIN_ERROR_FORMAT, in->path, "this is not a whole recording of kinema: it is cut, changed or foreign");
    }
    in->end = text + begin;
    return KIN_OK;
}

static kin_result read_line(input* in, kin_tree* tree)
{
    const char* end = memchr(in->at, '\n', (size_t)(in->end - in->at));
    in->line += 1;
    kin_error why = {0};
    kin_result result = kin_json_read(tree, in->at, (size_t)(end - in->at), in->path, &limits, &why);
    in->at = end + 1;
    if (result == KIN_ERROR_MEMORY) return kin_fail(in->error, result, why.where, "%s", why.message);
    return result == KIN_OK ? KIN_OK : fail_line(in, why.message);
}

static kin_result read_header(input* in, kin_recording* out)
{
    kin_result result = read_line(in, &out->tree);
    if (result != KIN_OK) return result;
    const kin_node* head = out->tree.root;
    const kin_node *fps = kin_node_get(head, "fps"), *script = kin_node_get(head, "script_state");
    out->scene = kin_node_get(head, "scene");
    out->files = kin_node_get(head, "files");
    bool ok = kin_node_get(head, "kinema") != NULL && out->scene != NULL && out->scene->type == KIN_NODE_TABLE && out->files != NULL
              && out->files->type == KIN_NODE_TABLE && fps != NULL && fps->type == KIN_NODE_NUMBER && kin_node_read_hex(kin_node_get(head, "seed"), &out->seed)
              && kin_node_read_hex(kin_node_get(head, "state_hash"), &out->state_hash) && kin_node_read_count(kin_node_get(head, "steps"), &out->steps)
              && script != NULL && script->type == KIN_NODE_STRING;
    if (!ok) return fail_line(in, "the header must have kinema, scene, files, seed, steps, state_hash, fps and script_state");
    out->fps = fps->number;
    out->script_state = script->string;
    return KIN_OK;
}

static kin_result read_command(input* in, kin_recording* out)
{
    kin_tree tree;
    kin_tree_init(&tree, in->allocator);
    kin_command command = {0};
    kin_result result = read_line(in, &tree);
    uint64_t earliest = out->command_count > 0 ? out->commands[out->command_count - 1].step : 0;
    if (result == KIN_OK && !kin_command_from_node(tree.root, &command)) result = fail_line(in, "this is not a command");
    if (result == KIN_OK && (command.step < earliest || command.step > out->steps)) result = fail_line(in, "the command's step is out of order");
    kin_tree_term(&tree);
    if (result != KIN_OK) return result;
    if (!kin_reserve(in->allocator, (void**)&out->commands, &out->command_capacity, out->command_count + 1, sizeof *out->commands)) {
        return kin_fail_memory(in->error, "a recording", kin_bytes(out->command_count, sizeof *out->commands));
    }
    out->commands[out->command_count++] = command;
    return KIN_OK;
}

kin_result kin_recording_read(const kin_allocator* allocator, const char* path, kin_recording* out, kin_error* error)
{
    *out = (kin_recording){0};
    kin_tree_init(&out->tree, allocator);
    char* text;
    size_t size;
    kin_result result = kin_file_read(allocator, path, kin_memory_available(), &text, &size, error);
    if (result != KIN_OK) return result;
    input in = {.allocator = allocator, .path = path, .at = text, .error = error};
    result = check_whole(&in, text, size);
    if (result == KIN_OK) result = read_header(&in, out);
    while (result == KIN_OK && in.at < in.end) result = read_command(&in, out);
    kin_free(allocator, text, size + 1);
    if (result != KIN_OK) kin_recording_free(allocator, out);
    return result;
}

void kin_recording_free(const kin_allocator* allocator, kin_recording* recording)
{
    kin_free(allocator, recording->commands, recording->command_capacity * sizeof *recording->commands);
    kin_tree_term(&recording->tree);
    *recording = (kin_recording){0};
}
