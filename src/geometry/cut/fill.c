/* fill.c - bridges, ears, flips, joins. */
#include "geometry/cut/fill.h"
#include "base/alloc.h"
#include "base/sort.h"
#include "geometry/polygon.h"
#include <string.h>

#define NONE UINT32_MAX
#define SLIVER 1e-9 /* sine of the flattest corner that is clipped while there are others */
#define FLAT 1e-12  /* sine up to which a corner of a polygon counts as straight */

typedef const kin_fill_node* node_ref;

void kin_fill_init(kin_fill* fill, const kin_allocator* allocator)
{
    *fill = (kin_fill){.allocator = *allocator};
    kin_poly_init(&fill->out, allocator);
}

void kin_fill_term(kin_fill* fill)
{
    kin_allocator a = fill->allocator;
    kin_poly_term(&fill->out);
    kin_free(&a, fill->nodes, kin_bytes(fill->node_room, sizeof *fill->nodes));
    kin_free(&a, fill->triangles, kin_bytes(fill->triangle_room, sizeof *fill->triangles));
    kin_free(&a, fill->twin, kin_bytes(fill->twin_room, sizeof *fill->twin));
    kin_free(&a, fill->next, kin_bytes(fill->next_room, sizeof *fill->next));
    kin_free(&a, fill->halves, kin_bytes(fill->half_room, sizeof *fill->halves));
    kin_free(&a, fill->scratch_halves, kin_bytes(fill->half2_room, sizeof *fill->scratch_halves));
    kin_free(&a, fill->polygon, kin_bytes(fill->polygon_room, sizeof *fill->polygon));
    kin_free(&a, fill->keys, kin_bytes(fill->key_room, sizeof *fill->keys));
    kin_free(&a, fill->scratch_keys, kin_bytes(fill->key2_room, sizeof *fill->scratch_keys));
    kin_fill_init(fill, &a);
}

/* n points in all make at most n + 2 holes - 2 triangles: with holes < n / 3, less than 2 n. */
static bool reserve(kin_fill* f, size_t points)
{
    const kin_allocator* a = &f->allocator;
    size_t triangles = 2 * points, halves = 3 * triangles;
    return kin_reserve(a, (void**)&f->nodes, &f->node_room, 2 * points, sizeof *f->nodes)
           && kin_reserve(a, (void**)&f->triangles, &f->triangle_room, triangles, sizeof *f->triangles)
           && kin_reserve(a, (void**)&f->twin, &f->twin_room, halves, sizeof *f->twin)
           && kin_reserve(a, (void**)&f->next, &f->next_room, halves, sizeof *f->next)
           && kin_reserve(a, (void**)&f->halves, &f->half_room, halves, sizeof *f->halves)
           && kin_reserve(a, (void**)&f->scratch_halves, &f->half2_room, halves, sizeof *f->scratch_halves)
           && kin_reserve(a, (void**)&f->polygon, &f->polygon_room, halves, sizeof *f->polygon)
           && kin_reserve(a, (void**)&f->keys, &f->key_room, halves, sizeof *f->keys)
           && kin_reserve(a, (void**)&f->scratch_keys, &f->key2_room, halves, sizeof *f->scratch_keys);
}

static double turn(node_ref a, node_ref b, node_ref c) { return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x); }
static double reach(node_ref a, node_ref b) { return kin_sqrt((b->x - a->x) * (b->x - a->x) + (b->y - a->y) * (b->y - a->y)); }

/* ---- rings ---- */

static uint32_t add_ring(kin_fill* f, const kin_vec3* points, kin_vec3 normal, kin_vec3 origin, const uint32_t* ids, uint32_t count)
{
    uint32_t first = (uint32_t)f->node_count;
    for (uint32_t i = 0; i < count; ++i) {
        kin_flat_point p = kin_flatten(normal, kin_sub(points[ids[i]], origin));
        f->nodes[f->node_count++] = (kin_fill_node){p.x, p.y, ids[i], first + (i + count - 1) % count, first + (i + 1) % count};
    }
    return first;
}

static bool opposite(double a, double b) { return (a > 0 && b < 0) || (a < 0 && b > 0); }

