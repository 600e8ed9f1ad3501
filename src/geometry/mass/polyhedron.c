/* polyhedron.c - integrals over the inside of a closed surface. All are taken about the middle of the bounds, so that a body far from the origin loses no
 * digits.
 *
 * Surface (D9; B. Mirtich, Fast and accurate computation of polyhedral mass properties, 1996): the divergence theorem makes volume integrals of faces, each
 * face is projected along its largest normal component, and Green's theorem makes line integrals of its edges. The rows that the text prints wrong (E17),
 * P_1 and P_abb, are as derived here: P_1 = sum db (a0 + a1)/2, and P_abb has -da, as all rows whose field points along b. */
#include "base/error.h"
#include "geometry/mass/moments.h"
#include "geometry/polygon.h"
#include "math/aabb.h"

/* ---- edges and projected faces ---- */

typedef struct line { /* an edge, projected */
    double a0, b0, a1, b1;
} line;

/* Sum of x1^i x0^(n-i): n + 1 times the integral of x^n along the edge. */
static double powers(double x0, double x1, int n)
{
    double sum = 1, last = 1;
    for (int i = 1; i <= n; ++i) {
        last *= x0;
        sum = sum * x1 + last;
    }
    return sum;
}

/* The integral of x^n y along the edge, times (n + 1)(n + 2). */
static double mixed(double x0, double x1, double y0, double y1, int n)
{
    double up = 0, down = 0, x1i = 1;
    for (int i = 0; i <= n; ++i) {
        double term = x1i;
        for (int k = i; k < n; ++k) term *= x0;
        up += (i + 1) * term;
        down += (n + 1 - i) * term;
        x1i *= x1;
    }
    return y1 * up + y0 * down;
}

typedef struct projected { /* integrals over the projected face */
    double one, a, b, aa, ab, bb, aaa, aab, abb, bbb;
} projected;

static void add_edge(projected* p, line e)
{
    double da = e.a1 - e.a0, db = e.b1 - e.b0;
    p->one += db * (e.a0 + e.a1) / 2;
    p->a += db * powers(e.a0, e.a1, 2) / 6;
    p->aa += db * powers(e.a0, e.a1, 3) / 12;
    p->aaa += db * powers(e.a0, e.a1, 4) / 20;
    p->b -= da * powers(e.b0, e.b1, 2) / 6;
    p->bb -= da * powers(e.b0, e.b1, 3) / 12;
    p->bbb -= da * powers(e.b0, e.b1, 4) / 20;
    p->ab += db * mixed(e.a0, e.a1, e.b0, e.b1, 2) / 24;
    p->aab += db * mixed(e.a0, e.a1, e.b0, e.b1, 3) / 60;
    p->abb -= da * mixed(e.b0, e.b1, e.a0, e.a1, 3) / 60;
}

/* ---- faces ---- */

typedef struct totals { /* of the volume: of 1, x, x^2 and xy, yz, zx; the divisors 1, 2, 3, 2 come last */
    double one, first[3], squares[3], products[3];
} totals;

/* The face's integrals are those of its projection over |n_c|, the third coordinate being -(n_a a + n_b b + d)/n_c (9.15 to 9.26). The sign that projection
 * may turn round is that of n_c, so n_c alone divides. */
static void add_face(totals* t, const projected* p, kin_vec3 normal, double d, int c)
{
    int a = (c + 1) % 3, b = (c + 2) % 3;
    double na = kin_component(normal, a), nb = kin_component(normal, b), nc = kin_component(normal, c), k = 1 / nc;
    double linear = na * p->a + nb * p->b, square = na * na * p->aa + 2 * na * nb * p->ab + nb * nb * p->bb;
    double cube = na * na * na * p->aaa + 3 * na * na * nb * p->aab + 3 * na * nb * nb * p->abb + nb * nb * nb * p->bbb;
    double fx = c == 0 ? -k * k * (linear + d * p->one) : c == 1 ? k * p->b : k * p->a; /* x is c, b or a */
    t->one += normal.x * fx;
    t->first[a] += na * k * p->aa;
    t->first[b] += nb * k * p->bb;
    t->first[c] += nc * k * k * k * (square + d * (2 * linear + d * p->one));
    t->squares[a] += na * k * p->aaa;
    t->squares[b] += nb * k * p->bbb;
    t->squares[c] -= nc * k * k * k * k * (cube + 3 * d * square + d * d * (3 * linear + d * p->one));
    t->products[a] += na * k * p->aab;
    t->products[b] -= nb * k * k * (na * p->abb + nb * p->bbb + d * p->bb);
    t->products[c] += nc * k * k * k * (na * na * p->aaa + 2 * na * nb * p->aab + nb * nb * p->abb + d * (2 * (na * p->aa + nb * p->ab) + d * p->a));
}

static void integrate_face(totals* t, const kin_vec3* vertices, const uint32_t* corners, uint32_t count, kin_vec3 middle)
{
    kin_vec3 n = kin_normalize_or(kin_polygon_normal(vertices, corners, count), kin_v(0, 0, 0)), size = kin_abs3(n);
    if (kin_largest(size) == 0) return; /* no area */
    int c = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2, a = (c + 1) % 3, b = (c + 2) % 3;
    projected p = {0};
    double d = 0;
    for (uint32_t i = 0; i < count; ++i) {
        kin_vec3 u = kin_sub(vertices[corners[i]], middle), v = kin_sub(vertices[corners[i + 1 < count ? i + 1 : 0]], middle);
        add_edge(&p, (line){kin_component(u, a), kin_component(u, b), kin_component(v, a), kin_component(v, b)});
        d -= kin_dot(n, u) / count;
    }
    add_face(t, &p, n, d, c);
}

