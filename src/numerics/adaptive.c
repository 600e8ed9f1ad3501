/* adaptive.c - rules for the next step, error by doubling, and the loop that keeps or undoes. */
#include "numerics/adaptive.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/scalar.h"
#include <string.h>

kin_adaptive kin_adaptive_default(void)
{
    return (kin_adaptive){.absolute = 1e-6,
                          .relative = 1e-6,
                          .safety = 0.9,
                          .shrink = 0.2,
                          .grow = 5.0,
                          .factor = 2.0,
                          .calm = 0.1,
                          .maximum = 1.7976931348623157e308,
                          .max_steps = 100000};
}

/* --- rules --- */

static double root(double x, int power) { return kin_pow(x, 1.0 / power); }

static const double least_ratio = 1e-30; /* an error of 0 asks for a long step, not for an endless one */

static double two_to(int n) { return n < 0 ? 1.0 / (double)(1LL << -n) : (double)(1LL << n); }

double kin_doubling_constant(int power, double h, double difference)
{
    return difference / (kin_pow(h, power) * (1.0 - two_to(1 - power))); /* h^p - 2 (h/2)^p */
}

static kin_adaptive_choice choose_pi(const kin_adaptive* def, int power, double h, double ratio, double last_ratio)
{
    bool keep = ratio <= 1.0;
    double beta = 0.2 / power; /* Hairer: 0.04 for power 5 */
    double factor = keep && last_ratio > 0.0 ? kin_pow(ratio, 0.75 * beta - 1.0 / power) * kin_pow(kin_max(last_ratio, 1e-4), beta) : root(1.0 / ratio, power);
    return (kin_adaptive_choice){keep, h * kin_clamp(def->safety * factor, def->shrink, keep ? def->grow : def->safety)};
}

/* One step of h errs by ratio / (1 - 2^(1 - p)) tolerances. */
static kin_adaptive_choice choose_house(const kin_adaptive* def, int power, double h, double ratio)
{
    double next = def->safety * h * root((1.0 - two_to(1 - power)) / ratio, power);
    return (kin_adaptive_choice){next >= 0.5 * h, next};
}

static kin_adaptive_choice choose_coutinho(const kin_adaptive* def, int power, double h, double ratio)
{
    double wanted = h * root(1.0 / ratio, power);
    if (wanted < h) return (kin_adaptive_choice){false, def->safety * wanted};
    return (kin_adaptive_choice){true, kin_max(h, 0.8 * wanted)};
}

static kin_adaptive_choice choose_slides(const kin_adaptive* def, double h, double ratio)
{
    if (ratio > 1.0) return (kin_adaptive_choice){false, h / def->factor};
    return (kin_adaptive_choice){true, ratio < def->calm ? h * def->factor : h};
}

kin_adaptive_choice kin_adaptive_choose(const kin_adaptive* def, int power, double h, double ratio, double last_ratio)
{
    KIN_ASSERT(power >= 1 && h > 0.0);
    ratio = kin_max(ratio, least_ratio);
    switch (def->rule) {
    case KIN_ADAPTIVE_HOUSE: return choose_house(def, power, h, ratio);
    case KIN_ADAPTIVE_COUTINHO: return choose_coutinho(def, power, h, ratio);
    case KIN_ADAPTIVE_SLIDES: return choose_slides(def, h, ratio);
    case KIN_ADAPTIVE_PI: break;
    }
    return choose_pi(def, power, h, ratio, last_ratio);
}

/* --- steppers --- */

static kin_result method_step(const kin_stepper* self, const kin_ode* ode, double t, double h, const double* y0, const double* dydt0, double* y1, double* dydt1,
                              double* error, kin_arena* scratch)
{
    const kin_ode_method* method = self->context;
    size_t size = (size_t)ode->size, pairs = method->restart != NULL ? (size_t)ode->pairs : 0;
    double* room = kin_arena_take(scratch, kin_bytes((size_t)method->scratch_vectors * size + pairs, sizeof *room));
    if (room == NULL) return KIN_ERROR_MEMORY;
    double* memory = room + (size_t)method->scratch_vectors * size;
    if (method->restart != NULL) method->restart(ode, memory, 0, ode->pairs, h, y0, dydt0);
    method->step(ode, memory, t, h, y0, dydt0, y1, room);
    if (method->error == NULL) return KIN_OK;
    ode->derivative(ode->context, t + h, y1, dydt1);
    method->error(ode, h, dydt0, dydt1, room, error);
    return KIN_OK;
}

