/* SPDX-License-Identifier: MIT */
/* Scopes: what is checked when they begin, and that they end on every way out. */
#include "support/expect.h"

static ist_arena opened(void)
{
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    return arena;
}

/* An arena with eight numbered 64-bit values. */
static ist_segment numbered(ist_arena arena)
{
    ist_segment segment;
    expect_ok(ist_arena_allocate(arena, 64, 8, &segment));
    for (size_t i = 0; i < 8; i++)
        expect_ok(ist_set_u64(segment, 8 * i, i));
    return segment;
}

/* Held exactly `holders` times. */
static void expect_held(ist_arena arena, size_t holders)
{
    ist_hold hold;
    expect_ok(ist_arena_hold(arena, &hold));
    expect_status(ist_arena_close(arena), IST_E_HELD);
    expect_size(test_last_error().holders, holders + 1);
    expect_ok(ist_arena_release(&hold));
}

static void reading_and_writing(void **state)
{
    (void)state;
    ist_arena arena = opened();
    ist_segment segment = numbered(arena);
    ist_status status = IST_E_BUSY;
    uint64_t sum = 0;
    size_t runs = 0;
    IST_WITH_READ(uint64_t, element, segment, 16, 6, status) {
        expect(status == IST_OK);
        expect_held(arena, 1);
        for (size_t i = 0; i < 6; i++)
            sum += element[i];
        runs++;
    }
    expect(status == IST_OK && runs == 1 && sum == 2 + 3 + 4 + 5 + 6 + 7);
    IST_WITH_WRITE(uint64_t, element, segment, 0, 8, status) {
        for (size_t i = 0; i < 8; i++)
            element[i] *= 10;
        runs++;
    }
    expect(status == IST_OK && runs == 2);
    expect(ist_read_u64(segment, 56) == 70);
    expect_held(arena, 0);
    expect_ok(ist_arena_close(arena));
}

/* The type may carry const, and may be a struct. */
typedef struct point {
    double x, y;
} point;

static void types(void **state)
{
    (void)state;
    ist_arena arena = opened();
    ist_segment segment = numbered(arena);
    ist_status status;
    double x = -1;
    IST_WITH_WRITE(point, p, segment, 16, 2, status) {
        p[1].x = 2.5;
    }
    expect(status == IST_OK);
    IST_WITH_READ(const point, p, segment, 32, 1, status) {
        x = p->x;
    }
    expect(status == IST_OK && x == 2.5);
    IST_WITH_READ(point, p, segment, 16, 4, status) {
        (void)p;
        expect(false); /* 64 bytes from 16 on. */
    }
    expect(status == IST_E_BOUNDS);
    expect_ok(ist_arena_close(arena));
}

static void what_is_checked(void **state)
{
    (void)state;
    const struct {
        size_t offset, count;
        ist_status wanted;
    } cases[] = {
        { 0, 0, IST_OK },
        { 0, 8, IST_OK },
        { 64, 0, IST_OK },
        { 56, 1, IST_OK },
        { 0, 9, IST_E_BOUNDS },
        { 57, 1, IST_E_BOUNDS }, /* Misaligned as well. */
        { 64, 1, IST_E_BOUNDS },
        { 72, 0, IST_E_BOUNDS },
        { SIZE_MAX, 0, IST_E_BOUNDS },
        { SIZE_MAX - 7, 1, IST_E_BOUNDS },
        { 0, SIZE_MAX, IST_E_BOUNDS },
        { 0, SIZE_MAX / 8 + 1, IST_E_BOUNDS }, /* 8 times this is 0 in 64 bits. */
        { 0, SIZE_MAX / 8 + 2, IST_E_BOUNDS },
        { 8, SIZE_MAX / 8, IST_E_BOUNDS },
        { 1, 1, IST_E_ALIGNMENT },
        { 4, 7, IST_E_ALIGNMENT },
        { 12, 0, IST_E_ALIGNMENT },
    };
    ist_arena arena = opened();
    ist_segment segment = numbered(arena), frozen = ist_segment_as_read_only(segment);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_context("%zu elements at %zu", cases[i].count, cases[i].offset);
        ist_status status = IST_E_BUSY;
        size_t runs = 0;
        IST_WITH_READ(uint64_t, element, segment, cases[i].offset, cases[i].count, status) {
            expect((uintptr_t)element == ist_segment_address(segment) + cases[i].offset);
            runs++;
        }
        expect(status == cases[i].wanted && runs == (status == IST_OK));
        if (status != IST_OK) {
            expect(test_last_error().status == status);
            expect_size(test_last_error().offset, cases[i].offset);
        }
        runs = 0;
        IST_WITH_WRITE(uint64_t, element, segment, cases[i].offset, cases[i].count, status) {
            (void)element;
            runs++;
        }
        expect(status == cases[i].wanted && runs == (status == IST_OK));
        IST_WITH_WRITE(uint64_t, element, frozen, cases[i].offset, cases[i].count, status) {
            (void)element;
            expect(false);
        }
        expect(status == IST_E_READ_ONLY);
        IST_WITH_READ(uint64_t, element, frozen, cases[i].offset, cases[i].count, status) {
            (void)element;
        }
        expect(status == cases[i].wanted);
        expect_held(arena, 0);
    }
    expect_ok(ist_arena_close(arena));
    ist_status status;
    IST_WITH_READ(uint64_t, element, segment, 4, 1, status) {
        (void)element;
        expect(false);
    }
    expect(status == IST_E_ALIGNMENT);
    IST_WITH_READ(uint64_t, element, segment, 0, 0, status) {
        (void)element;
        expect(false);
    }
    expect(status == IST_E_CLOSED);
}

