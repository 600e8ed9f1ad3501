/* scenes.h - small scenes that the tests write and run, and what they ask of a run. */
#pragma once
#include "support/command.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bounces off all kinds of solids in wind, with random births: enough to notice a bit that changed. */
static const char* const busy_scene =
    "local n = param(\"n\", 300, \"how many\")\n"
    "return {\n"
    "  title = \"Busy\", duration = 0.4, fps = 30, steps_per_frame = 3, seed = 5,\n"
    "  fields = { { drag = 0.1 }, { wind = {2, 0, 0.5} } },\n"
    "  colliders = {\n"
    "    { shape = { plane = {0, 1, 0} } },\n"
    "    { shape = { box = {1, 0.2, 1} }, position = {0, 0.6, 0}, orientation = { axis = {0, 0, 1}, angle = 0.3 }, material = \"steel\" },\n"
    "    { shape = { sphere = 0.4 }, keys = { { t = 0, position = {0, 0.5, 0} }, { t = 0.4, position = {0.5, 0.5, 0.2} } } },\n"
    "  },\n"
    "  systems = { { type = \"particles\", name = \"balls\", integrator = \"rk4\",\n"
    "    particles = { count = n, box = {1, 0.6, 1}, position = {0, 1.3, 0}, velocity = {0, -2, 0}, spread = {1, 1, 1}, radius = 0.03 } } },\n"
    "}\n";

/* The state hash of a run, as 16 digits. */
typedef struct hash_text {
    char text[24];
} hash_text;

static inline hash_text hash_in(const char* json)
{
    hash_text hash;
    json_value(json, "state_hash", hash.text, sizeof hash.text);
    return hash;
}

static inline bool is_hash(const char* text) { return strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16; }
