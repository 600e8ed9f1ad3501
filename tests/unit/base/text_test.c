#include "base/text.h"
#include "support/test.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* const names[] = {"mass", "position", "velocity", "radius", "friction", "restitution", "x", "gravity", "max_speed"};

static const char* nearest(const char* word)
{
    const char* found = kin_text_nearest(word, names, sizeof names / sizeof *names);
    return found != NULL ? found : "(none)";
}

static void typing_mistakes_are_understood(test* t)
{
    TEXT(t, nearest("mas"), "mass");
    TEXT(t, nearest("masss"), "mass");
    TEXT(t, nearest("mess"), "mass");
    TEXT(t, nearest("msas"), "mass"); /* swapped letters are one mistake */
    TEXT(t, nearest("Mass"), "mass");
    TEXT(t, nearest("postion"), "position");
    TEXT(t, nearest("restituton"), "restitution");
    TEXT(t, nearest("vleocity"), "velocity");
    TEXT(t, nearest("maxSpeed"), "max_speed");
}

static void beginnings_are_understood(test* t)
{
    TEXT(t, nearest("pos"), "position");
    TEXT(t, nearest("radius_m"), "radius");
    TEXT(t, nearest("fric"), "friction");
}

static void strangers_get_no_suggestion(test* t)
{
    TEXT(t, nearest("colour"), "(none)");
    TEXT(t, nearest("ma"), "(none)");
    TEXT(t, nearest("y"), "(none)"); /* replacing all of a word is no likeness */
    TEXT(t, nearest(""), "(none)");
    CHECK(t, kin_text_nearest("mass", NULL, 0) == NULL);
    char big[300];
    memset(big, 'm', sizeof big - 1);
    big[sizeof big - 1] = 0;
    TEXT(t, nearest(big), "(none)");
    const char* const one[] = {big, "mmm"};
    CHECK(t, kin_text_nearest("mm", one, 2) == one[1]); /* names too long to be meant are passed over */
}

static void ties_go_to_the_first(test* t)
{
    const char* const two[] = {"cat", "bat"};
    TEXT(t, kin_text_nearest("rat", two, 2), "cat");
}

static void grays_follow_the_standard_curve(test* t)
{
    for (int i = 0; i < 256; ++i) {
        char text[8];
        float rgb[3];
        snprintf(text, sizeof text, "#%02x%02X%02x", i, i, i);
        if (!CHECK(t, kin_text_color(text, rgb))) continue;
        double s = i / 255.0;
        double want = s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
        for (int k = 0; k < 3; ++k) NEAR(t, rgb[k], want, want * 6e-8);
    }
}

static void colors_keep_their_order_and_short_ones_double(test* t)
{
    float a[3], b[3];
    CHECK(t, kin_text_color("#ff8000", a));
    CHECK(t, a[0] == 1 && a[1] > 0.2f && a[1] < 0.22f && a[2] == 0);
    CHECK(t, kin_text_color("#f8a", a) && kin_text_color("#FF88AA", b));
    CHECK(t, memcmp(a, b, sizeof a) == 0);
}

static void other_texts_are_no_colors(test* t)
{
    static const char* const wrong[] = {"", "#", "red", "ff8000", "#ff80", "#ff800", "#ff80000", "#gg0000", "#ff 000", "#12", "#-1-1-1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        float rgb[3];
        test_check(t, !kin_text_color(wrong[i], rgb), __FILE__, __LINE__, "%s was taken for a color", wrong[i]);
    }
}

static void appending_stops_at_the_end(test* t)
{
    char text[12] = "";
    kin_text_append(text, sizeof text, "%d", 12345);
    kin_text_append(text, sizeof text, ", %s", "more");
    TEXT(t, text, "12345, more");
    kin_text_append(text, sizeof text, "%s", "lost");
    TEXT(t, text, "12345, more");
    char none = 'x';
    kin_text_append(&none, 0, "%s", "lost");
    EQUAL(t, none, 'x');
}

static void the_version_is_written_out(test* t)
{
    char want[32];
    snprintf(want, sizeof want, "%d.%d.%d", KIN_VERSION_MAJOR, KIN_VERSION_MINOR, KIN_VERSION_PATCH);
    TEXT(t, kin_version(), want);
}

TEST_MAIN("base/text", TEST(typing_mistakes_are_understood), TEST(beginnings_are_understood), TEST(strangers_get_no_suggestion), TEST(ties_go_to_the_first),
          TEST(grays_follow_the_standard_curve), TEST(colors_keep_their_order_and_short_ones_double), TEST(other_texts_are_no_colors),
          TEST(appending_stops_at_the_end), TEST(the_version_is_written_out))
