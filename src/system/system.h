/* system.h - the contract between the world and a set of unknowns with one owner. A domain fills one kin_system_ops; the world calls its stages.
 *
 * One call per system per stage: arrays inside, never one call per particle. */
#pragma once
#include "base/jobs.h"
#include "base/simd.h"
#include "collision/service.h"
#include "kinema/anchor.h"
#include "kinema/world.h"
#include "system/capture.h"
#include "system/field.h"
#include "system/ledger.h"
#include "system/material.h"
#include "system/param.h"
#include "system/visitor.h"

/* How a stage ended. */
typedef enum kin_status { KIN_STATUS_OK, KIN_STATUS_REFUSED } kin_status;

/* What a system wishes for the coming step. */
typedef struct kin_plan {
    double step;     /* s, in: the length of the step */
    int intervals;   /* out, couplers only: k their exchange needs, at least 1; a system that needs shorter steps ticks inside its interval */
    bool may_refuse; /* out: marks must be taken */
} kin_plan;

/* What every stage of an interval is handed. */
typedef struct kin_step {
    kin_jobs* jobs;
    kin_simd simd;
    const kin_fields* fields;
    const kin_solids* solids;
    const kin_materials* materials;
    kin_ledger* ledger;
    const kin_log* log;
    kin_bounds_policy bounds;
    kin_aabb box; /* of the world, when bounds are on */
    uint64_t seed;
    uint64_t index; /* of the step */
    int interval, intervals;
    double time;     /* s, start of the interval */
    double h;        /* s, its length */
    uint32_t system; /* number of the system being called */
    const char* system_name;
    kin_step_report* report;
} kin_step;

/* A stage that cannot go on returns this: it writes the report. */
kin_status kin_step_refuse(kin_step* step, uint64_t element, double residual, const char* why);
/* Adds a cap or a warning to the report. */
void kin_step_note_cap(kin_step* step, int64_t count, const char* what);
void kin_step_warn(kin_step* step, uint64_t element, const char* what);

/* What a system offers to couplers. */
enum { KIN_OFFERS_POINTS = 1, KIN_OFFERS_SURFACE = 2, KIN_OFFERS_FIELD = 4, KIN_OFFERS_VOLUME = 8, KIN_OFFERS_MEMBERS = 16 };

/* Named numbers of a system; filled in a fixed order so that stats.csv has fixed columns. */
typedef struct kin_budget {
    kin_measure* items;
    size_t count, capacity;
} kin_budget;
void kin_budget_add(kin_budget* budget, const char* name, const char* unit, double value);

typedef struct kin_moved_list {
    kin_moved* items;
    size_t count, capacity;
} kin_moved_list; /* counts past capacity, writes up to it */
void kin_moved_add(kin_moved_list* list, uint32_t system, uint32_t element, kin_transform pose);

struct kin_group;
struct kin_rigid_def;

/* What a new system is told about its world. */
typedef struct kin_birth {
    kin_allocator allocator;
    kin_simd simd;
    uint64_t seed;
    uint32_t system; /* its number */
    const kin_materials* materials;
    kin_fields* fields; /* for the bits of tags */
    /* The solid of a collider by name; UINT32_MAX: there is none. */
    uint32_t (*solid_named)(const void* world, const char* name);
    /* The contact group of a mode (kin_rigid_mode), made when it is first asked for, with that def's settings. */
    kin_result (*group)(void* world, const struct kin_rigid_def* def, struct kin_group** out, kin_error* error);
    void* world;
    const kin_solids* solids; /* those that are there already, ready for questions */
    /* How an element of the system of this name moves, now; asked later: systems may come after those that ask. False: there is none. */
    bool (*element_motion)(const void* world, const char* system, uint32_t element, kin_motion* out);
} kin_birth;

/* A point of a system, as those of other systems meet it. */
typedef struct kin_system_point {
    kin_vec3 position, velocity; /* m, m/s: at the start of the interval */
    kin_vec3 end_velocity;       /* m/s: at its end, by free motion; after predict */
    double inv_mass;             /* 1/kg; 0: nothing moves it */
    double radius, rest_speed;   /* m; m/s: slower hits do not bounce */
    uint16_t material;
    kin_surface_deviation surface;
    bool meets; /* it is there, and collides with others */
} kin_system_point;

