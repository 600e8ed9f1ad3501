/* surfaces.c - NURBS against closed forms and a text's numbers, samples of surfaces against random packing, mesh files against the mesh that was written. */
#include "geometry/nurbs/nurbs.h"
#include "geometry/sample/sample.h"
#include "io/mesh_read.h"
#include "validation/cases.h"
#include "validation/collision/dice.h"
#include "validation/collision/solids.h"
#include <stdio.h>
#include <string.h>

/* ---- NURBS ---- */

/* Basis functions, seen through curves whose points are 0 but for one. */
static void basis_functions(kin_case_run* run)
{
    static const double knots[11] = {0, 0, 0, 1, 2, 3, 4, 4, 5, 5, 5}, value[3] = {0.125, 0.75, 0.125}, slope[3] = {-0.5, 0, 0.5};
    kin_allocator a = kin_allocator_default();
    double worst = 0, worst_slope = 0;
    for (int i = 0; i < 8; ++i) {
        kin_vec3 points[8] = {{0}}, d[2] = {{NAN, 0, 0}, {NAN, 0, 0}};
        kin_nurbs_curve* c;
        points[i].x = 1;
        kin_nurbs_curve_def def = {{2, 8, knots, false}, points, NULL};
        if (kin_nurbs_curve_create(&a, &def, &c, NULL) == KIN_OK) kin_nurbs_curve_derivatives(c, 2.5, 1, d);
        bool lives = i >= 2 && i <= 4;
        worst = fmax(worst, fabs(d[0].x - (lives ? value[i - 2] : 0)));
        worst_slope = fmax(worst_slope, fabs(d[1].x - (lives ? slope[i - 2] : 0)));
        kin_nurbs_curve_destroy(c);
    }
    kin_case_row(run, "basis", "N at 5/2: 1/8, 6/8, 1/8: worst error", worst, 0, 1e-15, "Piegl and Tiller 1997, example 2.3");
    kin_case_row(run, "basis", "N' at 5/2: -1/2, 0, 1/2: worst error", worst_slope, 0, 1e-15, "Piegl and Tiller 1997, example 2.4");
}

static void circle(kin_case_run* run)
{
    kin_allocator a = kin_allocator_default();
    kin_nurbs_curve* c;
    double radius = NAN, curvature = NAN, length = NAN;
    if (kin_nurbs_arc(&a, kin_v(0, 0, 0), kin_v(1, 0, 0), kin_v(0, 0.6, 0.8), 2 * KIN_PI, &c, NULL) == KIN_OK) {
        radius = curvature = 0;
        for (int i = 0; i <= 1000; ++i) {
            kin_vec3 d[3];
            kin_nurbs_curve_derivatives(c, i / 1000.0, 2, d);
            radius = fmax(radius, fabs(kin_length(d[0]) - 1));
            curvature = fmax(curvature, fabs(kin_length(kin_cross(d[1], d[2])) / pow(kin_length(d[1]), 3) - 1));
        }
        length = kin_nurbs_curve_length(c, 0, 1);
    }
    kin_case_row(run, "circle", "radius: worst error (m)", radius, 0, 2e-15, "closed form");
    kin_case_row(run, "circle", "curvature: worst error (1/m)", curvature, 0, 1e-13, "closed form");
    kin_case_row(run, "circle", "length (m)", length, 2 * KIN_PI, 1e-12, "closed form");
    kin_nurbs_curve_destroy(c);
}

static double off_torus(kin_vec3 p) { return fabs(hypot(hypot(p.x, p.z) - 2, p.y) - 0.5); }

static double volume_of(const kin_mesh* m)
{
    double sum = 0;
    for (uint32_t i = 0; i < m->triangle_count; ++i)
        sum += kin_triple(m->vertices[m->triangles[i][0]], m->vertices[m->triangles[i][1]], m->vertices[m->triangles[i][2]]) / 6;
    return sum;
}

