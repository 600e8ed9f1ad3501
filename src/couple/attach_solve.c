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
 * Attachments that share an element are solved together by sweeps (projected Gauss-Seidel on W + diagonal, symmetric and positive definite): there each must
 * be damped enough (`most_factor`) to bear any number of others. */
#include "base/error.h"
#include "base/sort.h"
#include "couple/attach.h"

enum { MOST_SWEEPS = 50 };
#define SETTLED 1e-9 /* of the largest impulse: sweeps that change less are done */
#define LOOSE 1e-3   /* sweeps that end with more than this left are reported */

/* ---- the law ---- */

/* The largest modulus with which springs of phase phi, however many at one element, stay stable: beta < 2 (1 - p). */
static double most_factor(double phi)
{
    double c = kin_cos(phi);
    return (c + kin_sqrt(c * c + 3)) / 3;
}

static kin_attachment_law swinging(double omega, double ratio, bool shared, double h)
{
    double phi = omega * h * kin_sqrt(1 - ratio * ratio), rho = kin_exp(-ratio * omega * h);
    if (phi > KIN_PI / 2) {
        rho *= KIN_PI / 2 / phi;
        phi = KIN_PI / 2;
    }
    if (shared) rho = kin_min(rho, most_factor(phi));
    double half = kin_sin(phi / 2), beta = kin_square(1 - rho) + 4 * rho * half * half;
    return (kin_attachment_law){rho * rho, beta, beta / kin_square(omega * h)};
}

static kin_attachment_law creeping(double omega, double ratio, double h)
{
    double root = ratio + kin_sqrt(ratio * ratio - 1);
    double r1 = kin_exp(-omega * h / root), r2 = kin_exp(-omega * h * root), beta = (1 - r1) * (1 - r2);
    return (kin_attachment_law){r1 * r2, beta, beta / kin_square(omega * h)};
}

kin_attachment_law kin_attachment_law_of(const kin_attachment_def* def, double give, bool shared, double h)
{
    if (def->rigid) return (kin_attachment_law){0, 1, 0};
    double omega = kin_sqrt(def->stiffness * give);
    double ratio = def->damping_ratio + 0.5 * def->damping * give / omega;
    return ratio < 1 ? swinging(omega, ratio, shared, h) : creeping(omega, ratio, h);
}

/* ---- the two ends ---- */

static void read_give(const kin_attachments* list, const kin_world* world, kin_anchor anchor, kin_attachment_side* side)
{
    const kin_anchor anchors[3] = {anchor, anchor, anchor};
    const kin_wrench units[3] = {{.impulse = {1, 0, 0}}, {.impulse = {0, 1, 0}}, {.impulse = {0, 0, 1}}};
    kin_twist dv[3];
    list->verbs.respond(world, anchors, units, 3, dv);
    side->give = (kin_mat3){dv[0].velocity, dv[1].velocity, dv[2].velocity};
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
    for (size_t i = 0; i < count; ++i) {
        kin_attachment_side* side = &list->sides[list->order_side[i]];
        bool same = i > 0 && list->order[i] == list->order[i - 1];
        kin_attachment_side* before = same ? &list->sides[list->order_side[i - 1]] : side;
        side->node = same ? before->node : (uint32_t)i;
        side->shared = before->shared = same && side->moves;
    }
}

