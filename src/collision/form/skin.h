/* skin.h - the triangles by which a form is seen. */
#pragma once
#include "collision/form/form.h"

typedef struct kin_skin {
    kin_vec3* positions; /* m, local */
    kin_vec3* normals;   /* unit, for shading: corners of flat faces have their own */
    uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
    double bevel; /* of edges, part of a shape's least side; 0: sharp */
    size_t position_capacity, normal_capacity, triangle_capacity;
    kin_allocator allocator;
} kin_skin;

/* False: out of memory, and the skin is empty. Planes have none. */
bool kin_skin_init(const kin_allocator* allocator, const kin_form* form, kin_skin* out);
/* For pictures. Of a compound only the parts whose kin_form_material is this one; other forms whole. Edges of boxes, cylinders and cones are rounded by the
 * bevel, a part of their least side: 0 to 0.5. */
bool kin_skin_init_of(const kin_allocator* allocator, const kin_form* form, kin_material_id material, double bevel, kin_skin* out);
void kin_skin_term(kin_skin* skin);