kin_stepper kin_stepper_of(const kin_ode_method* method)
{
    return (kin_stepper){
        .order = method->order, .error_order = method->embedded_order, .gives_rate = method->error != NULL, .context = method, .step = method_step};
}

/* --- the loop --- */

typedef struct advance {
    const kin_adaptive* def;
    const kin_stepper* stepper;
    const kin_ode* ode;
    kin_arena* arena;
    bool doubling;
    int power;
    double sign, length; /* of the whole */
    double *dydt0, *y1, *dydt1, *error, *whole, *middle, *middle_rate;
} advance;

static bool advance_begin(advance* a)
{
    size_t size = (size_t)a->ode->size;
    double* block = kin_arena_take(a->arena, kin_bytes(7 * size, sizeof *block));
    if (block == NULL) return false;
    double** const vectors[] = {&a->dydt0, &a->y1, &a->dydt1, &a->error, &a->whole, &a->middle, &a->middle_rate};
    for (int k = 0; k < 7; ++k) *vectors[k] = block + (size_t)k * size;
    return true;
}

/* One step of h against two of h/2, whose answer is kept (H7.6, B7.4). */
static kin_result doubled_step(const advance* a, double t, double h, const double* y0)
{
    const kin_stepper* s = a->stepper;
    kin_result result = s->step(s, a->ode, t, h, y0, a->dydt0, a->whole, a->dydt1, a->error, a->arena);
    if (result != KIN_OK) return result;
    result = s->step(s, a->ode, t, 0.5 * h, y0, a->dydt0, a->middle, a->dydt1, a->error, a->arena);
    if (result != KIN_OK) return result;
    if (!s->gives_rate) a->ode->derivative(a->ode->context, t + 0.5 * h, a->middle, a->dydt1);
    memcpy(a->middle_rate, a->dydt1, (size_t)a->ode->size * sizeof *a->dydt1);
    result = s->step(s, a->ode, t + 0.5 * h, 0.5 * h, a->middle, a->middle_rate, a->y1, a->dydt1, a->error, a->arena);
    if (result != KIN_OK) return result;
    for (int i = 0; i < a->ode->size; ++i) a->error[i] = a->y1[i] - a->whole[i];
    return KIN_OK;
}

static kin_result try_step(const advance* a, double t, double h, const double* y0)
{
    const kin_stepper* s = a->stepper;
    kin_arena_mark mark = kin_arena_begin(a->arena);
    kin_result result = a->doubling ? doubled_step(a, t, h, y0) : s->step(s, a->ode, t, h, y0, a->dydt0, a->y1, a->dydt1, a->error, a->arena);
    kin_arena_end(a->arena, mark);
    return result;
}

/* The worst component's error in tolerances; the first that is not finite is the worst of all. */
static double worst_ratio(const advance* a, double h, const double* y0, int* worst)
{
    double share = a->def->global ? kin_abs(h / a->length) : 1.0, most = -1.0;
    for (int i = 0; i < a->ode->size; ++i) {
        double tolerance = share * (a->def->absolute + a->def->relative * kin_max(kin_abs(y0[i]), kin_abs(a->y1[i])));
        double ratio = kin_abs(a->error[i]) / kin_max(tolerance, 1e-300); /* 0 of 0 is no error */
        if (!kin_finite(ratio) || !kin_finite(a->y1[i])) {
            *worst = i;
            return __builtin_inf();
        }
        if (ratio > most) {
            most = ratio;
            *worst = i;
        }
    }
    return most;
}

/* A hundredth of the time in which the fastest component would change by its own size (Hairer, Norsett, Wanner II.4, without its second look). */
static double first_guess(const advance* a, const double* y)
{
    double size = 0.0, rate = 0.0;
    for (int i = 0; i < a->ode->size; ++i) {
        double tolerance = kin_max(a->def->absolute + a->def->relative * kin_abs(y[i]), 1e-300);
        size = kin_max(size, kin_abs(y[i]) / tolerance);
        rate = kin_max(rate, kin_abs(a->dydt0[i]) / tolerance);
    }
    double guess = size > 1e-5 && rate > 1e-5 ? 0.01 * size / rate : 1e-6;
    return kin_finite(guess) && guess > 0.0 ? kin_min(guess, a->length) : a->length;
}

static void note_worst(kin_adaptive_report* report, int worst, double ratio)
{
    if (report->forced > 0) return; /* the first is kept */
    report->forced_time = report->time;
    report->worst = worst;
    report->ratio = ratio;
}

