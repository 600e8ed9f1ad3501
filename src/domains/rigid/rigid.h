/* rigid.h - inside a system of rigid bodies. Their mass, place and motion live in the contact group (contact/bodies.h), which all systems of one mode share; here
 * is what is theirs alone: names, numbers, keys, looks and how they break.
 *
 * Two frames: the shape's, which people see and anchors are local to, and the body's, with its origin at the centre of mass along the principal axes.
 * skin.place takes the first into the second. */
#pragma once
#include "base/arena.h"
#include "contact/group.h"
#include "kinema/rigid.h"
#include "system/keys.h"
#include "system/system.h"

/* A form of this system, however many bodies have it. */
typedef struct kin_rigid_form {
    kin_form* form;   /* kept */
    kin_shape shape;  /* what it was made from; kind COMPOUND, no parts: not to be compared with */
    double thickness; /* m: of what may not be passed unseen, at most */
} kin_rigid_form;

/* Bodies of one form and material look alike: a layer each, or one for every material in a compound. */
typedef struct kin_costume {
    uint32_t form;
    kin_material_id material;   /* of the body */
    uint32_t first_look, looks; /* in kin_rigid.looks */
    uint32_t head, tail;        /* bodies that wear it, by number; UINT32_MAX: none */
} kin_costume;

typedef struct kin_rigid_look {
    kin_material_id skin; /* of the parts that are seen; none: of all */
    kin_array* arrays;    /* made at the first capture */
    uint32_t array_count;
} kin_rigid_look;

typedef struct kin_rigid_member {
    const char* name;  /* NULL: none */
    uint32_t index;    /* in the group */
    uint32_t costume;  /* UINT32_MAX: not seen */
    uint32_t next;     /* of its costume */
    uint32_t fracture; /* which of the fractures it is, + 1; 0: it does not break */
    kin_material_id material;
    kin_keys keys;
    bool smooth;
    uint8_t mobility; /* kin_mobility; state */
    bool removed;     /* state */
    bool moved;       /* in this step, before its last interval: the group knows of that */
    bool squeezed;    /* by an animated body, now */
    bool blocked;     /* it was told so */
} kin_rigid_member;

/* Pieces are bodies first to first + count - 1. */
typedef struct kin_fracture {
    uint32_t body, first, count;
    double strength;    /* N s */
    const kin_vec3* at; /* m: where the pieces' frames are in the body's shape, not turned */
} kin_fracture;

/* A motor whose speed is a curve over time. */
typedef struct kin_rigid_motor {
    uint32_t joint; /* number in its system */
    int freedom;
    kin_curve speeds; /* m/s or rad/s; keys in the arena */
} kin_rigid_motor;

typedef struct kin_rigid {
    kin_allocator allocator;
    kin_arena arena;   /* names, keys of motors */
    kin_rigid_def def; /* without lists; like = itself */
    uint32_t system;
    double time;      /* s: now */
    bool leads;       /* the first of its group: its settings count, and it measures the group */
    kin_group* group; /* of the world */
    const kin_materials* materials;
    bool has_moved;    /* some `moved` is set */
    bool has_blocked;  /* some `blocked` is */
    uint32_t animated; /* bodies that are */
    kin_rigid_member* bodies;
    size_t count, capacity;
    uint32_t* joints; /* numbers in the group; UINT32_MAX: removed */
    const char** joint_names;
    size_t joint_count, joint_capacity, joint_name_capacity;
    kin_rigid_form* forms;
    size_t form_count, form_capacity;
    kin_costume* costumes;
    size_t costume_count, costume_capacity;
    kin_rigid_look* looks;
    size_t look_count, look_capacity;
    kin_rigid_motor* motors;
    size_t motor_count, motor_capacity;
    kin_fracture* fractures;
    size_t fracture_count, fracture_capacity;
} kin_rigid;

extern const kin_system_ops kin_rigid_ops;

/* ---- params.c ---- */
extern const kin_param kin_rigid_params[];
extern const kin_param kin_body_params[];
extern const kin_param kin_joint_params[]; /* ONE_OF by kind */
extern const kin_param kin_fracture_params[];

