/* features.h - small scenes that together have every table a scene can name; laws/resume_test.c checks that they do. */
#pragma once

typedef struct feature_scene {
    const char* name;
    int steps;
    const char* text; /* after "return {" */
} feature_scene;

#define MESHES KIN_SOURCE_DIR "/scenes/particles/"
#define SOLIDS KIN_SOURCE_DIR "/scenes/collision/meshes/"
#define GROUND "colliders = {{name = 'ground', shape = {plane = {0, 1, 0}}}}, "

static const feature_scene feature_scenes[] = {
    {"particles", 30,
     "title = 'x', seed = 4, bounds = {low = {-9, -9, -9}, high = {9, 9, 9}, policy = 'bounce'}, pairs = {restitution = 'min', friction = 'max', values = {{a "
     "= 'steel', b = 'ice', friction = 0.1}}}, " GROUND
     "systems = {{type = 'particles', integrator = 'semi_implicit', contacts = 'fast', particles = {{position = {0, 0.3, 0}, velocity = {1, 0, 0}, radius = "
     "0.1}, "
     "{position = {0.3, 0.4, 0}, radius = 0.1}, {position = {2, 1, 0}, status = 'static'}, {count = 6, box = {1, 0.5, 1}, position = {0, 2, 0}, form = 'ball', "
     "radius = 0.05}}, springs = {{a = 0, b = 1, stiffness = 50, rest = 0.4}}}}"},
    {"kinds", 30,
     "seed = 4, " GROUND
     "systems = {{type = 'particles', kinds = {{name = 'a', tags = {'t'}, material = 'steel', life = {0.2, 0.05}, size = {{t = 0, value = 1}, {t = 1, "
     "value = 2}}, weight = {{t = 0, value = 1}, {t = 1, value = 2}}, color = {{t = 0, value = '#ffffff'}, {t = 1, value = '#000000'}}, opacity = 0.5, splits "
     "= {{into "
     "= 'b', when = 'death', number = 3, speed = 1, kick = {1, 0.5}}}}, {name = 'b', radius = 0.03, life = 0.3, ends = {hit = true, region = {sphere = 9}, "
     "region_keys = {{t = 0}, {t = 1, center = {0.1, 0, 0}}}}, "
     "draw = 'sphere'}, {name = 'c', draw = 'mesh', mesh = '" MESHES
     "leaf.obj', orient = 'tumble', spin = {1, 0.2}, splits = {{into = 'b', when = 'hit', keep = true, "
     "number = 1}}}}, emitters = {{name = 'e', kind = 'a', shape = {sphere = 0.2}, position = {0, 1, 0}, rate = {{t = 0, value = 50}, {t = 1, value = 90}}, "
     "speed = {2, 0.3}, "
     "rate_deviation = 0.2}, {kind = 'c', shape = {triangle = {{0, 1, 0}, {1, 1, 0}, {0, 1, 1}}}, burst = 4, aim = 'normal', collider = 'ground'}, {kind = "
     "'c', shape = {disk = 0.5}, position = {0, 1, 0}, burst = 4, placement = 'grid'}, "
     "{kind = 'c', shape = {curve = {{0, 1, 0}, {1, 1, 0}}}, rate = 20, table = 1}, {kind = 'b', shape = {mesh = '" MESHES
     "heart.obj'}, rate = 20, clearance = true}}, "
     "volume = {box = {4, 4, 4}, center = {0, 1, 0}, resolution = 12, disperse = 0.2, noise = 0.3, flow = {0.1, 0, 0}}}}"},
    {"traced", 6,
     "systems = {{type = 'particles', name = 'drops', kinds = {{draw = 'metaball'}}, particles = {{count = 5, box = {1, 1, 1}}}}, {type = 'sph', name = "
     "'tank', "
     "radius = 0.05, look = {surface = 'rays', skin = 'color'}, blocks = {{shape = {box = {0.3, 0.3, 0.3}}, position = {3, 1, 0}}}}}"},
    {"attributes", 40,
     GROUND
     "systems = {{type = 'particles', name = 'a', kinds = {{name = 'k', mass = {1, 0.2}, radius = {0.05, 0.01}, charge = {1, 0.5}, restitution_deviation = "
     "0.2, "
     "each_step = {'radius', 'mass', 'charge', 'restitution'}, attributes = {{name = 'heat', value = {3, 1}, inherit = true}}, color = {{t = 0, value = "
     "'#ffffff'}, {t = 5, value = '#000000'}}, color_by = 'heat', size = {{t = 0, value = 1}, {t = 5, value = 2}}, size_by = 'heat', splits = {{into = 'c', "
     "when = 'hit', keep = true, number = 1}}, min_width = 0.01, fade_length = 5}, {name = 'c', attributes = {{name = 'heat'}}, draw = 'mesh', mesh = '" MESHES
     "leaf.obj', carry_up = true, orient = 'bank', life = 0.3}}, particles = {{count = 9, box = {0.5, 0.3, 0.5}, position = {0, 0.4, 0}}}}}"},
    {"history", 40,
     GROUND
     "systems = {{type = 'particles', name = 'a', contacts = 'fast', trail_points = 5, kinds = {{name = 'k', trail = 0.2, keep_hits = true, color = {{t "
     "= 0, value = '#ffffff'}, {t = 1, value = '#000000'}}, color_by = 'since_hit', opacity = 0.5, opacity_by = 'since_hit'}}, particles = {{count = 9, box "
     "= {0.5, 0.3, 0.5}, position = {0, 0.4, 0}, velocity = {0, -1, 0}, radius = 0.1}}}, {type = 'particles', name = 'b', contacts = 'exact', kinds = "
     "{{keep_hits = true}}, particles = {{position = {0, 1, 0}, radius = 0.1}, {position = {0, 1.4, 0}, radius = 0.1}}}}"},
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
    {"curved", 8,
     "colliders = {{shape = {nurbs = {columns = 4, points = {{-3, 0, -3}, {-1, 0, -3}, {1, 0, -3}, {3, 0.2, -3}, {-3, 0, -1}, {-1, 0.1, -1}, {1, 0, -1}, {3, "
     "0, "
     "-1}, {-3, 0, 1}, {-1, 0, 1}, {1, 0.1, 1}, {3, 0, 1}, {-3, 0, 3}, {-1, 0.1, 3}, {1, 0, 3}, {3, 0, 3}}}}}, {shape = {box = {0.5, 0.2, 0.5}}, position = "
     "{0, "
     "1, 0}, path = {speed = 1, points = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}}}}}, systems = {{type = 'rigid', bodies = {{shape = {pieces = {mesh = "
     "'" SOLIDS "l-prism.obj', most_vertices = 16}, scale = {0.3, 0.3, 0.3}}, position = {-1.5, 0.6, 0}}, {shape = {box = {0.2, 0.2, 0.2}}, mobility = "
     "'animated', position = {2, 1, 0}, path = {speed = {{t = 0, value = 0}, {t = 1, value = 2}}, points = {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 1}}}}, "
     "{shape = {nurbs = {points = {{0, -1, 0}, {1, -1, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, degree_v = 2, revolve = true, tolerance = 0.05}, scale = {0.2, "
     "0.2, 0.2}}, position = {0, 1.4, 0}}}}}"},
    {"fluid", 5,
     "seed = 3, " GROUND "systems = {{type = 'sph', radius = 0.05, phases = {{name = 'w', fluid = 'water', material = 'glass'}, {name = 'o', fluid = "
     "'glycerine', thickness = {{t = 280, value = 2}, {t = "
     "320, value = 1}}}, {name = 's', matter = 'sand'}, {name = 'g', matter = 'elastic'}}, blocks = {{shape = {box = {0.3, 0.3, 0.3}}, position = {0, 0.2, 0}, "
     "phase = 'w', "
     "temperature = 300}, {shape = {box = {0.2, 0.2, 0.2}}, position = {0.5, 0.15, 0}, phase = 'o'}, {shape = {box = {0.2, 0.2, 0.2}}, position = {1, 0.15, "
     "0}, phase = 's'}, "
     "{shape = {box = {0.2, 0.2, 0.2}}, position = {1.5, 0.15, 0}, phase = 'g'}}, inflows = {{phase = 'w', position = {0, 1, 0}, direction = {0, -1, 0}, "
     "radius = 0.1, speed = "
     "3, attached = 'ground'}}, sinks = {{region = {sphere = 0.15}, region_keys = {{t = 0, center = {0, 0.1, 0}}, {t = 1, center = {0.1, 0.1, 0}}}}}, foam = "
     "{rate = 2000, life = {0.5, 0.1}}, look = {draw = 'both', "
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
     "0.2, cutoff = 0.5}, {attractor = 1, toward = {{t = 0, value = {0, 0, 0}}, {t = 1, value = {1, 0, 0}}}, region = {box = {9, 9, 9}}, region_keys = {{t = "
     "0}, {t = 1, turned = {0, 1, 0, 1}}}, strength = {{t = 0, value = 1}, {t = 1, value = "
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
enum { FEATURE_SCENES = sizeof feature_scenes / sizeof *feature_scenes };
