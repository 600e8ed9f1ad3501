/* path.c - where a flight first meets a solid.
 *
 * The path of a method of order 1 is its straight chord (H3.1b). Others follow the cubic through both ends and their velocities; it is cut in halves
 * until a chord is as good as its curve, each piece asked about with its bulge added to the radius: a curve that misses the chord but not the wall is
 * found too (H7.4b). The time of a hit found on a chord is then made exact on the curve. */
#include "domains/particles/particles.h"
#include "math/spline.h"

#define CHORD_TOLERANCE 1e-6 /* m: a curve this near its chord is searched as its chord; less is not seen before the next step */
#define HIT_TOLERANCE 1e-6   /* m: of hits on turning solids; others are exact */
#define MAX_DEPTH 40
#define MAX_PIECES 20000 /* of one search: paths of scenes need tens; one whose speed has run away is cut for ever */

static kin_vec3 curve(const kin_flight* f, double s, kin_vec3* rate)
{
    return kin_hermite(f->x0, kin_add(f->v0, f->carry), f->x1, kin_add(f->v1, f->carry), f->h, s, rate);
}

kin_vec3 kin_flight_position(const kin_flight* f, double s) { return f->straight ? kin_lerp(f->x0, f->x1, s) : curve(f, s, NULL); }

/* Of a curve its slope; at the ends that is the integrator's own velocity. */
kin_vec3 kin_flight_velocity(const kin_flight* f, double s)
{
    kin_vec3 v;
    if (f->straight) return kin_lerp(f->v0, f->v1, s);
    curve(f, s, &v);
    return kin_sub(v, f->carry);
}

/* The curve minus its chord is a Bezier curve with two inner control points: it reaches 3/4 of the farther one at most. */
static double bulge(kin_vec3 x0, kin_vec3 v0, kin_vec3 x1, kin_vec3 v1, double h)
{
    kin_vec3 third = kin_scale(kin_sub(x1, x0), 1.0 / 3);
    double a = kin_length(kin_sub(kin_scale(v0, h / 3), third)), b = kin_length(kin_sub(kin_scale(v1, h / 3), third));
    return 0.75 * kin_max(a, b);
}

double kin_flight_bulge(const kin_flight* f) { return f->straight ? 0 : bulge(f->x0, kin_add(f->v0, f->carry), f->x1, kin_add(f->v1, f->carry), f->h); }

/* A stretch of the flight still to be searched. */
typedef struct piece {
    double a, b; /* fractions of the flight */
} piece;

typedef struct search {
    const kin_flight* flight;
    const kin_step* step;
    const kin_particle* p;
    double s0, slope; /* fraction of the interval at fraction s of the flight: s0 + slope s */
} search;

static bool chord_hit(const search* q, kin_vec3 a, kin_vec3 b, piece at, double radius, double* s, kin_contact* contact)
{
    double from = q->s0 + q->slope * at.a, to = q->s0 + q->slope * at.b;
    if (!kin_solids_first_hit(q->step->solids, a, b, radius, from, to, HIT_TOLERANCE, contact)) return false;
    *s = kin_clamp((contact->fraction - q->s0) / q->slope, at.a, at.b);
    return true;
}

/* Newton's method on the distance of the curve from the tangent plane of the hit; the chord's answer is within a micrometre of it. */
static double refine(const search* q, double s, double end, kin_contact* c)
{
    double h = q->flight->h, from = s;
    for (int i = 0; i < 4; ++i) {
        kin_vec3 v, x = curve(q->flight, s, &v), point = kin_add_scaled(c->point, (s - from) * h, c->velocity);
        double gap = kin_dot(kin_sub(x, point), c->normal) - q->p->radius, rate = h * kin_dot(kin_sub(v, c->velocity), c->normal);
        if (!(rate < 0)) break; /* grazing: the chord's answer stands */
        s = kin_clamp(s - gap / rate, 0, end);
    }
    c->point = kin_add_scaled(c->point, (s - from) * h, c->velocity);
    c->fraction = q->s0 + q->slope * s;
    return s;
}

/* Nothing comes within the stray of the swept sphere? A sphere that already overlaps a surface and does not move into it is not a hit, so the start
 * is asked apart. */
static bool piece_is_clear(const search* q, kin_vec3 a, kin_vec3 b, piece at, double stray)
{
    double s;
    kin_contact contact;
    if (chord_hit(q, a, b, at, q->p->radius + stray, &s, &contact)) return false;
    return stray == 0 || kin_solids_closest(q->step->solids, a, q->p->radius, stray, q->s0 + q->slope * at.a, &contact, 1) == 0;
}

static search search_of(const kin_flight* flight, const kin_step* step, const kin_particle* p)
{
    return (search){flight, step, p, p->time / step->h, flight->h / step->h};
}

bool kin_flight_is_clear(const kin_flight* flight, const kin_step* step, const kin_particle* p)
{
    search q = search_of(flight, step, p);
    return piece_is_clear(&q, flight->x0, flight->x1, (piece){0, 1}, kin_flight_bulge(flight));
}

static bool curve_hit(const search* q, double end, double* s, kin_contact* contact)
{
    piece stack[MAX_DEPTH + 2] = {{0, end}};
    int pieces = 0;
    for (int top = 0; top >= 0;) {
        piece at = stack[top--];
        if (++pieces > MAX_PIECES) {
            *s = at.a;
            *contact = (kin_contact){.solid = UINT32_MAX};
            return true;
        }
        kin_vec3 va, vb, a = curve(q->flight, at.a, &va), b = curve(q->flight, at.b, &vb);
        double stray = bulge(a, va, b, vb, (at.b - at.a) * q->flight->h);
        if (piece_is_clear(q, a, b, at, stray)) continue;
        if (stray <= CHORD_TOLERANCE || top + 2 >= MAX_DEPTH) {
            if (!chord_hit(q, a, b, at, q->p->radius, s, contact)) continue;
            *s = refine(q, *s, end, contact);
            return true;
        }
        double middle = 0.5 * (at.a + at.b);
        stack[++top] = (piece){middle, at.b}; /* the earlier half is searched first */
        stack[++top] = (piece){at.a, middle};
    }
    return false;
}

bool kin_flight_first_hit(const kin_flight* flight, double end, const kin_step* step, const kin_particle* p, double* s, kin_contact* contact)
{
    search q = search_of(flight, step, p);
    if (!flight->straight) return curve_hit(&q, end, s, contact);
    return chord_hit(&q, flight->x0, kin_flight_position(flight, end), (piece){0, end}, p->radius, s, contact);
}