/* ---- mass.c ---- */
/* What a body of this form weighs and where its own frame is in the shape's. Not dynamic and without volume: no mass, the shape's own frame. */
typedef struct kin_weight {
    double mass;         /* kg */
    kin_principal frame; /* moments in kg m^2 */
} kin_weight;
kin_result kin_rigid_weigh(const kin_form* form, const kin_body_def* def, const kin_materials* materials, kin_weight* out, kin_error* error);
double kin_rigid_thickness(const kin_form* form);
kin_principal kin_rigid_principal(kin_mass m); /* as kin_mass_principal, but a frame that is principal already is kept */

/* ---- body.c ---- */
/* Errors name the member of the def. On failure nothing has changed. */
kin_result kin_rigid_make_body(kin_rigid* r, const kin_body_def* def, uint32_t* number, kin_error* error);
kin_result kin_rigid_make_joint(kin_rigid* r, const kin_joint_def* def, uint32_t* number, kin_error* error);
/* The bodies, joints and fractures of another, one by one: a clone. */
kin_result kin_rigid_copy_parts(kin_rigid* r, const kin_rigid* from, kin_error* error);
/* What moves it, from now on; false: a body without mass cannot be dynamic. */
bool kin_rigid_set_mobility(kin_rigid* r, uint32_t number, kin_mobility mobility);
void kin_rigid_count_animated(kin_rigid* r);                    /* after mobilities changed */
uint32_t kin_rigid_named(const kin_rigid* r, const char* name); /* UINT32_MAX: none */
void kin_rigid_drop_parts(kin_rigid* r);
void kin_rigid_retire(kin_rigid* r, uint32_t number); /* for good: inactive, its joints gone; the number stays its own */

static inline kin_body* kin_rigid_body_of(const kin_rigid* r, uint32_t number) { return &r->group->bodies.body[r->bodies[number].index]; }
static inline kin_body_skin* kin_rigid_skin_of(const kin_rigid* r, uint32_t number) { return &r->group->bodies.skin[r->bodies[number].index]; }
static inline kin_transform kin_rigid_pose(const kin_rigid* r, uint32_t number) { return kin_bodies_form_pose(&r->group->bodies, r->bodies[number].index); }
static inline bool kin_rigid_has(const kin_rigid* r, uint32_t number) { return number < r->count && !r->bodies[number].removed; }
void kin_rigid_put(kin_rigid* r, uint32_t number, kin_transform shape_pose, kin_vec3 velocity, kin_vec3 spin); /* at once */

/* ---- keyed.c ---- */
bool kin_rigid_drive(kin_rigid* r, const kin_step* step); /* animated bodies over the coming interval; false: out of memory */
void kin_rigid_look_for_blocked(kin_rigid* r, kin_step* step);
kin_transform kin_rigid_keyed_pose(const kin_rigid* r, uint32_t number, double after); /* s from now; of the shape's frame */

/* ---- motors.c ---- */
kin_result kin_rigid_check_motors(const kin_joint_def* def, kin_error* error);
kin_result kin_rigid_add_motors(kin_rigid* r, uint32_t joint, const kin_joint_def* def, kin_error* error);
kin_result kin_rigid_copy_motors(kin_rigid* r, const kin_rigid* from, kin_error* error);
bool kin_rigid_has_motor(const kin_rigid* r, uint32_t joint, int freedom); /* one that follows a curve */
void kin_rigid_run_motors(kin_rigid* r, const kin_step* step);             /* speeds of the coming interval */
void kin_rigid_joint_changed(kin_rigid* r, const kin_joint* j);            /* wakes its bodies; api.c */

/* ---- fracture.c ---- */
/* Errors name the member of the fracture's def. On failure nothing has changed but numbers spent. */
kin_result kin_rigid_cut(kin_rigid* r, uint32_t number, const kin_fracture_def* def, kin_error* error);
kin_result kin_rigid_copy_fractures(kin_rigid* r, const kin_rigid* from, kin_error* error);
void kin_rigid_break_hit(kin_rigid* r); /* composites that were hit hard enough in this step */

/* ---- capture.c ---- */
kin_result kin_rigid_dress(kin_rigid* r, uint32_t form, kin_material_id material, uint32_t* costume, kin_error* error); /* which costume that is */
void kin_rigid_wear(kin_rigid* r, uint32_t number, uint32_t costume);
void kin_rigid_capture(const void* self, const char* name, const kin_materials* materials, kin_capture* capture);