/* Does the open segment from a to b cross or touch the edge from c to d? Edges at a or b do not count. */
static bool blocked(node_ref a, node_ref b, node_ref c, node_ref d)
{
    if (c->id == a->id || c->id == b->id || d->id == a->id || d->id == b->id) return false;
    double sc = turn(a, b, c), sd = turn(a, b, d), sa = turn(c, d, a), sb = turn(c, d, b);
    if (sc == 0 && (c->x - a->x) * (c->x - b->x) + (c->y - a->y) * (c->y - b->y) <= 0) return true;
    return opposite(sc, sd) && (opposite(sa, sb) || sa == 0 || sb == 0);
}

/* Is the direction to x strictly within the corner at n, where the inside is on the left of both its edges? */
static bool in_corner(const kin_fill_node* nodes, uint32_t n, node_ref x)
{
    node_ref at = &nodes[n], before = &nodes[at->prev], after = &nodes[at->next];
    bool left_in = turn(before, at, x) > 0, left_out = turn(at, after, x) > 0;
    return turn(before, at, after) >= 0 ? left_in && left_out : left_in || left_out;
}

static bool sees(const kin_fill* f, uint32_t from, uint32_t to)
{
    if (!in_corner(f->nodes, from, &f->nodes[to]) || !in_corner(f->nodes, to, &f->nodes[from])) return false;
    for (uint32_t i = 0; i < f->node_count; ++i) {
        if (blocked(&f->nodes[from], &f->nodes[to], &f->nodes[i], &f->nodes[f->nodes[i].next])) return false;
    }
    return true;
}

static double gap2(node_ref a, node_ref b) { return kin_square(a->x - b->x) + kin_square(a->y - b->y); }

/* The node of the ring nearest to m that sees it. The ring and the walks are short; each try starts past the last distance. Rounding may hide them all:
 * then the nearest. */
static uint32_t bridge_end(const kin_fill* f, uint32_t ring, uint32_t m)
{
    uint32_t nearest = NONE, best, tried = NONE;
    for (double last = -1;; last = gap2(&f->nodes[tried], &f->nodes[m])) {
        double least = __builtin_inf();
        best = NONE;
        uint32_t i = ring;
        do {
            double g = gap2(&f->nodes[i], &f->nodes[m]);
            bool later = g > last || (g == last && tried != NONE && i > tried);
            if (later && (g < least || (g == least && i < best))) least = g, best = i;
            i = f->nodes[i].next;
        } while (i != ring);
        if (nearest == NONE) nearest = best;
        if (best == NONE) return nearest;
        if (sees(f, m, best)) return best;
        tried = best;
    }
}

/* Cuts the ring open at `to` and the hole at `from`, and joins them there and back. */
static void build_bridge(kin_fill* f, uint32_t from, uint32_t to)
{
    uint32_t from2 = (uint32_t)f->node_count, to2 = from2 + 1;
    f->node_count += 2;
    f->nodes[from2] = f->nodes[from];
    f->nodes[to2] = f->nodes[to];
    uint32_t before_hole = f->nodes[from].prev, after_ring = f->nodes[to].next;
    f->nodes[to].next = from, f->nodes[from].prev = to;
    f->nodes[before_hole].next = from2, f->nodes[from2].prev = before_hole;
    f->nodes[from2].next = to2, f->nodes[to2].prev = from2;
    f->nodes[to2].next = after_ring, f->nodes[after_ring].prev = to2;
}

static uint32_t rightmost(const kin_fill* f, uint32_t ring)
{
    uint32_t best = ring;
    for (uint32_t i = f->nodes[ring].next; i != ring; i = f->nodes[i].next) {
        node_ref n = &f->nodes[i], b = &f->nodes[best];
        if (n->x > b->x || (n->x == b->x && n->y < b->y)) best = i;
    }
    return best;
}

/* Holes join from right to left: to the right of the rightmost point of the next one there is then only the ring, so some of its nodes sees it. */
static void bridge_holes(kin_fill* f, uint32_t ring, uint32_t* starts, uint32_t holes)
{
    for (uint32_t h = 0; h < holes; ++h) starts[h] = rightmost(f, starts[h]);
    for (uint32_t done = 0; done < holes; ++done) {
        uint32_t next = done;
        for (uint32_t h = done + 1; h < holes; ++h) {
            if (f->nodes[starts[h]].x > f->nodes[starts[next]].x) next = h;
        }
        uint32_t from = starts[next];
        starts[next] = starts[done];
        build_bridge(f, from, bridge_end(f, ring, from));
    }
}

