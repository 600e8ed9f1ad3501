/* json_fuzz.c - JSON, as scenes and manifests are read: an error that says where, or a tree that comes back the same from its own text. */
#include "base/alloc.h"
#include "fuzz/fuzz.h"
#include "io/json.h"

static const char* const seeds[] = {
    "{\"systems\":[{\"type\":\"particles\",\"count\":1e3,\"points\":[[0,1.5,-2],[1,2,3]],\"on\":true,\"name\":\"a "
    "\\u00e4\\n\"}],\"gravity\":[0,-9.81,0],\"end\":null}",
    "[[[[]]],{},\"\",0.1,-0,1e-308,123456789012345678]",
};

size_t fuzz_seed(uint32_t number, uint8_t* out, size_t room) { return fuzz_seed_text(seeds, sizeof seeds / sizeof *seeds, number, out, room); }

static const kin_json_limits limits = {.max_bytes = 1 << 20, .max_depth = 32, .max_nodes = 10000};

static void check_text(const kin_tree* tree)
{
    kin_allocator allocator = kin_allocator_default();
    char* text = NULL;
    size_t length = 0, capacity = 0;
    kin_tree again;
    kin_tree_init(&again, &allocator);
    FUZZ_CHECK(kin_node_write(tree->root, 0, &allocator, &text, &length, &capacity));
    FUZZ_CHECK(kin_json_read(&again, text, length, "again", &limits, NULL) == KIN_OK);
    FUZZ_CHECK(kin_node_equal(tree->root, again.root));
    kin_free(&allocator, text, capacity);
    kin_tree_term(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    kin_allocator allocator = kin_allocator_default();
    kin_tree tree;
    kin_error error = {0};
    kin_tree_init(&tree, &allocator);
    if (kin_json_read(&tree, (const char*)data, size, "fuzz", &limits, &error) == KIN_OK)
        check_text(&tree);
    else
        FUZZ_CHECK(error.message[0] != '\0' && error.where[0] != '\0');
    kin_tree_term(&tree);
    return 0;
}
