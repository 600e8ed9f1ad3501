/* attributes.c - named numbers that particles of a kind carry. Names are those of the system: kinds that share a name share its column. State. */
#include "base/error.h"
#include "domains/particles/particles.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 18 /* letters: with "user." before it a name fits an array of a frame */, DRAW_ATTRIBUTE = KIN_EMIT_DRAWS + 16 };

static int number_in(const char* const* names, int count, const char* name)
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(names[i], name) == 0) return i;
    }
    return -1;
}

int kin_particles_attribute_count(const kin_particles_def* def)
{
    const char* names[KIN_PARTICLE_ATTRIBUTES];
    int count = 0;
    for (size_t k = 0; k < def->kinds.count; ++k) {
        for (size_t a = 0; a < def->kinds.data[k].attributes.count && count < KIN_PARTICLE_ATTRIBUTES; ++a) {
            const char* name = def->kinds.data[k].attributes.data[a].name;
            if (name != NULL && number_in(names, count, name) < 0) names[count++] = name;
        }
    }
    return count;
}

static bool is_word(const char* name)
{
    size_t length = 0;
    for (; name[length] != 0; ++length) {
        if (!isalnum((unsigned char)name[length]) && name[length] != '_') return false;
    }
    return length > 0 && length <= LONGEST;
}

/* The variables of curves have names of their own. */
static bool is_taken(const char* name) { return strcmp(name, "age") == 0 || strcmp(name, "since_hit") == 0; }

static kin_result name_one(kin_particles* p, size_t kind, size_t index, kin_error* error)
{
    char path[96];
    const kin_particle_kind* def = p->kinds[kind].def;
    const char* name = def->attributes.data[index].name;
    snprintf(path, sizeof path, "kinds[%zu].attributes[%zu].name", kind, index);
    if (name == NULL || !is_word(name) || is_taken(name))
        return kin_fail(error, KIN_ERROR_ARGUMENT, path, "\"%.80s\" must be 1 to %d letters, digits and _, and neither age nor since_hit",
                        name != NULL ? name : "", LONGEST);
    int number = number_in(p->attribute_names, p->attribute_count, name);
    for (size_t k = 0; k < index && number >= 0; ++k) {
        if (p->kinds[kind].attributes[k] == number) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "\"%s\" is there twice", name);
    }
    if (number < 0 && p->attribute_count == KIN_PARTICLE_ATTRIBUTES)
        return kin_fail(error, KIN_ERROR_ARGUMENT, path, "\"%s\" is one name too many: a system has at most %d", name, KIN_PARTICLE_ATTRIBUTES);
    if (number < 0) {
        number = p->attribute_count++;
        p->attribute_names[number] = name;
    }
    p->kinds[kind].attributes[index] = (uint8_t)number;
    return KIN_OK;
}

kin_result kin_particles_name_attributes(kin_particles* p, kin_error* error)
{
    kin_result result = KIN_OK;
    for (size_t k = 0; k < p->kind_count; ++k) {
        size_t count = p->kinds[k].def->attributes.count;
        for (size_t a = 0; a < count && result == KIN_OK; ++a) result = name_one(p, k, a, error);
    }
    return result;
}

int kin_kind_attribute(const kin_kind* kind, const char* name)
{
    for (size_t a = 0; a < kind->def->attributes.count; ++a) {
        if (strcmp(kind->def->attributes.data[a].name, name) == 0) return kind->attributes[a];
    }
    return -1;
}

void kin_kind_draw_attributes(const kin_kind* kind, const kin_rng_key* key, double out[KIN_PARTICLE_ATTRIBUTES])
{
    for (size_t a = 0; a < kind->def->attributes.count; ++a) {
        uint32_t number = kind->attributes[a];
        out[number] = kin_rng_about(key, DRAW_ATTRIBUTE + number, kind->def->attributes.data[a].value, -1e300);
    }
}

void kin_kind_inherit_attributes(const kin_kind* parent, const double* from, const kin_kind* kind, double out[KIN_PARTICLE_ATTRIBUTES])
{
    for (size_t a = 0; a < parent->def->attributes.count; ++a) {
        const kin_particle_attribute* def = &parent->def->attributes.data[a];
        if (def->inherit && kin_kind_attribute(kind, def->name) >= 0) out[parent->attributes[a]] = from[parent->attributes[a]];
    }
}

/* ---- commands and questions ---- */

static double* place_of(const kin_particles* p, uint32_t element, const char* name)
{
    int number = kin_kind_attribute(&p->kinds[p->kind[element]], name);
    return number >= 0 ? &p->attributes[(size_t)element * (size_t)p->attribute_count + (size_t)number] : NULL;
}

bool kin_particle_attribute_of(const void* self, uint32_t element, const char* name, double* out)
{
    const double* place = place_of(self, element, name);
    if (place != NULL) *out = *place;
    return place != NULL;
}

bool kin_particle_set_attribute(void* self, uint32_t element, const char* name, double value)
{
    double* place = place_of(self, element, name);
    if (place != NULL) *place = value;
    return place != NULL;
}
