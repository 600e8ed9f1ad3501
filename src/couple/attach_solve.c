/* attach_solve.c - what attachments do in an interval.
 *
 * An impulse at the start of an interval of length h moves the stretch e (a - b) by d = h v + lag h^2 g, v being the velocity after it. The law asks for
 *
 *     d = p d_last - beta e + gamma h^2 g          p = r1 r2, beta = (1 - r1)(1 - r2), gamma = beta / (omega h)^2
 *
 * where r1 and r2 are the factors exp(s h) by which the two modes of the damped spring m e'' + c e' + k e = m g go on in an interval: a lone spring is then
 * where the exact one is at the end of every interval, whatever h, and hangs where k e = m g. Both factors lie within the unit circle: no stiffness and no
 * jump of the target can blow up. What swings faster than a quarter turn an interval cannot be shown: it is slowed to that and damped in proportion. A
 * rigid link is r1 = r2 = 0.
 *
 * With a rest length the same law holds for the length alone, by an impulse along the link: of a rigid one that is SHAKE, which gains and loses no energy.
 *
 * Attachments that share an element are solved together. With v the velocity without any of them, W what impulses x do to velocities, the law is linear,
 *
 *     (W + diag(W_ii p / (1 - p))) x = bias / (1 - p) - v,
 *
 * symmetric and positive definite: conjugate gradients, to round-off; lengths bend it, so they are done a few times over. Stiff ones in company are damped as
 * implicit Euler does, and bear any number of others. */
#include "base/error.h"
#include "base/sort.h"
#include "couple/attach.h"

enum { MOST_ROUNDS = 10, MOST_ITERATIONS = 2000 };
#define SETTLED 1e-13  /* of the largest: what changes less is done */
#define LOOSE 1e-3     /* what still changed more when the rounds were over is reported */
#define UNDAMPED 1e-13 /* 1 - p is at least this, so that the matrix is finite */

/* ---- the law ---- */

static kin_attachment_law law_of_modes(double rho, double phi, double turn)
{
    double half = kin_sin(phi / 2), beta = kin_square(1 - rho) + 4 * rho * half * half;
    return (kin_attachment_law){rho * rho, beta, beta / (turn * turn)};
}

static kin_attachment_law swinging(double omega, double ratio, double h)
{
    double turn = omega * h, phi = turn * kin_sqrt(1 - ratio * ratio), rho = kin_exp(-ratio * turn);
    if (phi > KIN_PI / 2) {
        rho *= KIN_PI / 2 / phi;
        phi = KIN_PI / 2;
    }
    return law_of_modes(rho, phi, turn);
}

static kin_attachment_law creeping(double omega, double ratio, double h)
{
    double root = ratio + kin_sqrt(ratio * ratio - 1);
    double r1 = kin_exp(-omega * h / root), r2 = kin_exp(-omega * h * root), beta = (1 - r1) * (1 - r2);
    return (kin_attachment_law){r1 * r2, beta, beta / kin_square(omega * h)};
}

/* With others at its element: implicit Euler bears any number, also where they pull against each other, for none is stiffer than its spring. Few and slow ones
 * need no such damping. */
static kin_attachment_law euler(double omega, double ratio, double h)
{
    double turn = omega * h, p = 1 / (1 + 2 * ratio * turn + turn * turn);
    return (kin_attachment_law){p, turn * turn * p, p};
}

kin_attachment_law kin_attachment_law_of(const kin_attachment_def* def, double give, uint32_t company, double h)
{
    if (def->rigid) return (kin_attachment_law){0, 1, 0};
    double omega = kin_sqrt(def->stiffness * give);
    double ratio = def->damping_ratio + 0.5 * def->damping * give / omega;
    kin_attachment_law law = ratio < 1 ? swinging(omega, ratio, h) : creeping(omega, ratio, h);
    return company > 1 && company * law.beta > 1 ? euler(omega, ratio, h) : law;
}

/* ---- the two ends ---- */