/* errno and the last error are as for any call. */
static ist_status read_scope(ist_segment segment, size_t offset)
{
    ist_status status;
    IST_WITH_READ(uint64_t, element, segment, offset, 1, status) {
        (void)element;
    }
    return status;
}

static ist_status hold_scope(ist_arena arena)
{
    ist_status status;
    IST_WITH_HOLD(arena, status) {
    }
    return status;
}

static ist_status confined_scope(void)
{
    ist_status status;
    IST_WITH_CONFINED(arena, status) {
        (void)arena;
    }
    return status;
}

static void scopes_are_calls(void **state)
{
    (void)state;
    ist_arena arena = opened();
    ist_segment segment = numbered(arena);
    expect_ok(read_scope(segment, 8));
    expect_status(read_scope(segment, 60), IST_E_BOUNDS);
    expect_sentence("60");
    expect_status(read_scope(segment, 4), IST_E_ALIGNMENT);
    expect_ok(hold_scope(arena));
    expect_ok(confined_scope());
    expect_ok(ist_arena_close(arena));
    expect_status(read_scope(segment, 0), IST_E_CLOSED);
    expect_status(hold_scope(arena), IST_E_CLOSED);
    expect_ok(hold_scope(ist_arena_global()));
    expect_ok(read_scope(ist_segment_of(&segment, sizeof segment), 0));
}

/* ---- Ways out ---- */

enum way { FALL, BREAK, CONTINUE, RETURN, GOTO, WAYS };
static const char *const way_names[] = { "fall", "break", "continue", "return", "goto" };

/* Each leaves a scope in a loop of three rounds; returns how often the block ran. `break` and `continue` end the scope only. */
static size_t leave_read(ist_arena arena, ist_segment segment, enum way way, bool writes)
{
    ist_status status;
    size_t runs = 0, rounds = 0;
    for (size_t round = 0; round < 3; round++) {
        if (writes) {
            IST_WITH_WRITE(uint64_t, element, segment, 0, 1, status) {
                runs += *element + 1; /* Element 0 is 0. */
                expect_held(arena, 1);
                if (way == BREAK)
                    break;
                if (way == CONTINUE)
                    continue;
                if (way == RETURN)
                    return runs;
                if (way == GOTO)
                    goto out;
            }
        } else {
            IST_WITH_READ(uint64_t, element, segment, 0, 1, status) {
                runs += *element + 1;
                expect_held(arena, 1);
                if (way == BREAK)
                    break;
                if (way == CONTINUE)
                    continue;
                if (way == RETURN)
                    return runs;
                if (way == GOTO)
                    goto out;
            }
        }
        expect(status == IST_OK);
        expect_held(arena, 0);
        rounds++;
    }
    expect(rounds == 3); /* The loop around the scope has gone on. */
out:
    return runs;
}

