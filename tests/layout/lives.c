/* SPDX-License-Identifier: MIT */
/*
 * Layouts and arenas: every builder in closed arenas, in those of other threads, in shared ones and the global one; parts from arenas
 * that end before the whole; many readers at once; deep and wide layouts in a time that stays in proportion.
 */
#include "layout/support.h"

#include <pthread.h>

/* ---- Every builder ---- */

typedef ist_status build_fn(ist_arena arena, const ist_layout **ret_layout);

static const ist_layout *parts[4]; /* A sequence of sequences, a struct, an enumeration, a sequence; of the global arena. */

static void make_parts(void)
{
    static const ist_layout *row;
    static const ist_member members[] = { { "a", NULL }, { "b", NULL } };
    static const ist_enumerator names[] = { { "ZERO", 0 }, { "ONE", 1 } };
    ist_member filled[2];
    if (parts[0] != NULL)
        return;
    memcpy(filled, members, sizeof filled);
    filled[0].layout = of(IST_TYPE_CHAR);
    filled[1].layout = of(IST_TYPE_LONG);
    expect_ok(ist_layout_sequence(ist_arena_global(), 3, of(IST_TYPE_INT), &row));
    expect_ok(ist_layout_struct_c(ist_arena_global(), "part", filled, 2, NULL, &parts[1]));
    expect_ok(ist_layout_enum(ist_arena_global(), "e", of(IST_TYPE_INT), names, 2, &parts[2]));
    expect_ok(ist_layout_sequence(ist_arena_global(), 12, of(IST_TYPE_INT), &parts[3]));
    expect_ok(ist_layout_sequence(ist_arena_global(), 4, row, &parts[0]));
}

static ist_status build_address(ist_arena in, const ist_layout **ret_layout)
{
    return ist_layout_address_to(in, parts[1], ret_layout);
}
static ist_status build_vector(ist_arena in, const ist_layout **ret_layout)
{
    return ist_layout_vector(in, of(IST_TYPE_FLOAT), 4, ret_layout);
}
static ist_status build_enum(ist_arena in, const ist_layout **ret_layout)
{
    static const ist_enumerator names[] = { { "ZERO", 0 }, { "ONE", 1 } };
    return ist_layout_enum(in, "e", of(IST_TYPE_INT), names, 2, ret_layout);
}
static ist_status build_padding(ist_arena in, const ist_layout **ret_layout)
{
    return ist_layout_padding(in, 3, ret_layout);
}
static ist_status build_sequence(ist_arena in, const ist_layout **ret_layout)
{
    return ist_layout_sequence(in, 7, parts[1], ret_layout);
}
static ist_status build_struct(ist_arena in, const ist_layout **ret_layout)
{
    return ist_layout_struct(in, "s", (ist_member[]){ { "x", parts[1] }, { "y", parts[0] } }, 2, ret_layout);
}
static ist_status build_union(ist_arena in, const ist_layout **ret_layout)
{
    return ist_layout_union(in, "u", (ist_member[]){ { "x", parts[1] }, { "y", parts[0] } }, 2, ret_layout);
}
static ist_status build_struct_c(ist_arena in, const ist_layout **ret_layout)
{
    ist_member members[] = { { "x", of(IST_TYPE_CHAR) }, { "y", parts[2], .bits = 3 }, { "z", parts[1] } };
    return ist_layout_struct_c(in, "s", members, 3, &(ist_group_attributes){ .alignment = 32 }, ret_layout);
}
static ist_status build_union_c(ist_arena in, const ist_layout **ret_layout)
{
    return ist_layout_union_c(in, "u", (ist_member[]){ { "x", parts[1] }, { "y", parts[0] } }, 2, NULL, ret_layout);
}
static ist_status build_name(ist_arena in, const ist_layout **ret_layout)
{
    return ist_layout_with_name(in, parts[1], "another", ret_layout);
}
static ist_status build_alignment(ist_arena in, const ist_layout **ret_layout)
{
    return ist_layout_with_alignment(in, parts[0], 64, ret_layout);
}
static ist_status build_order(ist_arena in, const ist_layout **ret_layout)
{
    return ist_layout_with_order(in, of(IST_TYPE_INT), IST_ORDER_BIG, ret_layout);
}
static ist_status build_reshape(ist_arena in, const ist_layout **ret_layout)
{
    return ist_layout_reshape(in, parts[3], (size_t[]){ 2, 6 }, 2, ret_layout);
}
static ist_status build_flatten(ist_arena in, const ist_layout **ret_layout)
{
    return ist_layout_flatten(in, parts[0], ret_layout);
}
/* The same arguments as the others; what is made is no layout. */
static ist_status build_function(ist_arena in, const ist_layout **ret_layout)
{
    const ist_function *function;
    ist_status status =
        ist_function_of(in, parts[1], (ist_member[]){ { "x", parts[0] } }, 1, 1, 0, ret_layout != NULL ? &function : NULL);
    if (status == IST_OK)
        *ret_layout = ist_function_result(function);
    return status;
}

