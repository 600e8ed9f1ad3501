/* trimesh.c - making the collision form of a mesh, and the questions about features that sweeps and nearest points share.
 *
 * Ghost contacts: a ball on a flat floor of triangles meets, besides the face below it, the edges of the next ones, whose direction to the centre is slanted.
 * Real first contacts lie in the Voronoi region of the feature they are on; of an edge that is flat or hollow that region is empty. So such edges are not
 * tested at all, and every other edge or corner contact is kept only if it is in its region (kin_trimesh_owns). */
#include "collision/trimesh.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/aabb.h"

#define FLAT 1e-10 /* sine of the angle below which two faces count as one plane: far below what `touch` covers */

/* Can a sphere touch edge k before either of its faces? On the outside of a closed mesh: if it is convex. Of an open one: if it is not flat. */
static bool edge_is_sharp(const kin_mesh* mesh, uint32_t triangle, int k)
{
    uint32_t other = mesh->neighbors[triangle][k];
    if (other == KIN_NO_NEIGHBOR) return true;
    kin_vec3 from = mesh->vertices[mesh->triangles[triangle][k]], to = mesh->vertices[mesh->triangles[triangle][(k + 1) % 3]];
    kin_vec3 along = kin_normalize_or(kin_sub(to, from), kin_v(0, 0, 0));
    double sine = kin_triple(mesh->normals[triangle], mesh->normals[other], along);                       /* > 0: convex */
    if (kin_dot(mesh->normals[triangle], mesh->normals[other]) < 0) return sine > -FLAT || !mesh->closed; /* folded sharply */
    return sine > FLAT || (!mesh->closed && sine < -FLAT);
}

static bool vertex_is_sharp(const kin_mesh* mesh, uint32_t vertex)
{
    for (uint32_t i = mesh->star_begin[vertex]; i < mesh->star_begin[vertex + 1]; ++i) {
        uint32_t triangle = mesh->star[i] / 4, corner = mesh->star[i] % 4;
        if (edge_is_sharp(mesh, triangle, (int)corner) || edge_is_sharp(mesh, triangle, (int)(corner + 2) % 3)) return true;
    }
    return false;
}

static uint32_t find_sharp(const kin_mesh* mesh, uint32_t triangle)
{
    uint32_t sharp = 0;
    for (int k = 0; k < 3; ++k) {
        uint32_t vertex = mesh->triangles[triangle][k];
        bool first = mesh->star[mesh->star_begin[vertex]] / 4 == triangle; /* the lowest triangle round a vertex asks for it */
        /* Of an open mesh the lower triangle asks for the edge; of a closed one both do, as the one that looks away is passed over. */
        bool other_asks = !mesh->closed && mesh->neighbors[triangle][k] < triangle;
        if (!other_asks && edge_is_sharp(mesh, triangle, k)) sharp |= 1u << k;
        if (first && vertex_is_sharp(mesh, vertex)) sharp |= 8u << k;
    }
    return sharp;
}

static void fill_facets(kin_trimesh* t)
{
    const kin_mesh* mesh = t->mesh;
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        uint32_t triangle = t->tree.items[i];
        kin_facet* c = &t->corners[i];
        for (int k = 0; k < 3; ++k) c->p[k] = mesh->vertices[mesh->triangles[triangle][k]];
        c->triangle = triangle;
        c->sharp = find_sharp(mesh, triangle);
        t->planes[i] = (kin_trimesh_plane){mesh->normals[triangle], kin_dot(mesh->normals[triangle], c->p[0])};
    }
    t->scale = kin_max(kin_largest(kin_abs3(mesh->bounds.low)), kin_largest(kin_abs3(mesh->bounds.high)));
}