/* ---- ears ---- */

typedef enum ear_rule { EAR_GOOD, EAR_THIN, EAR_ANY_CONVEX } ear_rule; /* no sliver, nothing in or on it; nothing strictly in it; turned the right way */

static bool in_triangle(node_ref a, node_ref b, node_ref c, node_ref x, bool closed)
{
    double s = turn(a, b, x), t = turn(b, c, x), u = turn(c, a, x);
    return closed ? s >= 0 && t >= 0 && u >= 0 : s > 0 && t > 0 && u > 0;
}

/* A second visit to the tip, over a bridge or at a touching point, must not pass through the ear. */
static bool passes(const kin_fill* f, uint32_t again, node_ref a, node_ref b, node_ref c)
{
    node_ref before = &f->nodes[f->nodes[again].prev], after = &f->nodes[f->nodes[again].next];
    return (turn(b, c, before) > 0 && turn(a, b, before) > 0) || (turn(b, c, after) > 0 && turn(a, b, after) > 0);
}

static bool is_ear(const kin_fill* f, uint32_t tip, ear_rule rule)
{
    node_ref b = &f->nodes[tip], a = &f->nodes[b->prev], c = &f->nodes[b->next];
    double area = turn(a, b, c), least = rule == EAR_GOOD ? SLIVER * reach(a, b) * reach(b, c) : 0;
    if (!(area > least)) return false;
    if (rule == EAR_ANY_CONVEX) return true;
    double low_x = kin_min(a->x, kin_min(b->x, c->x)), high_x = kin_max(a->x, kin_max(b->x, c->x));
    double low_y = kin_min(a->y, kin_min(b->y, c->y)), high_y = kin_max(a->y, kin_max(b->y, c->y));
    for (uint32_t i = c->next; i != b->prev; i = f->nodes[i].next) {
        node_ref x = &f->nodes[i];
        if (x->x < low_x || x->x > high_x || x->y < low_y || x->y > high_y) continue;
        if (x->id == a->id || x->id == c->id) continue;
        if (x->id == b->id ? passes(f, i, a, b, c) : in_triangle(a, b, c, x, rule == EAR_GOOD)) return false;
    }
    return true;
}

static void clip(kin_fill* f, uint32_t tip)
{
    kin_fill_node* n = &f->nodes[tip];
    uint32_t* triangle = f->triangles[f->triangle_count++];
    triangle[0] = f->nodes[n->prev].id;
    triangle[1] = n->id;
    triangle[2] = f->nodes[n->next].id;
    f->nodes[n->prev].next = n->next;
    f->nodes[n->next].prev = n->prev;
}

/* Clips ears, going on two nodes after each so that no fan of needles grows; gives up standards only when a whole round finds none. */
static void clip_ears(kin_fill* f, uint32_t ring, uint32_t count)
{
    uint32_t at = ring, idle = 0;
    ear_rule rule = EAR_GOOD;
    while (count >= 3) {
        bool forced = rule == EAR_ANY_CONVEX && idle >= count;
        if (forced || is_ear(f, at, rule)) {
            clip(f, at);
            count -= 1;
            at = f->nodes[f->nodes[at].next].next;
            idle = 0;
            rule = EAR_GOOD;
        } else {
            at = f->nodes[at].next;
            if (++idle >= count && rule != EAR_ANY_CONVEX) rule += 1, idle = 0;
        }
    }
}

/* ---- Delaunay ---- */

static uint32_t after(uint32_t half) { return half % 3 == 2 ? half - 2 : half + 1; }
static uint32_t from(const kin_fill* f, uint32_t half) { return f->triangles[half / 3][half % 3]; }

static void pair_halves(kin_fill* f)
{
    size_t count = 3 * f->triangle_count;
    for (uint32_t h = 0; h < count; ++h) {
        uint64_t a = from(f, h), b = from(f, after(h));
        f->keys[h] = a < b ? a << 32 | b : b << 32 | a;
        f->halves[h] = h;
        f->twin[h] = NONE;
    }
    kin_sort_keys(f->keys, f->halves, f->scratch_keys, f->scratch_halves, count);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && f->keys[end] == f->keys[i];) end += 1;
        uint32_t h = f->halves[i], t = f->halves[end - 1];
        if (end - i != 2 || from(f, h) == from(f, t)) continue;
        f->twin[h] = t;
        f->twin[t] = h;
    }
}

