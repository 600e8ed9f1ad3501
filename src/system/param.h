/* param.h - parameter tables: one row per setting, from which scenes are checked, --set is resolved, help, schema and handbook pages are written and
 * live changes are made. Nothing is described twice.
 *
 * A table describes a plain struct (a def): where a value goes is its offset. Rows end with a name of NULL. */
#pragma once
#include "base/arena.h"
#include "base/tree.h"
#include "kinema/base.h"
#include "kinema/collider.h"
#include "kinema/curve.h"
#include "kinema/math.h"
#include "kinema/picture.h"
#include "kinema/shape.h"

typedef enum kin_param_type {                        /* goes into */
                              KIN_PARAM_NUMBER,      /* double */
                              KIN_PARAM_INTEGER,     /* int */
                              KIN_PARAM_COUNT,       /* int64_t */
                              KIN_PARAM_SEED,        /* uint64_t */
                              KIN_PARAM_BOOL,        /* bool */
                              KIN_PARAM_PAIR,        /* double[2]; a number gives both */
                              KIN_PARAM_TWO,         /* double[2]; both must be given */
                              KIN_PARAM_ABOUT,       /* double[2]: mean, in the row's range, and deviation, >= 0; a number gives the mean alone */
                              KIN_PARAM_VECTOR,      /* kin_vec3 */
                              KIN_PARAM_DIRECTION,   /* kin_vec3, not zero */
                              KIN_PARAM_ORIENTATION, /* kin_quat: {x, y, z, w} or {axis =, angle =}; normalised */
                              KIN_PARAM_COLOR,       /* float[3], linear: "#rrggbb" or {r, g, b} in 0..1 linear */
                              KIN_PARAM_ENUM,        /* int: index into names */
                              KIN_PARAM_TEXT,        /* const char* */
                              KIN_PARAM_FILE,        /* const char*: path made relative to the scene's folder */
                              KIN_PARAM_MATERIAL,    /* kin_material_id, by name */
                              KIN_PARAM_MESH,        /* kin_mesh_view, by file name */
                              KIN_PARAM_TABLE,       /* a struct described by sub */
                              KIN_PARAM_LIST,        /* {const T* data; size_t count}, T described by sub; a single table is a list of one */
                              KIN_PARAM_ONE_OF, /* a struct described by sub, exactly one row of which is given (and any flagged BESIDE); its index goes into the int at tag_offset; preset[0] = -1: none need be */
                              KIN_PARAM_CURVE,  /* kin_curve of one number: a number, {{t =, value =}, ...} or {mode =, keys =} */
                              KIN_PARAM_COLOR_CURVE,  /* kin_curve of linear rgb */
                              KIN_PARAM_VECTOR_CURVE, /* kin_curve of three numbers */
                              KIN_PARAM_TEXTS,        /* kin_param_texts; a single text is a list of one */
                              KIN_PARAM_VECTORS,      /* kin_points_view */
                              KIN_PARAM_NUMBERS,      /* kin_numbers_view */
                              KIN_PARAM_PICTURE,      /* kin_picture_view, by the name of a PNG file */
                              KIN_PARAM_WHICH,        /* int64_t: one of several things by number; a name goes into the const char* at tag_offset */
} kin_param_type;

enum {
    KIN_PARAM_REQUIRED = 1,
    KIN_PARAM_LIVE = 2,     /* may change while the world runs */
    KIN_PARAM_OPEN_LOW = 4, /* low itself is out of range */
    KIN_PARAM_OPEN_HIGH = 8,
    KIN_PARAM_BESIDE = 16,   /* in a ONE_OF: may stand beside the one that is chosen; such rows come last */
    KIN_PARAM_AS_OWNER = 32, /* of a LIST's plain rows: left out, it is as the row of that name in the table that has the list */
    KIN_PARAM_TELLS = 64,    /* whether it was given goes into the bool at told_offset; what was not given is not checked */
    KIN_PARAM_OR_NONE = 256, /* an ORIENTATION in a struct of C may be four zeros: unturned */
    KIN_PARAM_CHOICE = 128,  /* a LIST whose elements are each a ONE_OF by sub and tag_offset */
};

typedef struct kin_param kin_param;
struct kin_param {
    const char* name;
    kin_param_type type;
    size_t offset;
    const char* unit;         /* "m/s"; NULL: none */
    const char* doc;          /* one sentence */
    double low, high;         /* of numbers and of each component; both 0: any finite (with OPEN_LOW: > 0); 1e300 and beyond: no limit */
    double preset[4];         /* default; colours too. ENUM, INTEGER, BOOL: preset[0] */
    const char* const* names; /* ENUM: NULL-terminated */
    const kin_param* sub;     /* TABLE, LIST, ONE_OF */
    size_t sub_size;          /* LIST: bytes of an element */
    size_t tag_offset;        /* ONE_OF: of the int, from the start of the sub struct; WHICH: of the name, in the struct of this row */
    size_t told_offset;       /* TELLS: of the bool, in the struct of this row */
    uint32_t flags;
};

/* Where lists of plain values go. */
typedef struct kin_param_texts {
    const char* const* data;
    size_t count;
} kin_param_texts;

/* Reading a def needs to know of things outside it. */
struct kin_materials;
typedef struct kin_param_context {
    kin_arena* arena;                /* texts and lists of the def live here */
    struct kin_materials* materials; /* for MATERIAL: a preset that is named is added; NULL: names are only checked to be texts */
    const char* folder;              /* for FILE and MESH: of the scene; NULL: as given */
    /* For MESH. NULL: names are only checked to be texts. The view must stay valid as long as the arena. */
    kin_result (*read_mesh)(void* reader, const char* path, kin_mesh_view* out, kin_error* error);
    kin_result (*read_picture)(void* reader, const char* path, kin_picture_view* out, kin_error* error); /* for PICTURE, alike */
    void* reader;
} kin_param_context;

/* Sets every row of the def to its default. */
void kin_params_default(const kin_param* params, void* def);
/* Names of the twelve orders of Euler angles, ends with NULL. */
extern const char* const* const kin_param_euler_orders;

/* Reads a table node into a def that holds its defaults. error->where is the path below `path`, e.g. systems[0].particles[3].mass. Extra keys named in `known`
 * (NULL-terminated, may be NULL) are left to the caller; any other unknown key is an error that names the nearest known one. */
kin_result kin_params_read(const kin_param* params, const kin_node* table, const char* const* known, const char* path, const kin_param_context* context,
                           void* def, kin_error* error);
/* One row, by its node. */
kin_result kin_param_read(const kin_param* param, const kin_node* node, const char* path, const kin_param_context* context, void* def, kin_error* error);
/* Checks a filled def's own rows (numbers, vectors, enums, sub tables): for defs that came through the C API. */
kin_result kin_params_check(const kin_param* params, const void* def, const char* path, kin_error* error);
/* out = def with all it points to copied into the arena (meshes too). False: out of memory. out may be def itself. */
bool kin_params_copy(const kin_param* params, size_t def_size, const void* def, kin_arena* arena, void* out);
const kin_param* kin_params_find(const kin_param* params, const char* name);
int kin_params_count(const kin_param* params);
size_t kin_param_size(kin_param_type type); /* bytes of a plain value; 0: texts, files, curves and tables, which do not change while a world runs */
/* "number, m/s, > 0, default 1": for help and handbook. */
void kin_param_describe(const kin_param* param, char* text, size_t size);