static void keep_step(const advance* a, kin_adaptive_report* report, double h, bool last, double end, double* y)
{
    memcpy(y, a->y1, (size_t)a->ode->size * sizeof *y);
    report->time = last ? end : report->time + a->sign * h;
    if (!last || report->kept == 0) {
        report->shortest = report->kept == 0 ? h : kin_min(report->shortest, h);
        report->longest = kin_max(report->longest, h);
    }
    ++report->kept;
    if (a->stepper->gives_rate)
        memcpy(a->dydt0, a->dydt1, (size_t)a->ode->size * sizeof *y);
    else if (!last)
        a->ode->derivative(a->ode->context, report->time, y, a->dydt0);
}

static void advance_run(const advance* a, double t, double length, kin_adaptive_memory* memory, double* y, kin_adaptive_report* report)
{
    const kin_adaptive* def = a->def;
    double end = t + length;
    bool may_grow = true;
    if (!(memory->h > 0.0)) memory->h = first_guess(a, y);
    for (int tries = 0; tries < def->max_steps; ++tries) {
        double rest = a->sign * (end - report->time);
        if (rest == 0.0) return; /* less than the time can tell */
        double minimum = kin_max(def->minimum, 4.0 * 2.220446049250313e-16 * kin_abs(report->time));
        double wish = kin_clamp(memory->h, minimum, kin_max(def->maximum, minimum));
        bool last = wish >= rest * (1.0 - 1e-10); /* no sliver is left */
        double h = last ? rest : wish;

        int worst = 0;
        kin_result result = try_step(a, report->time, a->sign * h, y);
        if (result == KIN_ERROR_MEMORY) {
            report->result = result;
            return;
        }
        double ratio = result == KIN_OK ? worst_ratio(a, h, y, &worst) : __builtin_inf();
        bool broken = !kin_finite(ratio);
        kin_adaptive_choice choice = broken ? (kin_adaptive_choice){false, 0.25 * h} : kin_adaptive_choose(def, a->power, h, ratio, memory->ratio);
        if (!choice.keep) {
            if (h <= minimum) {
                note_worst(report, worst, ratio);
                if (!def->insist || broken) {
                    report->result = KIN_ERROR_NUMERICS;
                    return;
                }
                ++report->forced;
            } else {
                ++report->undone;
                memory->h = choice.h;
                may_grow = false;
                continue;
            }
        }
        double next = may_grow ? choice.h : kin_min(choice.h, h); /* just after an undone try, growing would undo again */
        bool cut = last && wish > h;                              /* a step cut at the end says little of longer ones */
        memory->h = cut ? kin_max(wish, next) : next;
        if (!cut) memory->ratio = kin_max(ratio, least_ratio);
        may_grow = true;
        keep_step(a, report, h, last, end, y);
        if (last || (a->ode->stop != NULL && a->ode->stop(a->ode->context, report->time, y))) return;
    }
    report->result = KIN_ERROR_LIMIT;
}

kin_adaptive_report kin_adaptive_advance(const kin_adaptive* def, const kin_stepper* stepper, const kin_ode* ode, double t, double length,
                                         kin_adaptive_memory* memory, double* y, kin_arena* scratch)
{
    return kin_adaptive_advance_from(def, stepper, ode, t, length, NULL, memory, y, scratch);
}

kin_adaptive_report kin_adaptive_advance_from(const kin_adaptive* def, const kin_stepper* stepper, const kin_ode* ode, double t, double length,
                                              const double* dydt0, kin_adaptive_memory* memory, double* y, kin_arena* scratch)
{
    KIN_ASSERT(length != 0.0 && ode->size > 0 && def->absolute + def->relative > 0.0);
    bool doubling = def->doubling || stepper->error_order == 0 || def->rule == KIN_ADAPTIVE_HOUSE || def->rule == KIN_ADAPTIVE_COUTINHO;
    int order = doubling ? stepper->order : stepper->error_order;
    advance a = {.def = def,
                 .stepper = stepper,
                 .ode = ode,
                 .arena = scratch,
                 .doubling = doubling,
                 .power = def->global ? order : order + 1,
                 .sign = length < 0.0 ? -1.0 : 1.0,
                 .length = kin_abs(length)};
    kin_adaptive_report report = {.time = t, .worst = -1};
    kin_arena_mark mark = kin_arena_begin(scratch);
    if (advance_begin(&a)) {
        if (dydt0 != NULL)
            memcpy(a.dydt0, dydt0, (size_t)ode->size * sizeof *dydt0);
        else
            ode->derivative(ode->context, t, y, a.dydt0);
        advance_run(&a, t, length, memory, y, &report);
    } else {
        report.result = KIN_ERROR_MEMORY;
    }
    kin_arena_end(scratch, mark);
    return report;
}
