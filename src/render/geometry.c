/* geometry.c - layers of a frame to Embree geometry. Points become native spheres, streaks and lines become round linear
 * curves (what is not opaque stands in a scene of its own: veil.c), meshes become scenes of their own behind instances, so that a mesh that stays the same is built once for a whole
 * movie. What moves while the shutter is open has two time steps. */
#include "base/alloc.h"
#include "render/pattern.h"
#include "render/stage.h"
#include <string.h>

const float* kin_layer_floats(const kin_layer* layer, const char* name, uint32_t width, uint64_t count)
{
    const kin_array* array = kin_layer_array(layer, name);
    if (array == NULL || array->type != KIN_F32 || array->width != width || array->count < count || array->data == NULL) return NULL;
    return array->data;
}

static const uint32_t* indices(const kin_layer* layer, const char* name, uint32_t width, uint64_t* count)
{
    const kin_array* array = kin_layer_array(layer, name);
    if (array == NULL || array->type != KIN_U32 || array->width != width || array->data == NULL) return NULL;
    *count = array->count;
    return array->data;
}

static const uint64_t* ids_of(const kin_layer* layer, uint64_t count)
{
    const kin_array* array = kin_layer_array(layer, "id");
    return array != NULL && array->type == KIN_U64 && array->width == 1 && array->count >= count ? array->data : NULL;
}

static uint64_t row_count(const kin_layer* layer, const char* name)
{
    const kin_array* array = kin_layer_array(layer, name);
    return array == NULL ? 0 : array->count;
}

static bool any_motion(const kin_stage* stage, const float* velocity, uint64_t count)
{
    if (velocity == NULL || !(stage->shutter > 0)) return false;
    for (uint64_t i = 0; i < 3 * count; ++i) {
        if (isfinite(velocity[i]) && velocity[i] != 0) return true;
    }
    return false;
}

kin_exhibit* kin_stage_exhibit(kin_stage* stage, const kin_layer* layer)
{
    if (!kin_reserve(&stage->allocator, (void**)&stage->exhibits, &stage->exhibit_capacity, stage->exhibit_count + 1, sizeof *stage->exhibits)) return NULL;
    kin_exhibit* exhibit = &stage->exhibits[stage->exhibit_count++];
    *exhibit = (kin_exhibit){.layer = layer, .color = vec_color(layer->look.color), .map = stage->map_count, .spheres = 1};
    return exhibit;
}

kin_piece* kin_stage_attach(kin_stage* stage, RTCGeometry geometry)
{
    if (!kin_reserve(&stage->allocator, (void**)&stage->pieces, &stage->piece_capacity, stage->piece_count + 1, sizeof *stage->pieces)) {
        rtcReleaseGeometry(geometry);
        return NULL;
    }
    const kin_exhibit* exhibit = &stage->exhibits[stage->exhibit_count - 1];
    bool glass = exhibit->layer->look.surface == KIN_SURFACE_GLASS;
    bool flame = exhibit->sprites != NULL && exhibit->layer->look.surface == KIN_SURFACE_EMISSIVE;
    stage->has_glass = stage->has_glass || glass;
    stage->has_soft = stage->has_soft || exhibit->soft;
    rtcSetGeometryMask(geometry, flame ? KIN_MASK_FLAME : (glass ? KIN_MASK_GLASS : KIN_MASK_SOLID));
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(exhibit->soft ? stage->soft : stage->top, geometry, (unsigned)stage->piece_count);
    rtcReleaseGeometry(geometry);
    kin_piece* piece = &stage->pieces[stage->piece_count++];
    *piece = (kin_piece){.exhibit = stage->exhibit_count - 1};
    return piece;
}

bool kin_stage_map_points(kin_stage* stage, const float* position, const float* radius, uint64_t count)
{
    if (!kin_reserve(&stage->allocator, (void**)&stage->map, &stage->map_capacity, stage->map_count + count, sizeof *stage->map)) return false;
    for (uint64_t i = 0; i < count; ++i) {
        bool sized = radius == NULL || (radius[i] > 0 && radius[i] <= stage->far);
        if (sized && kin_stage_holds(stage, vec_load(position + 3 * i))) stage->map[stage->map_count++] = (uint32_t)i;
    }
    return true;
}

