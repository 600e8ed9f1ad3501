/* realtime.h - the real-time solver of a contact group from inside: what its stages share.
 *
 * An interval (realtime.c shows it on one screen):
 *
 *     begin     bodies.c    poses, velocities and held forces into lines; boxes that were left
 *     pairs     pairs.c     whose boxes overlap: begun and ended pairs
 *     touch     touch.c     manifolds kept, built anew, begun, ended; rows of all contacts
 *     substeps  solver.c    kick, impacts, soft rows, drift, relaxed rows with friction; colour by colour
 *     finish    bodies.c    poses in double, velocities back
 *
 * Whatever order threads work in, what they find is sorted by bodies before it changes anything, so neither numbers of pairs and contacts nor slots
 * matter. */
#pragma once
#include "base/arena.h"
#include "collision/broad/broad.h"
#include "collision/manifold/manifold.h"
#include "contact/group.h"
#include "contact/realtime/narrow.h"
#include "contact/realtime/points.h"
#include "contact/realtime/rows.h"
#include <stdatomic.h>

#define KIN_RT_NONE UINT32_MAX

enum {
    KIN_RT_ASLEEP,       /* contacts that are put away; those from the next on are not */
    KIN_RT_DIRECT,       /* with a body of a direct block: prepared, but solved by the block; those from the next on are solved by rows */
    KIN_RT_OVERFLOW,     /* what found no colour: one after the other, first */
    KIN_RT_FIRST,        /* of the colours, those of a node together (graph.c) */
    KIN_RT_DYNAMIC = 24, /* colours of contacts between free bodies */
    KIN_RT_STATIC = 7,   /* and with what forces do not move: solved last, and stiffer */
    KIN_RT_OF_NODE = KIN_RT_DYNAMIC + KIN_RT_STATIC,
    KIN_RT_SLOT_BITS = 23, /* of a contact's number in its colour */
    KIN_RT_LEVELS = 4,     /* of the tree of bodies */
    KIN_RT_LEAVES = 1 << (KIN_RT_LEVELS - 1),
    KIN_RT_NODES = 2 * KIN_RT_LEAVES - 1, /* leaves first, the root last */
    KIN_RT_COLOURS = KIN_RT_FIRST + KIN_RT_OF_NODE * KIN_RT_NODES,
    KIN_RT_MOST = 8,           /* manifolds of one pair */
    KIN_RT_JOINT_COLOURS = 32, /* and one more: what found none */
    KIN_RT_FAST = 15,          /* intervals: a limb that is flung has come to its stop by then */
    KIN_RT_NEW = 255,
};

typedef enum kin_rt_pair_kind {
    KIN_RT_SIMPLE,  /* one manifold at most */
    KIN_RT_COMPLEX, /* compounds, surfaces, fields: several */
    KIN_RT_SENSOR,  /* only asked whether they overlap */
    KIN_RT_BARRED,  /* joined: they do not meet */
} kin_rt_pair_kind;

enum {
    KIN_RT_PAIR_TOUCHES = 1,  /* as the events told */
    KIN_RT_PAIR_PASSES = 2,   /* came to a one-way body from the wrong side: until they part */
    KIN_RT_PAIR_REDO = 4,     /* its manifolds have to be found again in this interval */
    KIN_RT_PAIR_ASKEW = 8,    /* friction of its materials is not the same along both tangents */
    KIN_RT_PAIR_SPECIAL = 16, /* one of them is one-way, or has a moving surface */
    KIN_RT_PAIR_AHEAD = 32,   /* its manifolds are those of the middle of this interval */
};

/* What is asked of a pair in every interval; the rest is beside it. So fewer lines of memory are fetched, and a store that grows holds less of it twice. */
typedef struct kin_rt_pair {
    uint32_t a, b;      /* bodies, a < b */
    uint32_t contacts;  /* first */
    uint8_t kind, axis; /* axis: what parted two boxes last */
    _Atomic uint8_t flags;
} kin_rt_pair;