static void gather(kin_attachments* list, const kin_world* world, const kin_step* step)
{
    for (size_t i = 0; i < list->count; ++i) {
        read_side(list, i, false, world, step, &list->sides[2 * i]);
        read_side(list, i, true, world, step, &list->sides[2 * i + 1]);
        list->change[2 * i] = list->change[2 * i + 1] = kin_v(0, 0, 0);
        list->impulse[i] = kin_ledger_total(step->ledger, (kin_entry_key){KIN_COUPLER_ATTACH, list->items[i].serial}).impulse;
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
static void learn_lag(kin_attachment* item, const kin_attachment_side* sides, const kin_step* step)
{
    kin_vec3 fall = relative_fall(sides, step), e = kin_sub(sides[0].position, sides[1].position);
    double size = kin_length2(fall);
    if (item->expects && size > 0) item->lag = kin_clamp(kin_dot(kin_sub(e, item->expected), fall) / size, 0, 1);
}

/* Velocity of a beside b after its impulse, for one without rest length. */
static kin_vec3 wanted_velocity(const kin_attachment* item, kin_attachment_law law, kin_vec3 e, kin_vec3 v, kin_vec3 fall, double h)
{
    double of_fall = law.gamma - item->lag - law.p * (1 - item->lag);
    kin_vec3 d = kin_sub(kin_scale(v, law.p * h), kin_scale(e, law.beta));
    return kin_scale(kin_add_scaled(d, of_fall, fall), 1 / h);
}

/* Change of velocity along the unit n = e / |e| that brings the length at the interval's end to where the law wants it. */
static double wanted_along(const kin_attachment* item, kin_attachment_law law, kin_vec3 e, kin_vec3 n, kin_vec3 v, kin_vec3 fall, double h)
{
    double length = kin_length(e);
    kin_vec3 last = kin_sub(kin_scale(v, h), kin_scale(fall, 1 - item->lag));
    kin_vec3 free_end = kin_add_scaled(kin_add_scaled(e, h, v), item->lag, fall);
    double grown = length - kin_length(kin_sub(e, last));
    double goal = kin_max(length + law.p * grown - law.beta * (length - item->def.rest) + law.gamma * kin_dot(fall, n), 0);
    double along = kin_dot(free_end, n), across = kin_length2(kin_add_scaled(free_end, -along, n));
    return (kin_sqrt(kin_max(goal * goal - across, 0)) - along) / h;
}

/* A point: it gives alike in every direction. */
static bool is_uniform(kin_mat3 m)
{
    bool diagonal = m.cx.y == 0 && m.cx.z == 0 && m.cy.x == 0 && m.cy.z == 0 && m.cz.x == 0 && m.cz.y == 0;
    return diagonal && m.cx.x == m.cy.y && m.cy.y == m.cz.z;
}

static kin_vec3 solve_impulse(const kin_attachment* item, const kin_attachment_side* sides, kin_vec3 v, const kin_step* step)
{
    kin_mat3 give = kin_mat3_add(sides[0].give, sides[1].give), inverse;
    kin_vec3 e = kin_sub(sides[0].position, sides[1].position), fall = relative_fall(sides, step);
    bool shared = sides[0].shared || sides[1].shared;
    if (item->def.rest > 0) {
        kin_vec3 n = kin_normalize_or(e, kin_v(0, 1, 0));
        double along = kin_dot(n, kin_mat3_apply(give, n));
        if (!(along > 0)) return kin_v(0, 0, 0);
        kin_attachment_law law = kin_attachment_law_of(&item->def, along, shared, step->h);
        return kin_scale(n, wanted_along(item, law, e, n, v, fall, step->h) / along);
    }
    double mean = is_uniform(give) ? give.cx.x : kin_mat3_trace(give) / 3;
    kin_attachment_law law = kin_attachment_law_of(&item->def, mean, shared, step->h);
    kin_vec3 dv = kin_sub(wanted_velocity(item, law, e, v, fall, step->h), v);
    if (is_uniform(give)) return kin_scale(dv, 1 / mean);
    if (!kin_mat3_inverse(give, &inverse)) { /* something holds it in one direction */
        kin_mat3 held = kin_mat3_add(give, kin_mat3_diagonal(kin_v(1e-6 * mean, 1e-6 * mean, 1e-6 * mean)));
        if (!kin_mat3_inverse(held, &inverse)) return kin_v(0, 0, 0);
    }
    return kin_mat3_apply(inverse, dv);
}

static kin_vec3 relative_velocity(const kin_attachments* list, const kin_attachment_side* sides)
{
    return kin_sub(kin_add(sides[0].velocity, list->change[sides[0].node]), kin_add(sides[1].velocity, list->change[sides[1].node]));
}

/* Solves one for its total impulse with all others as they are now. Returns how much it changed, N s. */
static double relax(kin_attachments* list, size_t i, const kin_step* step)
{
    const kin_attachment* item = &list->items[i];
    const kin_attachment_side* sides = &list->sides[2 * i];
    if (!sides[0].moves && !sides[1].moves) return 0;
    kin_mat3 give = kin_mat3_add(sides[0].give, sides[1].give);
    kin_vec3 old = list->impulse[i], v = kin_sub(relative_velocity(list, sides), kin_mat3_apply(give, old));
    kin_vec3 total = solve_impulse(item, sides, v, step);
    double size = kin_length(total), most = item->def.max_force * step->h;
    if (most > 0 && size > most) total = kin_scale(total, most / size);
    kin_vec3 more = kin_sub(total, old);
    list->change[sides[0].node] = kin_add(list->change[sides[0].node], kin_mat3_apply(sides[0].give, more));
    list->change[sides[1].node] = kin_sub(list->change[sides[1].node], kin_mat3_apply(sides[1].give, more));
    list->impulse[i] = total;
    return kin_length(more);
}

/* ---- all of them ---- */

static bool any_shared(const kin_attachments* list)
{
    for (size_t i = 0; i < 2 * list->count; ++i) {
        if (list->sides[i].shared) return true;
    }
    return false;
}

/* Returns what the last sweep still changed, of the largest impulse. */
static double sweep(kin_attachments* list, const kin_step* step)
{
    double left = 0;
    int sweeps = any_shared(list) ? MOST_SWEEPS : 1;
    for (int k = 0; k < sweeps; ++k) {
        double change = 0, largest = 0;
        for (size_t i = 0; i < list->count; ++i) {
            change = kin_max(change, relax(list, i, step));
            largest = kin_max(largest, kin_length(list->impulse[i]));
        }
        left = largest > 0 ? change / largest : 0;
        if (left <= SETTLED) break;
    }
    return sweeps > 1 ? left : 0;
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
        if (!(most > 0 && kin_length(list->impulse[i]) > most)) continue;
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
        kin_vec3 impulse = list->impulse[i];
        if (!kin_finite3(impulse)) return kin_step_refuse(step, item->serial, 0, "the attachment's impulse is not finite");
        if (post(list, i, impulse, step) != KIN_OK) return kin_step_refuse(step, item->serial, 0, "out of memory for an attachment");
        item->force = kin_scale(impulse, 1 / step->h);
        item->expected = kin_add_scaled(kin_sub(sides[0].position, sides[1].position), step->h, relative_velocity(list, sides));
        item->expects = true;
    }
    return KIN_STATUS_OK;
}

kin_status kin_attachments_exchange(void* self, kin_world* world, kin_step* step, int pass)
{
    kin_attachments* list = self;
    kin_status status = KIN_STATUS_OK;
    double left;
    step->system_name = kin_attach_ops.name;
    drop_lost(list, world, step);
    gather(list, world, step);
    for (size_t i = 0; pass == 0 && i < list->count; ++i) learn_lag(&list->items[i], &list->sides[2 * i], step);
    for (left = sweep(list, step); break_some(list, step, &status); left = sweep(list, step)) gather(list, world, step);
    if (left > LOOSE) kin_step_note_cap(step, 1, "attachments not settled by their sweeps");
    return status == KIN_STATUS_OK ? post_all(list, step) : status;
}

static void exchange_visit(void* self, kin_visitor* v) { kin_attachments_visit(self, v); }

const kin_coupler_ops kin_attach_ops = {.name = "attachments", .exchange = kin_attachments_exchange, .visit = exchange_visit};
