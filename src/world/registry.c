/* registry.c - one line per kind of system. */
#include "world/registry.h"
#include "domains/particles/particles.h"
#include "domains/rigid/rigid.h"
#include "domains/sph/face.h"
#include <string.h>

const kin_system_ops* const kin_system_registry[] = {
    &kin_particles_ops,
    &kin_rigid_ops,
    &kin_sph_ops,
    NULL,
};

const kin_system_ops* kin_system_named(const char* type)
{
    for (int i = 0; kin_system_registry[i] != NULL; ++i) {
        if (strcmp(kin_system_registry[i]->name, type) == 0) return kin_system_registry[i];
    }
    return NULL;
}
