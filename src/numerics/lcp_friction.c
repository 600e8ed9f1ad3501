/* lcp_friction.c - Baraff's method. Coutinho app. I, 14.3; Baraff 1994.
 *
 * Where we differ from the printed text: friction is found also when a_n = 0 (7897); the friction step drives F_t by +-1 while F_n follows as one of the
 * solved rows (14.34); a static tangent leaves ZA where F_t meets +-mu F_n (14.38); MaxF has a_t < 0 and returns when it rises to 0, MinF the reverse
 * (14.39, 14.40); the merged column is col_n +- mu col_t, not (1 +- mu) of an unknown. */
#include "numerics/lcp_friction.h"
#include "math/scalar.h"

#define DEPENDENT 1e-10 /* pivots below, of a matrix scaled to a unit diagonal, count as none */
#define NOISE 1e-12     /* of a sum against the sum of absolute values */
#define MOST_PUT_OFF 16 /* over all contacts: each starts the solve again */
#define UNBOUNDED 1.7976931348623157e308

typedef enum group {
    WAITING,    /* not reached; its force is 0 and no condition is asked for */
    ZERO_ACCEL, /* ZA */
    ZERO_FORCE, /* ZF: normals only, the tangents carry nothing then */
    MAX_FORCE,  /* tangents: F = mu F_n */
    MIN_FORCE,  /* tangents: F = -mu F_n */
    SLIDING,    /* tangents: F = ratio F_n, for good */
    OUT,        /* normals: handed over */
} group;

typedef struct baraff {
    const kin_lcp_friction* lcp;
    int contacts, size;
    double *force, *accel, *noise, *step_force, *step_accel, *step_noise;
    double* ratio;   /* per row: F_t / F_n of tangents that are at a limit or slide, else 0 */
    double* system;  /* of the solved rows, with the right side as last column */
    double* unknown; /* their step_force, scaled */
    double* scale;   /* per row 1 / sqrt(A_ii) */
    int *rows, *columns, *order;
    int row_count;
    uint8_t* groups;    /* per row */
    uint8_t* came_from; /* per row: 1 + the group it left since the last step of any length, or 0 */
    uint8_t* put_off;   /* per contact: times */
    int pivots;
} baraff;

bool kin_lcp_slides(const kin_lcp_friction* lcp, int c)
{
    const double* slip = lcp->contact[c].slip;
    return !lcp->contact[c].joint && slip[0] * slip[0] + slip[1] * slip[1] > lcp->slip_threshold * lcp->slip_threshold;
}

double kin_lcp_slide_ratio(const kin_lcp_friction* lcp, int c, int axis)
{
    double slip = lcp->contact[c].slip[axis], mu = lcp->contact[c].mu_dynamic[axis];
    return slip > 0 ? -mu : slip < 0 ? mu : 0;
}

static const double* row_of(const baraff* b, int row) { return b->lcp->matrix + (size_t)row * (size_t)b->size; }
static bool is_joint(const baraff* b, int row) { return b->lcp->contact[row / 3].joint; }
static double limit_of(const baraff* b, int row) { return b->lcp->contact[row / 3].mu_static[row % 3 - 1]; }

static void set_group(baraff* b, int row, group to)
{
    b->groups[row] = (uint8_t)to;
    if (row % 3 > 0 && to != SLIDING) b->ratio[row] = to == MAX_FORCE ? limit_of(b, row) : to == MIN_FORCE ? -limit_of(b, row) : 0;
}

/* What one unit of the unknown `u` adds to the acceleration of a row: a normal brings its tangents along. */
static double column_entry(const baraff* b, const double* row, int u)
{
    double sum = row[u];
    if (u % 3 == 0) sum += b->ratio[u + 1] * row[u + 1] + b->ratio[u + 2] * row[u + 2];
    return sum;
}

static void find_accel(baraff* b)
{
    for (int i = 0; i < b->size; ++i) {
        const double* row = row_of(b, i);
        double sum = b->lcp->offset[i], size = kin_abs(sum);
        for (int j = 0; j < b->size; ++j) {
            sum += row[j] * b->force[j];
            size += kin_abs(row[j] * b->force[j]);
        }
        b->accel[i] = sum;
        b->noise[i] = NOISE * size;
    }
}