static void read_give(const kin_attachments* list, const kin_world* world, kin_anchor anchor, kin_attachment_side* side)
{
    const kin_anchor anchors[3] = {anchor, anchor, anchor};
    const kin_wrench units[3] = {{.impulse = {1, 0, 0}}, {.impulse = {0, 1, 0}}, {.impulse = {0, 0, 1}}};
    kin_twist dv[3];
    list->verbs.respond(world, anchors, units, 3, dv);
    side->give = (kin_mat3){dv[0].velocity, dv[1].velocity, dv[2].velocity};
    side->turn = (kin_mat3){dv[0].spin, dv[1].spin, dv[2].spin};
    side->moves = kin_mat3_trace(side->give) > 0;
}

/* Elements have a velocity; what answers no push has a path: its velocity is what takes it to its end. */
static void read_side(const kin_attachments* list, size_t item, bool b, const kin_world* world, const kin_step* step, kin_attachment_side* side)
{
    const kin_attachment_def* def = &list->items[item].def;
    kin_anchor anchor = b ? def->b : def->a;
    kin_motion start, end;
    *side = (kin_attachment_side){0};
    if (b && def->to_point) {
        side->position = kin_attachments_point(list, item, step->time);
        side->velocity = kin_scale(kin_sub(kin_attachments_point(list, item, step->time + step->h), side->position), 1 / step->h);
        return;
    }
    list->verbs.motion(world, &anchor, 1, 0, &start);
    side->position = start.pose.position;
    side->velocity = start.velocity;
    if (anchor.system != KIN_WORLD_SYSTEM) {
        read_give(list, world, anchor, side);
        return;
    }
    list->verbs.motion(world, &anchor, 1, 1, &end);
    side->velocity = kin_scale(kin_sub(end.pose.position, start.pose.position), 1 / step->h);
}

/* Gives the sides of one element one node; what does not move has none in common. */
static void join_sides(kin_attachments* list)
{
    size_t count = 2 * list->count;
    for (size_t i = 0; i < count; ++i) {
        const kin_attachment_def* def = &list->items[i / 2].def;
        kin_anchor anchor = i % 2 == 0 ? def->a : def->b;
        list->order[i] = (uint64_t)anchor.system << 32 | anchor.element;
        list->order_side[i] = (uint32_t)i;
    }
    kin_sort_keys(list->order, list->order_side, list->order_scratch, list->order_side_scratch, count);
    for (size_t begin = 0, end; begin < count; begin = end) {
        kin_vec3 place = list->sides[list->order_side[begin]].position;
        for (end = begin; end < count && list->order[end] == list->order[begin]; ++end) {
            kin_attachment_side* side = &list->sides[list->order_side[end]];
            side->node = (uint32_t)begin;
            side->arm = kin_sub(side->position, place);
        }
        for (size_t i = begin; i < end; ++i) {
            kin_attachment_side* side = &list->sides[list->order_side[i]];
            side->company = side->moves ? (uint32_t)(end - begin) : 0;
        }
    }
}

static void gather(kin_attachments* list, const kin_world* world, const kin_step* step)
{
    for (size_t i = 0; i < list->count; ++i) {
        read_side(list, i, false, world, step, &list->sides[2 * i]);
        read_side(list, i, true, world, step, &list->sides[2 * i + 1]);
    }
    join_sides(list);
}

/* ---- one attachment ---- */

/* h^2 g of a beside b: what does not move does not fall. */
static kin_vec3 relative_fall(const kin_attachment_side* sides, const kin_step* step)
{
    double share = (double)sides[0].moves - (double)sides[1].moves;
    return kin_scale(step->fields->gravity, share * step->h * step->h);
}

/* How much of h^2 g the last interval added beside the velocity: 1 for one integrator, a half for another, 0 for what lies on the ground. */
static void learn_lags(kin_attachments* list, const kin_world* world, const kin_step* step)
{
    gather(list, world, step);
    for (size_t i = 0; i < list->count; ++i) {
        kin_attachment* item = &list->items[i];
        const kin_attachment_side* sides = &list->sides[2 * i];
        kin_vec3 fall = relative_fall(sides, step), e = kin_sub(sides[0].position, sides[1].position);
        double size = kin_length2(fall);
        if (item->expects && size > 0) item->lag = kin_clamp(kin_dot(kin_sub(e, item->expected), fall) / size, 0, 1);
    }
}

