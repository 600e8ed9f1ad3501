/* attach.h - attachments: springs and rigid links between two anchors, or an anchor and a point of space. A coupler of the world's own; all of it is state. */
#pragma once
#include "couple/verbs.h"
#include "kinema/attach.h"
#include "math/mat3.h"
#include "system/system.h"

typedef struct kin_attachment {
    kin_attachment_def def; /* b.local is the point of space; keys NULL, key_count of them stand in the list's arrays */
    uint32_t serial;
    double lag;        /* 0..1: share of h^2 g by which a side falls in an interval beside its velocity (its integrator's; 0 when it rests) */
    kin_vec3 expected; /* m: a - b at the end of the last interval, had nothing else moved it */
    bool expects;      /* expected counts */
    kin_vec3 force;    /* N: on a, over the last interval */
    bool gone;         /* dropped, and not swept away yet */
} kin_attachment;

/* A law over one interval: displacement = p (last displacement) - beta (stretch) + gamma (h^2 g). */
typedef struct kin_attachment_law {
    double p, beta, gamma;
} kin_attachment_law;

/* One end, in an interval. */
typedef struct kin_attachment_side {
    kin_vec3 position, velocity; /* at the start; velocity with what was pushed so far */
    kin_mat3 give, turn;         /* change of velocity and of spin by impulse */
    kin_vec3 arm;                /* m: from the place that stands for its node */
    bool moves;                  /* give is not zero */
    uint32_t company;            /* attachments at the same element, itself too; 0: it does not move */
    uint32_t node;               /* sides of one element have one node */
} kin_attachment_side;

/* Its equation in an interval: velocity of a beside b = p (that without its own impulse) + bias; of a length, along n only. */
typedef struct kin_attachment_row {
    kin_attachment_law law;
    kin_mat3 give;     /* both sides' */
    double diagonal;   /* 1/kg, mean of the matrix's own block */
    kin_vec3 n;        /* unit; of a length; zero: it pulls every way */
    double across;     /* of a length: how strongly it is held across n, too; 0: not */
    kin_vec3 velocity; /* without any attachment's impulse */
    kin_vec3 bias;
    kin_vec3 impulse, before;     /* N s: the solution, and that of the round before */
    kin_vec3 left, step, product; /* conjugate gradients: residual, direction, matrix times direction */
    bool fixed;                   /* it pulls as hard as it may */
} kin_attachment_row;

typedef struct kin_attachments {
    kin_allocator allocator;
    kin_anchor_verbs verbs;
    kin_attachment* items; /* by serial */
    size_t count, capacity;
    uint32_t last; /* serial handed out */
    bool some_gone;
    double* key_times;
    kin_vec3* key_points;
    size_t key_count, key_time_capacity, key_point_capacity;
    /* of an interval, not state; room for all items */
    kin_attachment_side* sides; /* a and b of each item */
    kin_attachment_row* rows;
    kin_twist* change; /* of each node, about its place */
    uint64_t *order, *order_scratch;
    uint32_t *order_side, *order_side_scratch;
    size_t side_capacity, row_capacity, change_capacity, order_capacity, order_scratch_capacity, order_side_capacity, order_side_scratch_capacity;
} kin_attachments;

void kin_attachments_init(kin_attachments* list, const kin_allocator* allocator, kin_anchor_verbs verbs);
void kin_attachments_term(kin_attachments* list);
/* Numbers and keys; anchors are the caller's to check. */
kin_result kin_attachment_check(const kin_attachment_def* def, kin_error* error);
bool kin_attachments_reserve(kin_attachments* list, size_t count, size_t key_count); /* adding up to so many cannot fail */
/* def was checked; serial is new and greater than 0. False: out of memory. */
bool kin_attachments_add(kin_attachments* list, const kin_attachment_def* def, uint32_t serial);
kin_attachment* kin_attachments_find(const kin_attachments* list, uint32_t serial); /* NULL: gone */
void kin_attachments_remove(kin_attachments* list, uint32_t serial);                /* one that is gone is fine */
/* Many at once: each is dropped, and none of them is there any more; one sweep takes them out, before anything else looks at the list. */
void kin_attachments_drop(kin_attachments* list, uint32_t serial);
void kin_attachments_sweep(kin_attachments* list);
void kin_attachments_move(kin_attachments* list, uint32_t serial, kin_vec3 point);
kin_vec3 kin_attachments_point(const kin_attachments* list, size_t index, double time); /* of a held point of space */
void kin_attachments_visit(kin_attachments* list, kin_visitor* v);

/* h: length of the interval; give: 1/kg; company: attachments at the busier of its elements. */
kin_attachment_law kin_attachment_law_of(const kin_attachment_def* def, double give, uint32_t company, double h);
kin_status kin_attachments_exchange(void* self, kin_world* world, kin_step* step, int pass);

extern const kin_coupler_ops kin_attach_ops;
