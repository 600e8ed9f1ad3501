/* cases_test.c - every case of validation/ at reduced size, a test each: a row out of its tolerance fails the test that bears the case's name. */
#include "support/test.h"
#include "validation/validation.h"
#include <stdlib.h>
#include <string.h>

static const kin_case* case_named(const char* name)
{
    for (int topic = 0; kin_case_topics[topic] != NULL; ++topic) {
        for (const kin_case* c = kin_case_topics[topic]; c->name != NULL; ++c) {
            if (strcmp(c->name, name) == 0) return c;
        }
    }
    return NULL;
}

static void check_row(test* t, const kin_case_row_data* row)
{
    test_check(t, row->pass, __FILE__, __LINE__, "%s: %s is %.17g, not %.17g within %.3g (off by %.3g; %s)", row->method, row->quantity, row->measured,
               row->reference, row->tolerance, row->error, row->source);
}

static void run_case(test* t)
{
    const kin_case* c = case_named(t->name);
    kin_case_run run = {.name = c->name, .threads = 1};
    c->run(&run);
    CHECK(t, run.count > 0);
    EQUAL(t, run.lost, 0);
    for (size_t i = 0; i < run.count; ++i) check_row(t, &run.rows[i]);
    kin_case_free(&run);
}

int main(int argc, char** argv)
{
    test_case cases[256];
    size_t count = 0;
    for (int topic = 0; kin_case_topics[topic] != NULL; ++topic) {
        for (const kin_case* c = kin_case_topics[topic]; c->name != NULL && count < 256; ++c) cases[count++] = (test_case){c->name, run_case};
    }
    return test_main("laws_cases", cases, count, argc, argv);
}
