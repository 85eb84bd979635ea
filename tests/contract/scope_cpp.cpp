/* SPDX-License-Identifier: MIT */
/* The public headers as C++17: scopes that an exception leaves, and a failure handler that throws. */
#include <isthmus/isthmus.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

static int checks;

static void expect_true(bool condition, const char *text, int line)
{
    checks++;
    if (condition)
        return;
    std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, line, text);
    std::exit(1);
}
#define expect(condition) expect_true((condition), #condition, __LINE__)

static bool is_held(ist_arena arena)
{
    ist_hold hold;
    expect(ist_arena_hold(arena, &hold) == IST_OK);
    expect(ist_arena_close(arena) == IST_E_HELD);
    ist_error error = {};
    error.size = sizeof error;
    expect(ist_last_error_info(&error) == IST_OK);
    expect(ist_arena_release(&hold) == IST_OK);
    return error.holders > 1;
}

static void throwing_out_of_scopes(ist_arena arena, ist_segment segment)
{
    ist_status status = IST_OK;
    for (int kind = 0; kind < 3; kind++) {
        bool caught = false;
        try {
            if (kind == 0) {
                IST_WITH_READ(std::uint64_t, element, segment, 0, 8, status) {
                    expect(is_held(arena));
                    throw std::runtime_error(element[0] == 0 ? "read" : "?");
                }
            } else if (kind == 1) {
                IST_WITH_WRITE(std::uint64_t, element, segment, 0, 8, status) {
                    expect(is_held(arena));
                    element[1] = 7;
                    throw std::runtime_error("write");
                }
            } else {
                IST_WITH_HOLD(arena, status) {
                    expect(is_held(arena));
                    throw std::runtime_error("hold");
                }
            }
        } catch (const std::runtime_error &) {
            caught = true;
        }
        expect(caught);
        expect(!is_held(arena));
    }
    expect(ist_read_u64(segment, 8) == 7);
}

static void throwing_out_of_an_arena()
{
    ist_status status = IST_OK;
    ist_arena left = {};
    try {
        IST_WITH_CONFINED(arena, status) {
            left = arena;
            ist_segment segment = {};
            IST_CHECK(ist_arena_allocate(arena, 64, 8, &segment));
            IST_WITH_READ(std::uint8_t, element, segment, 0, 64, status) {
                throw static_cast<int>(element[3]);
            }
        }
    } catch (int value) {
        expect(value == 0);
    }
    expect(left.session != nullptr && !ist_arena_is_alive(left));
    expect(status == IST_OK); /* The inner scope has ended before the arena was closed. */
}

struct failure : std::exception {
    explicit failure(ist_status status_) : status(status_) {}
    ist_status status;
};

[[noreturn]] static void throw_failure(ist_status status, const char *)
{
    throw failure(status);
}

static void handlers_may_throw(ist_segment segment)
{
    ist_failure_fn *previous = ist_failure_handler_set(throw_failure);
    ist_status caught = IST_OK;
    try {
        (void)ist_read_f64(segment, 1);
    } catch (const failure &f) {
        caught = f.status;
    }
    expect(caught == IST_E_ALIGNMENT);
    try {
        IST_CHECK(ist_set_u8(segment, 64, 1));
        expect(false);
    } catch (const failure &f) {
        caught = f.status;
    }
    expect(caught == IST_E_BOUNDS);
    ist_failure_handler_set(previous);
}

static std::size_t breaking_and_continuing(ist_segment segment)
{
    std::size_t rounds = 0;
    ist_status status = IST_OK;
    for (int i = 0; i < 4; i++) {
        IST_WITH_READ(std::uint64_t, element, segment, 0, 1, status) {
            if (*element == 0 && i % 2 == 0)
                break;
            continue;
        }
        rounds++;
    }
    return rounds;
}

int main()
{
    ist_arena arena = {};
    ist_segment segment = {};
    IST_CHECK(ist_arena_open_confined(&arena));
    IST_CHECK(ist_arena_allocate(arena, 64, 8, &segment));
    throwing_out_of_scopes(arena, segment);
    throwing_out_of_an_arena();
    handlers_may_throw(segment);
    expect(breaking_and_continuing(segment) == 4);
    expect(ist_arena_close(arena) == IST_OK);
    std::printf("%d checks\n", checks);
    return 0;
}