/* Would the other diagonal of the two triangles at this edge be better: do the angles that face the edge sum to more than pi, and is their quadrilateral convex? */
static bool wants_flip(const kin_fill* f, const kin_vec3* points, kin_vec3 normal, uint32_t h)
{
    uint32_t t = f->twin[h];
    kin_vec3 a = points[from(f, h)], b = points[from(f, t)], c = points[from(f, after(after(h)))], d = points[from(f, after(after(t)))];
    if (from(f, after(after(h))) == from(f, after(after(t)))) return false;
    kin_vec3 ca = kin_sub(a, c), cb = kin_sub(b, c), da = kin_sub(a, d), db = kin_sub(b, d);
    kin_vec3 nc = kin_cross(ca, cb), nd = kin_cross(db, da);
    /* sin(C + D) < 0, from sines and cosines; by enough that it does not flip back and forth */
    double sin_c = kin_dot(nc, normal), sin_d = kin_dot(nd, normal), cos_c = kin_dot(ca, cb), cos_d = kin_dot(da, db);
    double size = kin_length(ca) * kin_length(cb) * kin_length(da) * kin_length(db);
    if (!(sin_c * cos_d + cos_c * sin_d < -1e-10 * size)) return false;
    kin_vec3 cd = kin_sub(d, c);
    double side_a = kin_dot(kin_cross(ca, cd), normal), side_b = kin_dot(kin_cross(cd, cb), normal), length = kin_length(cd);
    return side_a > 1e-10 * kin_length(ca) * length && side_b > 1e-10 * kin_length(cb) * length;
}

static void link(kin_fill* f, uint32_t h, uint32_t twin)
{
    f->twin[h] = twin;
    if (twin != NONE) f->twin[twin] = h;
}

/* a b c and b a d become c a d and d b c; the halves of the rim keep their neighbours. */
static void flip(kin_fill* f, uint32_t h)
{
    uint32_t t = f->twin[h], s = h / 3, u = t / 3, a = from(f, h), b = from(f, t), c = from(f, after(after(h))), d = from(f, after(after(t)));
    uint32_t bc = f->twin[after(h)], ca = f->twin[after(after(h))], ad = f->twin[after(t)], db = f->twin[after(after(t))];
    memcpy(f->triangles[s], (uint32_t[]){c, a, d}, sizeof f->triangles[s]);
    memcpy(f->triangles[u], (uint32_t[]){d, b, c}, sizeof f->triangles[u]);
    link(f, 3 * s, ca), link(f, 3 * s + 1, ad), link(f, 3 * u, db), link(f, 3 * u + 1, bc);
    link(f, 3 * s + 2, 3 * u + 2);
}

static void make_delaunay(kin_fill* f, const kin_vec3* points, kin_vec3 normal)
{
    size_t halves = 3 * f->triangle_count, budget = 50 * halves;
    for (bool any = true; any;) {
        any = false;
        for (uint32_t h = 0; h < halves; ++h) {
            if (f->twin[h] == NONE || f->twin[h] < h || !wants_flip(f, points, normal, h)) continue;
            if (budget-- == 0) return;
            flip(f, h);
            any = true;
        }
    }
}

/* ---- convex polygons ---- */

static bool bends_out(const kin_vec3* points, kin_vec3 normal, uint32_t a, uint32_t b, uint32_t c)
{
    kin_vec3 u = kin_sub(points[b], points[a]), v = kin_sub(points[c], points[b]);
    return kin_dot(kin_cross(u, v), normal) >= -FLAT * kin_length(u) * kin_length(v);
}

static uint32_t before(const kin_fill* f, uint32_t half)
{
    uint32_t p = half;
    while (f->next[p] != half) p = f->next[p];
    return p;
}

static uint32_t ring_size(const kin_fill* f, uint32_t half, uint32_t avoid)
{
    uint32_t n = 1;
    for (uint32_t h = f->next[half]; h != half; h = f->next[h], ++n) {
        if (h == avoid) return KIN_POLYGON_MAX_CORNERS; /* both sides are one polygon already */
    }
    return n;
}