static const struct {
    const char *name;
    build_fn *build;
} builders[] = {
    { "address_to", build_address }, { "vector", build_vector },     { "enum", build_enum },
    { "padding", build_padding },    { "sequence", build_sequence }, { "struct", build_struct },
    { "union", build_union },        { "struct_c", build_struct_c }, { "union_c", build_union_c },
    { "with_name", build_name },     { "with_alignment", build_alignment }, { "with_order", build_order },
    { "flatten", build_flatten },    { "function_of", build_function },
    { "reshape", build_reshape },
};

static void builders_write_somewhere(void **state)
{
    (void)state;
    make_parts();
    for (size_t i = 0; i < COUNT(builders); i++) {
        test_context("%s", builders[i].name);
        expect_status(builders[i].build(arena, NULL), IST_E_ARGUMENT);
    }
}

static void builders_in_a_closed_arena(void **state)
{
    (void)state;
    make_parts();
    static ist_status (*const open[])(ist_arena *) = { ist_arena_open_confined, ist_arena_open_shared };
    for (size_t kind = 0; kind < 2; kind++) {
        ist_arena closed;
        expect_ok(open[kind](&closed));
        expect_ok(ist_arena_close(closed));
        for (size_t i = 0; i < COUNT(builders); i++) {
            const ist_layout *made;
            test_context("%s, kind %zu", builders[i].name, kind);
            expect_refused(builders[i].build(closed, &made), IST_E_CLOSED);
        }
    }
    const ist_layout *made;
    expect_refused(build_padding((ist_arena){ 0 }, &made), IST_E_CLOSED);
}

static void build_on_thread(void *data)
{
    ist_arena foreign = *(ist_arena *)data;
    for (size_t i = 0; i < COUNT(builders); i++) {
        const ist_layout *made;
        test_context("%s", builders[i].name);
        expect_refused(builders[i].build(foreign, &made), IST_E_WRONG_THREAD);
    }
}

static void builders_in_the_arena_of_another_thread(void **state)
{
    (void)state;
    make_parts();
    test_on_thread(build_on_thread, &arena);
    const ist_layout *made;
    for (size_t i = 0; i < COUNT(builders); i++) {
        test_context("%s", builders[i].name);
        expect_ok(builders[i].build(arena, &made));
    }
}

static void build_shared(void *data)
{
    ist_arena shared = *(ist_arena *)data;
    for (size_t i = 0; i < COUNT(builders); i++) {
        const ist_layout *made, *again;
        for (size_t round = 0; round < 50; round++) {
            expect_answer(builders[i].build(shared, &made), IST_OK);
            expect_answer(builders[i].build(ist_arena_global(), &again), IST_OK);
            expect(ist_layout_equals(made, again, 0));
        }
    }
}

static void *build_shared_thread(void *data)
{
    build_shared(data);
    return NULL;
}

static void builders_in_a_shared_arena(void **state)
{
    (void)state;
    make_parts();
    ist_arena shared;
    pthread_t threads[4];
    expect_ok(ist_arena_open_shared(&shared));
    for (size_t i = 0; i < COUNT(threads); i++)
        expect(pthread_create(&threads[i], NULL, build_shared_thread, &shared) == 0);
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_join(threads[i], NULL);
    expect_ok(ist_arena_close(shared));
}

/* ---- Parts that end before ---- */

/* Everything that can be asked about a layout, so that nothing of it may have ended. */
static size_t read_all(const ist_layout *layout, unsigned depth)
{
    if (layout == NULL || depth > 300)
        return 0;
    size_t sum = ist_layout_size(layout) + ist_layout_alignment(layout) + (size_t)ist_layout_kind_of(layout) +
                 (size_t)ist_layout_type(layout) + (size_t)ist_layout_order(layout) + (size_t)ist_layout_is_complete(layout);
    const char *name = ist_layout_name(layout);
    sum += name != NULL ? strlen(name) : 0;
    sum += read_all(ist_layout_element(layout), depth + 1) + read_all(ist_layout_target(layout), depth + 1);
    ist_layout_kind kind = ist_layout_kind_of(layout);
    size_t count = ist_layout_count(layout);
    for (size_t i = 0; (kind == IST_LAYOUT_STRUCT || kind == IST_LAYOUT_UNION) && i < count; i++) {
        ist_member_info info = { .size = sizeof info };
        expect_answer(ist_layout_member(layout, i, &info), IST_OK);
        sum += info.offset + info.bit_offset + info.bits + (info.name != NULL ? strlen(info.name) : 0);
        sum += read_all(info.layout, depth + 1);
    }
    for (size_t i = 0; kind == IST_LAYOUT_VALUE && i < count; i++) {
        ist_enumerator enumerator;
        expect_answer(ist_layout_enumerator(layout, i, &enumerator), IST_OK);
        sum += strlen(enumerator.name) + (size_t)enumerator.value;
    }
    return sum;
}

