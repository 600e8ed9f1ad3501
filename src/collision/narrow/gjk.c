/* gjk.c - the iteration: nearest point of the simplex, support point beyond it, smaller simplex; until the bounds meet. */
#include "collision/narrow/gjk.h"
#include "collision/narrow/pair.h"
#include "collision/narrow/simplex.h"

#define ROUNDING 4e-15 /* of the coordinates that a difference was made from: a distance below that is none */

#define NOISE 1e-15 /* of |p| times those coordinates: products that differ by less do not differ */

#define NEARLY 1e-7 /* of those coordinates: the root of rounding, which is how well the direction of p is known */

typedef struct gjk {
    kin_pair pair;
    kin_gjk_settings set;
    kin_pair_point points[4];
    double weight[4];
    int count;
    kin_vec3 p;    /* nearest so far */
    double pp;     /* |p|^2 */
    double lower;  /* of the cores */
    double scale2; /* largest coordinates met, squared */
    int iterations;
    bool is_overlapping;
} gjk;

kin_gjk_settings kin_gjk_defaults(void) { return (kin_gjk_settings){.tolerance = 1e-10, .most_iterations = 128, .far = __builtin_inf()}; }

/* Johnson's determinants of a flat simplex are noise: where they find no subset, none nearer, or all four (the origin inside), signed volumes decide. */
static kin_subset nearest_of(const gjk* g, const kin_vec3* x, int count)
{
    kin_subset s = {0};
    if (g->set.subdistance == KIN_SUBDISTANCE_JOHNSON) s = kin_subset_johnson(x, count);
    bool is_doubtful = s.mask == 0 || s.mask == 15 || (g->count > 0 && !(kin_length2(s.point) < g->pp));
    return is_doubtful ? kin_subset_volumes(x, count) : s;
}

static void keep(gjk* g, const kin_subset* s, const kin_pair_point* points, int count)
{
    g->count = 0;
    for (int i = 0; i < count; ++i) {
        if (!(s->mask >> i & 1)) continue;
        g->points[g->count] = points[i];
        g->weight[g->count++] = s->weight[i];
    }
    g->p = s->point;
    g->pp = kin_length2(s->point);
    g->is_overlapping = g->count == 4 || g->pp <= ROUNDING * ROUNDING * g->scale2;
}

static void start(gjk* g, const kin_gjk_cache* cache)
{
    kin_vec3 x[4];
    kin_pair_point points[4];
    int count = 0;
    if (cache != NULL && cache->count > 0 && g->pair.is_polyhedral) {
        for (; count < (int)cache->count; ++count) points[count] = kin_pair_vertices(&g->pair, cache->a[count], cache->b[count]);
        g->pair.hint[0] = cache->a[0];
        g->pair.hint[1] = cache->b[0];
    } else {
        kin_vec3 toward = cache != NULL && kin_length2(cache->axis) > 0 ? kin_neg(cache->axis) : g->pair.shift;
        if (!(kin_length2(toward) > 0)) toward = kin_v(1, 0, 0);
        points[count++] = kin_pair_support(&g->pair, toward);
    }
    for (int i = 0; i < count; ++i) {
        x[i] = points[i].x;
        g->scale2 = kin_max(g->scale2, kin_pair_scale2(&points[i]));
    }
    kin_subset s = nearest_of(g, x, count);
    keep(g, &s, points, count);
}

static bool is_known(const gjk* g, const kin_pair_point* q)
{
    for (int i = 0; i < g->count; ++i) {
        const kin_pair_point* p = &g->points[i];
        if (g->pair.is_polyhedral ? p->va == q->va && p->vb == q->vb : p->x.x == q->x.x && p->x.y == q->x.y && p->x.z == q->x.z) return true;
    }
    return false;
}