/* Places that hold no triangle repeat the last one: they are masked, but must be numbers. */
static void fill_blocks(kin_trimesh* t)
{
    for (size_t b = 0; b < t->wide.block_count; ++b) {
        kin_trimesh_block* block = &t->blocks[b];
        block->first = t->wide.blocks[b].first, block->count = t->wide.blocks[b].count, block->more = t->wide.blocks[b].more;
        for (uint32_t lane = 0; lane < KIN_BVH_BLOCK; ++lane) {
            const kin_facet* c = &t->corners[block->first + (lane < block->count ? lane : block->count - 1)];
            for (int k = 0; k < 3; ++k) {
                kin_vec3 p = kin_scale(kin_sub(c->p[k], t->wide.middle), t->wide.per_metre);
                block->p[k][0][lane] = (float)p.x, block->p[k][1][lane] = (float)p.y, block->p[k][2][lane] = (float)p.z;
            }
        }
    }
}

static kin_aabb box_of_facet(const kin_vec3 p[3]) { return (kin_aabb){kin_min3(p[0], kin_min3(p[1], p[2])), kin_max3(p[0], kin_max3(p[1], p[2]))}; }

static kin_aabb box_of_facets(const void* context, uint32_t begin, uint32_t end)
{
    const kin_facet* corners = context;
    kin_aabb box = box_of_facet(corners[begin].p);
    for (uint32_t i = begin + 1; i < end; ++i) box = kin_aabb_union(box, box_of_facet(corners[i].p));
    return box;
}

static bool build_tree(kin_trimesh* t)
{
    const kin_mesh* mesh = t->mesh;
    size_t bytes = kin_bytes(mesh->triangle_count, sizeof(kin_aabb));
    kin_aabb* boxes = kin_alloc(&mesh->allocator, bytes);
    if (boxes == NULL) return false;
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t* c = mesh->triangles[i];
        boxes[i] = box_of_facet((kin_vec3[3]){mesh->vertices[c[0]], mesh->vertices[c[1]], mesh->vertices[c[2]]});
    }
    bool built = kin_bvh_build(&t->tree, boxes, mesh->triangle_count);
    kin_free(&mesh->allocator, boxes, bytes);
    return built;
}

static bool build_blocks(kin_trimesh* t)
{
    if (!kin_bvh_wide_build(&t->wide, &t->tree, box_of_facets, t->corners)) return false;
    t->blocks = kin_alloc(&t->wide.allocator, kin_bytes(t->wide.block_count, sizeof *t->blocks));
    if (t->blocks == NULL) return false;
    fill_blocks(t);
    return true;
}

static bool fill(kin_trimesh* t)
{
    size_t count = t->mesh->triangle_count;
    t->planes = kin_alloc(&t->tree.allocator, kin_bytes(count, sizeof *t->planes));
    t->corners = kin_alloc(&t->tree.allocator, kin_bytes(count, sizeof *t->corners));
    if (t->planes == NULL || t->corners == NULL || !build_tree(t)) return false;
    fill_facets(t);
    return build_blocks(t);
}

kin_result kin_trimesh_create(const kin_allocator* allocator, kin_mesh* mesh, kin_trimesh** out, kin_error* error)
{
    *out = NULL;
    kin_trimesh* t = kin_alloc_zero(allocator, sizeof *t);
    if (t == NULL) {
        kin_mesh_destroy(mesh);
        return kin_fail_memory(error, "a collision mesh", sizeof *t);
    }
    t->mesh = mesh;
    t->simd = kin_simd_best();
    kin_bvh_init(&t->tree, allocator);
    kin_bvh_wide_init(&t->wide, allocator);
    if (!fill(t)) {
        size_t bytes = (size_t)mesh->triangle_count * (sizeof *t->planes + sizeof *t->corners + sizeof *t->blocks);
        kin_trimesh_destroy(t);
        return kin_fail_memory(error, "a collision mesh", bytes);
    }
    *out = t;
    return KIN_OK;
}