static void torus(kin_case_run* run)
{
    kin_allocator a = kin_allocator_default();
    kin_nurbs_surface* s;
    double exact = 0, nearest = 0, lower = 0, error[2] = {NAN, NAN}, open = 0;
    kin_dice d = {5};
    if (kin_nurbs_torus(&a, 2, 0.5, &s, NULL) != KIN_OK) return;
    for (int i = 0; i < (run->full ? 20000 : 500); ++i) {
        double u = kin_dice_roll(&d, 0, 1), v = kin_dice_roll(&d, 0, 1);
        exact = fmax(exact, off_torus(kin_nurbs_surface_point(s, u, v)));
        kin_vec3 x = kin_dice_vec3(&d, 3);
        kin_nurbs_near near = kin_nurbs_surface_closest(s, x);
        nearest = fmax(nearest, fabs(near.distance - off_torus(x)));
        lower = fmax(lower, near.distance - near.lower);
    }
    for (int level = 0; level < 2; ++level) {
        kin_mesh* m = NULL;
        if (kin_nurbs_mesh(&a, s, level ? 4e-3 / 16 : 4e-3, &m, NULL) != KIN_OK) continue;
        error[level] = KIN_PI * KIN_PI - volume_of(m);
        open += !m->closed;
        kin_mesh_destroy(m);
    }
    kin_case_row(run, "torus", "points: worst distance (m)", exact, 0, 4e-15, "closed form");
    kin_case_row(run, "torus", "nearest points: worst error (m)", nearest, 0, 1e-12, "closed form");
    kin_case_row(run, "torus", "distance less proved bound: worst (m)", lower, 0, 1e-9, "bound is proved");
    kin_case_row(run, "torus", "meshes that are open", open, 0, 0, "closed surface");
    kin_case_row(run, "torus", "volume: order in the edge's length", log2(error[0] / error[1]) / 2, 2, 0.2, "chords of a smooth surface: 2");
    kin_nurbs_surface_destroy(s);
}

/* Curves of every degree with weights: no sample of many is nearer. */
static void nearest_on_curves(kin_case_run* run)
{
    kin_allocator a = kin_allocator_default();
    kin_dice d = {6};
    double nearer = 0, cut_off = 0;
    for (int n = 0; n < (run->full ? 4000 : 100); ++n) {
        kin_vec3 points[12];
        double weights[12];
        kin_nurbs_curve* c;
        for (int i = 0; i < 12; ++i) points[i] = kin_dice_vec3(&d, 1), weights[i] = kin_dice_roll(&d, 0.2, 3);
        kin_nurbs_curve_def def = {{1 + n % 8, 12, NULL, n % 2 == 1}, points, weights};
        if (kin_nurbs_curve_create(&a, &def, &c, NULL) != KIN_OK) continue;
        kin_vec3 x = kin_dice_vec3(&d, 1.5);
        kin_nurbs_near near = kin_nurbs_curve_closest(c, x);
        for (int i = 0; i <= 2000; ++i) nearer += kin_distance(x, kin_nurbs_curve_point(c, i / 2000.0)) < near.distance - 1e-13;
        cut_off += near.lower < near.distance - 1e-9;
        kin_nurbs_curve_destroy(c);
    }
    kin_case_row(run, "random curves", "samples nearer than the nearest", nearer, 0, 0, "2001 samples of each");
    kin_case_row(run, "random curves", "searches without proof", cut_off, 0, 0, "bound is proved");
}

static void nurbs(kin_case_run* run)
{
    basis_functions(run);
    circle(run);
    torus(run);
    nearest_on_curves(run);
}

/* ---- samples ---- */

static kin_mesh* mesh_of(kin_solid s)
{
    kin_allocator a = kin_allocator_default();
    kin_mesh_view view = kin_solid_view(&s);
    kin_mesh* m = NULL;
    if (kin_mesh_create(&a, &view, &m, NULL) != KIN_OK) m = NULL;
    kin_solid_free(&s);
    return m;
}

/* The least distance of two, by every pair. */
static double least_distance(const kin_samples* s)
{
    double least = 1e300;
    for (uint32_t i = 0; i < s->count; ++i)
        for (uint32_t j = 0; j < i; ++j) least = fmin(least, kin_length2(kin_sub(s->points[i], s->points[j])));
    return sqrt(least);
}

/* The widest gap that random places find. */
static double widest_gap(const kin_mesh* m, const kin_samples* s, uint32_t probes)
{
    kin_allocator a = kin_allocator_default();
    kin_samples p;
    double widest = 0;
    if (kin_sample_uniform(&a, m, probes, 99, &p, NULL) != KIN_OK) return NAN;
    for (uint32_t i = 0; i < p.count; ++i) {
        double nearest = 1e300;
        for (uint32_t j = 0; j < s->count; ++j) nearest = fmin(nearest, kin_length2(kin_sub(p.points[i], s->points[j])));
        widest = fmax(widest, nearest);
    }
    kin_samples_term(&p);
    return sqrt(widest);
}

