/* resume_test.c - a run that is restored into a fresh world at any step goes on to the same bits, for every feature that a scene can name. The features are read
 * from the parameter tables: every table within a table, every name of a choice and every switch. A table needs a scene below; a choice is tried by itself in a scene that has
 * its table. What is new and in no scene fails. The unbroken run is captured and measured at every step, the restored ones are not: neither may be state. */
#include "kinema/kinema.h"
#include "scene/scene_inside.h"
#include "support/test.h"
#include "system/field.h"
#include "world/registry.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- scenes ---- */

typedef struct scene_row {
    const char* name;
    int steps;
    const char* text; /* after "return {" */
} scene_row;

#define MESHES KIN_SOURCE_DIR "/scenes/particles/"
#define GROUND "colliders = {{name = 'ground', shape = {plane = {0, 1, 0}}}}, "

static const scene_row scenes[] = {
    {"particles", 30,
     "title = 'x', seed = 4, bounds = {low = {-9, -9, -9}, high = {9, 9, 9}, policy = 'bounce'}, pairs = {restitution = 'min', friction = 'max', values = {{a = 'steel', b = 'ice', friction = 0.1}}}, " GROUND
     "systems = {{type = 'particles', integrator = 'semi_implicit', contacts = 'fast', particles = {{position = {0, 0.3, 0}, velocity = {1, 0, 0}, radius = "
     "0.1}, "
     "{position = {0.3, 0.4, 0}, radius = 0.1}, {position = {2, 1, 0}, status = 'static'}, {count = 6, box = {1, 0.5, 1}, position = {0, 2, 0}, form = 'ball', "
     "radius = 0.05}}, springs = {{a = 0, b = 1, stiffness = 50, rest = 0.4}}}}"},
    {"kinds", 30,
     "seed = 4, " GROUND
     "systems = {{type = 'particles', kinds = {{name = 'a', tags = {'t'}, material = 'steel', life = {0.2, 0.05}, size = {{t = 0, value = 1}, {t = 1, "
     "value = 2}}, weight = {{t = 0, value = 1}, {t = 1, value = 2}}, color = {{t = 0, value = '#ffffff'}, {t = 1, value = '#000000'}}, opacity = 0.5, splits "
     "= {{into "
     "= 'b', when = 'death', number = 3, speed = 1, kick = {1, 0.5}}}}, {name = 'b', radius = 0.03, life = 0.3, ends = {hit = true, region = {sphere = 9}}, "
     "draw = 'sphere'}, {name = 'c', draw = 'mesh', mesh = '" MESHES
     "leaf.obj', orient = 'tumble', spin = {1, 0.2}, splits = {{into = 'b', when = 'hit', keep = true, "
     "number = 1}}}}, emitters = {{name = 'e', kind = 'a', shape = {sphere = 0.2}, position = {0, 1, 0}, rate = {{t = 0, value = 50}, {t = 1, value = 90}}, "
     "speed = {2, 0.3}, "
     "rate_deviation = 0.2}, {kind = 'c', shape = {triangle = {{0, 1, 0}, {1, 1, 0}, {0, 1, 1}}}, burst = 4, aim = 'normal', collider = 'ground'}, {kind = "
     "'c', shape = {disk = 0.5}, position = {0, 1, 0}, burst = 4, placement = 'grid'}, "
     "{kind = 'c', shape = {curve = {{0, 1, 0}, {1, 1, 0}}}, rate = 20, table = 1}, {kind = 'b', shape = {mesh = '" MESHES
     "heart.obj'}, rate = 20, clearance = true}}, "
     "volume = {box = {4, 4, 4}, center = {0, 1, 0}, resolution = 12, disperse = 0.2, noise = 0.3, flow = {0.1, 0, 0}}}}"},
    {"rigid", 60,
     "seed = 2, colliders = {{name = 'floor', shape = {box = {9, 1, 9}}, position = {0, -0.5, 0}, material = 'wood', filter = {category = 1}}, {name = 'arm', "
     "shape = "
     "{compound = {{shape = {box = {1, 0.2, 1}, material = 'ice'}}}}, keys = {{t = 0, position = {3, 1, 0}}, {t = 1, position = {3, 2, 0}}}}}, systems = "
     "{{type = 'rigid', "
     "bodies = {{name = 'a', shape = {box = {1, 1, 1}}, position = {0, 0.9, 0}, density = 2000, material = 'wood', fracture = {pieces = 6, strength = 10, seed "
     "= 3}}, {shape = "
     "{capsule = {0.2, 0.5}}, position = {0.2, 3, 0.1}, filter = {category = 1}}, {shape = {hull = {points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}}, "
     "position = {3, "
     "3, 0}, visible = {sphere = 0.3}}, {shape = {cylinder = {0.3, 0.4}}, position = {-1, 2, 0}, keys = {{t = 0, position = {-2, 1, 0}}, {t = 1, position = "
     "{-2, 2, 0}}}}, "
     "{shape = {sphere = 0.3}, position = {-2, 3, 0}, mobility = 'dynamic'}}}}"},
    {"glued", 40,
     GROUND "systems = {{type = 'rigid', bodies = {{shape = {box = {1, 1, 1}}, position = {0, 0.8, 0}, density = 2000, fracture = {pieces = 5, glue = "
            "'joints', strength = "
            "2000}}}}}"},
    {"joints", 24,
     GROUND "systems = {{type = 'rigid', bodies = {{shape = {box = {0.3, 0.3, 0.3}}, position = {0, 2, 0}}, {shape = {box = {0.3, 0.3, 0.3}}, position = {1, "
            "2, 0}}, {shape = {box "
            "= {0.3, 0.3, 0.3}}, position = {2, 2, 0}}, {shape = {sphere = 0.2}, position = {3, 2, 0}}, {shape = {sphere = 0.2}, position = {4, 2, 0}}, {shape "
            "= {sphere = 0.2}, "
            "position = {5, 2, 0}}, {shape = {sphere = 0.2}, position = {6, 2, 0}}}, joints = {{name = 'h', hinge = {anchor = {0, 2, 0}, axis = {0, 0, 1}, "
            "motor = {speed = 2, "
            "most = 50}, spring = {stiffness = 1, damping = 0.1}}, a = 0}, {slider = {anchor = {1, 2, 0}, axis = {0, 1, 0}, motor = {speed = 1, most = 20}, "
            "spring = {stiffness = 1, damping = 0.1}}, a = 1}, {ball = {anchor = {1.5, 2, 0}, swing = {motor = {speed "
            "= 1, most = 5}, spring = {stiffness = 1, damping = 0.1}}, twist = {spring = {stiffness = 5, damping = 0.1}}}, a = 1, b = 2, break_force = 30}, "
            "{distance = {anchor = {2, 2, 0}, anchor_b = {3, 2, 0}, motor = {speed = 0.1, most = 2}, spring = "
            "{stiffness = 100, damping = 1}}, a = 2, b = 3}, {rope = {anchor = {3, 2, 0}, anchor_b = {4, 2, 0}}, a = 3, b = 4}, {universal = {anchor = {4.5, "
            "2, 0}, axis = {1, 0, "
            "0}, first = {motor = {speed = 1, most = 3}}, second = {spring = {stiffness = 3, damping = 0.1}}}, a = 4, b = 5}, {cylindrical = {anchor = {6, 2, "
            "0}, axis = {0, 1, 0}, "
            "slide = {motor = {speed = 0.1, most = 2}, spring = {stiffness = 30, damping = 1}}, turn = {motor = {speed = 3, most = 2}}}, a = 6}}}}"},
    {"more joints", 24,
     GROUND "systems = {{type = 'rigid', bodies = {{shape = {box = {1, 0.3, 0.6}}, position = {0, 1, 0}}, {shape = {cylinder = {0.3, 0.2}}, position = {0.5, "
            "0.6, 0.5}, orientation "
            "= {axis = {1, 0, 0}, angle = 1.5707963}}, {shape = {box = {0.3, 0.3, 0.3}}, position = {3, 2, 0}}, {shape = {box = {0.4, 0.3, 0.3}}, position = "
            "{4, 2, 0}}, {shape = "
            "{box = {0.3, 0.3, 0.3}}, position = {6, 2, 0}}}, joints = {{wheel = {anchor = {0.5, 0.6, 0.5}, axis = {0, 0, 1}, slide = {spring = {stiffness = "
            "500, damping = 30}}, "
            "turn = {motor = {speed = 4, most = 5}}}, a = 0, b = 1}, {name = 'g', hinge = {anchor = {3, 2, 0}, axis = {0, 1, 0}}, a = 2}, {name = 'k', hinge = "
            "{anchor = {4, 2, 0}, "
            "axis = {0, 1, 0}}, a = 3}, {gear = {axis = {0, 1, 0}, ratio = 2}, a = 2, b = 3}, {mouse = {anchor = {6, 2, 0}, target = {6, 3, 1}, stiffness = "
            "100, damping = 3, most = 40}, a = 4}}}}"},
    {"pulley", 24,
     GROUND "systems = {{type = 'rigid', bodies = {{shape = {box = {0.3, 0.3, 0.3}}, position = {0, 2, 0}}, {shape = {box = {0.4, 0.3, 0.3}}, position = {2, "
            "2, 0}}, {shape = "
            "{box = {0.3, 0.3, 0.3}}, position = {4, 2, 0}}, {shape = {box = {0.3, 0.3, 0.3}}, position = {4.5, 2, 0}}}, joints = {{pulley = {anchor = {0, "
            "2.15, 0}, anchor_b = {2, "
            "2.15, 0}, ground_a = {0, 4, 0}, ground_b = {2, 4, 0}}, a = 0, b = 1}, {fixed = {anchor = {4.25, 2, 0}}, a = 2, b = 3, break_force = 5}}}}"},
    {"exact", 10,
     GROUND "systems = {{type = 'rigid', mode = 'exact', bodies = {{shape = {box = {0.5, 0.5, 0.5}}, position = {0, 0.3, 0}, velocity = {1, -1, 0}, spin = {0, "
            "0, 1}}, "
            "{shape = {sphere = 0.2}, position = {2, 0.25, 0}}}}}"},
    {"shapes", 20,
     "colliders = {{shape = {height_field = {heights = {0, 0.2, 0, 0.1}, columns = 2, size = {6, 1, 6}}}}, {shape = {mesh = '" MESHES
     "bowl.obj'}, position = {0, 0.4, 0}}, "
     "{shape = {field = {mesh = '" MESHES "rock-small.obj', resolution = 8}}, position = {1, 0.5, 0}}, {shape = {hull = {mesh = '" MESHES
     "rock-small.obj'}}, position = {-1, "
     "0.5, 0}}}, systems = {{type = 'rigid', bodies = {{shape = {sphere = 0.2}, position = {0, 1, 0}}, {shape = {cone = {0.2, 0.4}}, position = {1, 1.5, 0}}, "
     "{shape = {box "
     "= {0.3, 0.3, 0.3}}, position = {-1, 1.5, 0}}, {shape = {compound = {{shape = {sphere = 0.2}}, {shape = {sphere = 0.2, offset = {0.3, 0, 0}}}}}, position "
     "= {2, 1, "
     "0}}}}, {type = 'particles', particles = {{count = 20, box = {3, 0.2, 3}, position = {0, 1.2, 0}, radius = 0.03}}}}"},
    {"fluid", 5,
     "seed = 3, " GROUND "systems = {{type = 'sph', radius = 0.05, phases = {{name = 'w', fluid = 'water', material = 'glass'}, {name = 'o', fluid = "
     "'glycerine', thickness = {{t = 280, value = 2}, {t = "
     "320, value = 1}}}, {name = 's', matter = 'sand'}, {name = 'g', matter = 'elastic'}}, blocks = {{shape = {box = {0.3, 0.3, 0.3}}, position = {0, 0.2, 0}, "
     "phase = 'w', "
     "temperature = 300}, {shape = {box = {0.2, 0.2, 0.2}}, position = {0.5, 0.15, 0}, phase = 'o'}, {shape = {box = {0.2, 0.2, 0.2}}, position = {1, 0.15, "
     "0}, phase = 's'}, "
     "{shape = {box = {0.2, 0.2, 0.2}}, position = {1.5, 0.15, 0}, phase = 'g'}}, inflows = {{phase = 'w', position = {0, 1, 0}, direction = {0, -1, 0}, "
     "radius = 0.1, speed = "
     "3, attached = 'ground'}}, sinks = {{region = {sphere = 0.15}, center = {0, 0.1, 0}}}, foam = {rate = 2000, life = {0.5, 0.1}}, look = {draw = 'both', "
     "skin = "
     "'zhu_bridson', paint = 'speed'}}}"},
    {"membrane", 4,
     GROUND "systems = {{type = 'sph', radius = 0.05, blocks = {{shape = {box = {0.2, 0.2, 0.2}}, position = {0, 0.25, 0}}}, surfaces = {{vertices = {{-1, "
            "0.1, -1}, {1, 0.1, "
            "-1}, {1, 0.1, 1}, {-1, 0.1, 1}}, triangles = {0, 2, 1, 0, 3, 2}, material = 'rubber', keys = {{t = 0, vertices = {{-1, 0.1, -1}, {1, 0.1, -1}, "
            "{1, 0.1, 1}, {-1, "
            "0.1, 1}}}, {t = 1, vertices = {{-1, 0.2, -1}, {1, 0.2, -1}, {1, 0.2, 1}, {-1, 0.2, 1}}}}}}}}"},
    {"sheet", 4,
     GROUND "systems = {{type = 'sph', radius = 0.05, blocks = {{shape = {box = {0.2, 0.2, 0.2}}, position = {0, 0.6, 0}}}, surfaces = {{mesh = '" MESHES
            "bowl.obj'}}}}"},
    {"all together", 16,
     "seed = 9, " GROUND "systems = {{type = 'rigid', name = 'r', bodies = {{shape = {box = {0.5, 0.5, 0.5}}, position = {0, 0.6, 0}, density = 2000, fracture "
     "= {pieces = 5, strength = 1}}, "
     "{shape = {sphere = 0.2}, position = {1, 0.5, 0}}}}, {type = 'sph', name = 'w', radius = 0.05, blocks = {{shape = {box = {0.3, 0.3, 0.3}}, position = {1, "
     "1, 0}}}, foam = "
     "{rate = 1000}}, {type = 'particles', name = 'p', contacts = 'exact', particles = {{count = 12, box = {1, 0.3, 1}, position = {0, 1.5, 0}, radius = "
     "0.04}}}}, attachments "
     "= {{a = {system = 'p', element = 0}, b = {point = {0, 2, 0}}, stiffness = 50}, {a = {system = 'p', element = 1}, b = {system = 'r', element = 1}}, {a = "
     "{system = 'p', "
     "element = 2}, b = {collider = 'ground'}, break_force = 1}, {a = {system = 'p', element = 3}, keys = {{t = 0, position = {0, 1, 0}}, {t = 1, position = "
     "{1, 1, 0}}}}}, "
     "fields = {{drag = 0.1}}, camera = {keys = {{t = 0, eye = {1, 2, 9}, target = {0, 0, 0}}, {t = 1, eye = {2, 2, 9}, target = {0, 0, 0}}}}, on_step = "
     "function(world, t) "
     "world:push('p', world.step % 12, {world:random(), math.random(), 0}) world.state.n = (world.state.n or 0) + 1 if world.step == 3 then world:attach{a = "
     "{system = 'p', "
     "element = 5}, b = {point = {1, 1, 1}}} end end"},
    {"charges", 12,
     "gravity = {0, 0, 0}, systems = {{type = 'particles', integrator = 'rk4', particles = {{count = 8, box = {1, 1, 1}, mass = 1, charge = 1e-6, radius = "
     "0.01}}}}, fields = "
     "{{charges = 8.9875e9, cutoff = 2}, {electric = {1, 0, 0}}, {magnetic = {0, 1, 0}}}"},
    {"flock", 12,
     "gravity = {0, 0, 0}, systems = {{type = 'particles', kinds = {{name = 'bird', tags = {'bird'}, bank = 0.5, draw = 'mesh', mesh = '" MESHES
     "bird.obj', orient = 'bank'}, "
     "{name = 'hawk', tags = {'hawk'}}}, particles = {{count = 12, box = {2, 2, 2}, kind = 'bird', radius = 0.05}, {position = {3, 0, 0}, kind = 'hawk'}}}}, "
     "fields = {{flock "
     "= {0.5, 2}, tags = {'bird'}, obstacles = {ahead = 1, spheres = {{center = {1, 0, 0}, radius = 0.3}}}}, {hunt = {'bird'}, tags = {'hawk'}}, {steer = 1, "
     "spheres = {{center = {1, 0, 0}, radius = 0.3}}}, {repel = 1, points = {{0, 2, 0}}, lines = "
     "{{from = {0, 0, 0}, to = {0, 1, 0}}}, spheres = {{center = {2, 0, 0}, radius = 0.2}}, containers = {{center = {0, 0, 0}, radius = 9}}}}"},
    {"pulls", 12,
     "systems = {{type = 'particles', particles = {{count = 9, box = {1, 1, 1}, radius = 0.02}}}}, fields = {{attraction = 0.1, softening = 0.1}, {molecules = "
     "0.001, sigma = "
     "0.2, cutoff = 0.5}, {attractor = 1, toward = {{t = 0, value = {0, 0, 0}}, {t = 1, value = {1, 0, 0}}}, strength = {{t = 0, value = 1}, {t = 1, value = "
     "0}}}, "
     "{line_attractor = 1}, {repel = 0.1, reach = 1, solids = true}, {gravity = {1, 0, 0}, region = {sphere = 2}, drop = 'linear'}, {goal = '" MESHES
     "heart.obj'}}"},
    {"airs", 12,
     "seed = 5, systems = {{type = 'particles', particles = {{count = 9, box = {1, 1, 1}, radius = 0.02}}}}, fields = {{wind = {3, 0, 0}}, {drag = 0.3}, "
     "{source = 1}, "
     "{vortex_line = 1}, {vortex = 1}, {translate = {1, 0, 0}, deviation = 0.2}, {rotate = 0.1, deviation = 0.1}, {scale = 1.1}, {kicks = 0.3}, {speed_limit = "
     "9}, {cartoon = "
     "0.1}, {law = function(t, x, v, m) return 0, 1, 0 end}}"},
};
enum { SCENES = sizeof scenes / sizeof *scenes, MOST_FEATURES = 1000, MOST_SETS = 4 };