kin_result kin_trimesh_refit(kin_trimesh* t, const kin_vec3* vertices, kin_error* error)
{
    kin_result result = kin_mesh_move(t->mesh, vertices, error);
    if (result != KIN_OK) return result;
    fill_facets(t);
    kin_bvh_refit_by(&t->tree, box_of_facets, t->corners);
    kin_bvh_wide_refit(&t->wide, box_of_facets, t->corners);
    fill_blocks(t);
    return KIN_OK;
}

void kin_trimesh_destroy(kin_trimesh* t)
{
    if (t == NULL) return;
    kin_allocator a = t->tree.allocator;
    size_t count = t->mesh->triangle_count;
    kin_free(&a, t->planes, kin_bytes(count, sizeof *t->planes));
    kin_free(&a, t->corners, kin_bytes(count, sizeof *t->corners));
    kin_free(&a, t->blocks, kin_bytes(t->wide.block_count, sizeof *t->blocks));
    kin_bvh_wide_term(&t->wide);
    kin_bvh_term(&t->tree);
    kin_mesh_destroy(t->mesh);
    kin_free(&a, t, sizeof *t);
}

size_t kin_trimesh_bytes(const kin_trimesh* t)
{
    return sizeof *t + kin_mesh_bytes(t->mesh) + kin_bvh_bytes(&t->tree) + kin_bvh_wide_bytes(&t->wide)
           + t->mesh->triangle_count * (sizeof *t->planes + sizeof *t->corners) + t->wide.block_count * sizeof *t->blocks;
}

/* x . m <= slack |m| without a root. */
static bool at_most(double dot, double slack, double length2) { return dot <= 0 || dot * dot <= slack * slack * length2; }

bool kin_trimesh_face_holds(const kin_facet* c, kin_vec3 normal, kin_vec3 x, double slack)
{
    for (int k = 0; k < 3; ++k) {
        kin_vec3 p = c->p[k], edge = kin_sub(c->p[(k + 1) % 3], p);
        double outward = kin_dot(kin_cross(edge, normal), kin_sub(x, p));
        if (!at_most(outward, slack, kin_length2(edge))) return false;
    }
    return true;
}

static bool edge_owns(const kin_mesh* mesh, uint32_t triangle, int k, kin_vec3 u, double slack)
{
    const uint32_t* corner = mesh->triangles[triangle];
    kin_vec3 edge = kin_sub(mesh->vertices[corner[(k + 1) % 3]], mesh->vertices[corner[k]]);
    double length2 = kin_length2(edge);
    if (!at_most(kin_triple(u, mesh->normals[triangle], edge), slack, length2)) return false; /* over this face */
    uint32_t other = mesh->neighbors[triangle][k];
    return other == KIN_NO_NEIGHBOR || at_most(kin_triple(u, edge, mesh->normals[other]), slack, length2);
}

static bool vertex_owns(const kin_mesh* mesh, uint32_t vertex, kin_vec3 u, double slack)
{
    kin_vec3 at = mesh->vertices[vertex];
    for (uint32_t i = mesh->star_begin[vertex]; i < mesh->star_begin[vertex + 1]; ++i) {
        const uint32_t* corner = mesh->triangles[mesh->star[i] / 4];
        for (uint32_t k = 1; k <= 2; ++k) {
            kin_vec3 edge = kin_sub(mesh->vertices[corner[(mesh->star[i] % 4 + k) % 3]], at);
            if (!at_most(kin_dot(u, edge), slack, kin_length2(edge))) return false;
        }
    }
    return true;
}

bool kin_trimesh_owns(const kin_trimesh* t, uint32_t triangle, kin_feature feature, kin_vec3 u, double slack)
{
    if (feature == KIN_FEATURE_FACE) return true;
    if (feature < KIN_FEATURE_CORNER0) return edge_owns(t->mesh, triangle, (int)(feature - KIN_FEATURE_EDGE0), u, slack);
    return vertex_owns(t->mesh, t->mesh->triangles[triangle][feature - KIN_FEATURE_CORNER0], u, slack);
}
