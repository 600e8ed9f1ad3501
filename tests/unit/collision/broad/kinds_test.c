#include "unit/collision/broad/scene.h"
static void nothing(test* t) { CHECK(t, true); }
TEST_MAIN("kinds", TEST(nothing))
