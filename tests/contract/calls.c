/* SPDX-License-Identifier: MIT */
/*
 * The table of calls and statuses: what each call on an arena or a segment answers in each condition that its arena
 * may be in. A call that fails leaves its outputs, the memory and errno as they were.
 *
 *     open     an open confined arena, on its owner's thread
 *     foreign  the same, on another thread
 *     closed   a closed one, on the thread that owned it
 *     stale    a closed one, on another thread
 *     zero     the handle {0}
 *     global   the global arena, or caller memory
 */
#include "support/expect.h"

typedef struct fixture {
    ist_arena arena;
    ist_segment segment; /* 64 bytes of the arena. */
    ist_segment other;   /* 64 bytes of the caller's, for calls on two segments. */
    /* What calls write to. */
    ist_segment out;
    ist_hold hold;
    size_t number;
    int64_t value;
    ist_slicing slicing;
    ist_elements elements;
    ist_string string;
    char text[256];
} fixture;

static _Alignas(64) uint8_t caller_bytes[64];
static _Alignas(64) uint8_t other_bytes[64];

/* ---- The calls ---- */

static ist_status call_allocate(fixture *f)
{
    return ist_arena_allocate(f->arena, 24, 8, &f->out);
}
static ist_status call_allocate_nothing(fixture *f)
{
    return ist_arena_allocate(f->arena, 0, 1, &f->out);
}
static ist_status call_allocate_much(fixture *f)
{
    return ist_arena_allocate(f->arena, (size_t)3 << 20, 4096, &f->out);
}
static ist_status call_allocate_too_much(fixture *f)
{
    return ist_arena_allocate(f->arena, test_opaque(SIZE_MAX), 16, &f->out);
}
static ist_status call_allocate_badly_aligned(fixture *f)
{
    return ist_arena_allocate(f->arena, 24, 3, &f->out);
}
static ist_status call_allocate_to_nowhere(fixture *f)
{
    return ist_arena_allocate(f->arena, 24, 8, NULL);
}
static ist_status call_allocate_uninitialized(fixture *f)
{
    return ist_arena_allocate_uninitialized(f->arena, 24, 8, &f->out);
}
static ist_status call_allocate_uninitialized_badly(fixture *f)
{
    return ist_arena_allocate_uninitialized(f->arena, 24, 0, &f->out);
}
static ist_status call_allocator(fixture *f)
{
    return ist_allocate(ist_arena_allocator(&f->arena), 24, 8, &f->out);
}
static ist_status call_allocator_uninitialized(fixture *f)
{
    return ist_allocate_uninitialized(ist_arena_allocator(&f->arena), 24, 8, &f->out);
}
static ist_status call_allocator_array(fixture *f)
{
    return ist_allocate_array(ist_arena_allocator(&f->arena), 3, 8, 8, &f->out);
}
static ist_status call_allocator_from(fixture *f)
{
    return ist_allocate_from(ist_arena_allocator(&f->arena), "bytes", 5, 1, &f->out);
}
static ist_status call_allocator_string(fixture *f)
{
    return ist_allocate_string(ist_arena_allocator(&f->arena), "text", &f->out);
}
static ist_status call_allocate_value(fixture *f)
{
    return ist_allocate_i64(ist_arena_allocator(&f->arena), 5, &f->out);
}
static ist_status call_allocate_from_array(fixture *f)
{
    return ist_allocate_from_array(ist_arena_allocator(&f->arena), other_bytes, 8, 4, 4, 1, &f->out);
}
static ist_status call_allocate_from_segment(fixture *f)
{
    return ist_allocate_from_segment(ist_arena_allocator(&f->arena), &f->other, 8, 16, 4, &f->out);
}
static ist_status call_allocate_copy_of_it(fixture *f)
{
    ist_arena global = ist_arena_global();
    return ist_allocate_from_segment(ist_arena_allocator(&global), &f->segment, 8, 16, 4, &f->out);
}
static ist_status call_allocate_string_in(fixture *f)
{
    return ist_allocate_string_in(ist_arena_allocator(&f->arena), IST_UTF16, "text", &f->out);
}
static ist_status call_allocate_string_encoded(fixture *f)
{
    return ist_allocate_string_encoded(ist_arena_allocator(&f->arena), IST_UTF32, IST_REFUSE, "text", 4, &f->out);
}
static ist_status call_hold(fixture *f)
{
    ist_status status = ist_arena_hold(f->arena, &f->hold);
    if (status == IST_OK)
        expect_ok(ist_arena_release(&f->hold));
    return status;
}
static ist_status call_hold_to_nowhere(fixture *f)
{
    return ist_arena_hold(f->arena, NULL);
}
static void never(void *data)
{
    (*(size_t *)data)++;
}
static size_t cleanups_run;
static ist_status call_on_close(fixture *f)
{
    return ist_arena_on_close(f->arena, never, &cleanups_run);
}
static ist_status call_on_close_null(fixture *f)
{
    return ist_arena_on_close(f->arena, NULL, &cleanups_run);
}
static ist_status call_adopt(fixture *f)
{
    return ist_arena_adopt(f->arena);
}
static ist_status call_close(fixture *f)
{
    return ist_arena_close(f->arena);
}
static ist_status call_reinterpret(fixture *f)
{
    return ist_segment_reinterpret(&f->other, 48, f->arena, NULL, NULL, &f->out);
}
static void never_segment(void *data, const ist_segment *segment)
{
    (void)segment;
    (*(size_t *)data)++;
}
static ist_status call_reinterpret_cleanup(fixture *f)
{
    return ist_segment_reinterpret(&f->other, 48, f->arena, never_segment, &cleanups_run, &f->out);
}
static ist_status call_reinterpret_to_nowhere(fixture *f)
{
    return ist_segment_reinterpret(&f->other, 48, f->arena, never_segment, &cleanups_run, NULL);
}
/* Shaping asks neither for liveness nor for the thread. */
static ist_status call_slice(fixture *f)
{
    return ist_segment_slice(f->segment, 0, f->segment.size, &f->out);
}
static ist_status call_slice_from(fixture *f)
{
    return ist_segment_slice_from(f->segment, f->segment.size, &f->out);
}
static ist_status call_slice_aligned(fixture *f)
{
    return ist_segment_slice_aligned(f->segment, 0, 0, 8, &f->out);
}
static ist_status call_slice_beyond(fixture *f)
{
    return ist_segment_slice(f->segment, f->segment.size, 1, &f->out);
}
static ist_status call_get(fixture *f)
{
    return ist_get_i64(f->segment, 8, &f->value);
}
static ist_status call_get_to_nowhere(fixture *f)
{
    return ist_get_i64(f->segment, 8, NULL);
}
static ist_status call_get_beyond(fixture *f)
{
    return ist_get_i64(f->segment, 64, &f->value);
}
static ist_status call_get_misaligned(fixture *f)
{
    return ist_get_i64(f->segment, 12, &f->value);
}
static ist_status call_set(fixture *f)
{
    return ist_set_i64(f->segment, 8, 1);
}
static ist_status call_set_read_only(fixture *f)
{
    return ist_set_i64(ist_segment_as_read_only(f->segment), 8, 1);
}
static ist_status call_get_read_only(fixture *f)
{
    return ist_get_i64(ist_segment_as_read_only(f->segment), 8, &f->value);
}
static ist_status call_set_read_only_beyond(fixture *f)
{
    return ist_set_i64(ist_segment_as_read_only(f->segment), 999, 1);
}
static ist_status call_set_beyond_misaligned(fixture *f)
{
    return ist_set_i64(f->segment, 61, 1);
}
static ist_status call_fill(fixture *f)
{
    return ist_segment_fill(&f->segment, 9);
}
static ist_status call_fill_read_only(fixture *f)
{
    ist_segment frozen = ist_segment_as_read_only(f->segment);
    return ist_segment_fill(&frozen, 9);
}
static ist_status call_copy_out(fixture *f)
{
    return ist_segment_copy(&f->segment, 0, &f->other, 8, 16);
}
static ist_status call_copy_in(fixture *f)
{
    return ist_segment_copy(&f->other, 8, &f->segment, 0, 16);
}
static ist_status call_copy_within(fixture *f)
{
    return ist_segment_copy(&f->segment, 8, &f->segment, 0, 16);
}
static ist_status call_copy_nothing_out(fixture *f)
{
    return ist_segment_copy(&f->segment, 0, &f->other, 64, 0);
}
static ist_status call_copy_nothing_in(fixture *f)
{
    return ist_segment_copy(&f->other, 64, &f->segment, 0, 0);
}
static ist_status call_copy_beyond(fixture *f)
{
    return ist_segment_copy(&f->segment, 60, &f->other, 0, 5);
}
static ist_status call_copy_into_read_only(fixture *f)
{
    ist_segment frozen = ist_segment_as_read_only(f->segment);
    return ist_segment_copy(&f->other, 0, &frozen, 60, 5); /* Beyond as well. */
}
static ist_status call_copy_from(fixture *f)
{
    return ist_segment_copy_from(&f->segment, &f->other);
}
static ist_status call_copy_from_it(fixture *f)
{
    return ist_segment_copy_from(&f->other, &f->segment);
}
static ist_status call_mismatch(fixture *f)
{
    return ist_segment_mismatch(&f->segment, &f->other, &f->number);
}
static ist_status call_mismatch_of_other(fixture *f)
{
    return ist_segment_mismatch(&f->other, &f->segment, &f->number);
}
static ist_status call_mismatch_range(fixture *f)
{
    return ist_segment_mismatch_range(&f->segment, 4, 8, &f->other, 4, 9, &f->number);
}
static ist_status call_mismatch_range_beyond(fixture *f)
{
    return ist_segment_mismatch_range(&f->other, 0, 5, &f->segment, 60, 5, &f->number);
}
static ist_status call_elements(fixture *f)
{
    return ist_elements_over(&f->segment, 8, 8, &f->elements);
}
static ist_status call_copy_elements_out(fixture *f)
{
    return ist_segment_copy_elements(&f->segment, 8, &f->other, 8, 4, 4, 1);
}
static ist_status call_copy_elements_in(fixture *f)
{
    return ist_segment_copy_elements(&f->other, 8, &f->segment, 8, 4, 4, 1);
}
static ist_status call_copy_elements_read_only(fixture *f)
{
    ist_segment frozen = ist_segment_as_read_only(f->segment);
    return ist_segment_copy_elements(&f->other, 8, &frozen, 8, 4, 4, 0);
}
static ist_status call_get_array(fixture *f)
{
    return ist_segment_get_array(&f->segment, 8, other_bytes, 4, 4, 1);
}
static ist_status call_get_array_beyond(fixture *f)
{
    return ist_segment_get_array(&f->segment, 8, other_bytes, 15, 4, 1);
}
static ist_status call_set_array(fixture *f)
{
    return ist_segment_set_array(&f->segment, 8, other_bytes, 4, 4, 1);
}
static ist_status call_find_string(fixture *f)
{
    return ist_string_find(&f->segment, 8, IST_UTF8, 8, &f->string);
}
static ist_status call_find_string_beyond(fixture *f)
{
    return ist_string_find(&f->segment, 65, IST_UTF8, 8, &f->string);
}
static ist_status call_copy_string(fixture *f)
{
    ist_string string = ist_string_of(f->segment, IST_UTF16);
    return ist_string_copy(&string, f->text, sizeof f->text, &f->number);
}
static ist_status call_measure_string(fixture *f)
{
    ist_string string = ist_string_of(f->segment, IST_UTF16);
    return ist_string_copy(&string, NULL, 0, &f->number);
}
static ist_status call_copy_string_to(fixture *f)
{
    ist_arena global = ist_arena_global();
    ist_string string = ist_string_of(f->segment, IST_UTF16);
    return ist_string_copy_to(&string, ist_arena_allocator(&global), &f->out);
}
static ist_status call_decode(fixture *f)
{
    ist_string string = ist_string_of(f->segment, IST_UTF16);
    return ist_string_decode(&string, IST_REPLACE, f->text, sizeof f->text, &f->number);
}
static ist_status call_decode_to(fixture *f)
{
    ist_arena global = ist_arena_global();
    ist_string string = ist_string_of(f->segment, IST_UTF16);
    return ist_string_decode_to(&string, IST_REPLACE, ist_arena_allocator(&global), &f->out);
}
static ist_status call_set_string(fixture *f)
{
    return ist_string_set(&f->segment, 8, IST_UTF8, "text");
}
static ist_status call_set_string_read_only(fixture *f)
{
    ist_segment frozen = ist_segment_as_read_only(f->segment);
    return ist_string_set(&frozen, 99, IST_UTF16, "text");
}
static ist_status call_encode(fixture *f)
{
    return ist_string_encode(&f->segment, 8, IST_UTF16, IST_REFUSE, "text", 4, &f->number);
}
static ist_status call_encode_beyond(fixture *f)
{
    return ist_string_encode(&f->segment, 60, IST_UTF16, IST_REFUSE, "text", 4, &f->number);
}
static ist_status call_mismatch_to_nowhere(fixture *f)
{
    return ist_segment_mismatch(&f->segment, &f->other, NULL);
}
static ist_status call_scope_read(fixture *f)
{
    ist_status status;
    IST_WITH_READ(int64_t, element, f->segment, 8, 7, status) {
        f->value = element[0];
    }
    return status;
}
static ist_status call_scope_write(fixture *f)
{
    ist_status status;
    IST_WITH_WRITE(int64_t, element, f->segment, 8, 7, status) {
        element[0] = 5;
    }
    return status;
}
static ist_status call_scope_write_read_only(fixture *f)
{
    ist_status status;
    IST_WITH_WRITE(int64_t, element, ist_segment_as_read_only(f->segment), 8, 9, status) {
        element[0] = 5;
    }
    return status;
}
static ist_status call_scope_beyond(fixture *f)
{
    ist_status status;
    IST_WITH_READ(int64_t, element, f->segment, 9, 8, status) { /* Misaligned as well. */
        f->value = element[0];
    }
    return status;
}
static ist_status call_scope_misaligned(fixture *f)
{
    ist_status status;
    IST_WITH_READ(int64_t, element, f->segment, 4, 7, status) {
        f->value = element[0];
    }
    return status;
}
static ist_status call_scope_hold(fixture *f)
{
    ist_status status;
    IST_WITH_HOLD(f->arena, status) {
        f->number = 1;
    }
    return status;
}
static ist_status call_slicing(fixture *f)
{
    ist_slicing slicing;
    expect(ist_slicing_over(f->segment, &slicing) == IST_OK);
    ist_status status = ist_allocate(ist_slicing_allocator(&slicing), 16, 8, &f->out);
    expect(status == IST_OK ? slicing.used == 16 : slicing.used == 0);
    return status;
}
static ist_status call_slicing_uninitialized(fixture *f)
{
    ist_slicing slicing;
    expect(ist_slicing_over(f->segment, &slicing) == IST_OK);
    return ist_allocate_uninitialized(ist_slicing_allocator(&slicing), 16, 8, &f->out);
}
static ist_status call_slicing_read_only(fixture *f)
{
    return ist_slicing_over(ist_segment_as_read_only(f->segment), &f->slicing);
}
static ist_status call_slicing_over_null(fixture *f)
{
    return ist_slicing_over(f->segment, NULL);
}
static ist_status call_prefix(fixture *f)
{
    return ist_allocate(ist_prefix_allocator(&f->segment), 16, 8, &f->out);
}
static ist_status call_prefix_read_only(fixture *f)
{
    ist_segment frozen = ist_segment_as_read_only(f->segment);
    return ist_allocate(ist_prefix_allocator(&frozen), 16, 8, &f->out);
}
static ist_status call_prefix_from(fixture *f)
{
    return ist_allocate_from(ist_prefix_allocator(&f->segment), "0123456789abcdef", 16, 8, &f->out);
}

