/* capture.c - what is seen of a tank: its surface as a mesh (skin.c), its particles as spheres, its foam.
 *
 * Each phase has layers of its own, with its own look: the first phase's have the system's name, the others' "name/phase"; particles beside a skin are
 * ".../particles". Both may be painted by what the fluid does, from blue (little) over green and yellow to red (much). */
#include "domains/sph/face.h"
#include "math/scalar.h"
#include "math/vec3.h"
#include <stdio.h>

/* ---- paint ---- */

/* Linear rgb, at even distances. */
static const float ramp[][3] = {{0.03f, 0.05f, 0.35f}, {0.02f, 0.35f, 0.60f}, {0.05f, 0.60f, 0.25f}, {0.90f, 0.75f, 0.05f}, {0.80f, 0.06f, 0.02f}};
enum { RAMP = sizeof ramp / sizeof *ramp };

void kin_sph_paint_color(const kin_sph_seen* s, double value, float rgb[3])
{
    double width = s->range[1] - s->range[0], at = width > 0 ? kin_clamp((value - s->range[0]) / width, 0, 1) * (RAMP - 1) : 0;
    int low = at < RAMP - 1 ? (int)at : RAMP - 2;
    float share = (float)(at - low);
    for (int c = 0; c < 3; ++c) rgb[c] = (1 - share) * ramp[low][c] + share * ramp[low + 1][c];
}

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
    if (s->f->def.look.paint == KIN_SPH_PAINT_PHASE) return;
    float* colors = kin_capture_array(capture, "color", KIN_F32, 3, s->count);
    for (size_t i = 0, k = 0; colors != NULL && i < s->f->count; ++i) {
        if (s->f->phase[i] == s->phase) kin_sph_paint_color(s, kin_sph_painted(s->f, i), &colors[3 * k++]);
    }
}

void kin_sph_capture_particles(const kin_sph_seen* s, const char* const names[3], kin_capture* capture)
{
    const kin_sph* f = s->f;
    float* positions = kin_capture_array(capture, names[0], KIN_F32, 3, s->count);
    float* velocities = kin_capture_array(capture, names[1], KIN_F32, 3, s->count);
    uint64_t* ids = kin_capture_array(capture, names[2], KIN_U64, 1, s->count);
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
    static const char* const names[3] = {"position", "velocity", "id"};
    kin_sph_capture_particles(s, names, capture);
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