/* ---- features, as "table.row" or "table.row=name" ---- */

typedef struct feature {
    char name[64];
    bool seen;
} feature;

typedef struct catalogue {
    feature items[MOST_FEATURES];
    size_t count;
    const kin_param* walked[200];
    size_t walked_count;
} catalogue;

/* How a thing looks is no state of a world; the captures of the unbroken run see to it that looking changes nothing. */
static bool is_only_seen(const char* table, const char* row)
{
    static const char* const rows[] = {"kinds.draw", "kinds.texture", "kinds.orient", "look.draw", "look.skin", "look.paint", "height_field.picture"};
    char name[64];
    snprintf(name, sizeof name, "%s.%s", table, row);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        if (strcmp(rows[i], name) == 0) return true;
    }
    return false;
}

static bool counts_alone(const kin_param* p)
{
    return p->sub != NULL || p->type == KIN_PARAM_CURVE || p->type == KIN_PARAM_COLOR_CURVE || p->type == KIN_PARAM_VECTOR_CURVE || p->type == KIN_PARAM_MESH;
}

static feature* find(catalogue* c, const char* name)
{
    for (size_t i = 0; i < c->count; ++i) {
        if (strcmp(c->items[i].name, name) == 0) return &c->items[i];
    }
    return NULL;
}