/* One support point more. False when the nearest point stands: the bounds met, the point is no news, or rounding lets it come no nearer. */
static bool advance(gjk* g)
{
    kin_pair_point q = kin_pair_support(&g->pair, kin_neg(g->p));
    double length = kin_sqrt(g->pp), along = kin_dot(g->p, q.x);
    g->iterations++;
    g->scale2 = kin_max(g->scale2, kin_pair_scale2(&q));
    g->lower = kin_max(g->lower, kin_min(along / length, length));
    /* Far smaller than the bodies, |p| is known to rounding of their coordinates only, and its turning shortens it by less: what stays within that is progress. */
    double noise = NOISE * length * kin_sqrt(g->scale2);
    if (g->pp - along <= g->set.tolerance * g->pp + noise || is_known(g, &q)) return false;
    kin_vec3 x[4];
    kin_pair_point points[4];
    for (int i = 0; i < g->count; ++i) points[i] = g->points[i], x[i] = g->points[i].x;
    points[g->count] = q;
    x[g->count] = q.x;
    kin_subset s = nearest_of(g, x, g->count + 1);
    bool is_new = s.mask >> g->count & 1;
    if (!is_new || !(kin_length2(s.point) < g->pp + noise)) return false;
    keep(g, &s, points, g->count + 1);
    return true;
}

static void show(const gjk* g)
{
    kin_gjk_step step = {g->iterations, g->lower, kin_sqrt(g->pp)};
    if (g->set.watch != NULL) g->set.watch(g->set.context, &step);
}

/* Johnson's determinants of a slim simplex may choose a subset that is not the nearest, and the walk then stands still with its bounds apart: the backup
 * goes on from there. */
static bool go_on_with_volumes(gjk* g)
{
    kin_vec3 x[4];
    kin_pair_point points[4];
    if (g->set.subdistance != KIN_SUBDISTANCE_JOHNSON || kin_sqrt(g->pp) - g->lower <= g->set.tolerance * kin_sqrt(g->pp)) return false;
    g->set.subdistance = KIN_SUBDISTANCE_VOLUMES;
    for (int i = 0; i < g->count; ++i) points[i] = g->points[i], x[i] = g->points[i].x;
    kin_subset s = kin_subset_volumes(x, g->count);
    keep(g, &s, points, g->count);
    return true;
}

/* Until done, or known to be farther apart than `far` or nearer than `near` (of the cores, m). */
static void run(gjk* g, double far, double near)
{
    while (!g->is_overlapping && g->iterations < g->set.most_iterations) {
        bool moved = advance(g);
        show(g);
        if ((!moved && !go_on_with_volumes(g)) || g->lower > far || g->pp <= near * near) break;
    }
    /* Stuck on a slim simplex next to the origin without a plane that parts them: as good as touching; EPA tells how deep. */
    if (!(g->lower > 0) && g->pp <= NEARLY * NEARLY * g->scale2) g->is_overlapping = true;
}

/* Field by field: the points need not be cleared. */
static void begin(gjk* g, const kin_convex* a, const kin_convex* b, kin_transform b_in_a, const kin_gjk_settings* settings, const kin_gjk_cache* cache)
{
    g->pair = kin_pair_of(a, b, b_in_a);
    g->set = settings != NULL ? *settings : kin_gjk_defaults();
    g->count = 0;
    g->pp = 0;
    g->lower = 0;
    g->scale2 = 0;
    g->iterations = 0;
    start(g, cache);
}

static kin_gjk_cache cache_of(const gjk* g)
{
    kin_gjk_cache cache = {.axis = g->is_overlapping ? kin_v(0, 0, 0) : kin_scale(g->p, 1 / kin_sqrt(g->pp))};
    cache.count = g->pair.is_polyhedral ? (uint32_t)g->count : 0;
    for (int i = 0; i < g->count; ++i) {
        cache.a[i] = g->points[i].va;
        cache.b[i] = g->points[i].vb;
    }
    return cache;
}

