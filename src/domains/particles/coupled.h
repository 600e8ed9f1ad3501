/* coupled.h - inside the motion of particles that feel each other: what coupled.c, which steps them, and coupled_forces.c, which knows their forces, share. */
#pragma once
#include "domains/particles/particles.h"

typedef struct kin_coupled {
    kin_allocator allocator;
    kin_arena scratch; /* of the integrator */
    size_t capacity;
    uint32_t* live;                                                     /* particles that take part, ascending; n of them */
    uint32_t* slot;                                                     /* by particle: its place in live */
    double *y0, *dydt0, *y1, *memory, *pull, *about, *force, *gyration; /* 6, 6, 6, 3, 3, KIN_FIELD_ROOM, 3, 3 numbers a particle */
    bool gyrates;                                                       /* the integrator turns velocities by `gyration` */
    int n;
    kin_spring* links; /* the springs by place in live; those at the dead left out */
    size_t link_count, link_capacity;
    kin_spring_lists lists;
    uint64_t layout[3]; /* who lived, and the springs, that links and lists were made for */
    kin_particles* self;
    const kin_step* step;
    kin_field_batch batch;  /* what fields are told of all of them */
    bool once;              /* one linearisation is all there is */
    bool first;             /* this call is of the start: keep the pull */
    const uint32_t* active; /* who is asked for in this call, by place in live; NULL: all */
    uint32_t active_count;
    uint64_t forces;   /* particles that were asked for in this interval */
    kin_result result; /* of mutual forces */
    kin_error error;
} kin_coupled;

/* coupled_forces.c */
void kin_coupled_derivative(void* coupled, double t, const double* y, double* dydt);
void kin_coupled_matrix(void* coupled, double t, const double* y, kin_triplets* j);                        /* its derivatives, for implicit steps */
kin_mutual_cloud kin_coupled_cloud(const kin_coupled* c, double t, const double* y, double* acceleration); /* after kin_coupled_masses */
void kin_coupled_masses(kin_coupled* c);                                                                   /* into `force`, which springs are done with */