/* A layout that has one of everything, all of it in `in`. */
static const ist_layout *rich(ist_arena in)
{
    static const ist_enumerator names[] = { { "ZERO", 0 }, { "ONE", 1 } };
    const ist_layout *shade, *vector, *inner, *pointer, *array, *gap, *tail, *made;
    expect_ok(ist_layout_enum(in, "shade", of(IST_TYPE_INT), names, 2, &shade));
    expect_ok(ist_layout_vector(in, of(IST_TYPE_FLOAT), 4, &vector));
    expect_ok(ist_layout_padding(in, 5, &gap));
    ist_member few[] = { { "shade", shade }, { "narrow", shade, .bits = 2 }, { NULL, gap } };
    expect_ok(ist_layout_struct_c(in, "inner", few, 3, NULL, &inner));
    expect_ok(ist_layout_address_to(in, inner, &pointer));
    expect_ok(ist_layout_sequence(in, 3, inner, &array));
    expect_ok(ist_layout_with_name(in, of(IST_TYPE_LONG), "renamed", &tail));
    expect_ok(ist_layout_sequence(in, IST_COUNT_OPEN, tail, &tail));
    ist_member members[] = { { "vector", vector }, { "pointer", pointer }, { "array", array }, { NULL, inner }, { "tail", tail } };
    expect_ok(ist_layout_struct_c(in, "rich", members, 5, NULL, &made));
    return made;
}

static const ist_layout *wrap(ist_arena in, size_t way, const ist_layout *part)
{
    const ist_layout *made;
    ist_member one = { "part", part };
    switch (way) {
    case 0:
        expect_ok(ist_layout_struct(in, "whole", &one, 1, &made));
        break;
    case 1:
        expect_ok(ist_layout_union_c(in, "whole", &one, 1, NULL, &made));
        break;
    case 2:
        expect_ok(ist_layout_address_to(in, part, &made));
        break;
    case 3:
        expect_ok(ist_layout_with_name(in, part, "whole", &made));
        break;
    case 4:
        expect_ok(ist_layout_with_alignment(in, part, 64, &made));
        break;
    default:
        expect_ok(ist_layout_sequence(in, 2, part, &made));
        break;
    }
    return made;
}

static void parts_of_an_arena_that_ends(void **state)
{
    (void)state;
    for (size_t way = 0; way < 6; way++) {
        test_context("way %zu", way);
        ist_arena shorter;
        expect_ok(ist_arena_open_confined(&shorter));
        const ist_layout *part = rich(shorter), *kept = rich(arena);
        /* What has a flexible member is no element. */
        if (way == 5) {
            part = member(part, 2).layout;
            kept = member(kept, 2).layout;
        }
        const ist_layout *whole = wrap(arena, way, part), *again = wrap(arena, way, kept);
        size_t before = read_all(whole, 0);
        expect(ist_layout_equals(whole, again, 0));
        expect_ok(ist_arena_close(shorter));
        expect_ok(ist_arena_open_confined(&shorter)); /* The same memory again, with other content. */
        ist_segment block;
        expect_ok(ist_arena_allocate(shorter, 3000, 8, &block));
        expect_ok(ist_segment_fill(&block, 0xEE));
        expect_size(read_all(whole, 0), before);
        expect(ist_layout_equals(whole, again, 0));
        expect_ok(ist_arena_close(shorter));
    }
}

static void functions_of_an_arena_that_ends(void **state)
{
    (void)state;
    ist_arena shorter;
    const ist_function *function;
    expect_ok(ist_arena_open_confined(&shorter));
    ist_member parameters[] = { { "first", rich(shorter) }, { "second", of(IST_TYPE_INT) } };
    expect_ok(ist_function_of(arena, rich(shorter), parameters, 2, 2, 0, &function));
    expect_ok(ist_arena_close(shorter));
    expect(ist_layout_equals(ist_function_result(function), rich(arena), 0));
    expect(ist_layout_equals(ist_function_parameter(function, 0), rich(arena), 0));
    expect(strcmp(ist_function_parameter_name(function, 1), "second") == 0);
}