/* ---- What they answer ---- */

enum { OPEN, FOREIGN, CLOSED, STALE, ZERO, GLOBAL, CONDITIONS };
static const char *const condition_names[CONDITIONS] = { "open", "foreign", "closed", "stale", "zero", "global" };

#define OK IST_OK
#define CLO IST_E_CLOSED
#define WRO IST_E_WRONG_THREAD
#define BOU IST_E_BOUNDS
#define ALI IST_E_ALIGNMENT
#define REA IST_E_READ_ONLY
#define ARG IST_E_ARGUMENT
#define OVE IST_E_OVERFLOW
#define UNS IST_E_UNSUPPORTED

typedef struct row {
    const char *name;
    ist_status (*call)(fixture *f);
    ist_status wanted[CONDITIONS];
} row;

#define ROW(call, ...) { #call, call, { __VA_ARGS__ } }

static const row rows[] = {
    /*                                 open foreign closed stale zero global */
    ROW(call_allocate,                    OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_allocate_nothing,            OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_allocate_much,               OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_allocate_too_much,           OVE, WRO,  CLO,  CLO,  CLO,  OVE),
    ROW(call_allocate_badly_aligned,      ARG, ARG,  ARG,  ARG,  ARG,  ARG),
    ROW(call_allocate_to_nowhere,         ARG, ARG,  ARG,  ARG,  ARG,  ARG),
    ROW(call_allocate_uninitialized,      OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_allocate_uninitialized_badly, ARG, ARG, ARG,  ARG,  ARG,  ARG),
    ROW(call_allocator,                   OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_allocator_uninitialized,     OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_allocator_array,             OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_allocator_from,              OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_allocator_string,            OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_allocate_value,              OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_allocate_from_array,         OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_allocate_from_segment,       OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_allocate_copy_of_it,         OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_allocate_string_in,          OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_allocate_string_encoded,     OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_hold,                        OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_hold_to_nowhere,             ARG, ARG,  ARG,  ARG,  ARG,  ARG),
    ROW(call_scope_hold,                  OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_on_close,                    OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_on_close_null,               ARG, ARG,  ARG,  ARG,  ARG,  ARG),
    ROW(call_adopt,                       OK,  WRO,  CLO,  CLO,  CLO,  UNS),
    ROW(call_close,                       OK,  WRO,  CLO,  CLO,  CLO,  UNS),
    ROW(call_reinterpret,                 OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_reinterpret_cleanup,         OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_reinterpret_to_nowhere,      ARG, ARG,  ARG,  ARG,  ARG,  ARG),
    ROW(call_slice,                       OK,  OK,   OK,   OK,   OK,   OK),
    ROW(call_slice_from,                  OK,  OK,   OK,   OK,   OK,   OK),
    ROW(call_slice_aligned,               OK,  OK,   OK,   OK,   OK,   OK),
    ROW(call_slice_beyond,                BOU, BOU,  BOU,  BOU,  BOU,  BOU),
    ROW(call_get,                         OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_get_beyond,                  BOU, BOU,  BOU,  BOU,  BOU,  BOU),
    ROW(call_get_misaligned,              ALI, ALI,  ALI,  ALI,  BOU,  ALI),
    ROW(call_get_read_only,               OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_set,                         OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_set_read_only,               REA, REA,  REA,  REA,  REA,  REA),
    ROW(call_set_read_only_beyond,        REA, REA,  REA,  REA,  REA,  REA),
    ROW(call_set_beyond_misaligned,       BOU, BOU,  BOU,  BOU,  BOU,  BOU),
    ROW(call_fill,                        OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_fill_read_only,              REA, REA,  REA,  REA,  REA,  REA),
    ROW(call_copy_out,                    OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_copy_in,                     OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_copy_within,                 OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_copy_nothing_out,            OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_copy_nothing_in,             OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_copy_beyond,                 BOU, BOU,  BOU,  BOU,  BOU,  BOU),
    ROW(call_copy_into_read_only,         REA, REA,  REA,  REA,  REA,  REA),
    ROW(call_copy_from,                   OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_copy_from_it,                OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_mismatch,                    OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_mismatch_of_other,           OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_mismatch_range,              OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_mismatch_range_beyond,       BOU, BOU,  BOU,  BOU,  BOU,  BOU),
    ROW(call_elements,                    OK,  OK,   OK,   OK,   OK,   OK),
    ROW(call_copy_elements_out,           OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_copy_elements_in,            OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_copy_elements_read_only,     REA, REA,  REA,  REA,  REA,  REA),
    ROW(call_get_array,                   OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_get_array_beyond,            BOU, BOU,  BOU,  BOU,  BOU,  BOU),
    ROW(call_set_array,                   OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_find_string,                 BOU, WRO,  CLO,  CLO,  BOU,  BOU), /* There is no terminator. */
    ROW(call_find_string_beyond,          BOU, BOU,  BOU,  BOU,  BOU,  BOU),
    ROW(call_copy_string,                 OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_measure_string,              OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_copy_string_to,              OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_decode,                      OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_decode_to,                   OK,  WRO,  CLO,  CLO,  CLO,  OK),
    ROW(call_set_string,                  OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_set_string_read_only,        REA, REA,  REA,  REA,  REA,  REA),
    ROW(call_encode,                      OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_encode_beyond,               BOU, BOU,  BOU,  BOU,  BOU,  BOU),
    ROW(call_scope_read,                  OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_scope_write,                 OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_scope_write_read_only,       REA, REA,  REA,  REA,  REA,  REA),
    ROW(call_scope_beyond,                BOU, BOU,  BOU,  BOU,  BOU,  BOU),
    ROW(call_scope_misaligned,            ALI, ALI,  ALI,  ALI,  BOU,  ALI),
    ROW(call_slicing,                     OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_slicing_uninitialized,       OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_slicing_read_only,           REA, REA,  REA,  REA,  REA,  REA),
    ROW(call_slicing_over_null,           ARG, ARG,  ARG,  ARG,  ARG,  ARG),
    ROW(call_prefix,                      OK,  WRO,  CLO,  CLO,  BOU,  OK),
    ROW(call_prefix_read_only,            REA, REA,  REA,  REA,  REA,  REA),
    ROW(call_prefix_from,                 OK,  WRO,  CLO,  CLO,  BOU,  OK),
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* Calls for which only a usable segment has a promised answer: a NULL output has no place in the order of checks. */
static const row rows_of_open[] = {
    ROW(call_get_to_nowhere, ARG),
    ROW(call_mismatch_to_nowhere, ARG),
};

/* ---- Trying them ---- */

static fixture prepare(int condition)
{
    fixture f;
    memset(&f, 0xEE, sizeof f);
    memset(caller_bytes, 0xEE, sizeof caller_bytes);
    memset(other_bytes, 0xEE, sizeof other_bytes);
    f.other = ist_segment_of(other_bytes, sizeof other_bytes);
    cleanups_run = 0;
    if (condition == ZERO) {
        f.arena = (ist_arena){ 0 };
        f.segment = (ist_segment){ 0 };
    } else if (condition == GLOBAL) {
        f.arena = ist_arena_global();
        f.segment = ist_segment_of(caller_bytes, sizeof caller_bytes);
    } else {
        expect_ok(ist_arena_open_confined(&f.arena));
        expect_ok(ist_arena_allocate(f.arena, 64, 64, &f.segment));
        expect_ok(ist_segment_fill(&f.segment, 0xEE));
    }
    if (condition == CLOSED || condition == STALE)
        expect_ok(ist_arena_close(f.arena));
    return f;
}

typedef struct attempt {
    const row *row;
    fixture *fixture;
    ist_status wanted;
} attempt;

static void try_row(void *data)
{
    attempt *tried = data;
    fixture before = *tried->fixture;
    expect_status(tried->row->call(tried->fixture), tried->wanted);
    if (tried->wanted != IST_OK)
        expect(memcmp(&before, tried->fixture, sizeof before) == 0);
}

static void try_in(const row *tried_row, int condition)
{
    test_context("%s, %s", tried_row->name, condition_names[condition]);
    ist_status wanted = tried_row->wanted[condition];
    fixture f = prepare(condition);
    attempt tried = { tried_row, &f, wanted };
    if (condition == FOREIGN || condition == STALE)
        test_on_thread(try_row, &tried);
    else
        try_row(&tried);
    expect(cleanups_run == 0 || wanted == IST_OK);
    if (wanted != IST_OK) {
        expect(test_all_bytes(caller_bytes, sizeof caller_bytes, 0xEE));
        expect(test_all_bytes(other_bytes, sizeof other_bytes, 0xEE));
    }
    if (condition == OPEN || condition == FOREIGN) {
        /* A failure, also one on another thread, has left the arena usable; a success has left it open. */
        if (wanted != IST_OK) {
            expect(test_all_bytes(f.segment.address, 64, 0xEE));
            expect_ok(ist_arena_allocate(f.arena, 10, 2, &f.out));
        }
        if (tried_row->call == call_close && wanted == IST_OK)
            expect(!ist_arena_is_alive(f.arena));
        else
            expect_ok(ist_arena_close(f.arena));
    }
}

static void the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        for (int condition = 0; condition < CONDITIONS; condition++)
            try_in(&rows[i], condition);
    }
    printf("%d calls in %d conditions\n", ROWS, CONDITIONS);
}