typedef struct kin_rt_links { /* of a pair, in the lists of a's and of b's */
    uint32_t next[2], last[2];
} kin_rt_links;

/* Of a pair without contacts. Its bodies were apart by a gap when they were asked last; the gap closes by no more than both have moved since. While that is less than the
 * gap but for the margin, they are not asked again. */
typedef struct kin_rt_wait {
    uint32_t a, b;
    double until; /* m: a and b travel so far, both together, before they may touch; 0: not known; state */
} kin_rt_wait;

typedef struct kin_rt_travel { /* of a body's surface: a bound on its path */
    double gone;               /* m, since it was made; state */
    double soon;               /* m: by the end of this interval, if nothing stops it */
} kin_rt_travel;

typedef struct kin_rt_contact {
    uint32_t pair, next;                                              /* next of the pair */
    uint32_t part_a, part_b;                                          /* of compounds */
    uint32_t colour : 32 - KIN_RT_SLOT_BITS, slot : KIN_RT_SLOT_BITS; /* slot: block x 8 + lane */
    float restitution, stick, slip;                                   /* how its materials meet */
} kin_rt_contact;

typedef struct kin_rt_colour {
    kin_rt_geometry* geometry;
    kin_rt_rows* rows;
    kin_rt_extra* extra;     /* NULL while no contact of this colour has any */
    uint8_t *flags, *dirty;  /* by block: KIN_RT_BOUNCES ...; to be prepared again */
    uint8_t* struck;         /* by block: whether a contact was struck in this substep */
    size_t capacity[6];      /* blocks */
    uint32_t count, cleared; /* contacts; blocks whose empty lanes are */
    uint32_t strayed;        /* contacts that came or moved since they were last in order */
} kin_rt_colour;

enum {
    KIN_RT_AWAKE = 1,
    KIN_RT_LEFT = 2,       /* its box, in this interval */
    KIN_RT_TURNS = 4,      /* moments that differ, and spin enough to feel it */
    KIN_RT_WAKING = 8,     /* will be awake in the next interval */
    KIN_RT_UNBOUNDED = 16, /* a plane */
    KIN_RT_HAS_PROXY = 32,
    KIN_RT_ROUND = 64,
    KIN_RT_MARKED = 128,
    KIN_RT_PLAIN = 1024,   /* its form lies in the body's frame as it is */
    KIN_RT_IN_BLOCK = 512, /* moved by a direct block */
    KIN_RT_CUT = 4096,     /* its way in this interval: it met something */
    KIN_RT_FRESH = 256,    /* woke in this interval, after the bodies were loaded */
    KIN_RT_CURVED = 2048,  /* its form, or a part of it, has a curved face */
};

typedef struct kin_rt_body {
    kin_vec3 middle, half;           /* m: of the form's box, in the body's axes */
    uint32_t proxy;                  /* in the broad phase, which knows it by a fat box: while its own is within, no pair is new */
    uint32_t pairs;                  /* first */
    uint32_t colours[KIN_RT_LEVELS]; /* bits, by level of the tree: taken by its contacts */
    uint32_t joint_colours;
    float rest;         /* s that it has been at rest; state, as the next three are */
    float rest_path;    /* m: that its surface has gone in this while of it */
    kin_vec3 rest_at;   /* m: where that began */
    float rest_turn[4]; /* and how it was turned there: x y z w */
    /* m/s, rad/s: velocity and spin as the last interval ended, their means of late, and by how much they changed in it; state, as the next is */
    float rate[6], mean_rate[6], change[6];
    uint8_t calm;     /* 1: it does not move on, and is not being set in motion */
    float part;       /* of its way that it goes before it meets something; scratch, as the next two are */
    float followed;   /* how much of its way was cut off when it was last asked who follows it */
    uint32_t carrier; /* keyed body that it then goes with; KIN_RT_NONE: it stays there */
    uint16_t flags;
    uint8_t motion; /* as it was made known */
} kin_rt_body;

