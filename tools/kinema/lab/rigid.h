/* rigid.h - the study of orientations: matrices that shear, quaternions that do not. */
#pragma once
#include <stdbool.h>

int kin_lab_rigid(const char* folder, bool json, bool quiet);