/* What lives as long is not copied: the same arena, and what never ends. */
static void parts_that_are_shared(void **state)
{
    (void)state;
    ist_arena other;
    expect_ok(ist_arena_open_confined(&other));
    const ist_layout *same = rich(arena), *global = rich(ist_arena_global()), *elsewhere = rich(other);
    expect(member(wrap(arena, 0, same), 0).layout == same);
    expect(member(wrap(arena, 0, global), 0).layout == global);
    expect(member(wrap(ist_arena_global(), 0, global), 0).layout == global);
    expect(member(wrap(arena, 0, of(IST_TYPE_INT)), 0).layout == of(IST_TYPE_INT));
    expect(member(wrap(arena, 0, elsewhere), 0).layout != elsewhere);
    expect(member(wrap(ist_arena_global(), 0, elsewhere), 0).layout != elsewhere);
    expect_ok(ist_arena_close(other));
}

/* A layout of a confined arena is read by any thread while it lives; building with it as a part reads it, too. */
static const ist_layout *read_here;
static size_t read_sum;

static void *read_on_thread(void *unused)
{
    ist_arena own;
    expect_answer(ist_arena_open_confined(&own), IST_OK);
    for (size_t round = 0; round < 300; round++) {
        const ist_layout *copy;
        expect(read_all(read_here, 0) == read_sum);
        expect(ist_layout_equals(read_here, read_here, 0));
        expect_answer(ist_layout_struct(own, NULL, &(ist_member){ "m", read_here }, 1, &copy), IST_OK);
        expect(ist_layout_size(copy) == ist_layout_size(read_here));
    }
    expect_answer(ist_arena_close(own), IST_OK);
    return unused;
}

static void many_readers(void **state)
{
    (void)state;
    pthread_t threads[8];
    read_here = rich(arena);
    read_sum = read_all(read_here, 0);
    for (size_t i = 0; i < COUNT(threads); i++)
        expect(pthread_create(&threads[i], NULL, read_on_thread, NULL) == 0);
    for (size_t i = 0; i < 100; i++) /* The owner goes on building with it. */
        (void)wrap(arena, i % 5, read_here);
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_join(threads[i], NULL);
    expect_size(read_all(read_here, 0), read_sum);
}

/* Nothing that is made of a layout changes it. */
static void nothing_changes_a_layout(void **state)
{
    (void)state;
    const ist_layout *layout = rich(arena), *twin = rich(arena), *made;
    size_t before = read_all(layout, 0);
    for (size_t way = 0; way < 5; way++)
        (void)wrap(arena, way, layout);
    expect_refused(ist_layout_with_alignment(arena, layout, 1, &made), IST_E_LAYOUT);
    expect_refused(ist_layout_sequence(arena, SIZE_MAX / 2, layout, &made), IST_E_LAYOUT); /* Has a flexible member. */
    expect_size(read_all(layout, 0), before);
    expect(ist_layout_equals(layout, twin, 0));
}

/* ---- Deep and wide ---- */

/* Seconds that a test may take where a quadratic way would take minutes; the sanitizers are slow. */
enum { PATIENCE = TEST_ASAN || TEST_TSAN ? 60 : 10 };

static void expect_soon(uint64_t begun)
{
    uint64_t took = test_now_ns() - begun;
    if (took > (uint64_t)PATIENCE * UINT64_C(1000000000))
        test_failed(__FILE__, __LINE__, "took %llu ms", (unsigned long long)(took / 1000000));
}

static const ist_layout *nested(ist_arena in, size_t depth, bool c)
{
    const ist_layout *made = of(IST_TYPE_INT);
    for (size_t i = 0; i < depth; i++) {
        ist_member members[] = { { "before", of(IST_TYPE_INT) }, { i % 3 == 2 ? NULL : "inner", made } };
        if (i % 3 == 2)
            members[0].name = NULL;
        if (c)
            expect_ok(ist_layout_struct_c(in, "level", members, 2, NULL, &made));
        else
            expect_ok(ist_layout_struct(in, "level", members, 2, &made));
    }
    return made;
}

