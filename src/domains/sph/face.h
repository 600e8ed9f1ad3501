/* face.h - what scenes, programs and pictures see of a tank: parameters, presets, filling, openings, drains. Behind it: fluid.h. */
#pragma once
#include "base/text.h"
#include "domains/sph/fluid.h"
#include "kinema/frame.h"
#include "system/colormap.h"
#include "system/foam/foam.h"

extern const kin_system_ops kin_sph_ops;
extern const kin_param kin_sph_params[], kin_sph_phase_params[], kin_sph_block_params[], kin_sph_inflow_params[], kin_sph_surface_params[];

/* ---- presets.c ---- */

int kin_fluid_preset_find(const char* name); /* -1: none */
const char* kin_fluid_preset_nearest(const char* name);
kin_look kin_fluid_preset_look(const char* name, bool spheres); /* NULL or unknown: of water */
void kin_sph_phase_resolve(kin_sph_phase_def* phase);           /* its fluid must be known */

/* ---- phases.c: from the def to what passes need; errors name the member ---- */

kin_result kin_sph_make_phases(kin_sph* f, const kin_birth* birth, const kin_sph_def* def, kin_error* error);
/* The number of a phase by name; NULL: 0. where: "blocks[1].phase". */
kin_result kin_sph_find_phase(const kin_sph* f, const char* name, const char* where, uint8_t* out, kin_error* error);

/* ---- blocks.c ---- */

/* How many particles the blocks of a def come to, from the volumes of their shapes: before any memory is taken. Shapes that are wrong count for nothing. */
double kin_sph_expected(const kin_sph_def* def);
kin_result kin_sph_fill(kin_sph* f, const kin_birth* birth, const kin_sph_def* def, kin_error* error);

/* ---- inflows.c ---- */

/* An opening, as ticks need it. */
typedef struct kin_sph_spout {
    const kin_sph_inflow* def;
    uint32_t solid; /* whose frame it moves with; UINT32_MAX: the world */
    uint8_t phase;
    kin_vec3 direction, across, along; /* unit, in that frame */
    float* places;                     /* m: two a particle of a layer, along `across` and `along` */
    uint32_t place_count;
    /* ---- state ---- */
    int64_t layers; /* that were due so far */
    int64_t born;
    uint64_t first; /* serial of the newest layer's first particle */
    uint32_t held;  /* particles of it; 0: it has gone its way */
} kin_sph_spout;

struct kin_sph_sources {
    kin_sph_spout* spouts;
    size_t spout_count;
    uint64_t born, died; /* state: since the start; blocks are not born */
    int64_t refused;     /* of this step, for max_particles */
    uint8_t* gone;       /* scratch of drains, by particle */
    size_t gone_capacity;
    bool leavers;   /* some are beyond the world's bounds */
    kin_foam* foam; /* state; NULL: none is made */
};

kin_result kin_sph_sources_create(kin_sph* f, const kin_birth* birth, kin_error* error);
void kin_sph_sources_destroy(kin_sph* f);
void kin_sph_sources_visit(kin_sph* f, kin_visitor* v);
bool kin_sph_sources_open(const kin_sph* f); /* is there any opening? */
/* At the end of every tick: layers that are due, and those that are still held to their rails. Count and capacity may change. False: out of memory. */
bool kin_sph_sources_tick(kin_sph* f, kin_sph_tick* tick);

/* ---- foam.c ---- */

kin_result kin_sph_foam_create(kin_sph* f, kin_error* error);
bool kin_sph_foam_step(kin_sph* f, kin_step* step); /* after the ticks of an interval; false: refused */

/* ---- sinks.c ---- */

void kin_sph_look_for_leavers(kin_sph* f, const kin_step* step); /* after the ticks of an interval */
void kin_sph_drain(kin_sph* f, kin_step* step);

/* ---- measure.c, capture.c, skin.c ---- */

void kin_sph_measure(const void* self, const kin_step* step, kin_budget* sum);
void kin_sph_capture(const void* self, const char* name, const kin_materials* materials, kin_capture* capture);

/* Particles of one phase, as they are seen. */
typedef struct kin_sph_seen {
    const kin_sph* f;
    uint32_t phase;
    uint64_t count;
    double range[2]; /* of what they are painted by */
} kin_sph_seen;

double kin_sph_painted(const kin_sph* f, size_t i); /* what it is painted by */
kin_colormap kin_sph_colors(const kin_sph_seen* s); /* KIN_COLORMAPS: that of its look */
/* The surface of a phase and its spray as layers. False: none could be made, for the particles are too far apart. */
bool kin_sph_capture_skin(const kin_sph_seen* s, const char* layer, const kin_look* look, kin_capture* capture);