/* Velocity of a beside b after its impulse, for one without rest length. */
static kin_vec3 wanted_velocity(const kin_attachment* item, kin_attachment_law law, kin_vec3 e, kin_vec3 v, kin_vec3 fall, double h)
{
    double of_fall = law.gamma - item->lag - law.p * (1 - item->lag);
    kin_vec3 d = kin_sub(kin_scale(v, law.p * h), kin_scale(e, law.beta));
    return kin_scale(kin_add_scaled(d, of_fall, fall), 1 / h);
}

/* Change of velocity along the unit n = e / |e| that brings the length at the interval's end to where the law wants it; v without its own impulse, v_end with
 * it as it is known so far. */
static double wanted_along(const kin_attachment* item, kin_attachment_law law, kin_vec3 e, kin_vec3 n, kin_vec3 v, kin_vec3 v_end, kin_vec3 fall, double h)
{
    double length = kin_length(e);
    kin_vec3 last = kin_sub(kin_scale(v, h), kin_scale(fall, 1 - item->lag));
    kin_vec3 free_end = kin_add_scaled(kin_add_scaled(e, h, v), item->lag, fall), end = kin_add_scaled(free_end, h, kin_sub(v_end, v));
    double grown = length - kin_length(kin_sub(e, last));
    double goal = kin_max(length + law.p * grown - law.beta * (length - item->def.rest) + law.gamma * kin_dot(fall, n), 0);
    double across = kin_length2(kin_add_scaled(end, -kin_dot(end, n), n));
    return (kin_sqrt(kin_max(goal * goal - across, 0)) - kin_dot(free_end, n)) / h;
}

/* ---- all of them ---- */

/* An element turns, too: what pulls at one place of it moves the others by its own share. */
static void push_node(kin_twist* node, const kin_attachment_side* side, kin_vec3 impulse)
{
    kin_vec3 spin = kin_mat3_apply(side->turn, impulse);
    node->velocity = kin_add(node->velocity, kin_sub(kin_mat3_apply(side->give, impulse), kin_cross(spin, side->arm)));
    node->spin = kin_add(node->spin, spin);
}

static kin_vec3 velocity_at(const kin_twist* node, const kin_attachment_side* side) { return kin_add(node->velocity, kin_cross(node->spin, side->arm)); }

/* Of a beside b, by what was spread. */
static kin_vec3 relative(const kin_attachments* list, size_t i)
{
    const kin_attachment_side *a = &list->sides[2 * i], *b = a + 1;
    return kin_sub(velocity_at(&list->change[a->node], a), velocity_at(&list->change[b->node], b));
}

/* Velocity of a beside b by its own impulse: the two may be places of one element. */
static kin_mat3 give_of(const kin_attachment_side* a, const kin_attachment_side* b)
{
    kin_vec3 columns[3];
    for (int k = 0; k < 3; ++k) {
        kin_twist nodes[2] = {0};
        kin_twist* other = a->node == b->node ? &nodes[0] : &nodes[1];
        push_node(&nodes[0], a, kin_axis(k));
        push_node(other, b, kin_neg(kin_axis(k)));
        columns[k] = kin_sub(velocity_at(&nodes[0], a), velocity_at(other, b));
    }
    return (kin_mat3){columns[0], columns[1], columns[2]};
}

/* change = what these impulses (a member of the rows) do to the nodes. */
static void spread(kin_attachments* list, size_t member)
{
    for (size_t i = 0; i < 2 * list->count; ++i) list->change[i] = (kin_twist){0};
    for (size_t i = 0; i < list->count; ++i) {
        const kin_attachment_side* sides = &list->sides[2 * i];
        kin_vec3 x = *(const kin_vec3*)((const char*)&list->rows[i] + member);
        push_node(&list->change[sides[0].node], &sides[0], x);
        push_node(&list->change[sides[1].node], &sides[1], kin_neg(x));
    }
}

static bool is_length(const kin_attachment_row* row) { return kin_length2(row->n) > 0; }

