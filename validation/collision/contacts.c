/* contacts.c - contact points: on both bodies whatever they are and however large, the polygon that they span, and a book over a table's edge. */
#include "validation/collision/contacts.h"
#include "validation/cases.h"
#include "validation/rigid/rig.h"
#include "math/quat.h"
#include <stdio.h>

static void points(kin_case_run* run)
{
    const kin_allocator allocator = kin_allocator_default();
    kin_dice d = {11};
    kin_arena scratch;
    kin_arena_init(&scratch, &allocator);
    for (int a = 0; a < CONTACT_KINDS; ++a) {
        contact_law law = {0};
        for (int b = 0; b < CONTACT_KINDS; ++b) contact_kinds(&d, (contact_kind)a, (contact_kind)b, run->full ? 35 : 1, 20, &scratch, &law);
        kin_case_row(run, contact_names[a], "points that are not on both bodies", (double)law.off, 0, 0, "the margin, and half of the overlap");
        kin_case_row(run, contact_names[a], "many pairs have points", 2 * law.points > law.pairs, 1, 0, "the test bites");
    }
    kin_arena_term(&scratch);
}

static void polygons(kin_case_run* run)
{
    const kin_allocator allocator = kin_allocator_default();
    kin_dice d = {12};
    kin_arena scratch;
    contact_flat law = contact_flat_zero();
    kin_arena_init(&scratch, &allocator);
    contact_flats(&d, run->full ? 16000 : 150, 20, &scratch, &law);
    kin_case_row(run, "boxes and hulls", "pairs with another normal than their faces'", 1 - (double)law.found / (double)law.pairs, 0, 0.01,
                 "laid flat on each other");
    kin_case_row(run, "four corners", "area of the points over the overlap's", law.least_corner, 1, 1e-6, "clipped by brute force");
    kin_case_row(run, "more corners", "at least half of the area", law.least_area >= 0.5, 1, 0, "the longest line, and the widest across it");
    kin_case_row(run, "more corners", "at least a third of every extent", law.least_extent >= 1.0 / 3, 1, 0, "the longest line, and the widest across it");
    kin_arena_term(&scratch);
}

/* ---- a book on a table ---- */

typedef enum table { TABLE_BOX, TABLE_WIDE, TABLE_HULL, TABLE_MESH, TABLES } table;
static const char* const table_names[TABLES] = {"table of 1 m", "table of 200 m", "table and book as hulls", "table as a mesh"};

