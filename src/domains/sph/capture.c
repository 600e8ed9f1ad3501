/* capture.c - what is seen of a tank: its surface as a mesh (skin.c), its particles as spheres, its foam.
 *
 * Each phase has layers of its own, with its own look: the first phase's have the system's name, the others' "name/phase"; particles beside a skin are
 * ".../particles", spray ".../1". All may be painted by what the fluid does. */
#include "domains/sph/face.h"
#include "math/scalar.h"
#include "math/vec3.h"
#include <stdio.h>

/* ---- paint ---- */

kin_colormap kin_sph_colors(const kin_sph_seen* s) { return s->f->def.look.paint != KIN_SPH_PAINT_PHASE ? (kin_colormap)s->f->def.look.colors : KIN_COLORMAPS; }

double kin_sph_painted(const kin_sph* f, size_t i)
{
    const float* v = &f->v4[4 * i];
    switch (f->def.look.paint) {
    case KIN_SPH_PAINT_SPEED: return kin_length(kin_v((double)v[0], (double)v[1], (double)v[2]));
    case KIN_SPH_PAINT_PRESSURE: return (double)f->pressure[i];
    case KIN_SPH_PAINT_TEMPERATURE: return f->temperature != NULL ? (double)f->temperature[i] : f->def.phases.data[f->phase[i]].reference;
    case KIN_SPH_PAINT_DENSITY: return (double)f->density[i];
    default: return 0;
    }
}

static void find_range(const kin_sph* f, double range[2])
{
    range[0] = f->def.look.range[0], range[1] = f->def.look.range[1];
    if (range[0] != 0 || range[1] != 0) return;
    for (size_t i = 0; i < f->count; ++i) {
        double value = kin_sph_painted(f, i);
        if (i == 0 || value < range[0]) range[0] = value;
        if (i == 0 || value > range[1]) range[1] = value;
    }
}

/* ---- particles ---- */

static void capture_color(const kin_sph_seen* s, kin_capture* capture)
{
    const kin_colormap map = kin_sph_colors(s);
    float* colors = map != KIN_COLORMAPS ? kin_capture_array(capture, "color", KIN_F32, 3, s->count) : NULL;
    for (size_t i = 0, k = 0; colors != NULL && i < s->f->count; ++i) {
        if (s->f->phase[i] != s->phase) continue;
        const float value = (float)kin_sph_painted(s->f, i);
        kin_colormap_paint(map, &value, 1, 1, s->range[0], s->range[1], &colors[3 * k++]);
    }
}

static void capture_places(const kin_sph_seen* s, kin_capture* capture)
{
    const kin_sph* f = s->f;
    float* positions = kin_capture_array(capture, "position", KIN_F32, 3, s->count);
    float* velocities = kin_capture_array(capture, "velocity", KIN_F32, 3, s->count);
    uint64_t* ids = kin_capture_array(capture, "id", KIN_U64, 1, s->count);
    if (capture->failed) return;
    const kin_vec3 shift = kin_sub(f->origin, capture->frame.origin);
    const double by[3] = {shift.x, shift.y, shift.z};
    for (size_t i = 0, k = 0; i < f->count; ++i) {
        if (f->phase[i] != s->phase) continue;
        for (size_t a = 0; a < 3; ++a) positions[3 * k + a] = (float)((double)f->x4[4 * i + a] + by[a]), velocities[3 * k + a] = f->v4[4 * i + a];
        ids[k++] = f->serial[i];
    }
}

static void capture_points(const kin_sph_seen* s, kin_capture* capture)
{
    capture_places(s, capture);
    float* radii = kin_capture_array(capture, "radius", KIN_F32, 1, s->count);
    for (size_t k = 0; radii != NULL && k < s->count; ++k) radii[k] = (float)s->f->def.radius;
}

static uint64_t count_of(const kin_sph* f, uint32_t phase)
{
    uint64_t count = 0;
    for (size_t i = 0; i < f->count; ++i) count += f->phase[i] == phase;
    return count;
}

/* ---- layers ---- */

/* The material's, or that of the fluid. */
static kin_look look_of(const kin_sph* f, uint32_t phase, const kin_materials* materials, bool spheres)
{
    const kin_sph_phase_def* p = &f->def.phases.data[phase];
    return p->material.index1 != 0 ? kin_materials_at(materials, p->material)->look : kin_fluid_preset_look(p->fluid, spheres);
}

static void layer_name(const kin_sph* f, const char* name, uint32_t phase, const char* suffix, char out[64])
{
    if (phase == 0)
        snprintf(out, 64, "%.40s%s", name, suffix);
    else
        snprintf(out, 64, "%.30s/%.20s%s", name, f->def.phases.data[phase].name, suffix);
}

static void capture_phase(const kin_sph_seen* s, const char* name, const kin_materials* materials, kin_capture* capture)
{
    char layer[64];
    const kin_sph_draw draw = s->f->def.look.draw;
    bool points = draw != KIN_SPH_DRAW_SKIN;
    if (draw != KIN_SPH_DRAW_PARTICLES) {
        kin_look look = look_of(s->f, s->phase, materials, false);
        layer_name(s->f, name, s->phase, "", layer);
        points = !kin_sph_capture_skin(s, layer, &look, capture) || points;
    }
    if (!points || capture->failed) return;
    kin_look look = look_of(s->f, s->phase, materials, true);
    layer_name(s->f, name, s->phase, draw == KIN_SPH_DRAW_BOTH ? "/particles" : "", layer);
    kin_capture_layer(capture, layer, KIN_LAYER_POINTS, &look);
    if (capture->failed) return;
    capture_points(s, capture);
    capture_color(s, capture);
}

void kin_sph_capture(const void* self, const char* name, const kin_materials* materials, kin_capture* capture)
{
    kin_sph_seen s = {.f = self};
    if (s.f->def.look.paint == KIN_SPH_PAINT_PRESSURE && s.f->count > 0 && kin_sph_pressures((kin_sph*)(uintptr_t)self) == NULL) {
        capture->failed = true;
        return;
    }
    if (s.f->def.look.paint != KIN_SPH_PAINT_PHASE) find_range(s.f, s.range);
    for (s.phase = 0; s.phase < s.f->phase_count && !capture->failed; ++s.phase) {
        s.count = count_of(s.f, s.phase);
        if (s.count > 0) capture_phase(&s, name, materials, capture);
    }
    if (s.f->sources->foam != NULL && !capture->failed) kin_foam_capture(s.f->sources->foam, name, capture);
}