/* Only what the row can answer. */
static kin_vec3 within(const kin_attachment_row* row, kin_vec3 v) { return is_length(row) && row->across == 0 ? kin_scale(row->n, kin_dot(row->n, v)) : v; }

/* v with its part along the row's direction and the rest scaled, each by its own. */
static kin_vec3 stretch(const kin_attachment_row* row, kin_vec3 v, double along, double across)
{
    if (!is_length(row)) return kin_scale(v, along);
    kin_vec3 part = kin_scale(row->n, kin_dot(row->n, v));
    return kin_add_scaled(kin_scale(part, along), row->across > 0 ? across : 0, kin_sub(v, part));
}

/* Row i of the matrix times what was spread. Along: p of the law; across: p = 1 / (1 + across). */
static kin_vec3 product(const kin_attachments* list, size_t i, kin_vec3 x)
{
    const kin_attachment_row* row = &list->rows[i];
    kin_vec3 own = stretch(row, kin_mat3_apply(row->give, x), row->law.p / (1 - row->law.p), 1 / row->across);
    return within(row, kin_add(relative(list, i), own));
}

/* By the inverse of the matrix's diagonal. */
static kin_vec3 scaled(const kin_attachment_row* row, kin_vec3 v)
{
    double across = kin_mat3_trace(row->give) / 3 * (1 + 1 / row->across);
    return stretch(row, v, 1 / row->diagonal, 1 / across);
}

/* A link under tension T swings across itself with (omega h)^2 = T W h^2 / length. What is slow needs no care; what is too fast for impulses along the link
 * as it is at the start is held across, too, by T / length: implicitly, which damps it. By the tension of the last interval. */
static double hold_across(const kin_attachment* item, const kin_attachment_row* row, double h)
{
    double swing = kin_max(-kin_dot(item->force, row->n), 0) * kin_mat3_trace(row->give) / 3 * h * h / item->def.rest;
    return swing * kin_clamp(4 * swing - 1, 0, 1);
}

static void open_row(kin_attachments* list, size_t i, const kin_step* step)
{
    const kin_attachment* item = &list->items[i];
    const kin_attachment_side* sides = &list->sides[2 * i];
    kin_attachment_row* row = &list->rows[i];
    *row = (kin_attachment_row){.give = give_of(&sides[0], &sides[1]), .fixed = !sides[0].moves && !sides[1].moves};
    row->impulse = kin_ledger_total(step->ledger, (kin_entry_key){KIN_COUPLER_ATTACH, item->serial}).impulse;
    row->diagonal = kin_mat3_trace(row->give) / 3;
    if (item->def.rest > 0) {
        row->n = kin_normalize_or(kin_sub(sides[0].position, sides[1].position), kin_v(0, 1, 0));
        row->diagonal = kin_dot(row->n, kin_mat3_apply(row->give, row->n));
        row->fixed = row->fixed || !(row->diagonal > 0);
    }
    if (row->fixed) return;
    row->law = kin_attachment_law_of(&item->def, row->diagonal, sides[0].company > sides[1].company ? sides[0].company : sides[1].company, step->h);
    row->law.p = kin_min(row->law.p, 1 - UNDAMPED);
    row->diagonal /= 1 - row->law.p;
    if (item->def.rest > 0) row->across = hold_across(item, row, step->h);
}

/* What was pushed in an earlier pass is in the velocities: it is taken out. */
static void open_rows(kin_attachments* list, const kin_step* step)
{
    for (size_t i = 0; i < list->count; ++i) open_row(list, i, step);
    spread(list, offsetof(kin_attachment_row, impulse));
    for (size_t i = 0; i < list->count; ++i) {
        kin_vec3 v = kin_sub(list->sides[2 * i].velocity, list->sides[2 * i + 1].velocity);
        list->rows[i].velocity = kin_sub(v, relative(list, i));
    }
}