typedef struct kin_rt_top {     /* a body whose moments differ, as it turns within the interval */
    kin_quat orientation, next; /* now; at the end of the substep, if nothing else turns it */
    kin_vec3 ahead;             /* rad/s: by how much it turns faster than its spin at the end of a substep says */
    kin_vec3 spin;              /* rad/s: then; its line has it in floats, with what else changed it since it was: */
    float written[3];           /* kept: gcc 12 takes (double)(float)x for x where it does two at once */
} kin_rt_top;

typedef struct kin_rt_list { /* grows; filled by many threads through `count` */
    uint32_t* data;
    size_t capacity;
    _Atomic uint32_t count;
} kin_rt_list;

typedef struct kin_rt_found { /* manifolds of a pair */
    uint32_t pair;
    int32_t count : 8;   /* -1: there was no room, look again */
    uint32_t first : 24; /* in the store */
} kin_rt_found;

/* Of both bodies: along x y z and about them, of a, then of b. */
enum { KIN_RT_LINEAR_A, KIN_RT_ANGULAR_A = 3, KIN_RT_LINEAR_B = 6, KIN_RT_ANGULAR_B = 9, KIN_RT_ENDS = 12 };

typedef struct kin_rt_joint_row {
    float j[KIN_RT_ENDS] __attribute__((aligned(16)));    /* J */
    float gain[KIN_RT_ENDS] __attribute__((aligned(16))); /* M^-1 J^t: what an impulse of one does to velocities */
    float error, target, mass, most;                      /* m or rad, but for J (dx, dr); m/s or rad/s; 1 / J M^-1 J^t; N s or N m s */
    float rate, give;                                     /* springs */
    float impulse, carried, sum;                          /* in a substep; what that began with; over the interval */
    uint8_t kind, slot;
} kin_rt_joint_row;

typedef struct kin_rt_joint {
    uint32_t first, count, colour; /* rows of this interval */
    uint32_t lane;                 /* of its point: block x 8 + lane; KIN_RT_NONE: it has none in this interval */
    uint32_t block;                /* that solves it; KIN_RT_NONE: soft rows */
    uint32_t joined;               /* the lowest body of all graphs that its block is of; KIN_RT_NONE: it has none; state */
    uint8_t stiff;                 /* intervals that it still keeps its block; state */
    uint8_t fast;                  /* intervals that a body of it has turned fast, KIN_RT_FAST at most; KIN_RT_NEW: before its first; state */
    bool opened;                   /* by a hit in this interval; scratch */
    float bears[3];                /* N s: in a substep, on a, but for blows */
    float impulse[KIN_JOINT_ROWS]; /* by slot, for the warm start; state */
    float force[3], torque[3];     /* N, N m: what it held, on b, about the anchor; state */
} kin_rt_joint;

typedef struct kin_rt_block kin_rt_block;

typedef struct kin_rt_set {   /* bodies that nothing holds but each other (momentum.c); of an interval */
    uint32_t first, count;    /* members */
    double mass;              /* kg */
    kin_vec3 center;          /* m: of mass as the interval began */
    kin_vec3 linear, angular; /* N s, N m s about it: as they ought to be at its end */
    double energy;            /* J: kinetic, as the interval began */
    bool jointed, driven;     /* by joints; by moving surfaces */
} kin_rt_set;

typedef struct kin_rt_meeting { /* of two bodies on their way, at a share of the interval */
    uint32_t a, b;
    double t, first; /* first: when it was found neither had been stopped before then */
    bool held, flip; /* held: the middle of a (flip: of b) is at the other's surface, and goes no farther */
    kin_vec3 normal; /* of that surface */
    double nearer;   /* m an interval: that it would come to it on its way up to t */
} kin_rt_meeting;

typedef struct kin_rt_news { /* an event, and its place in the order */
    uint64_t key;
    kin_touch_event event;
} kin_rt_news;