static size_t leave_hold(ist_arena arena, enum way way)
{
    ist_status status;
    size_t runs = 0, rounds = 0;
    for (size_t round = 0; round < 3; round++) {
        IST_WITH_HOLD(arena, status) {
            runs++;
            expect_held(arena, 1);
            if (way == BREAK)
                break;
            if (way == CONTINUE)
                continue;
            if (way == RETURN)
                return runs;
            if (way == GOTO)
                goto out;
        }
        expect(status == IST_OK);
        expect_held(arena, 0);
        rounds++;
    }
    expect(rounds == 3);
out:
    return runs;
}

static ist_arena last_opened;
static size_t leave_confined(enum way way)
{
    ist_status status;
    size_t runs = 0, rounds = 0;
    for (size_t round = 0; round < 3; round++) {
        IST_WITH_CONFINED(arena, status) {
            runs++;
            last_opened = arena;
            expect(status == IST_OK && ist_arena_is_alive(arena));
            (void)numbered(arena);
            if (way == BREAK)
                break;
            if (way == CONTINUE)
                continue;
            if (way == RETURN)
                return runs;
            if (way == GOTO)
                goto out;
        }
        expect(status == IST_OK);
        expect(!ist_arena_is_alive(last_opened));
        rounds++;
    }
    expect(rounds == 3);
out:
    return runs;
}

static void every_way_out(void **state)
{
    (void)state;
    size_t open_before = test_stats().arenas_open;
    for (int way = FALL; way < WAYS; way++) {
        test_context("%s", way_names[way]);
        size_t wanted = way == RETURN || way == GOTO ? 1 : 3;
        ist_arena arena = opened();
        ist_segment segment = numbered(arena);
        expect_size(leave_read(arena, segment, (enum way)way, false), wanted);
        expect_held(arena, 0);
        expect_size(leave_read(arena, segment, (enum way)way, true), wanted);
        expect_held(arena, 0);
        expect_size(leave_hold(arena, (enum way)way), wanted);
        expect_held(arena, 0);
        expect_ok(ist_arena_close(arena));
        expect_size(leave_confined((enum way)way), wanted);
        expect(!ist_arena_is_alive(last_opened));
        expect_size(test_stats().arenas_open, open_before);
    }
}

static void nested(void **state)
{
    (void)state;
    ist_arena arena = opened(), other = opened();
    ist_segment a = numbered(arena), b = numbered(other);
    ist_status outer, inner, innermost;
    IST_WITH_READ(uint64_t, from, a, 0, 8, outer) {
        IST_WITH_WRITE(uint64_t, to, b, 0, 8, inner) {
            IST_WITH_READ(uint64_t, again, a, 8, 1, innermost) {
                to[7] = from[7] + again[0];
                expect_held(arena, 2);
                expect_held(other, 1);
                break;
            }
            expect(innermost == IST_OK);
            expect_held(arena, 1);
        }
        expect(inner == IST_OK);
        expect_held(other, 0);
        IST_WITH_HOLD(other, inner) {
            IST_WITH_HOLD(arena, innermost) {
                expect_held(arena, 2);
            }
            expect_held(other, 1);
        }
    }
    expect(outer == IST_OK);
    expect_held(arena, 0);
    expect(ist_read_u64(b, 56) == 8);
    IST_WITH_CONFINED(one, outer) {
        IST_WITH_CONFINED(two, inner) {
            expect(ist_arena_is_alive(one) && ist_arena_is_alive(two));
            expect(one.session != two.session);
            last_opened = two;
        }
        expect(inner == IST_OK && !ist_arena_is_alive(last_opened) && ist_arena_is_alive(one));
        last_opened = one;
    }
    expect(outer == IST_OK && !ist_arena_is_alive(last_opened));
    expect_ok(ist_arena_close(arena));
    expect_ok(ist_arena_close(other));
}

/* Two scopes on one line would share a name if names came from lines. */
#define TWO_ON_A_LINE(a, b, s) IST_WITH_READ(uint64_t, x, a, 0, 1, s) { IST_WITH_READ(uint64_t, y, b, 0, 1, s) { expect(*x == *y); } }

static void on_one_line(void **state)
{
    (void)state;
    ist_arena arena = opened();
    ist_segment segment = numbered(arena);
    ist_status status;
    TWO_ON_A_LINE(segment, segment, status)
    expect(status == IST_OK);
    expect_ok(ist_arena_close(arena));
}