/* The law at the present solution: of a length it depends on how the link turns. Needs `change` of the impulses. */
static void renew_bias(kin_attachments* list, size_t i, const kin_step* step)
{
    const kin_attachment* item = &list->items[i];
    const kin_attachment_side* sides = &list->sides[2 * i];
    kin_attachment_row* row = &list->rows[i];
    kin_vec3 e = kin_sub(sides[0].position, sides[1].position), fall = relative_fall(sides, step);
    kin_vec3 v_end = kin_add(row->velocity, relative(list, i)), v = kin_sub(v_end, kin_mat3_apply(row->give, row->impulse));
    if (!is_length(row)) {
        row->bias = kin_add_scaled(wanted_velocity(item, row->law, e, v, fall, step->h), -row->law.p, v);
    } else {
        double now = kin_dot(row->n, v);
        row->bias = kin_scale(row->n, wanted_along(item, row->law, e, row->n, v, v_end, fall, step->h) + (1 - row->law.p) * now);
    }
}

/* Residuals at the present solution. Returns their square, scaled by the diagonal; *whole is that of what they are the difference of. */
static double begin_gradients(kin_attachments* list, double* whole)
{
    double square = *whole = 0;
    for (size_t i = 0; i < list->count; ++i) {
        kin_attachment_row* row = &list->rows[i];
        row->left = row->step = kin_v(0, 0, 0);
        if (row->fixed) continue;
        kin_vec3 wanted = kin_sub(kin_scale(row->bias, 1 / (1 - row->law.p)), row->velocity);
        kin_vec3 have = product(list, i, row->impulse);
        row->left = within(row, kin_sub(wanted, have));
        row->step = scaled(row, row->left);
        square += kin_dot(row->left, row->step);
        *whole += (kin_length2(wanted) + kin_length2(have)) / row->diagonal;
    }
    return square;
}

/* One step of conjugate gradients; square is that of the residuals before, and after. False: there is nothing more to gain. */
static bool gradient_step(kin_attachments* list, double* square)
{
    double bent = 0, after = 0;
    spread(list, offsetof(kin_attachment_row, step));
    for (size_t i = 0; i < list->count; ++i) {
        kin_attachment_row* row = &list->rows[i];
        row->product = row->fixed ? kin_v(0, 0, 0) : product(list, i, row->step);
        bent += kin_dot(row->step, row->product);
    }
    if (!(bent > 0)) return false;
    for (size_t i = 0; i < list->count; ++i) {
        kin_attachment_row* row = &list->rows[i];
        if (row->fixed) continue;
        row->impulse = kin_add_scaled(row->impulse, *square / bent, row->step);
        row->left = within(row, kin_add_scaled(row->left, -*square / bent, row->product));
        after += kin_dot(row->left, scaled(row, row->left));
    }
    for (size_t i = 0; i < list->count; ++i) {
        kin_attachment_row* row = &list->rows[i];
        if (!row->fixed) row->step = kin_add_scaled(scaled(row, row->left), after / *square, row->step);
    }
    *square = after;
    return true;
}

static void solve_linear(kin_attachments* list)
{
    double whole, square = begin_gradients(list, &whole), enough = whole * SETTLED * SETTLED;
    size_t most = 4 * list->count + 8 < MOST_ITERATIONS ? 4 * list->count + 8 : MOST_ITERATIONS;
    for (size_t k = 0; k < most && square > enough; ++k) {
        if (!gradient_step(list, &square)) return;
    }
}

/* Those that would pull too hard pull as hard as they may, and the others are solved around them. */
static bool fix_strongest(kin_attachments* list, const kin_step* step)
{
    bool some = false;
    for (size_t i = 0; i < list->count; ++i) {
        kin_attachment_row* row = &list->rows[i];
        double size = kin_length(row->impulse), most = list->items[i].def.max_force * step->h;
        if (row->fixed || !(most > 0 && size > most)) continue;
        row->impulse = kin_scale(row->impulse, most / size);
        row->fixed = some = true;
    }
    return some;
}

/* Returns the largest change of an impulse, of the largest impulse. */
static double solve_round(kin_attachments* list, const kin_step* step)
{
    double change = 0, largest = 0;
    spread(list, offsetof(kin_attachment_row, impulse));
    for (size_t i = 0; i < list->count; ++i) {
        list->rows[i].before = list->rows[i].impulse;
        if (!list->rows[i].fixed) renew_bias(list, i, step);
    }
    solve_linear(list);
    for (size_t i = 0; i < list->count; ++i) {
        change = kin_max(change, kin_distance(list->rows[i].impulse, list->rows[i].before));
        largest = kin_max(largest, kin_length(list->rows[i].impulse));
    }
    return largest > 0 ? change / largest : 0;
}