/* Its top is at y = 0, its edge at x = 0. */
static void add_table(kin_yard* y, table kind)
{
    const double wide = kind == TABLE_WIDE ? 200 : 1;
    kin_vec3 corners[8];
    static const uint32_t sizes[6] = {4, 4, 4, 4, 4, 4}, quads[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    for (int i = 0; i < 8; ++i) corners[i] = kin_v(i & 1 ? 0.5 : -0.5, i & 2 ? 0.05 : -0.05, i & 4 ? 0.5 : -0.5);
    kin_shape s = {.kind = KIN_SHAPE_BOX, .size = {wide, 0.1, wide}};
    if (kind == TABLE_HULL) s = (kin_shape){.kind = KIN_SHAPE_HULL, .points = {corners, 8}};
    if (kind == TABLE_MESH) s = (kin_shape){.kind = KIN_SHAPE_MESH, .mesh = {corners, 8, sizes, quads, 6}};
    kin_yard_collider(y, &s, kin_v(-0.5 * wide, -0.05, 0), (kin_quat){0, 0, 0, 1});
}

static uint32_t add_book(kin_yard* y, table kind, kin_vec3 size, double x)
{
    const kin_vec3 position = {x, 0.5 * size.y, 0.013};
    if (kind != TABLE_HULL) return kin_yard_box(y, size, position, kin_v(0, 0, 0));
    kin_vec3 corners[8];
    for (int i = 0; i < 8; ++i) corners[i] = kin_mul(kin_scale(size, 0.5), kin_v(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
    kin_body_def def = y->body;
    def.shape = (kin_shape){.kind = KIN_SHAPE_HULL, .points = {corners, 8}};
    def.position = position;
    return kin_yard_add(y, &def);
}

/* Whether a book falls that is laid on the table with a share of its length over the edge. */
static bool falls(kin_case_run* run, kin_rigid_mode mode, table kind, double share)
{
    const kin_vec3 size = {0.24, 0.03, 0.17};
    kin_yard y = kin_yard_begin(run, mode, 1.0 / 120);
    y.friction = 0.4;
    kin_yard_open(&y);
    add_table(&y, kind);
    uint32_t book = add_book(&y, kind, size, (share - 0.5) * size.x);
    kin_yard_steps(&y, 150);
    bool fell = kin_yard_state(&y, book).center.y < -0.01 && kin_yard_ok(&y);
    kin_yard_close(&y);
    return fell;
}

/* Pushed on by steps of that length, so many times a second, until it leans, or as often as it takes to be three of its lengths beyond: the share over the edge
 * before the last push, or 3 if it is still up there a second later. */
static double share_that_tips(kin_case_run* run, kin_rigid_mode mode, table kind, double push, int often)
{
    const kin_vec3 size = {0.24, 0.03, 0.17};
    kin_yard y = kin_yard_begin(run, mode, 1.0 / 120);
    y.friction = 0.4;
    kin_yard_open(&y);
    add_table(&y, kind);
    uint32_t book = add_book(&y, kind, size, -0.04 * size.x);
    double share = 0;
    while (share < 3 && kin_yard_ok(&y)) {
        kin_yard_steps(&y, 120 / often);
        kin_body_state s = kin_yard_state(&y, book);
        if (kin_rotate(s.pose.orientation, kin_v(1, 0, 0)).y < -0.05 || s.center.y < 0) break;
        share = s.center.x / size.x + 0.5;
        s.center.x += push;
        kin_rigid_place(y.world, y.system, book, (kin_transform){s.center, s.pose.orientation}, s.velocity, s.spin);
    }
    kin_yard_steps(&y, 120);
    if (kin_yard_state(&y, book).center.y > -0.01) share = 3;
    kin_yard_close(&y);
    return share;
}

/* Sliding on ice at 5 mm/s, from 0.47 on: the share over the edge when it leans by 3 degrees. */
static double share_that_slides(kin_case_run* run, kin_rigid_mode mode, table kind)
{
    const kin_vec3 size = {0.24, 0.03, 0.17};
    kin_yard y = kin_yard_begin(run, mode, 1.0 / 120);
    kin_yard_open(&y);
    add_table(&y, kind);
    uint32_t book = add_book(&y, kind, size, -0.03 * size.x);
    kin_body_state s = kin_yard_state(&y, book);
    kin_rigid_place(y.world, y.system, book, (kin_transform){s.center, s.pose.orientation}, kin_v(5e-3, 0, 0), s.spin);
    for (int i = 0; i < 600 && kin_rotate(s.pose.orientation, kin_v(1, 0, 0)).y > -0.05; ++i) {
        kin_yard_step(&y);
        s = kin_yard_state(&y, book);
    }
    kin_yard_close(&y);
    return s.center.x / size.x + 0.5;
}

static void book(kin_case_run* run)
{
    for (int m = 0; m < 2; ++m) {
        for (int k = 0; k < TABLES; ++k) {
            char method[64];
            snprintf(method, sizeof method, "%s, %s", m ? "exact" : "realtime", table_names[k]);
            const kin_rigid_mode mode = m ? KIN_RIGID_EXACT : KIN_RIGID_REALTIME;
            const double shares[] = {0.51, 0.6, 0.8, 0.99, 1.01, 1.2, 1.5, 2};
            int wrong = falls(run, mode, (table)k, 0.49);
            for (size_t i = 0; i < sizeof shares / sizeof *shares; ++i) wrong += !falls(run, mode, (table)k, shares[i]);
            kin_case_row(run, method, "places over the edge where a book hangs in the air, or falls too soon", wrong, 0, 0, "its centre is over the edge");
            kin_case_row(run, method, "share over the edge at which a book tips, pushed by 0.5 mm at 4 Hz", share_that_tips(run, mode, (table)k, 5e-4, 4), 0.5,
                         0.0101, "its centre is over the edge");
            kin_case_row(run, method, "share over the edge at which a sliding book leans by 3 degrees", share_that_slides(run, mode, (table)k), 0.5, 0.03,
                         "it falls for half a second");
            double far = 0;
            for (int p = 1; p <= 8; ++p) far = kin_max(far, share_that_tips(run, mode, (table)k, 0.01 * p, 30));
            kin_case_row(run, method, "the same, by 1 to 8 cm at 30 Hz: not for ever", far < 3, 1, 0, "nothing is under it");
        }
    }
}

const kin_case kin_cases_contacts[] = {
    {"collision/contact-points", "Contact points of every two kinds of form, 1 mm to 1 km, lie on both.", points},
    {"collision/contact-polygons", "Faces on faces: what four points span of the clipped overlap.", polygons},
    {"collision/table-edge", "A book falls where its centre passes the edge, in both modes.", book},
    {NULL, NULL, NULL},
};