static void on_surfaces(kin_case_run* run)
{
    kin_allocator a = kin_allocator_default();
    kin_mesh *bumpy = mesh_of(kin_solid_bumpy(60, 40)), *plate = mesh_of(kin_solid_box(kin_v(2, 0.001, 1))), *block = mesh_of(kin_solid_box(kin_v(2, 0.4, 1)));
    double spacing = run->full ? 0.02 : 0.06;
    kin_samples s;
    if (bumpy == NULL || plate == NULL || block == NULL) return;
    if (kin_sample_spaced(&a, bumpy, spacing, 1, &s, NULL) == KIN_OK) {
        kin_case_row(run, "bumpy, spaced", "least distance / spacing, less 1, if below", fmin(least_distance(&s) / spacing - 1, 0), 0, 1e-12, "every pair");
        kin_case_row(run, "bumpy, spaced", "widest gap / spacing, beyond 1", fmax(widest_gap(bumpy, &s, 3000) / spacing - 1, 0), 0, KIN_SAMPLE_COVER - 1,
                     "random probes");
        kin_samples_term(&s);
    }
    spacing *= 0.3;
    if (kin_sample_spaced(&a, plate, spacing, 2, &s, NULL) == KIN_OK) {
        double covered = s.count * KIN_PI * spacing * spacing / 4 / 2; /* both sides share their points */
        kin_case_row(run, "plate, spaced", "part covered by disks", covered, 0.547, 0.03, "random packing: Feder 1980");
        kin_samples_term(&s);
    }
    uint32_t count = run->full ? 20000 : 2000;
    if (kin_sample_counted(&a, block, count, 3, &s, NULL) == KIN_OK) {
        double most = sqrt(2 * 6.4 / (sqrt(3) * count));
        kin_case_row(run, "block, counted", "points", s.count, count, 0, "as asked");
        kin_case_row(run, "block, counted", "spacing / that of the densest packing", s.spacing / most, 0.75, 0.1, "Lagae and Dutre 2008: 0.65 to 0.85");
        kin_samples_term(&s);
    }
    kin_mesh_destroy(bumpy);
    kin_mesh_destroy(plate);
    kin_mesh_destroy(block);
}

static void in_volumes(kin_case_run* run)
{
    kin_allocator a = kin_allocator_default();
    kin_mesh* box = mesh_of(kin_solid_box(kin_v(1, 1, 1)));
    double spacing = run->full ? 0.03 : 0.08, inner = 0.5 - 2 * spacing, within = 0, outside = 0;
    kin_samples s;
    if (box == NULL) return;
    if (kin_sample_volume(&a, box, spacing, 4, &s, NULL) == KIN_OK) {
        for (uint32_t i = 0; i < s.count; ++i) {
            double far = kin_largest(kin_abs3(s.points[i]));
            within += far < inner;
            outside += far >= 0.5;
        }
        kin_case_row(run, "box, filled", "points outside", outside, 0, 0, "closed form");
        kin_case_row(run, "box, filled", "least distance / spacing, less 1, if below", fmin(least_distance(&s) / spacing - 1, 0), 0, 1e-12, "every pair");
        kin_case_row(run, "box, filled", "part of the inside covered by balls", within * KIN_PI / 6 * pow(spacing, 3) / pow(2 * inner, 3), 0.384, 0.04,
                     "random packing: Torquato et al. 2006");
        kin_samples_term(&s);
    }
    kin_mesh_destroy(box);
}

static void samples(kin_case_run* run)
{
    on_surfaces(run);
    in_volumes(run);
}

/* ---- readers ---- */

typedef struct file_bytes {
    char* data;
    size_t size;
} file_bytes;

static void put_u32(FILE* f, uint32_t x)
{
    for (int i = 0; i < 4; ++i) fputc((int)(x >> (8 * i) & 255), f);
}
static void put_f32(FILE* f, double x)
{
    float value = (float)x;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(f, bits);
}
static void put_point(FILE* f, kin_vec3 p)
{
    put_f32(f, p.x);
    put_f32(f, p.y);
    put_f32(f, p.z);
}

static void write_obj(FILE* f, const kin_mesh* m)
{
    for (uint32_t i = 0; i < m->vertex_count; ++i) fprintf(f, "v %.17g %.17g %.17g\n", m->vertices[i].x, m->vertices[i].y, m->vertices[i].z);
    for (uint32_t i = 0; i < m->triangle_count; ++i) fprintf(f, "f %u %u %u\n", m->triangles[i][0] + 1, m->triangles[i][1] + 1, m->triangles[i][2] + 1);
}

static void write_ply(FILE* f, const kin_mesh* m)
{
    fprintf(f, "ply\nformat binary_little_endian 1.0\nelement vertex %u\nproperty float x\nproperty float y\nproperty float z\n", m->vertex_count);
    fprintf(f, "element face %u\nproperty list uchar uint vertex_indices\nend_header\n", m->triangle_count);
    for (uint32_t i = 0; i < m->vertex_count; ++i) put_point(f, m->vertices[i]);
    for (uint32_t i = 0; i < m->triangle_count; ++i) {
        fputc(3, f);
        for (int k = 0; k < 3; ++k) put_u32(f, m->triangles[i][k]);
    }
}