/* The rows whose acceleration must stay 0: normals in ZA, and of those the tangents in ZA. */
static void collect_rows(baraff* b)
{
    b->row_count = 0;
    for (int c = 0; c < b->contacts; ++c) {
        if (b->groups[3 * c] != ZERO_ACCEL) continue;
        for (int i = 3 * c; i < 3 * c + 3; ++i)
            if (b->groups[i] == ZERO_ACCEL) b->rows[b->row_count++] = i;
    }
}

static void swap_rows(double* x, double* y, int count)
{
    for (int j = 0; j < count; ++j) {
        double keep = x[j];
        x[j] = y[j];
        y[j] = keep;
    }
}

/* Brings the largest entry at or past (p, p) to (p, p) and returns its size. */
static double choose_pivot(baraff* b, int p, int width)
{
    int n = b->row_count, best_row = p, best_column = p;
    double most = -1;
    for (int i = p; i < n; ++i) {
        for (int j = p; j < n; ++j) {
            double size = kin_abs(b->system[i * width + j]);
            if (size > most) most = size, best_row = i, best_column = j;
        }
    }
    if (best_row != p) swap_rows(&b->system[p * width], &b->system[best_row * width], width);
    if (best_column != p) {
        for (int i = 0; i < n; ++i) swap_rows(&b->system[i * width + p], &b->system[i * width + best_column], 1);
        int keep = b->columns[p];
        b->columns[p] = b->columns[best_column];
        b->columns[best_column] = keep;
    }
    return most;
}

/* step_force of the solved rows so that their accelerations do not change while the driven unknown changes by direction. Where rows are redundant, some of
 * their forces stay as they are. False: no such step. */
static bool solve_step(baraff* b, int driven, double direction)
{
    int n = b->row_count, width = n + 1, rank = 0;
    for (int i = 0; i < n; ++i) {
        const double* row = row_of(b, b->rows[i]);
        for (int j = 0; j < n; ++j) b->system[i * width + j] = b->scale[b->rows[i]] * b->scale[b->rows[j]] * column_entry(b, row, b->rows[j]);
        b->system[i * width + n] = -direction * b->scale[b->rows[i]] * b->scale[driven] * column_entry(b, row, driven);
        b->columns[i] = i;
    }
    for (; rank < n && choose_pivot(b, rank, width) > DEPENDENT; ++rank) {
        const double* from = &b->system[rank * width];
        for (int i = rank + 1; i < n; ++i) {
            double *row = &b->system[i * width], factor = row[rank] / from[rank];
            if (factor == 0) continue;
            for (int j = rank + 1; j < width; ++j) row[j] -= factor * from[j];
        }
    }
    for (int i = rank; i < n; ++i)
        if (kin_abs(b->system[i * width + n]) > 1e-8) return false;
    for (int i = 0; i < n; ++i) b->unknown[i] = 0;
    for (int i = rank - 1; i >= 0; --i) {
        double sum = b->system[i * width + n];
        for (int j = i + 1; j < rank; ++j) sum -= b->system[i * width + j] * b->unknown[j];
        b->unknown[i] = sum / b->system[i * width + i];
    }
    for (int i = 0; i < b->size; ++i) b->step_force[i] = 0;
    for (int i = 0; i < n; ++i) {
        int row = b->rows[b->columns[i]];
        b->step_force[row] = b->unknown[i] * b->scale[row] / b->scale[driven];
    }
    b->step_force[driven] = direction;
    for (int i = 0; i < b->size; i += 3) {
        for (int j = i + 1; j < i + 3; ++j)
            if (b->ratio[j] != 0) b->step_force[j] = b->ratio[j] * b->step_force[i];
    }
    return true;
}

static void find_step_accel(baraff* b)
{
    for (int i = 0; i < b->size; ++i) {
        const double* row = row_of(b, i);
        double sum = 0, size = 0;
        for (int j = 0; j < b->size; ++j) {
            sum += row[j] * b->step_force[j];
            size += kin_abs(row[j] * b->step_force[j]);
        }
        b->step_accel[i] = sum;
        b->step_noise[i] = NOISE * size;
    }
}

/* A row that must change groups after `step`, and into which. */
typedef struct event {
    double step;
    int row;
    group to;
} event;

