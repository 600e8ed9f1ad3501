/* shape_params.h - rows of what many tables have: shapes, keys and filters; and errors that name a shape's members as a scene does. */
#pragma once
#include "system/param.h"

extern const kin_param kin_shape_params[];      /* ONE_OF, in the order of kin_shape_kind: tag_offset is that of kind */
extern const kin_param kin_part_shape_params[]; /* the same, without compounds */
extern const kin_param kin_key_params[];        /* of a kin_key; what is left out is as in the thing that has the keys */
extern const kin_param kin_path_params[];       /* of a kin_path_def */
extern const kin_param kin_filter_params[];

/* What a maker of forms says of a member of a shape, as the scene says it: shape.points of a hull is shape.hull.points. Returns result. */
kin_result kin_shape_name_by_keys(kin_result result, const kin_shape* shape, kin_error* error);
