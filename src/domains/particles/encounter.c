/* encounter.c - when two flights meet. The path of one seen from the other is a cubic (a straight line is one too), so distance^2 - reach^2 is a polynomial of
 * degree 6: in Bernstein form its coefficients enclose it, and halving isolates the first passage from + to - without missing any. */
#include "domains/particles/encounter.h"

enum { DEGREE = 6, MAX_DEPTH = 50 };

typedef struct span {
    double low, high;
    double c[DEGREE + 1];
} span;

/* Control points of b's path seen from a. */
static void relative_path(const kin_flight* a, const kin_flight* b, kin_vec3 p[4])
{
    const kin_flight* flights[2] = {a, b};
    kin_vec3 q[2][4];
    for (int i = 0; i < 2; ++i) {
        const kin_flight* f = flights[i];
        q[i][0] = f->x0;
        q[i][1] = f->straight ? kin_lerp(f->x0, f->x1, 1.0 / 3) : kin_add_scaled(f->x0, f->h / 3, f->v0);
        q[i][2] = f->straight ? kin_lerp(f->x0, f->x1, 2.0 / 3) : kin_add_scaled(f->x1, -f->h / 3, f->v1);
        q[i][3] = f->x1;
    }
    for (int k = 0; k < 4; ++k) p[k] = kin_sub(q[1][k], q[0][k]);
}

/* |p(s)|^2 - reach^2: the product of two Bernstein polynomials. */
static void squared(const kin_vec3 p[4], double reach, double c[DEGREE + 1])
{
    static const double choose3[4] = {1, 3, 3, 1}, choose6[DEGREE + 1] = {1, 6, 15, 20, 15, 6, 1};
    for (int k = 0; k <= DEGREE; ++k) c[k] = -reach * reach;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) c[i + j] += choose3[i] * choose3[j] / choose6[i + j] * kin_dot(p[i], p[j]);
    }
}

/* de Casteljau at u of the span: both parts. */
static void split(const span* whole, double u, span* left, span* right)
{
    double c[DEGREE + 1], middle = whole->low + u * (whole->high - whole->low);
    span first = {.low = whole->low, .high = middle}, last = {.low = middle, .high = whole->high};
    for (int k = 0; k <= DEGREE; ++k) c[k] = whole->c[k];
    for (int k = 0; k <= DEGREE; ++k) {
        first.c[k] = c[0];
        last.c[DEGREE - k] = c[DEGREE - k];
        for (int i = 0; i < DEGREE - k; ++i) c[i] = (1 - u) * c[i] + u * c[i + 1];
    }
    *left = first;
    *right = last;
}

static int sign_changes(const double* c)
{
    int changes = 0;
    for (int k = 0; k < DEGREE; ++k) changes += (c[k] > 0) != (c[k + 1] > 0);
    return changes;
}

/* The one passage within the span, by halving it: 50 times is all the bits there are. */
static double passage(span at)
{
    for (int i = 0; i < MAX_DEPTH; ++i) {
        span left, right;
        split(&at, 0.5, &left, &right);
        at = left.c[DEGREE] > 0 ? right : left;
    }
    return at.low; /* on the + side */
}

static bool first_passage(span whole, double* s)
{
    span stack[MAX_DEPTH + 2] = {whole};
    for (int top = 0; top >= 0;) {
        span at = stack[top--];
        int changes = sign_changes(at.c);
        if (changes == 0 || (changes == 1 && !(at.c[0] > 0))) continue;
        if (changes == 1) {
            *s = passage(at);
            return true;
        }
        if (top + 2 >= MAX_DEPTH) continue; /* touches and leaves again within rounding */
        span left, right;
        split(&at, 0.5, &left, &right);
        stack[++top] = right; /* the earlier half is searched first */
        stack[++top] = left;
    }
    return false;
}

bool kin_flights_meet(const kin_flight* a, const kin_flight* b, double reach, double end, double* s)
{
    kin_vec3 p[4];
    span whole = {.low = 0, .high = 1}, rest;
    relative_path(a, b, p);
    squared(p, reach, whole.c);
    if (end < 1) split(&whole, end, &whole, &rest);
    return first_passage(whole, s);
}
