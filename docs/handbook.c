/* handbook.c - prints docs/scene.md: what a scene can say, from the parameter tables. scripts/docs.sh runs it. */
#include "scene/scene.h"
#include <stdio.h>

int main(void)
{
    kin_text text = {.allocator = kin_allocator_default()};
    if (kin_handbook_write(&text) != KIN_OK) return 1;
    fwrite(text.data, 1, text.length, stdout);
    text.allocator.release(text.allocator.context, text.data, text.capacity);
    return fflush(stdout) == 0 ? 0 : 1;
}
