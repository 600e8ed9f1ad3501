/* local.h - one meeting alone: how the velocity at its point answers impulses there, and the impulse it takes. Inside impulse/ only.
 *
 * Numbers are along n, t, k. With joints about, the matrix is what they leave of it. */
#pragma once
#include "contact/impulse/impulse.h"

typedef struct kin_local {
    double matrix[9];   /* K: m/s per N s */
    double velocity[3]; /* before, m/s; n < 0: approaching */
    double restitution;
    double friction[2];
} kin_local;

typedef void kin_local_solver(const kin_local* hit, double p[3]);

/* C4.11.1 in closed form: the four cases of slide and stick, the first that agrees with itself. */
void kin_local_closed(const kin_local* hit, double p[3]);
/* C4.13: slip and stick over the course of the impact; restitution by work (Stronge), which cannot make energy. */
void kin_local_micro(const kin_local* hit, double p[3]);

/* What p leaves of the velocity. */
void kin_local_after(const kin_local* hit, const double p[3], double after[3]);
/* J: what p adds to the energy; < 0 for a loss. */
double kin_local_work(const kin_local* hit, const double p[3]);
/* The solver's answer, or where that adds energy, the part of its restitution that does not; returns that part. */
double kin_local_guarded(const kin_local* hit, kin_local_solver* solve, double p[3]);

/* mu^c of axis 0 (t) or 1 (k): p_t / p_n that ends the slip along it, while the other axis has the ratio `other` (C4.11.1b, signs of E5). d: change of
 * velocity wanted along n, t, k. */
double kin_local_critical(const double matrix[9], const double d[3], int axis, double other);
/* Slide or stick by what is left of the slip. */
kin_slip_case kin_slip_of(const double after[3], double tolerance);

/* s in [0, 1] where e0 + b s + c s^2 crosses 0: energy between two impulses, of which the first (e0 <= 0) loses and the second (e1 > 0) gains. */
double kin_share_without_gain(double e0, double e1, double c);
/* t as given, or along the slip, or any. */
kin_vec3 kin_meeting_tangent(const kin_meeting* m, kin_vec3 velocity);
/* Of a against b at the point, surfaces included. */
kin_vec3 kin_meeting_velocity(const kin_meeting* m, const kin_body* bodies);