static float* vertices(RTCGeometry geometry, unsigned slot, enum RTCFormat format, size_t size, uint64_t count)
{
    return rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, slot, format, size, count);
}

/* A sphere, or one of those that a point is drawn as: place, and radius in w. */
static kin_vec sphere_of(const kin_exhibit* exhibit, kin_vec middle, float radius, uint64_t element, uint32_t sphere)
{
    kin_vec place = middle;
    place[3] = radius;
    if (exhibit->spheres == 1) return place;
    kin_vec g = kin_pattern_sphere(exhibit->layer->look.pattern, exhibit->ids != NULL ? exhibit->ids[element] : element, sphere);
    place = middle + g * radius;
    place[3] = g[3] * radius;
    return place;
}

static bool add_spheres(kin_stage* stage, const float* position, const float* radius, const float* velocity, uint64_t points)
{
    const kin_exhibit* exhibit = &stage->exhibits[stage->exhibit_count - 1];
    const uint32_t *map = stage->map + exhibit->map, each = exhibit->spheres;
    uint64_t count = points * each;
    unsigned steps = velocity != NULL ? 2 : 1;
    RTCGeometry geometry = rtcNewGeometry(stage->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    rtcSetGeometryTimeStepCount(geometry, steps);
    for (unsigned step = 0; step < steps; ++step) {
        float* out = vertices(geometry, step, RTC_FORMAT_FLOAT4, 16, count);
        if (out == NULL) return rtcReleaseGeometry(geometry), false;
        for (uint64_t i = 0; i < count; ++i) {
            uint32_t point = map[i / each];
            kin_vec p = vec_load(position + 3 * point);
            if (step == 1) p = kin_stage_moved(stage, p, velocity + 3 * point, stage->shutter);
            p = sphere_of(exhibit, p, radius != NULL ? radius[point] : KIN_POINT_RADIUS, point, (uint32_t)(i % each));
            memcpy(out + 4 * i, &p, sizeof p);
        }
    }
    return kin_stage_attach(stage, geometry) != NULL;
}

/* Segments with round ends. lines: two numbers of ends each; NULL: none share an end. A segment that begins where the one before it ends goes on from it without a
 * cap between, so that what is not opaque shows no joint. n segments in one
 * piece have n + 1 vertices. */
static float* new_segments(kin_stage* stage, const uint32_t* lines, const uint32_t* map, uint64_t count, uint64_t* vertex_count, RTCGeometry* geometry)
{
    *geometry = rtcNewGeometry(stage->device, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE);
    uint32_t* first = rtcSetNewGeometryBuffer(*geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, 4, count);
    uint8_t* flags = rtcSetNewGeometryBuffer(*geometry, RTC_BUFFER_TYPE_FLAGS, 0, RTC_FORMAT_UCHAR, 1, count);
    *vertex_count = 0;
    for (uint64_t i = 0; first != NULL && flags != NULL && i < count; ++i) {
        bool joined = i > 0 && lines != NULL && lines[2 * map[i]] == lines[2 * map[i - 1] + 1];
        flags[i] = joined ? RTC_CURVE_FLAG_NEIGHBOR_LEFT : 0;
        if (joined) flags[i - 1] |= RTC_CURVE_FLAG_NEIGHBOR_RIGHT;
        *vertex_count += joined ? 1 : 2;
        first[i] = (uint32_t)(*vertex_count - 2);
    }
    float* out = vertices(*geometry, 0, RTC_FORMAT_FLOAT4, 16, *vertex_count);
    if (first != NULL && flags != NULL && out != NULL) return out;
    rtcReleaseGeometry(*geometry);
    return NULL;
}

static void put_vertex(float* out, kin_vec p, float radius)
{
    p[3] = radius;
    memcpy(out, &p, sizeof p);
}

static kin_vec streak_tail(const kin_stage* stage, kin_vec head, const float* velocity, float streak, float radius)
{
    kin_vec tail = kin_stage_moved(stage, head, velocity, -streak), trail = head - tail;
    return vec_dot(trail, trail) > 0.01f * radius * radius ? tail : head - vec(0, 0.1f * radius, 0); /* at rest: a dot */
}

static bool add_streaks(kin_stage* stage, const float* position, const float* radius, const float* velocity, uint64_t count)
{
    const kin_exhibit* exhibit = &stage->exhibits[stage->exhibit_count - 1];
    const uint32_t* map = stage->map + exhibit->map;
    RTCGeometry geometry;
    uint64_t ends;
    float* out = new_segments(stage, NULL, map, count, &ends, &geometry);
    if (out == NULL) return false;
    for (uint64_t i = 0; i < count; ++i) {
        float r = radius != NULL ? radius[map[i]] : KIN_POINT_RADIUS;
        kin_vec head = vec_load(position + 3 * map[i]), tail = streak_tail(stage, head, velocity + 3 * map[i], exhibit->layer->look.streak, r);
        float slim = maxf(0.15f * r, r - 0.5f * vec_length(head - tail)); /* the cone must not swallow its tip */
        put_vertex(out + 8 * i, tail, slim);
        put_vertex(out + 8 * i + 4, head, r);
    }
    return kin_stage_attach(stage, geometry) != NULL;
}

static bool add_point_lamps(kin_stage* stage, const float* position, const float* radius, const float* velocity, uint64_t count)
{
    const kin_exhibit* exhibit = &stage->exhibits[stage->exhibit_count - 1];
    const kin_look* look = &exhibit->layer->look;
    if (look->surface != KIN_SURFACE_EMISSIVE || !(look->glow > 0)) return true;
    for (uint64_t i = 0; i < count; ++i) {
        uint32_t point = stage->map[exhibit->map + i];
        kin_vec color = exhibit->colors != NULL ? vec_color(exhibit->colors + 3 * point) : exhibit->color;
        kin_lamp lamp = {.to = vec_load(position + 3 * point), .radius = radius != NULL ? radius[point] : KIN_POINT_RADIUS, .radiance = color * look->glow};
        lamp.from = lamp.to;
        if (exhibit->opacity != NULL) lamp.radiance *= clampf(exhibit->opacity[point], 0, 1);
        if (velocity != NULL) {
            lamp.from = streak_tail(stage, lamp.to, velocity + 3 * point, look->streak, lamp.radius);
            lamp.radius *= 0.6f; /* the mean of a taper */
            lamp.radiance *= KIN_STREAK_MEAN;
        }
        if (!kin_lamps_add(&stage->lamps, &lamp)) return false;
    }
    return true;
}

static bool add_points(kin_stage* stage, const kin_layer* layer)
{
    uint64_t count = row_count(layer, "position");
    const float* position = kin_layer_floats(layer, "position", 3, count);
    if (position == NULL || count == 0 || count > UINT32_MAX / 2) return true;
    const float* radius = kin_layer_floats(layer, "radius", 1, count);
    const float* velocity = kin_layer_floats(layer, "velocity", 3, count);
    kin_exhibit* exhibit = kin_stage_exhibit(stage, layer);
    if (exhibit == NULL || !kin_stage_map_points(stage, position, radius, count)) return false;
    exhibit->colors = kin_layer_floats(layer, "color", 3, count);
    uint64_t drawn = stage->map_count - exhibit->map;
    if (drawn == 0) return true;
    bool streaks = layer->look.streak > 0 && velocity != NULL, glass = layer->look.surface == KIN_SURFACE_GLASS; /* is clear as it is */
    exhibit->opacity = glass ? NULL : kin_layer_floats(layer, "opacity", 1, count);
    exhibit->streaks = streaks;
    if (!add_point_lamps(stage, position, radius, streaks ? velocity : NULL, drawn)) return false;
    if (!glass && !kin_stage_by_distance(stage, &layer->look, !streaks, position, count, &radius, &exhibit->opacity)) return false;
    exhibit->soft = !glass && (streaks || exhibit->opacity != NULL);
    uint32_t spheres = kin_pattern_spheres(layer->look.pattern);
    exhibit->spheres = exhibit->soft || streaks || drawn > UINT32_MAX / spheres ? 1 : spheres;
    exhibit->ids = ids_of(layer, count);
    if (streaks) return add_streaks(stage, position, radius, velocity, drawn);
    return add_spheres(stage, position, radius, any_motion(stage, velocity, count) ? velocity : NULL, drawn);
}

/* The lines whose ends exist, are finite and have a width, into the map. */
static bool map_lines(kin_stage* stage, const float* position, const float* radius, uint64_t vertex_count, const uint32_t* line, uint64_t count)
{
    if (!kin_reserve(&stage->allocator, (void**)&stage->map, &stage->map_capacity, stage->map_count + count, sizeof *stage->map)) return false;
    for (uint64_t i = 0; i < count; ++i) {
        bool good = true;
        for (int end = 0; end < 2 && good; ++end) {
            uint32_t v = line[2 * i + end];
            good = v < vertex_count && kin_stage_holds(stage, vec_load(position + 3 * v)) && (radius == NULL || (radius[v] > 0 && radius[v] <= stage->far));
        }
        if (good && memcmp(position + 3 * line[2 * i], position + 3 * line[2 * i + 1], 12) != 0) stage->map[stage->map_count++] = (uint32_t)i;
    }
    return true;
}

static bool add_lines(kin_stage* stage, const kin_layer* layer)
{
    uint64_t vertex_count = row_count(layer, "position"), count = 0;
    const float* position = kin_layer_floats(layer, "position", 3, vertex_count);
    const uint32_t* line = indices(layer, "line", 2, &count);
    if (position == NULL || line == NULL || count > UINT32_MAX / 2) return true;
    const float* radius = kin_layer_floats(layer, "radius", 1, vertex_count);
    kin_exhibit* exhibit = kin_stage_exhibit(stage, layer);
    if (exhibit == NULL || !map_lines(stage, position, radius, vertex_count, line, count)) return false;
    exhibit->colors = kin_layer_floats(layer, "color", 3, vertex_count);
    exhibit->lines = line;
    bool glass = layer->look.surface == KIN_SURFACE_GLASS;
    exhibit->opacity = glass ? NULL : kin_layer_floats(layer, "opacity", 1, vertex_count);
    if (!glass && !kin_stage_by_distance(stage, &layer->look, false, position, vertex_count, &radius, &exhibit->opacity)) return false;
    exhibit->soft = exhibit->opacity != NULL;
    uint64_t drawn = stage->map_count - exhibit->map;
    if (drawn == 0) return true;
    RTCGeometry geometry;
    const uint32_t* map = stage->map + exhibit->map;
    uint64_t ends, at = 0;
    float* out = new_segments(stage, line, map, drawn, &ends, &geometry);
    if (out == NULL) return false;
    for (uint64_t i = 0; i < 2 * drawn; ++i) {
        uint32_t v = line[2 * map[i / 2] + i % 2];
        bool joined = i >= 2 && i % 2 == 0 && v == line[2 * map[i / 2 - 1] + 1];
        if (!joined) put_vertex(out + 4 * at++, vec_load(position + 3 * v), radius != NULL ? radius[v] : 0.5f * KIN_POINT_RADIUS);
    }
    return kin_stage_attach(stage, geometry) != NULL;
}

typedef struct mesh_source {
    const float* position;
    const float* velocity; /* NULL: at rest */
    const uint32_t* triangle;
    uint64_t vertex_count, triangle_count;
} mesh_source;

/* Triangles with corners that do not exist or cannot be drawn keep no area: no ray meets them. */
static void put_triangles(const kin_stage* stage, uint32_t* out, const mesh_source* mesh)
{
    for (uint64_t i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t* v = mesh->triangle + 3 * i;
        bool good = true;
        for (int k = 0; k < 3 && good; ++k) good = v[k] < mesh->vertex_count && kin_stage_holds(stage, vec_load(mesh->position + 3 * (size_t)v[k]));
        for (int k = 0; k < 3; ++k) out[3 * i + k] = good ? v[k] : 0;
    }
}

static RTCGeometry mesh_geometry(const kin_stage* stage, const mesh_source* mesh)
{
    unsigned steps = mesh->velocity != NULL ? 2 : 1;
    RTCGeometry geometry = rtcNewGeometry(stage->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetGeometryTimeStepCount(geometry, steps);
    for (unsigned step = 0; step < steps; ++step) {
        float* out = vertices(geometry, step, RTC_FORMAT_FLOAT3, 12, mesh->vertex_count);
        if (out == NULL) return rtcReleaseGeometry(geometry), NULL;
        memcpy(out, mesh->position, 12 * mesh->vertex_count);
        for (uint64_t i = 0; step == 1 && i < mesh->vertex_count; ++i) {
            kin_vec p = kin_stage_moved(stage, vec_load(mesh->position + 3 * i), mesh->velocity + 3 * i, stage->shutter);
            for (int k = 0; k < 3; ++k) out[3 * i + k] = p[k];
        }
    }
    uint32_t* triangles = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, mesh->triangle_count);
    if (triangles == NULL) return rtcReleaseGeometry(geometry), NULL;
    put_triangles(stage, triangles, mesh);
    rtcSetGeometryMask(geometry, ~0u); /* its instances decide */
    rtcCommitGeometry(geometry);
    return geometry;
}

static RTCScene find_kept(kin_stage* stage, uint64_t position_hash, uint64_t triangle_hash)
{
    for (size_t i = 0; i < stage->kept_count && position_hash != 0 && triangle_hash != 0; ++i) {
        kin_kept_mesh* kept = &stage->kept[i];
        if (kept->position_hash != position_hash || kept->triangle_hash != triangle_hash) continue;
        kept->used = true;
        return kept->scene;
    }
    return NULL;
}

/* The mesh as a scene to be instanced: an old one if nothing changed. */
static RTCScene mesh_scene(kin_stage* stage, const kin_layer* layer, const mesh_source* mesh)
{
    uint64_t position_hash = mesh->velocity != NULL ? 0 : kin_layer_array(layer, "position")->hash;
    uint64_t triangle_hash = kin_layer_array(layer, "triangle")->hash;
    RTCScene scene = find_kept(stage, position_hash, triangle_hash);
    if (scene != NULL) return scene;
    if (!kin_reserve(&stage->allocator, (void**)&stage->kept, &stage->kept_capacity, stage->kept_count + 1, sizeof *stage->kept)) return NULL;
    RTCGeometry geometry = mesh_geometry(stage, mesh);
    if (geometry == NULL) return NULL;
    scene = rtcNewScene(stage->device);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene);
    stage->kept[stage->kept_count++] = (kin_kept_mesh){position_hash, triangle_hash, scene, true};
    return scene;
}

