/* forms.h - making forms in tests, with whatever is wrong with them as the failure's text. */
#pragma once
#include "collision/form/form.h"
#include "support/test.h"

static inline kin_form* make(test* t, const kin_shape* shape)
{
    kin_form* form = NULL;
    kin_error error = {0};
    kin_result result = kin_form_create(&t->allocator, shape, &form, &error);
    test_check(t, result == KIN_OK, __FILE__, __LINE__, "%s: %s", error.where, error.message);
    return form;
}

static inline bool make_shape(test* t, void* shape) /* for test_fail_each_allocation */
{
    kin_form* form = NULL;
    kin_result result = kin_form_create(&t->allocator, shape, &form, NULL);
    kin_form_drop(form);
    return result == KIN_OK;
}

static inline void check_refused(test* t, const kin_shape* shape, const char* where)
{
    kin_form* form = NULL;
    kin_error error = {0};
    CHECK(t, kin_form_create(&t->allocator, shape, &form, &error) != KIN_OK);
    TEXT(t, error.where, where);
    CHECK(t, error.message[0] != 0);
}
