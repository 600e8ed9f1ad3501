/* export.c - every format there is: one explicit table. */
#include "io/export.h"

const kin_export_format kin_export_formats[] = {
    {"csv", "every particle, sprite and rigid body of every frame, a line each: frame,time,system,id,x,y,z,vx,vy,vz", kin_export_csv},
    {"poses", "csv of the rigid bodies alone, with orientation and spin: frame,time,system,id,x,y,z,vx,vy,vz,qx,qy,qz,qw,wx,wy,wz", kin_export_poses},
    {0},
};