/* Position and orientation of unit length; false if they are not finite. */
static bool read_pose(const float* pose, float out[7])
{
    float length2 = 0;
    for (int i = 0; i < 7; ++i) {
        if (!isfinite(pose[i])) return false;
        out[i] = pose[i];
    }
    for (int i = 3; i < 7; ++i) length2 += pose[i] * pose[i];
    for (int i = 3; i < 7; ++i) out[i] = length2 > 1e-12f ? pose[i] / sqrtf(length2) : (i == 6 ? 1.0f : 0.0f);
    return true;
}

static void pose_frame(const float* p, float scale, float frame[12])
{
    float x = p[3], y = p[4], z = p[5], w = p[6];
    const float columns[12] = {
        1 - 2 * (y * y + z * z),
        2 * (x * y + w * z),
        2 * (x * z - w * y),
        2 * (x * y - w * z),
        1 - 2 * (x * x + z * z),
        2 * (y * z + w * x),
        2 * (x * z + w * y),
        2 * (y * z - w * x),
        1 - 2 * (x * x + y * y),
        p[0],
        p[1],
        p[2],
    };
    for (int i = 0; i < 12; ++i) frame[i] = i < 9 ? scale * columns[i] : columns[i];
}

static struct RTCQuaternionDecomposition decomposition(const float* p, float scale, float sign)
{
    struct RTCQuaternionDecomposition d;
    rtcInitQuaternionDecomposition(&d);
    rtcQuaternionDecompositionSetQuaternion(&d, sign * p[6], sign * p[3], sign * p[4], sign * p[5]);
    rtcQuaternionDecompositionSetScale(&d, scale, scale, scale);
    rtcQuaternionDecompositionSetTranslation(&d, p[0], p[1], p[2]);
    return d;
}