static void add(catalogue* c, const char* table, const char* row, const char* value)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s%s%s", table, row, value != NULL ? "=" : "", value != NULL ? value : "");
    if (find(c, name) == NULL && c->count < MOST_FEATURES) snprintf(c->items[c->count++].name, 64, "%s", name);
}

/* What all fields have is one feature, in whichever field. */
static const char* table_of_row(const char* table, const kin_param* p)
{
    static const char* const common[] = {"strength", "region", "drop", "tags"};
    for (int i = 0; kin_field_named(table) != NULL && i < 4; ++i) {
        if (strcmp(common[i], p->name) == 0) return "field";
    }
    return table;
}

static void collect(catalogue* c, const char* table, const kin_param* params)
{
    for (size_t i = 0; i < c->walked_count; ++i) {
        if (c->walked[i] == params) return;
    }
    c->walked[c->walked_count++] = params;
    for (const kin_param* p = params; p->name != NULL; ++p) {
        const char* where = table_of_row(table, p);
        if (is_only_seen(where, p->name)) continue;
        if (counts_alone(p)) add(c, where, p->name, NULL);
        for (const char* const* n = p->type == KIN_PARAM_ENUM ? p->names : NULL; n != NULL && *n != NULL; ++n) add(c, where, p->name, *n);
        if (p->type == KIN_PARAM_BOOL) add(c, where, p->name, p->preset[0] != 0 ? "false" : "true");
        if (p->sub != NULL) collect(c, p->name, p->sub);
    }
}