static void solve(kin_attachments* list, const kin_world* world, kin_step* step)
{
    double left = 1;
    gather(list, world, step);
    open_rows(list, step);
    for (int round = 0; round < MOST_ROUNDS && (left > SETTLED || fix_strongest(list, step)); ++round) left = solve_round(list, step);
    fix_strongest(list, step);
    spread(list, offsetof(kin_attachment_row, impulse));
    if (left > LOOSE) kin_step_note_cap(step, 1, "attachments not settled in their rounds");
}

static kin_result post(kin_attachments* list, size_t i, kin_vec3 impulse, const kin_step* step)
{
    const kin_attachment* item = &list->items[i];
    return kin_ledger_post(step->ledger, (kin_entry_key){KIN_COUPLER_ATTACH, item->serial}, KIN_ENTRY_LOAD, item->def.a, item->def.b,
                           list->sides[2 * i].position, (kin_wrench){.impulse = impulse});
}

static void let_go(kin_attachments* list, size_t i, kin_step* step, const char* why)
{
    kin_step_warn(step, list->items[i].serial, why);
    kin_attachments_remove(list, list->items[i].serial);
}

static void drop_lost(kin_attachments* list, const kin_world* world, kin_step* step)
{
    for (size_t i = list->count; i-- > 0;) {
        const kin_attachment_def* def = &list->items[i].def;
        bool there = list->verbs.there(world, def->a) && (def->to_point || list->verbs.there(world, def->b));
        if (!there) let_go(list, i, step, "the attachment's element is gone");
    }
}

/* True: some broke, and the others must be solved again without them. What they had given in an earlier pass is taken back. */
static bool break_some(kin_attachments* list, kin_step* step, kin_status* status)
{
    bool some = false;
    for (size_t i = list->count; i-- > 0;) {
        double most = list->items[i].def.break_force * step->h;
        if (!(most > 0 && kin_length(list->rows[i].impulse) > most)) continue;
        kin_wrench given = kin_ledger_total(step->ledger, (kin_entry_key){KIN_COUPLER_ATTACH, list->items[i].serial});
        if (kin_length2(given.impulse) > 0 && post(list, i, kin_v(0, 0, 0), step) != KIN_OK) *status = KIN_STATUS_REFUSED;
        let_go(list, i, step, "the attachment broke");
        some = true;
    }
    return some;
}

static kin_status post_all(kin_attachments* list, kin_step* step)
{
    for (size_t i = 0; i < list->count; ++i) {
        kin_attachment* item = &list->items[i];
        const kin_attachment_side* sides = &list->sides[2 * i];
        kin_vec3 impulse = list->rows[i].impulse;
        if (!kin_finite3(impulse)) return kin_step_refuse(step, item->serial, 0, "the attachment's impulse is not finite");
        if (post(list, i, impulse, step) != KIN_OK) return kin_step_refuse(step, item->serial, 0, "out of memory for an attachment");
        item->force = kin_scale(impulse, 1 / step->h);
        item->expected = kin_add_scaled(kin_sub(sides[0].position, sides[1].position), step->h, kin_add(list->rows[i].velocity, relative(list, i)));
        item->expects = true;
    }
    return KIN_STATUS_OK;
}

kin_status kin_attachments_exchange(void* self, kin_world* world, kin_step* step, int pass)
{
    kin_attachments* list = self;
    kin_status status = KIN_STATUS_OK;
    step->system_name = kin_attach_ops.name;
    drop_lost(list, world, step);
    if (pass == 0) learn_lags(list, world, step);
    do {
        solve(list, world, step);
    } while (break_some(list, step, &status));
    return status == KIN_STATUS_OK ? post_all(list, step) : status;
}

static void exchange_visit(void* self, kin_visitor* v) { kin_attachments_visit(self, v); }

const kin_coupler_ops kin_attach_ops = {.name = "attachments", .exchange = kin_attachments_exchange, .visit = exchange_visit};