/* Whether an instance lies within the renderer's world, and the world within Embree's numbers in the instance's own axes. */
static bool instance_fits(const kin_stage* stage, RTCScene scene, const float* begin, const float* end, float scale)
{
    struct RTCBounds b;
    rtcGetSceneBounds(scene, &b);
    kin_vec half = vec(maxf(-b.lower_x, b.upper_x), maxf(-b.lower_y, b.upper_y), maxf(-b.lower_z, b.upper_z));
    kin_vec reach = vec_all(vec_length(half) * scale);
    bool fits = kin_stage_holds(stage, reach) && kin_stage_holds(stage, vec_load(begin)) && (end == NULL || kin_stage_holds(stage, vec_load(end)));
    return fits && stage->far <= KIN_EMBREE_LARGEST * scale;
}

static bool add_instance(kin_stage* stage, RTCScene scene, uint32_t row, const float begin[7], const float* end, float scale)
{
    if (!instance_fits(stage, scene, begin, end, scale)) return true;
    RTCGeometry geometry = rtcNewGeometry(stage->device, RTC_GEOMETRY_TYPE_INSTANCE);
    rtcSetGeometryInstancedScene(geometry, scene);
    float frame[12];
    pose_frame(begin, scale, frame);
    if (end != NULL) {
        float dot = begin[3] * end[3] + begin[4] * end[4] + begin[5] * end[5] + begin[6] * end[6];
        struct RTCQuaternionDecomposition first = decomposition(begin, scale, 1), last = decomposition(end, scale, dot < 0 ? -1.0f : 1.0f);
        rtcSetGeometryTimeStepCount(geometry, 2);
        rtcSetGeometryTransformQuaternion(geometry, 0, &first);
        rtcSetGeometryTransformQuaternion(geometry, 1, &last);
    } else {
        rtcSetGeometryTransform(geometry, 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, frame);
    }
    kin_piece* piece = kin_stage_attach(stage, geometry);
    if (piece == NULL) return false;
    piece->instance = geometry;
    piece->row = row;
    piece->moving = end != NULL;
    memcpy(piece->frame, frame, sizeof frame);
    return true;
}