static void collect_all(catalogue* c)
{
    collect(c, "scene", kin_scene_top_params);
    for (int i = 0; kin_system_registry[i] != NULL; ++i) collect(c, kin_system_registry[i]->name, kin_system_registry[i]->params);
    for (int i = 0; kin_field_registry[i] != NULL; ++i) {
        add(c, "fields", kin_field_registry[i]->name, NULL);
        collect(c, kin_field_registry[i]->name, kin_field_registry[i]->params);
    }
}

/* ---- what a scene names ---- */

typedef struct visit {
    catalogue* features;
    const char* wanted; /* "table.row=": out gets the path of that row wherever its table stands; NULL: mark */
    char (*out)[200];
    int out_count;
} visit;

static void mark(visit* v, const char* table, const char* row, const char* value)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s%s%s", table, row, value != NULL ? "=" : "", value != NULL ? value : "");
    feature* f = find(v->features, name);
    if (f != NULL) f->seen = true;
}

static void walk(visit* v, const char* table, const kin_param* params, const kin_node* node, const char* path);

static void walk_row(visit* v, const kin_param* p, const kin_node* value, const char* path)
{
    if (value->type != KIN_NODE_LIST) {
        walk(v, p->name, p->sub, value, path);
        return;
    }
    for (uint32_t i = 0; i < value->count; ++i) {
        char below[200];
        snprintf(below, sizeof below, "%.180s[%u]", path, i);
        walk(v, p->name, p->sub, value->items[i], below);
    }
}