/* value falls by rate per unit of step, and must not fall below 0. Ties keep the first: the driven row, then the lowest. */
static void bound(event* e, double value, double rate, double noise, int row, group to)
{
    if (rate <= noise) return;
    double step = kin_max(value, 0) / rate;
    if (step < e->step) *e = (event){step, row, to};
}

static void bound_tangent(const baraff* b, event* e, int i, double noise)
{
    int normal = i - i % 3;
    double mu = limit_of(b, i), room = mu * b->force[normal], grow = mu * b->step_force[normal];
    switch (b->groups[i]) {
    case ZERO_ACCEL:
        bound(e, room - b->force[i], b->step_force[i] - grow, noise, i, MAX_FORCE);
        bound(e, room + b->force[i], -b->step_force[i] - grow, noise, i, MIN_FORCE);
        break;
    case MAX_FORCE: bound(e, -b->accel[i], b->step_accel[i], b->step_noise[i], i, ZERO_ACCEL); break;
    case MIN_FORCE: bound(e, b->accel[i], -b->step_accel[i], b->step_noise[i], i, ZERO_ACCEL); break;
    default: break;
    }
}

static event first_event(const baraff* b, int driven)
{
    event e = {UNBOUNDED, -1, WAITING};
    double most = 0, direction = b->step_force[driven];
    for (int i = 0; i < b->size; ++i) most = kin_max(most, kin_abs(b->step_force[i]));
    double noise = NOISE * most;
    bound(&e, kin_abs(b->accel[driven]), direction * b->step_accel[driven], b->step_noise[driven], driven, ZERO_ACCEL);
    if (driven % 3 > 0 && !is_joint(b, driven)) {
        double mu = limit_of(b, driven);
        const int normal = driven - driven % 3;
        bound(&e, mu * b->force[normal] - direction * b->force[driven], 1 - mu * b->step_force[normal], noise, driven, direction > 0 ? MAX_FORCE : MIN_FORCE);
    }
    for (int i = 0; i < b->size; i += 3) {
        if (b->groups[i] == ZERO_FORCE) bound(&e, b->accel[i], -b->step_accel[i], b->step_noise[i], i, ZERO_ACCEL);
        if (b->groups[i] != ZERO_ACCEL || is_joint(b, i)) continue;
        bound_tangent(b, &e, i + 1, noise);
        bound_tangent(b, &e, i + 2, noise);
        bound(&e, b->force[i], -b->step_force[i], noise, i, ZERO_FORCE);
    }
    return e;
}

/* The tangents of a contact whose normal force begins to grow from 0: against the acceleration they have. */
static void place_tangents(baraff* b, int normal)
{
    for (int i = normal + 1; i < normal + 3; ++i) {
        if (b->groups[i] == SLIDING || b->groups[i] == WAITING) continue;
        set_group(b, i, b->accel[i] < -b->noise[i] ? MAX_FORCE : b->accel[i] > b->noise[i] ? MIN_FORCE : ZERO_ACCEL);
    }
}

/* Carries out a move of a row that is not driven. False: it returns to the group it just came from without any progress. */
static bool move(baraff* b, const event* e, bool still)
{
    int i = e->row, normal = i - i % 3;
    bool returns = still && b->came_from[i] == 1 + (int)e->to;
    b->came_from[i] = (uint8_t)(1 + b->groups[i]);
    set_group(b, i, e->to);
    if (e->to == ZERO_FORCE)
        b->force[i] = b->force[i + 1] = b->force[i + 2] = 0;
    else if (i == normal)
        place_tangents(b, i);
    else if (e->to != ZERO_ACCEL)
        b->force[i] = b->ratio[i] * b->force[normal];
    return !returns;
}

typedef enum outcome { DONE, HAND_OVER, PUT_OFF, LIMIT } outcome;