static bool add_instances(kin_stage* stage, const kin_layer* layer, RTCScene scene)
{
    static const float here[7] = {0, 0, 0, 0, 0, 0, 1};
    bool posed = kin_layer_array(layer, "pose") != NULL;
    uint64_t count = posed ? row_count(layer, "pose") : 1;
    const float* scale = kin_layer_floats(layer, "scale", 1, count);
    stage->exhibits[stage->exhibit_count - 1].colors = kin_layer_floats(layer, "color", 3, count);
    if (!posed) return add_instance(stage, scene, 0, here, NULL, scale != NULL && isfinite(scale[0]) && scale[0] > 0 ? scale[0] : 1);
    const float* pose = kin_layer_floats(layer, "pose", 7, count);
    const float* pose_end = kin_layer_floats(layer, "pose_end", 7, count);
    for (uint64_t i = 0; pose != NULL && i < count; ++i) {
        float begin[7], end[7];
        float size = scale != NULL ? scale[i] : 1;
        if (!read_pose(pose + 7 * i, begin) || !isfinite(size) || !(size > 0)) continue;
        bool moving = stage->shutter > 0 && pose_end != NULL && read_pose(pose_end + 7 * i, end) && memcmp(begin, end, sizeof end) != 0;
        if (!add_instance(stage, scene, (uint32_t)i, begin, moving ? end : NULL, size)) return false;
    }
    return true;
}

