/* SPDX-License-Identifier: MIT */
/* Function types: results, parameters as C adjusts them, variadic ones, and what cannot be passed. */
#include "layout/support.h"

static const ist_function *const no_function = (const ist_function *)&arena;

#define expect_no_function(call, wanted)                                                           \
    do {                                                                                           \
        function = no_function;                                                                    \
        expect_status(call, wanted);                                                               \
        expect(function == no_function);                                                           \
    } while (0)

static void functions(void **state)
{
    (void)state;
    const ist_function *function;
    char name[] = "base";
    ist_member parameters[] = { { name, of(IST_TYPE_DOUBLE) }, { NULL, of(IST_TYPE_INT) } };
    expect_ok(ist_function_of(arena, of(IST_TYPE_DOUBLE), parameters, 2, 2, 0, &function));
    name[0] = 'X';
    memset(parameters, 0, sizeof parameters);
    expect(ist_layout_equals(ist_function_result(function), of(IST_TYPE_DOUBLE), 0));
    expect_size(ist_function_count(function), 2);
    expect_size(ist_function_fixed_count(function), 2);
    expect(!ist_function_is_variadic(function));
    expect(ist_layout_equals(ist_function_parameter(function, 0), of(IST_TYPE_DOUBLE), 0));
    expect(ist_layout_equals(ist_function_parameter(function, 1), of(IST_TYPE_INT), 0));
    expect(ist_function_parameter(function, 2) == NULL && ist_function_parameter(function, SIZE_MAX) == NULL);
    expect(strcmp(ist_function_parameter_name(function, 0), "base") == 0);
    expect(ist_function_parameter_name(function, 1) == NULL);
    expect(ist_function_parameter_name(function, 2) == NULL);
    expect(ist_function_name(function) == NULL);
}

static void functions_of_and_to_nothing(void **state)
{
    (void)state;
    const ist_function *function;
    expect_ok(ist_function_of(arena, NULL, NULL, 0, 0, 0, &function));
    expect(ist_function_result(function) == NULL);
    expect_size(ist_function_count(function), 0);
    expect(!ist_function_is_variadic(function));
    expect_ok(ist_function_of(arena, NULL, NULL, 0, 0, IST_FUNCTION_VARIADIC, &function));
    expect(ist_function_is_variadic(function));
    /* Of no function at all. */
    expect(ist_function_result(NULL) == NULL && ist_function_name(NULL) == NULL);
    expect_size(ist_function_count(NULL), 0);
    expect_size(ist_function_fixed_count(NULL), 0);
    expect(!ist_function_is_variadic(NULL));
    expect(ist_function_parameter(NULL, 0) == NULL && ist_function_parameter_name(NULL, 0) == NULL);
}

static void variadic_functions(void **state)
{
    (void)state;
    const ist_function *function;
    ist_member parameters[] = { { "format", of(IST_TYPE_ADDRESS) }, { NULL, of(IST_TYPE_INT) }, { NULL, of(IST_TYPE_DOUBLE) } };
    for (size_t fixed = 0; fixed <= 3; fixed++) {
        expect_ok(ist_function_of(arena, of(IST_TYPE_INT), parameters, 3, fixed, 0, &function));
        expect_size(ist_function_fixed_count(function), fixed);
        expect_size(ist_function_count(function), 3);
        expect(!ist_function_is_variadic(function) == (fixed == 3));
    }
    expect_ok(ist_function_of(arena, of(IST_TYPE_INT), parameters, 1, 1, IST_FUNCTION_VARIADIC, &function));
    expect(ist_function_is_variadic(function));
    expect_size(ist_function_fixed_count(function), 1);
}

/* C11 6.7.6.3: an array is passed as a pointer to its first element. */
static void arrays_become_pointers(void **state)
{
    (void)state;
    const ist_function *function;
    const ist_layout *row = sequence(3, of(IST_TYPE_INT));
    ist_member parameters[] = { { "row", row }, { "rows", sequence(2, row) }, { "open", sequence(IST_COUNT_OPEN, of(IST_TYPE_CHAR)) } };
    expect_ok(ist_function_of(arena, NULL, parameters, 3, 3, 0, &function));
    const ist_layout *targets[] = { of(IST_TYPE_INT), row, of(IST_TYPE_CHAR) };
    for (size_t i = 0; i < 3; i++) {
        test_context("parameter %zu", i);
        const ist_layout *got = ist_function_parameter(function, i);
        expect(ist_layout_type(got) == IST_TYPE_ADDRESS);
        expect(ist_layout_equals(ist_layout_target(got), targets[i], 0));
    }
    expect(strcmp(ist_function_parameter_name(function, 1), "rows") == 0);
}