static void walk(visit* v, const char* table, const kin_param* params, const kin_node* node, const char* path)
{
    if (node->type != KIN_NODE_TABLE) return;
    for (const kin_param* p = params; p->name != NULL; ++p) {
        const kin_node* value = kin_node_get(node, p->name);
        const char* where = table_of_row(table, p);
        char below[200], name[64];
        snprintf(below, sizeof below, "%.120s%s%.60s", path, path[0] != 0 ? "." : "", p->name);
        snprintf(name, sizeof name, "%s.%s=", where, p->name);
        if (v->wanted != NULL && strcmp(v->wanted, name) == 0 && v->out_count < MOST_SETS) snprintf(v->out[v->out_count++], 200, "%s", below);
        if (value == NULL) continue;
        const char* text = value->type == KIN_NODE_BOOL ? (value->boolean ? "true" : "false") : p->type == KIN_PARAM_ENUM ? value->string : NULL;
        if (v->wanted == NULL) mark(v, where, p->name, text);
        if (p->sub != NULL) walk_row(v, p, value, below);
    }
}

static void walk_scene(visit* v, const kin_node* root)
{
    walk(v, "scene", kin_scene_top_params, root, "");
    const kin_node *systems = kin_node_get(root, "systems"), *fields = kin_node_get(root, "fields");
    for (uint32_t i = 0; systems != NULL && i < systems->count; ++i) {
        char path[40];
        const kin_system_ops* ops = kin_system_named(kin_node_get(systems->items[i], "type")->string);
        snprintf(path, sizeof path, "systems[%u]", i);
        walk(v, ops->name, ops->params, systems->items[i], path);
    }
    for (uint32_t i = 0; fields != NULL && i < fields->count; ++i) {
        for (int k = 0; kin_field_registry[k] != NULL; ++k) {
            char path[40];
            const kin_field_ops* ops = kin_field_registry[k];
            if (kin_node_get(fields->items[i], ops->name) == NULL) continue;
            snprintf(path, sizeof path, "fields[%u]", i);
            if (v->wanted == NULL) mark(v, "fields", ops->name, NULL);
            walk(v, ops->name, ops->params, fields->items[i], path);
        }
    }
}