typedef struct kin_realtime {
    kin_group* group;
    kin_allocator allocator;
    double middle; /* s from the start of the interval: the mean of the times at which its substeps begin */
    const kin_rt_kernels* kernels;
    const kin_rt_point_kernels* point_kernels;
    kin_broad* broad;
    kin_rt_lines lines; /* line 0 is at rest; body i has line i + 1 */
    kin_rt_gain* gain;
    kin_rt_top* top;
    uint32_t tops_seen; /* bodies asked whether they are one */
    bool has_tops;
    kin_rt_body* body;
    kin_rt_solid* solid;
    kin_rt_glance* glance;
    kin_rt_travel* travel;
    size_t capacity[9]; /* motion, frame, place, gain, top, body, solid, glance, travel */
    kin_rt_list active; /* bodies that move: free and awake, or keyed; rising */
    kin_rt_list planes; /* unbounded bodies */
    kin_rt_list waking; /* bodies asleep that will not be; room for all */
    uint32_t* island;   /* of each body: towards the lowest number in it */
    size_t island_capacity;
    kin_rt_pair* pairs;
    kin_rt_links* links;
    uint32_t* listed;   /* of each pair: its place in `idle` */
    uint32_t* cache_of; /* of each pair: its cache of the general narrow phase, KIN_RT_NONE: it has none; NULL while none has */
    kin_rt_contact* contacts;
    size_t pair_capacity[4], contact_capacity; /* pairs, links, listed, cache_of */
    uint32_t pair_end, contact_end;            /* ever made */
    uint32_t free_pair, free_contact;          /* first unused, linked by contacts, next */
    uint32_t pair_count, contact_count;
    kin_collide_cache* caches;
    size_t cache_capacity;
    uint32_t cache_end;
    kin_rt_list free_caches;
    kin_rt_list idle;  /* pairs without contacts that may get some */
    kin_rt_wait* wait; /* of each of them */
    size_t wait_capacity;
    kin_rt_list ended; /* contacts, in this interval */
    kin_rt_list redo;  /* pairs, in this interval */
    kin_rt_list found_order;
    kin_rt_found* found;
    size_t found_capacity;
    _Atomic uint32_t found_count;
    kin_manifold* store;
    size_t store_capacity;
    _Atomic uint32_t store_count;
    kin_rt_joint* joint;
    kin_rt_joint_row* joint_rows;
    kin_rt_points* points; /* joints of a common point, by colour */
    kin_rt_turns* turns;
    uint32_t point_first[KIN_RT_JOINT_COLOURS + 2];      /* blocks */
    uint32_t *joint_order, *joint_of_body, *joint_first; /* by colour; of each body, and where its list begins */
    uint32_t* joint_walk;                                /* those of joint_order that have rows in this interval */
    uint32_t joint_walk_first[KIN_RT_JOINT_COLOURS + 2];
    uint32_t joint_bodies; /* bodies that joint_first knows */
    uint32_t joint_colour_first[KIN_RT_JOINT_COLOURS + 2];
    size_t joint_capacity[8];
    kin_rt_list unbarred; /* joints that came or went since: their bodies may meet now, or no longer */
    bool joints_changed;
    bool has_new_joints;        /* some may be */
    bool joints_work;           /* any has a body awake, or holds nothing now; as it was when movers_changed was last seen */
    bool movers_changed;        /* others are awake, or joints came or went */
    _Atomic bool joints_struck; /* in this substep */
    kin_rt_block* blocks;
    uint32_t block_count;
    size_t block_capacity;
    bool blocks_changed;
    kin_rt_set* sets;
    kin_rt_list members; /* of all sets, set after set */
    uint32_t* set_of;    /* of each line; KIN_RT_NONE: it is held */
    uint32_t set_count;
    size_t set_capacity[2]; /* set_of, sets */
    kin_rt_list fast;
    kin_rt_list shaken, shaken_first; /* contacts of small islands, by island, and where each begins; empty: not asked in this interval */
    kin_rt_meeting* meetings;
    size_t meeting_capacity;
    _Atomic uint32_t meeting_count;
    kin_rt_list met; /* bodies of those that stopped any in this interval, two and two */
    kin_rt_news* news;
    size_t news_count, news_capacity;
    uint32_t special_count; /* pairs */
    uint64_t *keys, *spare_keys;
    uint32_t *values, *spare_values;
    size_t sort_capacity[4];
    kin_rt_colour* colour;
    size_t colour_capacity;
    uint32_t colour_count;                  /* those there are: of the first leaf, or of all nodes */
    uint32_t leaf;                          /* bodies to a leaf; state */
    bool active_changed, recheck, filtered; /* recheck: pairs may be missing; filtered: the filter was there in the last interval */
    bool has_complex;                       /* there was a pair that is not KIN_RT_SIMPLE */
    _Atomic bool out_of_memory;
    _Atomic uint32_t cut;     /* speeds that were too large for floats, in this interval */
    _Atomic uint32_t unsound; /* first body that is not finite; KIN_NO_BODY: none */
} kin_realtime;

