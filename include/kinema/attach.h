/** @file attach.h
 * Holding on to things: damped springs and rigid links between an element and a point in space, a collider or another element; and the mouse.
 *
 *     kin_attachment_def def = kin_attachment_def_default();
 *     kin_attachment_id hand;
 *     kin_world_grab(world, eye, direction, 0.1, &def, &hand, &error);   // button down
 *     kin_world_drag(world, hand, eye, direction, &error);               // mouse moved
 *     kin_world_release(world, hand, &error);                            // button up
 *
 * All but kin_world_add_attachment are commands: stamped with the coming step, recorded, replayed. To nail an element where it is, set its mobility to
 * static (kin_world_set_mobility). */
#pragma once
#include "kinema/anchor.h"
#include "kinema/base.h"
#include "kinema/math.h"
#include "kinema/world.h"

/** An attachment of a world; never used again once it is gone. {0} is null. */
typedef struct kin_attachment_id {
    uint32_t serial; /**< from 1 */
} kin_attachment_id;

/** Where the held point of space is at a time; smooth between keys. */
typedef struct kin_attachment_key {
    double time;    /**< s; rises from key to key */
    kin_vec3 point; /**< m */
} kin_attachment_key;

/** What holds what, and how. */
typedef struct kin_attachment_def {
    kin_anchor a;                   /**< an element of a system */
    kin_anchor b;                   /**< an element of a system, or a collider (system 0); not read with to_point */
    bool to_point;                  /**< a is held to a point of space instead */
    kin_vec3 point;                 /**< m */
    bool rigid;                     /**< at rest length at the end of every interval; stiffness and damping are not read */
    double stiffness;               /**< N/m, > 0; no value is too stiff: what an interval cannot show is damped */
    double damping_ratio;           /**< of critical damping: 0 swings on, 1 comes to rest soonest */
    double damping;                 /**< N s/m, in addition */
    double rest;                    /**< m, rest length; 0 pulls together from every side, and damps sideways too */
    double max_force;               /**< N: never pulls harder; 0: no limit */
    double break_force;             /**< N: breaks when it would have to; 0: never */
    kin_vec3 facing;                /**< normal of the plane that drags move it in; 0: it faces each ray */
    const kin_attachment_key* keys; /**< of the point over time; only kin_world_add_attachment takes them */
    size_t key_count;               /**< 0: the point stays until a command moves it */
} kin_attachment_def;

/** What an attachment is doing. */
typedef struct kin_attachment_view {
    kin_vec3 a, b;  /**< m: its two ends now */
    kin_vec3 force; /**< N: on a, mean over the last interval; b felt the opposite */
} kin_attachment_view;

/** 1 kN/m, critically damped, of no rest length, to the origin. */
KIN_API kin_attachment_def kin_attachment_def_default(void);
/** Part of building a world, as colliders are: there at once, not a command. out may be NULL. */
KIN_API kin_result kin_world_add_attachment(kin_world* world, const kin_attachment_def* def, kin_attachment_id* out, kin_error* error);
/** From the next step on. out may be NULL. */
KIN_API kin_result kin_world_attach(kin_world* world, const kin_attachment_def* def, kin_attachment_id* out, kin_error* error);
/** One that is gone already (broken, detached) is an error. */
KIN_API kin_result kin_world_detach(kin_world* world, kin_attachment_id id, kin_error* error);
/** Moves the point of space that an attachment holds to; its keys, if it had any, end. */
KIN_API kin_result kin_attachment_set_target(kin_world* world, kin_attachment_id id, kin_vec3 point, kin_error* error);
/** False: there is none such (never was, detached, or broken). */
KIN_API bool kin_attachment_look(const kin_world* world, kin_attachment_id id, kin_attachment_view* out);

/** Takes hold of the movable element nearest the ray, at most `reach` (m) off it and hidden by no collider, with an attachment to where it is now.
 * def gives stiffness, damping and force limits, and may be NULL. Finding nothing is no error: *out is then null. */
KIN_API kin_result kin_world_grab(kin_world* world, kin_vec3 origin, kin_vec3 direction, double reach, const kin_attachment_def* def, kin_attachment_id* out,
                                  kin_error* error);
/** Moves what was grabbed: its target goes to where the ray meets the plane that faced the ray of the grab. */
KIN_API kin_result kin_world_drag(kin_world* world, kin_attachment_id id, kin_vec3 origin, kin_vec3 direction, kin_error* error);
/** Lets go. */
KIN_API kin_result kin_world_release(kin_world* world, kin_attachment_id id, kin_error* error);
