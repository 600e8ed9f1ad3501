/* mesh_obj.c - Wavefront OBJ: v and f; everything else (normals, textures, groups, materials, lines) is passed over. Indices count from 1, or back from
 * the newest vertex when negative; of a/b/c only a matters. */
#include "io/mesh_read.h"
#include <string.h>

typedef struct highest {
    uint64_t index; /* from 1 */
    size_t line;
} highest;

static kin_result read_vertex(kin_mesh_source* s)
{
    double x[3];
    for (int i = 0; i < 3; ++i) {
        kin_mesh_token token = kin_mesh_token_on_line(s);
        if (token.length == 0) return kin_mesh_fail_line(s, "a vertex needs 3 numbers");
        if (!kin_mesh_token_number(s, token, &x[i]))
            return kin_mesh_fail_line(s, "\"%.*s\" is not a number", (int)(token.length < 40 ? token.length : 40), token.begin);
    }
    return kin_mesh_add_vertex(s, (kin_vec3){x[0], x[1], x[2]});
}

/* "7", "7/1", "7//3", "-1/-1/-1" */
static kin_result read_corner(kin_mesh_source* s, kin_mesh_token token, highest* top)
{
    const char* slash = memchr(token.begin, '/', token.length);
    kin_mesh_token first = {token.begin, slash != NULL ? (size_t)(slash - token.begin) : token.length};
    int64_t index;
    if (!kin_mesh_token_integer(first, &index) || index == 0) {
        return kin_mesh_fail_line(s, "\"%.*s\" is not a vertex number", (int)(token.length < 40 ? token.length : 40), token.begin);
    }
    if (index < 0) index += (int64_t)s->out->vertex_count + 1;
    if (index < 1)
        return kin_mesh_fail_line(s, "\"%.*s\" is before the first of %zu vertices", (int)(token.length < 40 ? token.length : 40), token.begin,
                                  s->out->vertex_count);
    if (index > UINT32_MAX) return kin_mesh_fail_line(s, "vertex %lld is out of range", (long long)index);
    if ((uint64_t)index > top->index) *top = (highest){(uint64_t)index, s->line};
    return kin_mesh_add_corner(s, (uint32_t)(index - 1));
}

static kin_result read_face(kin_mesh_source* s, highest* top)
{
    uint32_t size = 0;
    for (kin_mesh_token token; (token = kin_mesh_token_on_line(s)).length > 0; ++size) {
        if (*token.begin == '#') break;
        kin_result result = read_corner(s, token, top);
        if (result != KIN_OK) return result;
    }
    if (size < 3) return kin_mesh_fail_line(s, "a face needs 3 corners or more, this one has %u", size);
    return kin_mesh_add_face(s, size);
}

kin_result kin_mesh_parse_obj(kin_mesh_source* s)
{
    highest top = {0, 0};
    while (s->at < s->end) {
        kin_mesh_token word = kin_mesh_token_on_line(s);
        kin_result result = KIN_OK;
        if (kin_mesh_token_is(word, "v"))
            result = read_vertex(s);
        else if (kin_mesh_token_is(word, "f"))
            result = read_face(s, &top);
        if (result != KIN_OK) return result;
        kin_mesh_skip_line(s);
    }
    if (top.index <= s->out->vertex_count) return KIN_OK; /* faces may come before their vertices: checked at the end */
    s->line = top.line;
    return kin_mesh_fail_line(s, "vertex %llu is named, but there are %zu", (unsigned long long)top.index, s->out->vertex_count);
}