/* Nodes of a level that are solved side by side, and which of their colours. */
typedef struct kin_rt_stage {
    uint32_t node, nodes; /* the first; how many */
    uint32_t begin, end;  /* colours of each */
    uint32_t blocks;      /* in all of them */
} kin_rt_stage;

/* What all stages of one interval are given. */
typedef struct kin_rt_step {
    kin_realtime* rt;
    kin_step* step;
    double h;   /* s, interval */
    double sub; /* s, substep */
    int substeps;
    kin_rt_soft soft[2]; /* between free bodies; with others */
    kin_rt_soft joint_soft;
    kin_rt_stage stage[KIN_RT_LEVELS + 1]; /* static colours last */
} kin_rt_step;

static inline kin_vec3 kin_rt_get3(const float* x) { return kin_v((double)x[0], (double)x[1], (double)x[2]); }
static inline void kin_rt_put3(float* to, kin_vec3 v) { to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z; }
static inline uint32_t kin_rt_line(uint32_t body) { return body + 1; }
static inline bool kin_rt_is_free(const kin_realtime* rt, uint32_t body) { return rt->group->bodies.motion[body] == KIN_BODY_FREE; }
static inline bool kin_rt_moves(const kin_realtime* rt, uint32_t body) { return kin_rt_is_free(rt, body) && (rt->body[body].flags & KIN_RT_AWAKE) != 0; }
static inline kin_aabb kin_rt_fat(const kin_realtime* rt, uint32_t body) { return kin_broad_box(rt->broad, rt->body[body].proxy); }
static inline uint64_t kin_rt_pair_key(const kin_rt_pair* p) { return (uint64_t)p->a << 32 | p->b; }
static inline uint32_t kin_rt_blocks(const kin_realtime* rt, uint32_t colour) { return (rt->colour[colour].count + KIN_RT_LANES - 1) / KIN_RT_LANES; }

/* Free, and touches nothing in this interval (momentum.c). */
static inline bool kin_rt_is_alone(const kin_realtime* rt, uint32_t body)
{
    if (rt->set_count == 0) return false; /* nothing is free, or no memory was left to know of it */
    const uint32_t set = rt->set_of[kin_rt_line(body)];
    return set < rt->set_count && rt->sets[set].count == 1;
}

