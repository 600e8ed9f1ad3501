/* adaptive.h - from t to t + length in steps as long as a tolerance allows.
 *
 * A stepper tries one step and may say how far off it is; where it does not, one step is held against two of half its length (step doubling), so any
 * method can be driven. A rule then keeps or undoes the try and says how long the next is. The tolerance of component i is
 * absolute + relative max(|y0_i|, |y1_i|), and the worst component decides: ratio = max |error_i| / tolerance_i.
 *
 * House, Keyser 7.6 (H7.6), Coutinho B7.4, slides P4; the PI controller is Gustafsson's in the form of Hairer, Norsett, Wanner: Solving ODEs I, II.4. */
#pragma once
#include "base/arena.h"
#include "numerics/ode.h"

typedef struct kin_stepper kin_stepper;
struct kin_stepper {
    int order;           /* of the method: its step errs as h^(order + 1) */
    int error_order;     /* what step reports goes as h^(error_order + 1); 0: step leaves error alone */
    bool gives_rate;     /* step fills dydt1 = f(t + h, y1), which saves the next step's dydt0 */
    const void* context; /* the method's own */
    /* y1 = y0 advanced by h. KIN_ERROR_NUMERICS: no answer, a shorter step may have one. KIN_ERROR_MEMORY: no room. */
    kin_result (*step)(const kin_stepper* self, const kin_ode* ode, double t, double h, const double* y0, const double* dydt0, double* y1, double* dydt1,
                       double* error, kin_arena* scratch);
};
/* A row of the table, which must outlive the stepper; methods with a memory are restarted every step. */
kin_stepper kin_stepper_of(const kin_ode_method* method);

typedef enum kin_adaptive_rule {
    KIN_ADAPTIVE_PI,       /* smooth growth from this ratio and the one before; the error of doubling or of the stepper's own */
    KIN_ADAPTIVE_HOUSE,    /* H7.6: c = ratio / (h^p - 2 (h/2)^p), next h = (1/c)^(1/p); undone only if that is below the halves that were taken */
    KIN_ADAPTIVE_COUTINHO, /* B7.4: hd = h / ratio^(1/p); undone if hd < h, else the next h is 0.8 hd */
    KIN_ADAPTIVE_SLIDES,   /* P4: A h below C1, h / A above C2, which is the tolerance; there it is undone */
} kin_adaptive_rule;

typedef struct kin_adaptive {
    kin_adaptive_rule rule;
    bool doubling;           /* also for steppers that know their error; HOUSE and COUTINHO always double */
    bool global;             /* the tolerance is for the whole length: each step gets its share, and p is one less (H7.6) */
    bool insist;             /* at the minimum go on, and count, rather than stop */
    double absolute;         /* >= 0, in the units of y */
    double relative;         /* >= 0; one of the two > 0 */
    double safety;           /* of the next h, <= 1; COUTINHO: when undone */
    double shrink, grow;     /* PI: bounds of next h / h */
    double factor, calm;     /* SLIDES: A > 1; C1 / C2 < 1 */
    double minimum, maximum; /* s; the last step may be shorter */
    int max_steps;           /* tries, undone ones too */
} kin_adaptive;

/* PI, tolerance 1e-6 of both kinds, safety 0.9, 0.2 to 5, A = 2, C1 = C2 / 10, no bounds, 100000 tries. */
kin_adaptive kin_adaptive_default(void);

/* Kept from call to call; it is state, to be saved and hashed. {0} starts anew. */
typedef struct kin_adaptive_memory {
    double h;     /* s > 0, the length to try next; 0: guess */
    double ratio; /* of the last kept step; 0: none */
} kin_adaptive_memory;

typedef struct kin_adaptive_report {
    kin_result result; /* KIN_OK; KIN_ERROR_NUMERICS: stopped at the minimum; KIN_ERROR_LIMIT: out of tries; KIN_ERROR_MEMORY */
    double time;       /* where y stands */
    int kept, undone;
    int forced;               /* steps kept at the minimum although too far off */
    double forced_time;       /* the first time that the minimum was not short enough, and there: */
    int worst;                /* the component that was furthest off */
    double ratio;             /* and by how many tolerances; not finite when the state was not */
    double shortest, longest; /* kept steps, s; the last, cut at the end, apart */
} kin_adaptive_report;

/* y becomes the state at report.time: t + length, the end of the step at which the ode said stop, or the last kept step before what went wrong. length may be negative, not 0. */
kin_adaptive_report kin_adaptive_advance(const kin_adaptive* def, const kin_stepper* stepper, const kin_ode* ode, double t, double length,
                                         kin_adaptive_memory* memory, double* y, kin_arena* scratch);

/* The same for one who knows f(t, y) already; dydt0 may be NULL. */
kin_adaptive_report kin_adaptive_advance_from(const kin_adaptive* def, const kin_stepper* stepper, const kin_ode* ode, double t, double length,
                                              const double* dydt0, kin_adaptive_memory* memory, double* y, kin_arena* scratch);

/* The rule alone, as the texts state it: what to do after a try of length h > 0 whose error goes as h^power. last_ratio as in the memory. */
typedef struct kin_adaptive_choice {
    bool keep;
    double h; /* next, or to try again with */
} kin_adaptive_choice;
kin_adaptive_choice kin_adaptive_choose(const kin_adaptive* def, int power, double h, double ratio, double last_ratio);
/* H7.6: c of the error c h^power, from the difference between one step of h and two of h/2. */
double kin_doubling_constant(int power, double h, double difference);