static void write_stl(FILE* f, const kin_mesh* m)
{
    for (int i = 0; i < 80; ++i) fputc(' ', f);
    put_u32(f, m->triangle_count);
    for (uint32_t i = 0; i < m->triangle_count; ++i) {
        put_point(f, m->normals[i]);
        for (int k = 0; k < 3; ++k) put_point(f, m->vertices[m->triangles[i][k]]);
        fputc(0, f);
        fputc(0, f);
    }
}

/* Under a mirror image of a mirror image, turned and turned back. */
static void write_glb(FILE* f, const kin_mesh* m)
{
    char json[1024];
    uint32_t points = 12 * m->vertex_count, indices = 12 * m->triangle_count;
    int length =
        snprintf(json, sizeof json,
                 "{\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"children\":[1],\"scale\":[-1,1,1]},{\"mesh\":0,\"matrix\":[-1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}],"
                 "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\"buffers\":[{\"byteLength\":%u}],\"bufferViews\":["
                 "{\"buffer\":0,\"byteLength\":%u},{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u}],\"accessors\":[{\"bufferView\":0,"
                 "\"componentType\":5126,\"count\":%u,\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":5125,\"count\":%u,\"type\":\"SCALAR\"}]}",
                 points + indices, points, points, indices, m->vertex_count, 3 * m->triangle_count);
    uint32_t text = (uint32_t)length;
    fputs("glTF", f);
    put_u32(f, 2);
    put_u32(f, 28 + text + points + indices);
    put_u32(f, text);
    fputs("JSON", f);
    fputs(json, f);
    put_u32(f, points + indices);
    fwrite("BIN", 1, 4, f);
    for (uint32_t i = 0; i < m->vertex_count; ++i) put_point(f, m->vertices[i]);
    for (uint32_t i = 0; i < m->triangle_count; ++i)
        for (int k = 0; k < 3; ++k) put_u32(f, m->triangles[i][k]);
}

typedef void write_fn(FILE* f, const kin_mesh* m);

static file_bytes written(write_fn* write, const kin_mesh* m)
{
    file_bytes b = {NULL, 0};
    FILE* f = open_memstream(&b.data, &b.size);
    if (f != NULL) write(f, m), fclose(f);
    return b;
}

/* The same mesh comes back; cut anywhere, the file is refused or has no more faces than were left. */
static void round_trip(kin_case_run* run, const char* name, write_fn* write, const kin_mesh* m, double tolerance)
{
    kin_allocator a = kin_allocator_default();
    kin_mesh_data d;
    kin_mesh* again = NULL;
    file_bytes b = written(write, m);
    double volume = NAN, open = NAN, triangles = NAN, accepted = 0;
    if (kin_mesh_read_memory(&a, name, b.data, b.size, &d, NULL) == KIN_OK) {
        kin_mesh_view view = kin_mesh_data_view(&d);
        if (kin_mesh_create(&a, &view, &again, NULL) == KIN_OK) volume = volume_of(again), open = !again->closed, triangles = again->triangle_count;
        kin_mesh_destroy(again);
        kin_mesh_data_term(&d);
    }
    for (size_t cut = 0; cut + 1 < b.size; cut += 1 + b.size / 200) {
        if (kin_mesh_read_memory(&a, name, b.data, cut, &d, NULL) != KIN_OK) continue;
        accepted += d.face_count >= m->triangle_count;
        kin_mesh_data_term(&d);
    }
    kin_case_row(run, name, "triangles", triangles, m->triangle_count, 0, "as written");
    kin_case_row(run, name, "meshes that are open", open, 0, 0, "as written");
    kin_case_row(run, name, "volume (m^3)", volume, volume_of(m), tolerance, "as written");
    kin_case_row(run, name, "cut files taken for whole", accepted, 0, 0, "as written");
    free(b.data);
}

static void readers(kin_case_run* run)
{
    kin_mesh* m = mesh_of(run->full ? kin_solid_bumpy(300, 200) : kin_solid_bumpy(40, 30));
    if (m == NULL) return;
    round_trip(run, "bumpy.obj", write_obj, m, 1e-13);
    round_trip(run, "bumpy.ply", write_ply, m, 1e-6); /* floats */
    round_trip(run, "bumpy.stl", write_stl, m, 1e-6);
    round_trip(run, "bumpy.glb", write_glb, m, 1e-6);
    kin_mesh_destroy(m);
}

const kin_case kin_cases_surfaces[] = {
    {"collision/nurbs", "NURBS: basis functions, circle, torus, nearest points, meshes of second order", nurbs},
    {"collision/samples", "blue noise on surfaces and in volumes: spacing, gaps, density of random packings", samples},
    {"collision/readers", "OBJ, PLY, STL and GLB files give back the mesh that was written", readers},
    {NULL, NULL, NULL},
};