/* Arguments are evaluated once. */
static size_t evaluated;
static ist_segment evaluate(ist_segment segment)
{
    evaluated++;
    return segment;
}

static void arguments_once(void **state)
{
    (void)state;
    ist_arena arena = opened();
    ist_segment segment = numbered(arena);
    ist_status status;
    size_t offset = 0, count = 1;
    evaluated = 0;
    IST_WITH_READ(uint64_t, element, evaluate(segment), offset += 8, count += 1, status) {
        expect(element[0] == 1);
    }
    expect(status == IST_OK && evaluated == 1 && offset == 8 && count == 2);
    expect_ok(ist_arena_close(arena));
}

/* ---- Statuses of the confined scope ---- */

static void a_block_that_closes_its_arena(void **state)
{
    (void)state;
    ist_status status;
    IST_WITH_CONFINED(arena, status) {
        expect_ok(ist_arena_close(arena));
    }
    expect(status == IST_E_CLOSED);
    expect(test_last_error().status == IST_E_CLOSED);
}

static void a_block_that_leaves_a_hold(void **state)
{
    (void)state;
    ist_status status;
    ist_hold hold;
    ist_arena held = { 0 };
    IST_WITH_CONFINED(arena, status) {
        held = arena;
        expect_ok(ist_arena_hold(arena, &hold));
    }
    expect(status == IST_E_HELD);
    expect(ist_arena_is_alive(held));
    expect_ok(ist_arena_release(&hold));
    expect_ok(ist_arena_close(held));
}

static void caller_memory_and_the_global_arena(void **state)
{
    (void)state;
    uint32_t values[4] = { 1, 2, 3, 4 };
    ist_segment segment = ist_segment_of(values, sizeof values);
    ist_status status;
    uint32_t sum = 0;
    IST_WITH_READ(uint32_t, element, segment, 4, 3, status) {
        sum = element[0] + element[1] + element[2];
    }
    expect(status == IST_OK && sum == 9);
    IST_WITH_WRITE(uint32_t, element, ist_segment_of_const(values, sizeof values), 0, 1, status) {
        *element = 0;
    }
    expect(status == IST_E_READ_ONLY && values[0] == 1);
    IST_WITH_READ(uint8_t, element, (ist_segment){ 0 }, 0, 0, status) {
        (void)element;
        expect(false);
    }
    expect(status == IST_E_CLOSED);
    IST_WITH_READ(uint8_t, element, (ist_segment){ 0 }, 0, 1, status) {
        (void)element;
        expect(false);
    }
    expect(status == IST_E_BOUNDS);
}

static void closing_inside_is_held(void **state)
{
    (void)state;
    ist_arena arena = opened();
    ist_segment segment = numbered(arena);
    ist_status status;
    IST_WITH_READ(uint64_t, element, segment, 0, 8, status) {
        expect_status(ist_arena_close(arena), IST_E_HELD);
        expect_size(test_last_error().holders, 1);
        expect(element[7] == 7);
    }
    expect(status == IST_OK);
    IST_WITH_HOLD(arena, status) {
        expect_status(ist_arena_close(arena), IST_E_HELD);
    }
    expect_ok(ist_arena_close(arena));
}

static void scope_elsewhere(void *data)
{
    ist_segment *segment = data;
    expect_status(read_scope(*segment, 0), IST_E_WRONG_THREAD);
    expect_status(hold_scope(ist_segment_arena(*segment)), IST_E_WRONG_THREAD);
}

static void on_another_thread(void **state)
{
    (void)state;
    ist_arena arena = opened();
    ist_segment segment = numbered(arena);
    ist_status status;
    test_on_thread(scope_elsewhere, &segment);
    IST_WITH_HOLD(arena, status) {
        test_on_thread(scope_elsewhere, &segment);
    }
    expect_ok(ist_arena_close(arena));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(reading_and_writing),
        test_case(types),
        test_case(what_is_checked),
        test_case(scopes_are_calls),
        test_case(every_way_out),
        test_case(nested),
        test_case(on_one_line),
        test_case(arguments_once),
        test_case(a_block_that_closes_its_arena),
        test_case(a_block_that_leaves_a_hold),
        test_case(caller_memory_and_the_global_arena),
        test_case(closing_inside_is_held),
        test_case(on_another_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