/* Changes the force of a row until its condition holds. *culprit: the contact to put off. */
static outcome drive(baraff* b, int driven, int* budget, int* culprit)
{
    int normal = driven - driven % 3;
    *culprit = driven / 3;
    for (int i = 0; i < b->size; ++i) b->came_from[i] = 0;
    for (;;) {
        find_accel(b);
        if (driven != normal && b->groups[normal] == ZERO_FORCE) { /* the contact opened while its friction was sought */
            set_group(b, driven, ZERO_ACCEL);
            return DONE;
        }
        double a = b->accel[driven], noise = b->noise[driven];
        bool one_sided = driven == normal && !is_joint(b, driven);
        if (one_sided ? a >= -noise : kin_abs(a) <= noise) {
            bool touches = !one_sided || b->force[driven] > 0;
            set_group(b, driven, touches ? ZERO_ACCEL : ZERO_FORCE);
            return DONE;
        }
        if (--*budget < 0) return LIMIT;
        collect_rows(b);
        if (!solve_step(b, driven, a < 0 ? 1 : -1)) return PUT_OFF;
        find_step_accel(b);
        event e = first_event(b, driven);
        if (e.row < 0) return HAND_OVER;
        double moved = 0, most = 0;
        for (int i = 0; i < b->size; ++i) {
            double change = e.step * b->step_force[i];
            b->force[i] += change;
            moved = kin_max(moved, kin_abs(change));
            most = kin_max(most, kin_abs(b->force[i]));
        }
        ++b->pivots;
        bool still = moved <= 1e-14 * most;
        for (int i = 0; i < b->size && !still; ++i) b->came_from[i] = 0;
        if (e.row == driven) {
            set_group(b, driven, e.to);
            if (e.to != ZERO_ACCEL) b->force[driven] = b->ratio[driven] * b->force[normal];
            return DONE;
        }
        find_accel(b);
        if (!move(b, &e, still)) {
            *culprit = e.row / 3;
            return PUT_OFF;
        }
    }
}

/* The normal of a contact, then its tangents. */
static outcome add_contact(baraff* b, int c, int* budget, int* culprit)
{
    int normal = 3 * c;
    outcome result = drive(b, normal, budget, culprit);
    for (int i = normal + 1; i < normal + 3 && result == DONE; ++i) {
        if (b->groups[i] == SLIDING) continue;
        if (b->groups[normal] == ZERO_FORCE)
            set_group(b, i, ZERO_ACCEL); /* nothing to carry; placed when the normal returns */
        else if (limit_of(b, i) <= 0 && !is_joint(b, i))
            set_group(b, i, SLIDING); /* its ratio is 0 */
        else
            result = drive(b, i, budget, culprit);
    }
    return result;
}

static void clear(baraff* b)
{
    for (int i = 0; i < b->size; ++i) {
        int c = i / 3;
        b->force[i] = b->ratio[i] = 0;
        if (b->groups[3 * c] == OUT) continue;
        b->groups[i] = WAITING;
        if (i % 3 > 0 && kin_lcp_slides(b->lcp, c)) {
            b->groups[i] = SLIDING;
            b->ratio[i] = kin_lcp_slide_ratio(b->lcp, c, i % 3 - 1);
        }
    }
}

static void move_to_end(baraff* b, int c)
{
    int k = 0;
    while (b->order[k] != c) ++k;
    for (; k + 1 < b->contacts; ++k) b->order[k] = b->order[k + 1];
    b->order[k] = c;
}

/* The ray's contacts are partners, the driven one is out. */
static void hand_over(baraff* b, int c, uint8_t* marks)
{
    for (int i = 0; i < b->contacts; ++i) {
        const double* step = &b->step_force[3 * i];
        if (marks[i] == KIN_LCP_KEPT && kin_abs(step[0]) + kin_abs(step[1]) + kin_abs(step[2]) > NOISE) marks[i] = KIN_LCP_PARTNER;
    }
    marks[c] = KIN_LCP_HANDED;
    b->groups[3 * c] = b->groups[3 * c + 1] = b->groups[3 * c + 2] = OUT;
}