/* ---- the law ---- */

typedef struct run {
    test* t;
    char path[64];
    kin_scene* scene;
    kin_error error;
} run;

static bool load(run* r, const scene_row* row, const kin_scene_set* set)
{
    kin_scene_options options = kin_scene_options_default();
    FILE* file = fopen(r->path, "w");
    if (file == NULL) return false;
    fprintf(file, "return {%s}", row->text);
    fclose(file);
    options.allocator = r->t->allocator;
    options.sets = set;
    options.set_count = set != NULL ? 1 : 0;
    return kin_scene_load(r->path, &options, &r->scene, &r->error) == KIN_OK;
}

static kin_world* build(run* r)
{
    kin_world_def def = kin_world_def_default();
    kin_world* world = NULL;
    def.allocator = r->t->allocator;
    def.threads = 1;
    kin_scene_build(r->scene, &def, &world, &r->error);
    return world;
}

static bool step(run* r, kin_world* world)
{
    return kin_scene_before_step(r->scene, world, &r->error) == KIN_OK && kin_world_step(world, NULL, &r->error) == KIN_OK;
}

static void look(kin_world* world, uint64_t index)
{
    const kin_frame* frame;
    kin_measure measures[100];
    kin_world_capture(world, index, 1.0 / 60, &frame, NULL);
    for (uint32_t i = 1; i <= kin_world_system_count(world); ++i) kin_world_measure(world, i, measures, 100);
}