static bool may_join(const kin_fill* f, const kin_vec3* points, kin_vec3 normal, uint32_t h, uint32_t t, uint32_t h_before, uint32_t t_before)
{
    if (ring_size(f, h, t) + ring_size(f, t, h) - 2 > KIN_POLYGON_MAX_CORNERS) return false;
    return bends_out(points, normal, from(f, h_before), from(f, h), from(f, f->next[f->next[t]]))
           && bends_out(points, normal, from(f, t_before), from(f, t), from(f, f->next[f->next[h]]));
}

/* Takes away every edge whose two corners stay convex without it; what is left are at most four times the fewest pieces. */
static void join_triangles(kin_fill* f, const kin_vec3* points, kin_vec3 normal)
{
    uint32_t halves = (uint32_t)(3 * f->triangle_count);
    for (uint32_t h = 0; h < halves; ++h) f->next[h] = after(h);
    for (uint32_t h = 0; h < halves; ++h) {
        uint32_t t = f->twin[h];
        if (t == NONE || t < h) continue;
        uint32_t h_before = before(f, h), t_before = before(f, t);
        if (!may_join(f, points, normal, h, t, h_before, t_before)) continue;
        f->next[h_before] = f->next[t];
        f->next[t_before] = f->next[h];
        f->next[h] = f->next[t] = NONE;
    }
}

static bool emit_polygons(kin_fill* f)
{
    for (uint32_t h = 0; h < 3 * f->triangle_count; ++h) {
        uint32_t n = 0;
        if (f->next[h] == NONE) continue;
        for (uint32_t g = h; f->next[g] != NONE;) {
            uint32_t following = f->next[g];
            f->polygon[n++] = from(f, g);
            f->next[g] = NONE;
            g = following;
        }
        if (!kin_poly_add_face(&f->out, f->polygon, n, 0)) return false;
    }
    return true;
}

static bool emit_triangles(kin_fill* f)
{
    for (size_t t = 0; t < f->triangle_count; ++t) {
        if (!kin_poly_add_face(&f->out, f->triangles[t], 3, 0)) return false;
    }
    return true;
}

/* One loop that bends only outward, once round, is its own face. */
static bool is_convex(const kin_fill* f, uint32_t ring)
{
    uint32_t i = ring, sharp = 0;
    bool rises = false;
    do {
        node_ref b = &f->nodes[i], a = &f->nodes[b->prev], c = &f->nodes[b->next];
        if (turn(a, b, c) < -FLAT * reach(a, b) * reach(b, c)) return false;
        bool up = c->y > b->y || (c->y == b->y && c->x > b->x); /* round once: it goes up once and down once */
        if (i != ring && up != rises) sharp += 1;
        rises = up;
        i = b->next;
    } while (i != ring);
    return sharp <= 2;
}

static uint32_t* lay_rings(kin_fill* f, const kin_vec3* points, kin_vec3 normal, kin_loops loops)
{
    uint32_t* starts = f->polygon; /* lent */
    f->node_count = f->triangle_count = 0;
    for (uint32_t i = 0; i < loops.count; ++i)
        starts[i] = add_ring(f, points, normal, points[loops.ids[0]], loops.ids + loops.begin[i], loops.begin[i + 1] - loops.begin[i]);
    return starts;
}

bool kin_fill_loops(kin_fill* fill, const kin_vec3* points, kin_vec3 normal, kin_loops loops, bool polygons)
{
    uint32_t count = loops.begin[loops.count];
    kin_poly_clear(&fill->out);
    if (!reserve(fill, (size_t)count + 2 * (size_t)loops.count)) return false;
    uint32_t* starts = lay_rings(fill, points, normal, loops);
    if (loops.count == 1 && polygons && count <= KIN_POLYGON_MAX_CORNERS && is_convex(fill, 0)) return kin_poly_add_face(&fill->out, loops.ids, count, 0);
    bridge_holes(fill, 0, starts + 1, loops.count - 1);
    clip_ears(fill, 0, (uint32_t)fill->node_count);
    pair_halves(fill);
    kin_vec3 unit = kin_normalize_or(normal, kin_v(0, 0, 1));
    make_delaunay(fill, points, unit);
    if (!polygons) return emit_triangles(fill);
    join_triangles(fill, points, unit);
    return emit_polygons(fill);
}