/* store.c: lists, pairs and contacts by number */
bool kin_rt_reserve(kin_realtime* rt, void** data, size_t* capacity, size_t count, size_t size);
bool kin_rt_list_reserve(kin_realtime* rt, kin_rt_list* list, size_t count);
void kin_rt_list_add(kin_rt_list* list, uint32_t value); /* room was made */
bool kin_rt_pair_make(kin_realtime* rt, uint32_t a, uint32_t b, uint32_t* out);
void kin_rt_pair_drop(kin_realtime* rt, uint32_t pair); /* with its contacts */
uint32_t kin_rt_pair_find(const kin_realtime* rt, uint32_t a, uint32_t b);
uint32_t kin_rt_pair_next(const kin_realtime* rt, uint32_t pair, uint32_t body);  /* in the body's list */
kin_collide_cache* kin_rt_cache_of(const kin_realtime* rt, const kin_rt_pair* p); /* NULL: it has none */
bool kin_rt_contact_make(kin_realtime* rt, uint32_t pair, const kin_manifold* m, uint32_t* out);
void kin_rt_contact_drop(kin_realtime* rt, uint32_t contact);
void kin_rt_contact_forget(kin_realtime* rt, uint32_t contact);       /* one that is in no colour */
bool kin_rt_pair_waits(const kin_realtime* rt, const kin_rt_pair* p); /* has no contacts, and may get some */
void kin_rt_idle_add(kin_realtime* rt, uint32_t pair);
void kin_rt_idle_remove(kin_realtime* rt, uint32_t pair);
void kin_rt_idle_recheck(kin_realtime* rt, uint32_t body); /* pairs of a body that is not where it was, or not what it was */
/* By the bodies of `count` pairs in rt->values: sorted there. */
bool kin_rt_sort_reserve(kin_realtime* rt, size_t count);
void kin_rt_sort_pairs(kin_realtime* rt, size_t count);
bool kin_rt_contacts_in_order(kin_realtime* rt, uint32_t* count); /* all into rt->values, by bodies; those of a pair as they were made */

/* graph.c: colours */
static inline bool kin_rt_is_static(uint32_t colour) { return colour >= KIN_RT_FIRST && (colour - KIN_RT_FIRST) % KIN_RT_OF_NODE >= KIN_RT_DYNAMIC; }
static inline uint32_t kin_rt_level_first(uint32_t level) { return 2 * KIN_RT_LEAVES - (2 * KIN_RT_LEAVES >> level); } /* node */
bool kin_rt_graph_make(kin_realtime* rt, uint32_t leaf); /* colours for such leaves; no contact is in one */
bool kin_rt_graph_divide(kin_realtime* rt);              /* leaves for the bodies there are */
bool kin_rt_graph_add(kin_realtime* rt, uint32_t contact);
bool kin_rt_graph_move(kin_realtime* rt, uint32_t contact, bool asleep);                   /* put away, or into a colour again */
bool kin_rt_graph_put(kin_realtime* rt, uint32_t contact, uint32_t colour, uint32_t slot); /* where it was; slot: in overflow */
void kin_rt_graph_remove(kin_realtime* rt, uint32_t contact);
bool kin_rt_graph_tidy(kin_realtime* rt); /* the colour most in disorder, if it is worth it */
void kin_rt_lane_clear(kin_rt_colour* c, uint32_t slot);
bool kin_rt_graph_flag(kin_realtime* rt, const kin_rt_contact* c, unsigned flags); /* with room for what the flags are about */

/* bodies.c */
bool kin_rt_bodies_reserve(kin_realtime* rt, uint32_t count);
bool kin_rt_body_learn(kin_realtime* rt, uint32_t body); /* from its skin and mass, as a restore does; false: out of memory */
void kin_rt_active_update(kin_realtime* rt);
void kin_rt_line_load(kin_realtime* rt, uint32_t body, double h, int substeps); /* h 0: of a body that does not move */
void kin_rt_travel_add(kin_realtime* rt, uint32_t body);                        /* from its start to its end of this interval */
void kin_rt_travel_between(kin_realtime* rt, uint32_t body, kin_transform from, kin_transform to);
/* Of its form as the interval began, along a way, grown. */
kin_aabb kin_rt_box_along(const kin_realtime* rt, uint32_t body, kin_vec3 way, double grow);
void kin_rt_begin(kin_rt_step* s);
void kin_rt_kick(kin_rt_step* s, bool first);
kin_vec3 kin_rt_spin(const kin_realtime* rt, uint32_t body); /* rad/s: of a top, in full */
void kin_rt_drift(kin_rt_step* s);
void kin_rt_finish(kin_rt_step* s);