/* A link of the chain: restored, one step. Every few steps: restored, and on to the end. */
static void check_restored(run* r, const char* name, const kin_snapshot* marks, const uint64_t* hashes, int steps)
{
    for (int from = 0; from < steps; ++from) {
        kin_world* world = build(r);
        int to = from % (steps / 3 + 1) == 0 ? steps : from + 1;
        bool same = kin_world_restore(world, &marks[from], &r->error) == KIN_OK && kin_world_state_hash(world) == hashes[from];
        int at = from;
        for (; same && at < to; ++at) same = step(r, world) && kin_world_state_hash(world) == hashes[at + 1];
        kin_world_destroy(world);
        if (!test_check(r->t, same, __FILE__, __LINE__, "%s: restored at step %d it differs at step %d: %s", name, from, at, r->error.message)) return;
    }
}

/* False: the scene cannot be had so. */
static bool resumes(run* r, const char* name, int steps)
{
    enum { MOST = 64 };
    kin_snapshot marks[MOST] = {0};
    uint64_t hashes[MOST + 1];
    kin_world* world = build(r);
    if (world == NULL) return false;
    bool ok = true;
    for (int i = 0; i < steps && ok; ++i) {
        hashes[i] = kin_world_state_hash(world);
        kin_world_snapshot(world, &marks[i], NULL);
        look(world, (uint64_t)i);
        ok = step(r, world);
    }
    hashes[steps] = kin_world_state_hash(world);
    kin_world_destroy(world);
    if (ok) check_restored(r, name, marks, hashes, steps);
    for (int i = 0; i < steps; ++i) kin_snapshot_free(&marks[i]);
    return ok;
}