static kin_moments moments_of(const totals* t)
{
    kin_moments m = {.volume = t->one, .first = kin_scale(kin_v(t->first[0], t->first[1], t->first[2]), 0.5)};
    m.second = (kin_sym3){t->squares[0] / 3, t->squares[1] / 3, t->squares[2] / 3, t->products[0] / 2, t->products[2] / 2, t->products[1] / 2};
    return m;
}

/* ---- signed tetrahedra ---- */

/* H9.4: the integral of x x^T over the tetrahedron of the origin and u, v, w is V/20 (u u^T + v v^T + w w^T + s s^T), s = u + v + w. */
static void add_tetrahedron(kin_moments* m, kin_vec3 u, kin_vec3 v, kin_vec3 w)
{
    double volume = kin_triple(u, v, w) / 6;
    kin_vec3 s = kin_add(u, kin_add(v, w));
    kin_sym3 square = kin_sym3_add(kin_sym3_add(kin_sym3_square(u), kin_sym3_square(v)), kin_sym3_add(kin_sym3_square(w), kin_sym3_square(s)));
    m->volume += volume;
    m->first = kin_add_scaled(m->first, 0.25 * volume, s);
    m->second = kin_sym3_add(m->second, kin_sym3_scale(square, volume / 20));
}

static kin_moments by_tetrahedra(const kin_mesh* mesh, kin_vec3 middle)
{
    kin_moments m = {0};
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* c = mesh->triangles[t];
        add_tetrahedron(&m, kin_sub(mesh->vertices[c[0]], middle), kin_sub(mesh->vertices[c[1]], middle), kin_sub(mesh->vertices[c[2]], middle));
    }
    return m;
}

static kin_moments by_surface(const kin_mesh* mesh, kin_vec3 middle)
{
    totals t = {0};
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) integrate_face(&t, mesh->vertices, mesh->triangles[i], 3, middle);
    return moments_of(&t);
}

/* ---- entries ---- */

static kin_result finish(kin_moments m, kin_vec3 middle, kin_mass* out, kin_error* error)
{
    if (!(m.volume > 0)) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "the mesh encloses %g m^3: %s", m.volume,
                        m.volume < 0 ? "its faces look inwards" : "mass properties need a volume");
    }
    *out = kin_moments_mass(m, middle);
    return KIN_OK;
}

static kin_result must_be_closed(const kin_mesh* mesh, kin_error* error)
{
    return mesh->closed ? KIN_OK : kin_fail(error, KIN_ERROR_ARGUMENT, "", "the mesh is not closed: it has no inside");
}

kin_result kin_mass_of_mesh(const kin_mesh* mesh, kin_mass_method method, kin_mass* out, kin_error* error)
{
    kin_result result = must_be_closed(mesh, error);
    if (result != KIN_OK) return result;
    kin_vec3 middle = kin_aabb_center(mesh->bounds);
    return finish(method == KIN_MASS_SURFACE ? by_surface(mesh, middle) : by_tetrahedra(mesh, middle), middle, out, error);
}

/* Corners within 1e-13 of the size of the face of its plane: as flat as rounding allows. */
static bool is_flat(const kin_vec3* vertices, const uint32_t* corners, uint32_t count)
{
    kin_vec3 n = kin_normalize_or(kin_polygon_normal(vertices, corners, count), kin_v(0, 0, 0)), base = vertices[corners[0]];
    double reach = 0, off = 0;
    for (uint32_t i = 1; i < count; ++i) {
        kin_vec3 r = kin_sub(vertices[corners[i]], base);
        reach = kin_max(reach, kin_length(r));
        off = kin_max(off, kin_abs(kin_dot(n, r)));
    }
    return off <= 1e-13 * reach;
}

/* Flat polygons whole; the mesh has the triangles of the others, in the order of the faces. */
static kin_moments by_faces(const kin_mesh_view* faces, const kin_mesh* mesh, kin_vec3 middle)
{
    totals t = {0};
    uint32_t triangle = 0;
    size_t begin = 0;
    for (size_t f = 0; f < faces->face_count; ++f) {
        uint32_t size = faces->face_sizes != NULL ? faces->face_sizes[f] : 3;
        bool whole = is_flat(faces->vertices, faces->corners + begin, size);
        if (whole) integrate_face(&t, faces->vertices, faces->corners + begin, size, middle);
        for (; triangle < mesh->triangle_count && mesh->faces[triangle] == f; ++triangle)
            if (!whole) integrate_face(&t, mesh->vertices, mesh->triangles[triangle], 3, middle);
        begin += size;
    }
    return moments_of(&t);
}

kin_result kin_mass_of_faces(const kin_allocator* allocator, const kin_mesh_view* faces, kin_mass* out, kin_error* error)
{
    kin_mesh* mesh = NULL;
    kin_result result = kin_mesh_create(allocator, faces, &mesh, error);
    if (result != KIN_OK) return result;
    kin_vec3 middle = kin_aabb_center(mesh->bounds);
    result = must_be_closed(mesh, error);
    if (result == KIN_OK) result = finish(by_faces(faces, mesh, middle), middle, out, error);
    kin_mesh_destroy(mesh);
    return result;
}