/* A point that met one of another system. */
typedef struct kin_system_meeting {
    uint32_t element;
    bool hit;         /* it was faster than rest_speed */
    double lost;      /* J, on its side */
    double time;      /* s */
    kin_vec3 place;   /* m, where they touched */
    kin_anchor other; /* whom it met */
} kin_system_meeting;

typedef struct kin_system_ops {
    const char* name; /* the type in scenes */
    const char* doc;
    const kin_param* params; /* of the def */
    size_t def_size;
    uint32_t offers;                  /* KIN_OFFERS_* */
    int rank;                         /* order within a stage: solids 0, soft 1, fluids 2, particles 3 */
    size_t (*bytes)(const void* def); /* memory it will take, before any is taken; SIZE_MAX when it overflows */
    kin_result (*create)(const kin_birth* birth, const void* def, void** self, kin_error* error); /* def is copied */
    void (*destroy)(void* self);
    size_t (*count)(const void* self);                   /* elements, numbered from 0 */
    bool (*has)(const void* self, uint32_t element);     /* NULL: all below count; elements may end and leave their number free */
    void* (*def)(void* self);                            /* its own copy of the def, without elements: create(def) then a restore makes a clone */
    void (*changed)(void* self, const kin_param* param); /* a live parameter was set in def */
    bool (*has_transfers)(const void* self);             /* NULL: never; elements may come or go in this step */
    void (*transfer)(void* self, kin_step* step);        /* births and deaths of the whole step, at its end; solids are published for it */
    void (*plan)(const void* self, kin_plan* plan);      /* NULL: one interval, never refuses */
    kin_status (*predict)(void* self, kin_step* step);   /* NULL where a system has nothing to do in a stage */
    kin_status (*solve)(void* self, kin_step* step, int pass);
    kin_status (*commit)(void* self, kin_step* step);
    bool (*meets_points)(const void* self);                     /* its points collide with those of other systems; NULL with points */
    void (*points)(const void* self, kin_system_point* out);    /* all, by element; NULL: it has none */
    void (*met)(void* self, const kin_system_meeting* meeting); /* a point met one of another system */
    void (*motion)(const void* self, const kin_anchor* a, int n, double s, kin_motion* out);
    void (*respond)(const void* self, const kin_anchor* a, const kin_wrench* impulse, int n, kin_twist* dv);
    void (*push)(void* self, const kin_anchor* a, const kin_wrench* impulse, int n);
    /* Loads over this interval, of which elements get their part only in the next one: told at the end of commit. Until then they report the motion of this interval, not
     * the velocity that it ended with. */
    void (*await)(void* self, const kin_step* step, const kin_anchor* a, int n);
    bool (*place)(void* self, uint32_t element, kin_vec3 position, kin_vec3 velocity); /* false: no such element */
    bool (*set_mobility)(void* self, uint32_t element, kin_mobility mobility);
    bool (*attribute)(const void* self, uint32_t element, const char* name, double* out); /* a named number of an element; false: it has none */
    bool (*set_attribute)(void* self, uint32_t element, const char* name, double value);
    void (*measure)(const void* self, const kin_step* step, kin_budget* sum); /* step: fields and time; not inside a step */
    void (*moved)(const void* self, uint32_t system, kin_moved_list* out);    /* in the last step */
    void (*capture)(const void* self, const char* name, const kin_materials* materials, kin_capture* capture);
    void (*visit)(void* self, kin_visitor* v); /* save, load, hash, mark, rewind: one walk */
} kin_system_ops;

/* The world's door for domains: a domain's public create calls the first, its other calls the second, which asserts id and kind. The name must be new;
 * NULL: the type's. */
kin_result kin_world_add_system(kin_world* world, const kin_system_ops* ops, const char* name, const void* def, kin_system_id* out, kin_error* error);
void* kin_world_system_self(const kin_world* world, kin_system_id id, const kin_system_ops* ops);

/* A coupler posts totals into the ledger; it knows systems by their anchors only. */
typedef struct kin_coupler_ops {
    const char* name;
    void (*plan)(const void* self, kin_plan* plan); /* NULL: one interval */
    kin_status (*exchange)(void* self, kin_world* world, kin_step* step, int pass);
    void (*destroy)(void* self);
    void (*visit)(void* self, kin_visitor* v); /* NULL: it remembers nothing */
} kin_coupler_ops;