static void solve_contacts(baraff* b, uint8_t* marks, kin_lcp_report* report)
{
    int max_pivots = b->lcp->max_pivots > 0 ? b->lcp->max_pivots : 100 + 30 * b->contacts, budget = max_pivots;
    clear(b);
    for (int k = 0; k < b->contacts;) {
        int c = b->order[k++], culprit = c;
        if (b->groups[3 * c] == OUT) continue;
        outcome result = add_contact(b, c, &budget, &culprit);
        if (result == DONE) continue;
        if (result == HAND_OVER) {
            hand_over(b, c, marks);
            ++report->handed;
        } else if (result == PUT_OFF && b->put_off[culprit] < 2 && report->put_off < MOST_PUT_OFF) {
            ++b->put_off[culprit];
            ++report->put_off;
            move_to_end(b, culprit);
        } else {
            report->status = KIN_LCP_LIMIT;
            return;
        }
        clear(b);
        budget = max_pivots;
        k = 0;
    }
    report->status = report->handed > 0 ? KIN_LCP_UNBOUNDED : KIN_LCP_SOLVED;
}

double kin_lcp_friction_residual(const kin_lcp_friction* lcp, const double* force, const uint8_t* handed)
{
    double most = 0;
    int size = 3 * lcp->contacts;
    for (int i = 0; i < size; ++i) {
        int c = i / 3, axis = i % 3 - 1;
        const double* row = lcp->matrix + (size_t)i * (size_t)size;
        double a = lcp->offset[i], scale = row[i] > 0 ? row[i] : 1, normal = force[3 * c], miss;
        if (handed && handed[c] == KIN_LCP_HANDED) continue;
        for (int j = 0; j < size; ++j) a += row[j] * force[j];
        if (a != a || lcp->contact[c].joint)
            miss = a;
        else if (axis < 0)
            miss = kin_min(scale * normal, a);
        else if (kin_lcp_slides(lcp, c))
            miss = scale * (force[i] - kin_lcp_slide_ratio(lcp, c, axis) * normal);
        else {
            double limit = lcp->contact[c].mu_static[axis] * kin_max(normal, 0);
            miss = scale * (force[i] - kin_clamp(force[i] - a / scale, -limit, limit));
        }
        most = kin_lcp_worse(most, miss);
    }
    return most;
}

static bool take(baraff* b, kin_arena* scratch)
{
    size_t n = (size_t)b->size, bytes = n * sizeof(double);
    double** arrays[] = {&b->noise, &b->step_force, &b->step_accel, &b->step_noise, &b->ratio, &b->unknown, &b->scale};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        if (!(*arrays[i] = kin_arena_take(scratch, bytes))) return false;
    b->system = kin_arena_take(scratch, (n + 1) * bytes);
    b->rows = kin_arena_take(scratch, n * sizeof(int));
    b->columns = kin_arena_take(scratch, n * sizeof(int));
    b->order = kin_arena_take(scratch, n * sizeof(int));
    b->groups = kin_arena_take(scratch, n);
    b->came_from = kin_arena_take(scratch, n);
    b->put_off = kin_arena_take(scratch, n);
    return b->system && b->rows && b->columns && b->order && b->groups && b->came_from && b->put_off;
}

kin_lcp_report kin_lcp_baraff(const kin_lcp_friction* lcp, double* force, double* accel, uint8_t* handed, kin_arena* scratch)
{
    kin_lcp_report report = {.status = KIN_LCP_MEMORY};
    baraff b = {.lcp = lcp, .contacts = lcp->contacts, .size = 3 * lcp->contacts, .force = force, .accel = accel};
    kin_arena_mark mark = kin_arena_begin(scratch);
    uint8_t* marks = handed ? handed : kin_arena_take(scratch, (size_t)lcp->contacts);
    if (marks && take(&b, scratch)) {
        int placed = 0;
        for (int joint = 1; joint >= 0; --joint)
            for (int c = 0; c < b.contacts; ++c)
                if (lcp->contact[c].joint == (joint == 1)) b.order[placed++] = c;
        for (int c = 0; c < b.contacts; ++c) b.put_off[c] = 0, marks[c] = KIN_LCP_KEPT;
        for (int i = 0; i < b.size; ++i) {
            double diagonal = row_of(&b, i)[i];
            b.groups[i] = WAITING;
            b.scale[i] = diagonal > 0 ? 1 / kin_sqrt(diagonal) : 1;
        }
        solve_contacts(&b, marks, &report);
        find_accel(&b);
        report.pivots = b.pivots;
        report.residual = kin_lcp_friction_residual(lcp, force, marks);
        kin_lcp_distrust(&report);
    }
    kin_arena_end(scratch, mark);
    return report;
}
