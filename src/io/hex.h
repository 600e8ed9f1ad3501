/* hex.h - 64 bits as text: 16 hexadecimal digits, since a number of JSON holds 53. */
#pragma once
#include "base/tree.h"

kin_node* kin_node_hex(kin_tree* tree, uint64_t value);
bool kin_node_read_hex(const kin_node* node, uint64_t* out); /* false: absent, or not 16 digits */
/* A count: a whole number from 0 to 2^53. */
bool kin_node_read_count(const kin_node* node, uint64_t* out);