static void close_scene(run* r)
{
    kin_scene_free(r->scene);
    r->scene = NULL;
}

static void begin(test* t, run* r)
{
    *r = (run){.t = t};
    snprintf(r->path, sizeof r->path, "/tmp/kinema_resume_%d.lua", (int)getpid());
}

static void every_scene_resumes(test* t)
{
    run r;
    begin(t, &r);
    for (int i = 0; i < SCENES; ++i) {
        r.error = (kin_error){0};
        bool ok = load(&r, &scenes[i], NULL) && resumes(&r, scenes[i].name, scenes[i].steps);
        test_check(t, ok, __FILE__, __LINE__, "%s: %s: %s", scenes[i].name, r.error.where, r.error.message);
        close_scene(&r);
    }
    unlink(r.path);
}

/* A choice in the first scene that has its table and takes it. */
static bool try_choice(run* r, catalogue* c, const char* feature_name)
{
    char wanted[64], paths[MOST_SETS][200];
    snprintf(wanted, sizeof wanted, "%s", feature_name);
    char* value = strchr(wanted, '=') + 1;
    char chosen[64];
    snprintf(chosen, sizeof chosen, "%s", value);
    *value = 0;
    for (int i = 0; i < SCENES; ++i) {
        visit v = {.features = c, .wanted = wanted, .out = paths};
        if (load(r, &scenes[i], NULL)) walk_scene(&v, r->scene->tree.root);
        close_scene(r);
        for (int k = 0; k < v.out_count; ++k) {
            char name[300];
            snprintf(name, sizeof name, "%s: %s=%s", scenes[i].name, paths[k], chosen);
            bool ok = load(r, &scenes[i], &(kin_scene_set){paths[k], chosen}) && resumes(r, name, 6);
            close_scene(r);
            if (ok) return true;
        }
    }
    return false;
}

static void every_feature_resumes(test* t)
{
    static catalogue c;
    run r;
    begin(t, &r);
    collect_all(&c);
    for (int i = 0; i < SCENES; ++i) {
        if (load(&r, &scenes[i], NULL)) walk_scene(&(visit){.features = &c}, r.scene->tree.root);
        close_scene(&r);
    }
    for (size_t i = 0; i < c.count; ++i) {
        bool is_choice = strchr(c.items[i].name, '=') != NULL;
        if (!c.items[i].seen && is_choice) c.items[i].seen = try_choice(&r, &c, c.items[i].name);
        test_check(t, c.items[i].seen, __FILE__, __LINE__, "no scene has %s: %s", c.items[i].name, is_choice ? r.error.message : "");
    }
    unlink(r.path);
}

TEST_MAIN("laws/resume", TEST(every_scene_resumes), TEST(every_feature_resumes))