static int longest_axis(const mesh_source* mesh)
{
    kin_vec low = vec_all(INFINITY), high = vec_all(-INFINITY);
    for (uint64_t i = 0; i < mesh->vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) low[k] = minf(mesh->position[3 * i + (uint64_t)k], low[k]), high[k] = maxf(mesh->position[3 * i + (uint64_t)k], high[k]);
    }
    kin_vec size = high - low;
    return size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
}

static bool add_mesh(kin_stage* stage, const kin_layer* layer)
{
    mesh_source mesh = {.vertex_count = row_count(layer, "position")};
    mesh.position = kin_layer_floats(layer, "position", 3, mesh.vertex_count);
    mesh.triangle = indices(layer, "triangle", 3, &mesh.triangle_count);
    if (mesh.position == NULL || mesh.triangle == NULL || mesh.vertex_count == 0 || mesh.triangle_count == 0) return true;
    if (mesh.vertex_count > UINT32_MAX || mesh.triangle_count > UINT32_MAX) return true;
    const float* velocity = kin_layer_floats(layer, "velocity", 3, mesh.vertex_count);
    mesh.velocity = any_motion(stage, velocity, mesh.vertex_count) ? velocity : NULL;
    kin_exhibit* exhibit = kin_stage_exhibit(stage, layer);
    if (exhibit == NULL) return false;
    exhibit->normals = kin_layer_floats(layer, "normal", 3, mesh.vertex_count);
    exhibit->vertex_colors = kin_layer_floats(layer, "vertex_color", 3, mesh.vertex_count);
    exhibit->triangles = mesh.triangle;
    if (layer->look.pattern == KIN_PATTERN_WOOD) exhibit->grain = longest_axis(&mesh);
    exhibit->positions = mesh.velocity == NULL ? mesh.position : NULL;
    RTCScene scene = mesh_scene(stage, layer, &mesh);
    return scene != NULL && add_instances(stage, layer, scene);
}

