/* hex.c - 64 bits as text. */
#include "io/hex.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

kin_node* kin_node_hex(kin_tree* tree, uint64_t value)
{
    char text[20];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    return kin_node_string(tree, text, 16);
}

bool kin_node_read_hex(const kin_node* node, uint64_t* out)
{
    if (node == NULL || node->type != KIN_NODE_STRING || node->count != 16 || strspn(node->string, "0123456789abcdef") != 16) return false;
    *out = strtoull(node->string, NULL, 16);
    return true;
}

bool kin_node_read_count(const kin_node* node, uint64_t* out)
{
    if (node == NULL || node->type != KIN_NODE_NUMBER || !(node->number >= 0 && node->number <= 0x1p53)) return false;
    *out = (uint64_t)node->number;
    return (double)*out == node->number;
}
