/* boundary.h - walls as a fluid particle feels them: the share lambda of its surroundings that they fill, its gradient b, how they move, and what it does to them.
 *
 * Every solid of the world's collision service is a wall: planes and all shapes of the kit, fixed, keyed, and bodies that give way; deforming surfaces come by
 * the same call. What passes need is one vector b and two numbers a particle (fluid.h), whatever there is; only what gives way is kept by (particle, solid).
 *
 * lambda of a flat wall at distance d is that of the mirrored layers behind it,  lambda(d) = l sum_k w(2 d + k l),  l the spacing, w(s) the integral of the
 * kernel over a plane at distance s: the first layer of a lattice then has D = 1 half a spacing off the wall, and its own pressure, mirrored, holds it.
 * b is its exact gradient, so walls neither give nor take energy. Several walls: 1 - lambda = prod (1 - lambda_w). */
#pragma once
#include "domains/sph/fluid.h"

kin_result kin_sph_walls_create(const kin_birth* birth, const kin_sph_def* def, kin_sph_walls** out, kin_error* error);
void kin_sph_walls_destroy(kin_sph_walls* walls);
size_t kin_sph_walls_bytes(const kin_sph_walls* walls);
void kin_sph_walls_visit(kin_sph_walls* walls, kin_visitor* v); /* what it remembers; maps and samples are made again */

/* Deforming surfaces (kinema/sph.h), known by serials: those of the def are there from the start and follow its keys, which must outlive the walls; others are moved
 * by calls: where their vertices are at the end of the coming step (as many as were given, in their order). On the way they go straight; their velocities follow from
 * that. They push fluid and are not pushed. */
kin_result kin_sph_walls_add_surface(kin_sph_walls* walls, const kin_sph_surface_def* def, uint32_t* serial, kin_error* error);
kin_result kin_sph_walls_move_surface(kin_sph_walls* walls, uint32_t serial, const kin_vec3* vertices, size_t count, kin_error* error);
kin_result kin_sph_walls_remove_surface(kin_sph_walls* walls, uint32_t serial, kin_error* error);
bool kin_sph_walls_take(const kin_sph_walls* walls, kin_vec3 x,
                        double clear); /* whether a surface takes the room at x: it is in a closed one, or as near to any */
void kin_sph_walls_capture(kin_sph_walls* walls, const char* name, const kin_materials* materials, kin_capture* capture);

/* At the start of an interval: which solids there are, their maps or samples (made once a form), who gives way and how. False: out of memory. */
bool kin_sph_walls_begin(kin_sph* f, kin_step* step);
void kin_sph_walls_end(kin_sph_walls* walls, const kin_step* step); /* after an interval's ticks: surfaces are where they went */
/* After a sort: lambda, b and wall_rate of every particle at its present place (x4), walls where they are at the tick's start: where they go from there is
 * in wall_rate. Who has moved particles already (position based fluids) says when: kin_sph_walls_feel_at(f, tick, tick->end). False: out of memory. */
bool kin_sph_walls_feel(kin_sph* f, kin_sph_tick* tick);
bool kin_sph_walls_feel_at(kin_sph* f, kin_sph_tick* tick, double when);
/* The operator term: rate[i] -= b_i . (velocity that pressures k over the tick give the solids there), k as in a_i(k). Does nothing where nothing gives way. */
bool kin_sph_walls_give(const kin_sph* f);                                                     /* whether anything near the fluid gives way */
void kin_sph_walls_respond(kin_sph* f, const kin_sph_tick* tick, const float* k, float* rate); /* as an acceleration: L(a) per unit of time */
/* Books the impulse h V k_i b_i of final pressures on the solids, and moves their velocity as later ticks feel it (wall_rate is renewed). */
void kin_sph_walls_push(kin_sph* f, const kin_sph_tick* tick, const float* k);
/* J: what pressures of this tick made of the motion of walls that follow their keys. */
double kin_sph_walls_work(kin_sph* f, const kin_sph_tick* tick);
/* Mirrored particles, for who finds pressures from densities: what images do as pairs instead of by b alone (ghosts.c), to a rate L(v) and to velocities. Uses work[1].
 * Does nothing where planes are not mirrors. */
void kin_sph_walls_image_rate(kin_sph* f, kin_jobs* jobs, const float* v4, float* rate);
void kin_sph_walls_image_press(kin_sph* f, kin_jobs* jobs, const float* k, float h); /* v += h a(k) less what b made of it */
/* Friction with walls beside that solve: velocities towards those of the walls, implicitly; what bodies get of it is booked. nu: kinematic, by particle. */
void kin_sph_walls_rub(kin_sph* f, const kin_sph_tick* tick, const float* nu);
/* The same as a term of the implicit viscous solve, with what bodies answer in it (shear.c). u and s: velocities and turning rates, fours; forces against them are
 * per volume. */
typedef struct kin_sph_wall_shear {
    kin_sph* f;
    const kin_sph_tick* tick;
    const float* eta; /* Pa s, by particle */
    double h;         /* s: of a stage */
} kin_sph_wall_shear;
void kin_sph_walls_shear_begin(const kin_sph_wall_shear* shear, const float* k); /* of a tick. k: pressures foreseen, by which bodies move too; NULL: none */
void kin_sph_walls_shear_enter(const kin_sph_wall_shear* shear, double rise, double mix); /* a stage: bodies move as particles do (implicit.c) */
/* The operator, of a chunk: q and t get what walls that do not answer do against u and s; and what that adds to the preconditioner. */
void kin_sph_walls_shear_add(const kin_sph_wall_shear* shear, size_t chunk, const float* u4, const float* s4, float* q4, float* t4);
void kin_sph_walls_shear_weigh(const kin_sph_wall_shear* shear, size_t chunk, float* inverse);
/* q and t less what bodies answer to u and s; returns the sum of u . q and s . t of that. */
double kin_sph_walls_shear_answer(const kin_sph_wall_shear* shear, const float* u4, const float* s4, float* q4, float* t4);
/* v += weight x what walls do in the stage where velocities are u and s, t (or NULL) += that against s; final: bodies get it. */
void kin_sph_walls_shear_change(const kin_sph_wall_shear* shear, const float* u4, const float* s4, float* v4, float* t4, double weight, bool final);
void kin_sph_walls_shear_leave(const kin_sph_wall_shear* shear, const float* u4, const float* s4,
                               bool part);                     /* bodies are where the stage, or the part, left them */
void kin_sph_walls_shear_end(const kin_sph_wall_shear* shear); /* bodies move by what they got from now on */
/* The same where each particle has a turning rate of its own (physics/viscosity.c), with h 1: what walls add to the equations for it, of a chunk (layout: kernels.h);
 * and what bodies get for that over the tick. */
void kin_sph_walls_turning_add(const kin_sph_wall_shear* shear, size_t chunk, const float* u4, float* matrix, float* moment4);
void kin_sph_walls_turning_end(const kin_sph_wall_shear* shear, const float* u4, const float* s4);
/* After the drift: no particle ends beyond a wall, by swept tests from where it began (from4); its velocity into the wall is taken. Counts into seen.escaped.
 * Walls were felt in this tick, at from4 or on the way: who has lambda 0 and goes a short way is not looked at. */
void kin_sph_walls_hold(kin_sph* f, const kin_sph_tick* tick, const float* from4);