/* pairs.c */
kin_rt_pair_kind kin_rt_kind_of(const kin_realtime* rt, uint32_t a, uint32_t b);
kin_broad_def kin_rt_broad_def(const kin_realtime* rt);
void kin_rt_form_box_set(kin_realtime* rt, uint32_t body);
bool kin_rt_proxy_add(kin_realtime* rt, uint32_t body, const kin_aabb* fat); /* fat NULL: as it is now */
void kin_rt_proxy_remove(kin_realtime* rt, uint32_t body);
void kin_rt_proxy_follow(kin_realtime* rt, uint32_t body); /* placed, or of another mobility or filter */
void kin_rt_pairs(kin_rt_step* s);

/* narrow.c */
void kin_rt_solid_make(kin_realtime* rt, uint32_t body);
void kin_rt_solid_load(kin_realtime* rt, uint32_t body, kin_transform pose, kin_mat3 axes, double h); /* pose and axes: of the body; h: of the interval */
double kin_rt_margin(const kin_realtime* rt, const kin_rt_pair* p);                                   /* m: what is nearer counts as touching */
/* m: of the margin what does not come from motion. */
double kin_rt_margin_at_rest(const kin_realtime* rt, const kin_rt_pair* p);
/* How many manifolds, at most `most`. *gap: where there is none, a lower bound of the distance, m; 0: not known. */
int kin_rt_collide(kin_realtime* rt, kin_rt_pair* p, double margin, kin_arena* scratch, kin_manifold* out, int most, double* gap);
bool kin_rt_is_even(const kin_realtime* rt, uint32_t i); /* a ball about its centre: turning moves nothing of it */
bool kin_rt_is_curved(const kin_form* f);                /* it, or a part of it, has a curved face */
/* s after the start of the interval: when the pair's manifolds were found. Where a body is then, by its velocity now. */
double kin_rt_time_ahead(const kin_realtime* rt, const kin_rt_pair* p);
kin_transform kin_rt_pose_ahead(const kin_realtime* rt, uint32_t i, double time);

/* touch.c */
void kin_rt_touch(kin_rt_step* s);
void kin_rt_prepare_dirty(kin_rt_step* s);

/* modify.c */
bool kin_rt_is_special(const kin_realtime* rt, uint32_t a, uint32_t b);
void kin_rt_decide_way(kin_realtime* rt, uint32_t pair, const kin_manifold* m);
void kin_rt_modify(kin_rt_step* s);

/* events.c */
void kin_rt_tell(kin_realtime* rt, kin_touch_event_kind kind, uint32_t a, uint32_t b, const kin_touch_event* about);
void kin_rt_touch_over(kin_realtime* rt, uint32_t pair);
void kin_rt_sensed(kin_realtime* rt, uint32_t pair, const kin_manifold* m);
void kin_rt_follow_touches(kin_rt_step* s);
void kin_rt_tell_all(kin_realtime* rt);

/* lane.c: a manifold into its lane */
void kin_rt_lane_stuff(kin_realtime* rt, kin_rt_contact* c);
void kin_rt_lane_friction(kin_realtime* rt, const kin_rt_contact* c); /* as its materials have it */
void kin_rt_lane_write(kin_realtime* rt, const kin_rt_contact* c, const kin_manifold* m, bool is_new);

/* joined.c */
bool kin_rt_joint_added(kin_realtime* rt, uint32_t joint);
void kin_rt_joint_removed(kin_realtime* rt, uint32_t joint);
void kin_rt_joints_follow(kin_realtime* rt, uint32_t body);            /* it may be of another mobility now */
bool kin_rt_is_barred(const kin_realtime* rt, uint32_t a, uint32_t b); /* joined by one that forbids them to meet */
/* What is joined to a body and moves, the body first: marked, and into rt->fast from `first` on, which has room for all. Returns the end of it. */
uint32_t kin_rt_list_joined(kin_realtime* rt, uint32_t from, uint32_t first);
void kin_rt_unmark(kin_realtime* rt, uint32_t end);
bool kin_rt_joints_update(kin_realtime* rt);