static void parameters_of_every_kind(void **state)
{
    (void)state;
    const ist_function *function;
    const ist_layout *group, *either, *vector, *shade;
    static const ist_enumerator names[] = { { "DARK", 0 } };
    ist_member members[] = { { "a", of(IST_TYPE_INT) }, { "b", of(IST_TYPE_FLOAT) } };
    expect_ok(ist_layout_struct_c(arena, "s", members, 2, NULL, &group));
    expect_ok(ist_layout_union_c(arena, "u", members, 2, NULL, &either));
    expect_ok(ist_layout_vector(arena, of(IST_TYPE_FLOAT), 4, &vector));
    expect_ok(ist_layout_enum(arena, "shade", of(IST_TYPE_UINT), names, 1, &shade));
    ist_member all[29] = { { "s", group }, { "u", either }, { "v", vector }, { "e", shade } };
    for (ist_type type = IST_TYPE_BOOL; type <= IST_TYPE_ADDRESS; type++)
        all[3 + type] = (ist_member){ NULL, of(type) };
    expect_ok(ist_function_of(arena, group, all, COUNT(all), COUNT(all), 0, &function));
    for (size_t i = 0; i < COUNT(all); i++) {
        expect(ist_layout_equals(ist_function_parameter(function, i), all[i].layout, 0));
        expect_ok(ist_function_of(arena, all[i].layout, NULL, 0, 0, 0, &function));
        expect(ist_layout_equals(ist_function_result(function), all[i].layout, 0));
        expect_ok(ist_function_of(arena, group, all, COUNT(all), COUNT(all), 0, &function));
    }
}

static void functions_that_are_none(void **state)
{
    (void)state;
    const ist_function *function;
    const ist_layout *gap;
    expect_ok(ist_layout_padding(arena, 4, &gap));
    ist_member fine = { "x", of(IST_TYPE_INT) }, padding = { "x", gap }, missing = { "x", NULL };
    ist_member bit = { "x", of(IST_TYPE_INT), .bits = 3 }, packed = { "x", of(IST_TYPE_INT), .packed = 1 };
    expect_no_function(ist_function_of(arena, NULL, &padding, 1, 1, 0, &function), IST_E_LAYOUT);
    expect_no_function(ist_function_of(arena, gap, NULL, 0, 0, 0, &function), IST_E_LAYOUT);
    expect_no_function(ist_function_of(arena, NULL, &bit, 1, 1, 0, &function), IST_E_LAYOUT);
    expect_no_function(ist_function_of(arena, NULL, &packed, 1, 1, 0, &function), IST_E_LAYOUT);
    expect_no_function(ist_function_of(arena, sequence(2, of(IST_TYPE_INT)), NULL, 0, 0, 0, &function), IST_E_LAYOUT);
    expect_no_function(ist_function_of(arena, NULL, &missing, 1, 1, 0, &function), IST_E_ARGUMENT);
    expect_no_function(ist_function_of(arena, NULL, NULL, 1, 1, 0, &function), IST_E_ARGUMENT);
    expect_no_function(ist_function_of(arena, NULL, &fine, 1, 2, 0, &function), IST_E_ARGUMENT);
    expect_no_function(ist_function_of(arena, NULL, &fine, 1, SIZE_MAX, 0, &function), IST_E_ARGUMENT);
    expect_no_function(ist_function_of(arena, NULL, &fine, 1, 1, 2, &function), IST_E_ARGUMENT);
    expect_no_function(ist_function_of(arena, NULL, &fine, 1, 1, ~0u, &function), IST_E_ARGUMENT);
    expect_status(ist_function_of(arena, NULL, &fine, 1, 1, 0, NULL), IST_E_ARGUMENT);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        layout_test(functions),
        layout_test(functions_of_and_to_nothing),
        layout_test(variadic_functions),
        layout_test(arrays_become_pointers),
        layout_test(parameters_of_every_kind),
        layout_test(functions_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
