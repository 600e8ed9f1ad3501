/* mesh_load.c - the public way to read a mesh file. */
#include "base/error.h"
#include "geometry/list/list.h"
#include "io/mesh_read.h"

kin_result kin_mesh_load(const kin_allocator* given, const char* path, kin_mesh_list* out, kin_error* error)
{
    kin_mesh_list_begin(out, given);
    kin_mesh_data data;
    kin_result result = kin_mesh_read(&out->allocator, path, &data, error);
    if (result != KIN_OK) return result;
    kin_mesh_view view = kin_mesh_data_view(&data);
    result = kin_mesh_list_add(out, &view, error);
    kin_mesh_data_term(&data);
    return result;
}
