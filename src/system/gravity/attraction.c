/* attraction.c - the pull of all on all as a field of the world. */
#include "system/field_kinds.h"
#include "system/gravity/gravity.h"

static const char* const method_names[] = {"multipole", "direct", "grid", "monopole", "quadrupole", "adjacency", NULL};

#define DEF(member) offsetof(kin_attraction_field, member)
static const kin_param params[] = {
    {.name = "attraction",
     .type = KIN_PARAM_NUMBER,
     .offset = DEF(attraction),
     .unit = "m^3/(kg s^2)",
     .doc = "The constant of gravity between the points of a system: 6.67384e-11 as measured, often 1 in scaled units.",
     .flags = KIN_PARAM_REQUIRED},
    {.name = "softening", .type = KIN_PARAM_NUMBER, .offset = DEF(softening), .unit = "m", .doc = "Nearer than about this the pull weakens.", .high = 1e300},
    {.name = "method",
     .type = KIN_PARAM_ENUM,
     .offset = DEF(method),
     .doc = "multipole is the fast one; direct sums every pair; grid, monopole, quadrupole and adjacency are the methods of the texts.",
     .names = method_names},
    {.name = "theta",
     .type = KIN_PARAM_NUMBER,
     .offset = DEF(theta),
     .doc = "Opening angle of the monopole and quadrupole trees: smaller is more exact.",
     .high = 1,
     .preset = {0.5},
     .flags = KIN_PARAM_OPEN_LOW},
    KIN_FIELD_COMMON_ROWS,
};

static kin_result create(const kin_field* field, const kin_allocator* allocator, void** self, kin_error* error)
{
    static const kin_gravity_method methods[] = {KIN_GRAVITY_FMM,           KIN_GRAVITY_DIRECT,          KIN_GRAVITY_GRID,
                                                 KIN_GRAVITY_TREE_MONOPOLE, KIN_GRAVITY_TREE_QUADRUPOLE, KIN_GRAVITY_TREE_ADJACENCY};
    const kin_attraction_field* def = field->def;
    kin_gravity_def gravity = kin_gravity_def_default();
    gravity.method = methods[def->method];
    gravity.constant = def->attraction;
    gravity.softening = def->softening;
    gravity.theta = def->theta;
    return kin_gravity_create(allocator, &gravity, (kin_gravity**)self, error);
}

static void destroy(void* self) { kin_gravity_destroy(self); }

static kin_result evaluate(const kin_field* field, void* self, const kin_mutual_cloud* cloud, kin_error* error)
{
    (void)field;
    return kin_gravity_evaluate(self, cloud, error);
}

static double potential(const kin_field* field, void* self, const kin_mutual_cloud* cloud)
{
    (void)field;
    double energy = 0;
    return kin_gravity_potential(self, cloud, &energy, NULL) == KIN_OK ? energy : 0;
}

static void visit(void* self, kin_visitor* v) { kin_gravity_visit(self, v); }

static const char* warning(const void* self)
{
    return kin_gravity_coincident(self) > 0 ? "masses at one place without softening: they do not pull each other" : NULL;
}

static const kin_mutual_ops mutual = {create, destroy, evaluate, potential, visit, warning};

const kin_field_ops kin_field_attraction_ops = {
    .name = "attraction",
    .doc = "Gravity between the points of a system: every one pulls every other.",
    .params = params,
    .def_size = sizeof(kin_attraction_field),
    .mutual = &mutual,
};