/* joints.c */
kin_rt_soft kin_rt_joint_soft(double h, double strike);
void kin_rt_joints_begin(kin_rt_step* s);
void kin_rt_joints_pass(kin_rt_step* s, kin_rt_joint_pass pass);
void kin_rt_joints_close(kin_rt_step* s); /* close.c: those that a hit opened */
void kin_rt_joints_end(kin_rt_step* s);

/* blocks.c */
bool kin_rt_blocks_update(kin_realtime* rt);
bool kin_rt_blocks_of_new(kin_realtime* rt); /* for joints of bodies that are fast already */
void kin_rt_blocks_free(kin_realtime* rt);
void kin_rt_blocks_begin(kin_rt_step* s);
void kin_rt_blocks_solve(kin_rt_step* s);
void kin_rt_blocks_relax(kin_rt_step* s, bool last);
void kin_rt_blocks_end(kin_rt_step* s);
void kin_rt_blocks_judge(kin_rt_step* s); /* which joints were too much for soft rows */
bool kin_rt_block_load(const kin_realtime* rt, uint32_t joint, kin_vec3* force, kin_vec3* torque);
const uint32_t* kin_rt_block_bodies(const kin_realtime* rt, uint32_t block, int* count); /* rising */
void kin_rt_blocks_visit(kin_realtime* rt, kin_visitor* v);
double kin_rt_blocks_error(const kin_realtime* rt); /* m: worst joint */

/* sleep.c */
bool kin_rt_islands_begin(kin_realtime* rt);                /* every body its own */
uint32_t kin_rt_island_of(kin_realtime* rt, uint32_t body); /* the lowest number in it */
void kin_rt_island_join(kin_realtime* rt, uint32_t a, uint32_t b);
bool kin_rt_change_flag(kin_realtime* rt, const uint32_t* bodies, uint32_t count, unsigned flag); /* flips it; contacts find their new place */
void kin_rt_wake(kin_realtime* rt, uint32_t body);                                                /* by the next kin_rt_wake_all */
void kin_rt_wake_supported(kin_realtime* rt, uint32_t body);                                      /* all that hangs together with it by contacts and joints */
void kin_rt_wake_driven(kin_realtime* rt);                                                        /* what keyed bodies, moving surfaces and motors move */
bool kin_rt_wake_all(kin_rt_step* s);
void kin_rt_rest(kin_rt_step* s);
void kin_rt_sleep(kin_realtime* rt, uint32_t body);

/* report.c: contact impulses of an interval; nothing unless they are wanted */
void kin_rt_report_begin(kin_rt_step* s);
void kin_rt_report_substep(kin_rt_step* s); /* when all rows have had their say, and before blows are forgotten */
/* On a, of a point of a contact that a direct block solved: along the normal from b to a, along t1, and along that normal x t1; N s. */
void kin_rt_report_direct(kin_realtime* rt, const kin_rt_contact* c, int point, double n, double t, double k);
void kin_rt_report_end(kin_rt_step* s);

/* visit.c */
void kin_rt_visit(kin_realtime* rt, kin_visitor* v);

/* momentum.c */
void kin_rt_momenta_begin(kin_rt_step* s); /* before the substeps, when all contacts are known */
void kin_rt_momenta_meet(kin_rt_step* s);  /* when it is known which bodies met on their way, and lone ones are still as the interval began */
void kin_rt_momenta_end(kin_rt_step* s);

/* sweep.c */
void kin_rt_sweep(kin_rt_step* s);

/* strike.c */
void kin_rt_forget_blows(kin_rt_step* s);

/* shock.c */
void kin_rt_shocks(kin_rt_step* s, bool relax); /* small islands that were struck */

/* solver.c */
void kin_rt_substeps(kin_rt_step* s);