static void two_hundred_deep(void **state)
{
    (void)state;
    ist_arena other;
    uint64_t begun = test_now_ns();
    expect_ok(ist_arena_open_confined(&other));
    const ist_layout *strict = nested(arena, 199, false), *c = nested(other, 199, true);
    expect_size(ist_layout_size(strict), 200 * sizeof(int));
    expect(ist_layout_equals(strict, c, 0));
    const ist_layout *copy = wrap(arena, 0, c);
    expect_ok(ist_arena_close(other));
    expect(ist_layout_equals(member(copy, 0).layout, strict, 0));
    const ist_layout *inner = strict;
    for (size_t i = 0; i < 199; i++) {
        ist_member_info info = member(inner, 1);
        expect_size(info.offset, sizeof(int));
        inner = info.layout;
    }
    expect(ist_layout_type(inner) == IST_TYPE_INT);
    expect_soon(begun);
    /* Whatever walks layouts does so on a thread's stack: there is an end, and no crash. */
    const ist_layout *made, *deepest = nested(arena, 200, false);
    expect_refused(ist_layout_struct(arena, NULL, &(ist_member){ "m", deepest }, 1, &made), IST_E_LAYOUT);
    expect_refused(ist_layout_sequence(arena, 2, deepest, &made), IST_E_LAYOUT);
}

static void a_hundred_thousand_members(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    static ist_member members[MANY];
    static char names[MANY][16];
    ist_arena other;
    const ist_layout *strict, *c, *part, *made;
    uint64_t begun = test_now_ns();
    for (size_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "member%zu", i);
        members[i] = (ist_member){ names[i], of(i % 2 == 0 ? IST_TYPE_INT : IST_TYPE_FLOAT) };
    }
    expect_ok(ist_arena_open_confined(&other));
    expect_ok(ist_layout_struct(arena, "wide", members, MANY, &strict));
    expect_ok(ist_layout_struct_c(other, "wide", members, MANY, NULL, &c));
    expect_size(ist_layout_size(strict), 4 * MANY);
    expect_size(ist_layout_count(strict), MANY);
    expect_size(member(strict, MANY - 1).offset, 4 * (MANY - 1));
    expect(strcmp(member(strict, 77777).name, "member77777") == 0);
    expect(ist_layout_equals(strict, c, 0));
    part = wrap(arena, 0, c);
    expect_ok(ist_arena_close(other));
    expect(ist_layout_equals(member(part, 0).layout, strict, 0));
    expect_ok(ist_layout_union_c(arena, "wide", members, MANY, NULL, &made));
    expect_size(ist_layout_size(made), 4);
    /* The last and the first have one name. */
    members[MANY - 1].name = names[0];
    expect_refused(ist_layout_struct_c(arena, "wide", members, MANY, NULL, &made), IST_E_LAYOUT);
    expect_soon(begun);
}

static void a_hundred_thousand_enumerators(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    static ist_enumerator enumerators[MANY];
    static char names[MANY][16];
    const ist_layout *made, *again;
    uint64_t begun = test_now_ns();
    for (size_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "E%zu", i);
        enumerators[i] = (ist_enumerator){ names[i], (int64_t)i };
    }
    expect_ok(ist_layout_enum(arena, "many", of(IST_TYPE_INT), enumerators, MANY, &made));
    expect_ok(ist_layout_enum(arena, "many", of(IST_TYPE_INT), enumerators, MANY, &again));
    expect(ist_layout_equals(made, again, 0));
    expect_soon(begun);
}

/* Each level has the one below twice: few layouts, and a million places where one is used. */
static const ist_layout *doubled(ist_arena in, size_t depth)
{
    const ist_layout *made = of(IST_TYPE_CHAR);
    for (size_t i = 0; i < depth; i++) {
        ist_member members[] = { { "left", made }, { "right", made } };
        expect_ok(ist_layout_struct(in, NULL, members, 2, &made));
    }
    return made;
}

static void parts_that_are_used_often(void **state)
{
    (void)state;
    ist_arena other;
    uint64_t begun = test_now_ns();
    expect_ok(ist_arena_open_confined(&other));
    size_t before = test_stats().bytes_live;
    const ist_layout *part = doubled(other, 16), *copy = wrap(arena, 0, part);
    expect_ok(ist_arena_close(other));
    expect(ist_layout_equals(member(copy, 0).layout, doubled(arena, 16), 0));
    expect(test_stats().bytes_live - before < 64u << 20);
    expect_soon(begun);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        layout_test(builders_write_somewhere),
        layout_test(builders_in_a_closed_arena),
        layout_test(builders_in_the_arena_of_another_thread),
        layout_test(builders_in_a_shared_arena),
        layout_test(parts_of_an_arena_that_ends),
        layout_test(functions_of_an_arena_that_ends),
        layout_test(parts_that_are_shared),
        layout_test(many_readers),
        layout_test(nothing_changes_a_layout),
        layout_test(two_hundred_deep),
        layout_test(a_hundred_thousand_members),
        layout_test(a_hundred_thousand_enumerators),
        layout_test(parts_that_are_used_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
