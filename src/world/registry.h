/* registry.h - every kind of system there is: one explicit table, no constructor magic. */
#pragma once
#include "system/system.h"

extern const kin_system_ops* const kin_system_registry[]; /* NULL-terminated */
const kin_system_ops* kin_system_named(const char* type); /* NULL if there is none */