static void finish(const gjk* g, kin_gjk_result* out)
{
    double length = kin_sqrt(g->pp);
    kin_vec3 a = {0, 0, 0}, b = {0, 0, 0};
    for (int i = 0; i < g->count; ++i) {
        a = kin_add_scaled(a, g->weight[i], g->points[i].a);
        b = kin_add_scaled(b, g->weight[i], g->points[i].b);
    }
    *out = (kin_gjk_result){.is_overlapping = g->is_overlapping, .iterations = g->iterations, .simplex = cache_of(g)};
    out->normal = out->simplex.axis;
    out->distance = g->is_overlapping ? 0 - g->pair.radii : length - g->pair.radii;
    out->lower = g->is_overlapping ? -g->pair.radii : g->lower - g->pair.radii;
    out->on_a = kin_add_scaled(a, -g->pair.a->radius, out->normal);
    out->on_b = kin_add_scaled(b, g->pair.b->radius, out->normal);
}

void kin_gjk_distance(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, const kin_gjk_settings* settings, kin_gjk_cache* cache,
                      kin_gjk_result* out)
{
    gjk g;
    begin(&g, a, b, b_in_a, settings, cache);
    run(&g, g.set.far + g.pair.radii, 0);
    finish(&g, out);
    if (cache != NULL) *cache = out->simplex;
}

kin_part kin_gjk_part_a(const kin_convex* a, const kin_gjk_result* result) { return kin_core_part(a, result->simplex.a, result->simplex.count); }
kin_part kin_gjk_part_b(const kin_convex* b, const kin_gjk_result* result) { return kin_core_part(b, result->simplex.b, result->simplex.count); }

/* The plane that parted them last time. */
static bool still_parts(kin_pair* pair, kin_gjk_cache* cache)
{
    if (cache == NULL || !(kin_length2(cache->axis) > 0)) return false;
    if (cache->count > 0) pair->hint[0] = cache->a[0], pair->hint[1] = cache->b[0];
    kin_pair_point q = kin_pair_support(pair, kin_neg(cache->axis));
    if (!(kin_dot(cache->axis, q.x) > pair->radii)) return false;
    if (cache->count > 0) cache->count = 1, cache->a[0] = q.va, cache->b[0] = q.vb; /* where the next search starts */
    return true;
}

bool kin_gjk_intersects(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, kin_gjk_cache* cache)
{
    kin_pair pair = kin_pair_of(a, b, b_in_a);
    if (still_parts(&pair, cache)) return false;
    gjk g;
    begin(&g, a, b, b_in_a, NULL, cache);
    run(&g, pair.radii, pair.radii);
    if (cache != NULL) *cache = cache_of(&g);
    return g.is_overlapping || (g.pp <= pair.radii * pair.radii);
}

int kin_gjk_enclose(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, kin_gjk_cache* cache, kin_pair_point points[4])
{
    gjk g;
    begin(&g, a, b, b_in_a, NULL, cache);
    run(&g, 0, 0);
    if (cache != NULL) *cache = cache_of(&g);
    for (int i = 0; i < g.count; ++i) points[i] = g.points[i];
    return g.is_overlapping ? g.count : 0;
}

bool kin_gjk_cast(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, kin_vec3 motion, double tolerance, kin_gjk_cache* cache, kin_cast* out)
{
    enum { MOST_STEPS = 64 };
    kin_gjk_cache own = {0};
    kin_gjk_result gap;
    *out = (kin_cast){0};
    for (int i = 0; i < MOST_STEPS; ++i) {
        kin_transform pose = {kin_add_scaled(b_in_a.position, out->fraction, motion), b_in_a.orientation};
        kin_gjk_distance(a, b, pose, NULL, cache != NULL ? cache : &own, &gap);
        if (gap.is_overlapping) return true; /* at the start, or within rounding of the touch found before: its normal stays */
        out->point = gap.on_a;
        out->normal = gap.normal;
        if (gap.distance <= tolerance) return true;
        double closing = kin_dot(motion, gap.normal); /* m per whole way */
        if (!(closing > 0)) return false;
        double next = out->fraction + kin_max(gap.lower, 0) / closing;
        if (!(next <= 1)) return false;
        out->fraction = next;
    }
    return true;
}