static bool add_planes(kin_stage* stage, const kin_frame* frame, const kin_layer* layer)
{
    uint64_t count = row_count(layer, "position");
    const float* position = kin_layer_floats(layer, "position", 3, count);
    const float* normal = kin_layer_floats(layer, "normal", 3, count);
    if (position == NULL || normal == NULL) return true;
    if (!kin_reserve(&stage->allocator, (void**)&stage->planes, &stage->plane_capacity, stage->plane_count + count, sizeof *stage->planes)) return false;
    kin_vec3 eye = frame->camera.eye, target = frame->camera.target;
    kin_vec away = vec((float)(target.x - eye.x), (float)(target.y - eye.y), (float)(target.z - eye.z));
    float scale = clampf(vec_length(away), 0.01f, 1e6f);
    for (uint64_t i = 0; i < count; ++i) {
        kin_plane* plane = &stage->planes[stage->plane_count];
        if (kin_plane_init(plane, position + 3 * i, normal + 3 * i, frame->origin, scale, &layer->look)) stage->plane_count += 1;
    }
    return true;
}

static bool add_volume(kin_stage* stage, const kin_layer* layer)
{
    if (!kin_reserve(&stage->allocator, (void**)&stage->volumes, &stage->volume_capacity, stage->volume_count + 1, sizeof *stage->volumes)) return false;
    kin_volume* volume = &stage->volumes[stage->volume_count];
    int made = kin_volume_init(volume, &stage->allocator, layer);
    if (made != KIN_VOLUME_MADE) return made == KIN_VOLUME_NONE;
    stage->volume_count += 1;
    return kin_volume_lamps(volume, &stage->lamps);
}

bool kin_stage_add(kin_stage* stage, const kin_frame* frame, const kin_layer* layer)
{
    switch (layer->kind) {
    case KIN_LAYER_POINTS: return add_points(stage, layer);
    case KIN_LAYER_LINES: return add_lines(stage, layer);
    case KIN_LAYER_MESH: return add_mesh(stage, layer);
    case KIN_LAYER_PLANE: return add_planes(stage, frame, layer);
    case KIN_LAYER_SPRITES: return kin_stage_add_sprites(stage, layer);
    case KIN_LAYER_VOLUME: return add_volume(stage, layer);
    case KIN_LAYER_ISOSURFACE: return kin_stage_add_isosurface(stage, layer);
    }
    return true;
}