static void outputs_that_are_null(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows_of_open / sizeof rows_of_open[0]; i++)
        try_in(&rows_of_open[i], OPEN);
}

/* The whole table once more in an arena that has seen thousands of lives since its handle went stale. */
static void the_table_after_many_lives(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        test_context("%s, after many lives", rows[i].name);
        fixture f = prepare(CLOSED);
        for (size_t life = 0; life < 5000; life++) {
            ist_arena arena;
            if (ist_arena_open_confined(&arena) != IST_OK || ist_arena_close(arena) != IST_OK)
                expect(false);
        }
        attempt tried = { &rows[i], &f, rows[i].wanted[CLOSED] };
        try_row(&tried);
        tried.wanted = rows[i].wanted[STALE];
        test_on_thread(try_row, &tried);
    }
}

/* ---- Questions ---- */

static void questions_have_answers_in_each_condition(void **state)
{
    (void)state;
    static const struct {
        int alive, accessible;
    } wanted[CONDITIONS] = {
        [OPEN] = { 1, 1 }, [FOREIGN] = { 1, 0 }, [CLOSED] = { 0, 1 }, [GLOBAL] = { 1, 1 },
    };
    static const int conditions[] = { OPEN, CLOSED, GLOBAL };
    for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
        int condition = conditions[i];
        test_context("%s", condition_names[condition]);
        fixture f = prepare(condition);
        expect(!ist_arena_is_alive(f.arena) == !wanted[condition].alive);
        expect(!ist_segment_is_alive(&f.segment) == !wanted[condition].alive);
        if (condition != CLOSED) /* Whom a closed arena belonged to is nothing that anybody keeps. */
            expect(ist_segment_is_accessible(&f.segment));
        expect(ist_segment_size(f.segment) == 64);
        expect(!ist_segment_is_read_only(f.segment));
        expect(ist_segment_arena(f.segment).session == f.arena.session);
        expect(ist_segment_arena(f.segment).expected == f.arena.expected);
        if (condition == OPEN)
            expect_ok(ist_arena_close(f.arena));
    }
    fixture zero = prepare(ZERO);
    expect(!ist_arena_is_alive(zero.arena));
    expect(!ist_segment_is_alive(&zero.segment));
    expect(!ist_arena_is_alive(ist_segment_arena(zero.segment)));
    expect(ist_segment_size(zero.segment) == 0 && ist_segment_address(zero.segment) == 0);
}

static void ask_from_elsewhere(void *data)
{
    fixture *f = data;
    expect(ist_arena_is_alive(f->arena));
    expect(ist_segment_is_alive(&f->segment));
    expect(!ist_segment_is_accessible(&f->segment));
    expect(ist_segment_is_accessible(&f->other));
}

static void ask_from_elsewhere_when_closed(void *data)
{
    fixture *f = data;
    expect(!ist_arena_is_alive(f->arena));
    expect(!ist_segment_is_alive(&f->segment));
}

static void questions_from_another_thread(void **state)
{
    (void)state;
    fixture f = prepare(FOREIGN);
    test_on_thread(ask_from_elsewhere, &f);
    expect_ok(ist_arena_close(f.arena));
    test_on_thread(ask_from_elsewhere_when_closed, &f);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(the_table),
        test_case(outputs_that_are_null),
        test_case(the_table_after_many_lives),
        test_case(questions_have_answers_in_each_condition),
        test_case(questions_from_another_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
