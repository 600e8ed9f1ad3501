/* export.c - every format there is: one explicit table. */
#include "io/export.h"

const kin_export_format kin_export_formats[] = {
    {"csv", "every point and sprite of every frame, a line each: frame,time,system,id,x,y,z,vx,vy,vz; meshes and volumes are skipped", kin_export_csv},
    {0},
};
