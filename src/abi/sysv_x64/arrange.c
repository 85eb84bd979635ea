/* SPDX-License-Identifier: MIT */
/*
 * From a signature to a plan: which value gets which registers, psABI x86-64 3.2.3, and of which moves
 * that consists.
 *
 * Everything is walked through twice by the same code: first without memory, to count the moves, then to
 * write them. Invariant: moves are in the order of the arguments, those of a value in the order of its
 * bytes, and the stack is taken from below.
 */
#include <string.h>

#include "abi/sysv_x64/sysv_x64.h"
#include "base/contract.h"
#include "base/size.h"

#define STACK_WORD ((size_t)8)
#define STACK_ALIGNMENT ((size_t)16)
#define X87_COUNT 2

typedef struct arrange_state {
    isti_plan *plan;
    isti_move *moves; /* NULL: count only. */
    uint32_t move_count;
    unsigned used[ISTI_ON_STACK]; /* Registers, by location. */
    size_t stack_size, stack_alignment;
    size_t spill_size, spill_alignment;
} arrange_state;

static size_t max(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void add_move(arrange_state *state, const isti_move *move)
{
    if (state->moves != NULL)
        state->moves[state->move_count] = *move;
    state->move_count++;
}

/* The bytes of a piece in moves that a processor has: the tail of a struct may be of any length. */
static void move_piece(arrange_state *state, const isti_piece *piece, uint8_t extension)
{
    unsigned index = state->used[piece->location]++;
    for (unsigned part = 0, size; part < piece->size; part += size) {
        size = piece->size - part;
        if (piece->location != ISTI_IN_X87) {
            while (size & (size - 1))
                size &= size - 1;
        }
        add_move(state, &(isti_move){ .offset = piece->offset + part,
                                      .size = size,
                                      .at = index,
                                      .location = piece->location,
                                      .part = (uint8_t)part,
                                      .extension = extension });
    }
}

static void move_to_stack(arrange_state *state, const isti_passing *passing)
{
    size_t alignment = (size_t)1 << passing->alignment_shift;
    size_t at = isti_align_up(state->stack_size, alignment);
    state->stack_size = isti_align_up(at + passing->size, STACK_WORD);
    state->stack_alignment = max(state->stack_alignment, alignment);
    add_move(state, &(isti_move){ .size = passing->size,
                                  .at = (uint32_t)at,
                                  .location = ISTI_ON_STACK,
                                  .extension = passing->extension });
}

/* Whether registers are left for all of a value: none of it goes into one otherwise. */
static bool fits_registers(const arrange_state *state, const isti_passing *passing)
{
    unsigned general = state->used[ISTI_IN_GENERAL], vector = state->used[ISTI_IN_VECTOR];
    for (size_t i = 0; i < 2; i++) {
        general += passing->pieces[i].location == ISTI_IN_GENERAL;
        vector += passing->pieces[i].location == ISTI_IN_VECTOR;
    }
    return general <= ISTI_X64_GENERAL_COUNT && vector <= ISTI_X64_VECTOR_COUNT;
}

static void move_to_registers(arrange_state *state, const isti_passing *passing)
{
    for (size_t i = 0; i < 2 && passing->pieces[i].location != 0; i++)
        move_piece(state, &passing->pieces[i], passing->extension);
}

/* Room in which the value of an upcall's argument is put together. */
static uint32_t take_spill(arrange_state *state, const isti_passing *passing)
{
    size_t alignment = (size_t)1 << passing->alignment_shift;
    size_t offset = isti_align_up(state->spill_size, alignment);
    state->spill_size = offset + passing->size;
    state->spill_alignment = max(state->spill_alignment, alignment);
    return (uint32_t)offset;
}

/* Moves from the `first` on are the value's. */
static void give_moves(const arrange_state *state, uint32_t first, isti_value *value)
{
    value->moves = state->moves != NULL ? state->moves + first : NULL;
    value->move_count = state->move_count - first;
}

static isti_value arrange_argument(arrange_state *state, const isti_passing *passing)
{
    isti_value value = { .size = passing->size, .flags = passing->flags };
    uint32_t first = state->move_count;
    if (passing->pieces[0].location != 0 && fits_registers(state, passing)) {
        move_to_registers(state, passing);
        value.spill_offset = take_spill(state, passing);
    } else if (passing->size != 0) {
        move_to_stack(state, passing);
    }
    give_moves(state, first, &value);
    return value;
}

static isti_value arrange_result(arrange_state *state, const isti_passing *passing)
{
    isti_value value = { .size = passing->size, .flags = passing->flags };
    uint32_t first = state->move_count;
    memset(state->used, 0, sizeof state->used);
    move_to_registers(state, passing);
    give_moves(state, first, &value);
    return value;
}

/* All values in their order. With memory for the moves, `values` too is written. */
static void
arrange_values(arrange_state *state, const isti_signature *signature, isti_value *values)
{
    isti_plan *plan = state->plan;
    if (signature->result.flags & ISTI_VALUE_MEMORY)
        state->used[ISTI_IN_GENERAL] = 1;
    for (uint32_t i = 0; i < signature->count; i++) {
        isti_value value = arrange_argument(state, &signature->arguments[i]);
        if (values != NULL)
            values[i] = value;
    }
    plan->general_count = (uint8_t)state->used[ISTI_IN_GENERAL];
    plan->vector_count = (uint8_t)state->used[ISTI_IN_VECTOR];
    plan->result = arrange_result(state, &signature->result);
}

static void sum_up(arrange_state *state, const isti_signature *signature)
{
    isti_plan *plan = state->plan;
    if (signature->result.flags & ISTI_VALUE_MEMORY)
        plan->flags |= ISTI_PLAN_RESULT_POINTER;
    for (uint32_t i = 0; i < state->move_count; i++) {
        if (state->moves[i].location == ISTI_IN_VECTOR && state->moves[i].size == 32)
            plan->flags |= ISTI_PLAN_AVX;
        if (state->moves[i].location == ISTI_IN_VECTOR && state->moves[i].size == 64)
            plan->flags |= ISTI_PLAN_AVX512;
    }
    for (uint32_t i = 0; i < signature->count; i++)
        plan->segment_count += (signature->arguments[i].flags & ISTI_VALUE_SEGMENT) != 0;
    if (plan->segment_count > 0)
        plan->flags |= ISTI_PLAN_SEGMENTS;
    plan->move_count = state->move_count;
    plan->stack_alignment = (uint32_t)state->stack_alignment;
    plan->stack_size = (uint32_t)isti_align_up(state->stack_size, state->stack_alignment);
    plan->spill_alignment = (uint32_t)state->spill_alignment;
    plan->spill_size = (uint32_t)isti_align_up(state->spill_size, state->spill_alignment);
}

/* plan | signature | arguments | moves, each a multiple of 8 bytes. */
static isti_plan *take_plan(const isti_signature *signature, uint32_t move_count,
                            const isti_store *store, isti_problem *problem)
{
    size_t signature_size = ISTI_SIGNATURE_SIZE(signature->count);
    size_t values_size = signature->count * sizeof(isti_value);
    char *block = isti_store_take(
        store, 1, sizeof(isti_plan) + signature_size + values_size + move_count * sizeof(isti_move),
        problem);
    if (block == NULL)
        return NULL;
    isti_plan *plan = (isti_plan *)block;
    char *copy = block + sizeof(isti_plan);
    memcpy(copy, signature, signature_size);
    plan->signature = (const isti_signature *)copy;
    plan->arguments = (const isti_value *)(copy + signature_size);
    plan->moves = (const isti_move *)(copy + signature_size + values_size);
    return plan;
}

_Static_assert(sizeof(isti_plan) % 8 == 0 && sizeof(isti_signature) % 8 == 0 &&
                   sizeof(isti_passing) % 8 == 0 && sizeof(isti_value) % 8 == 0,
               "the parts of a plan's block lie one behind the other");

ist_status isti_x64_arrange(const isti_signature *signature, const isti_store *store,
                            const isti_plan **ret_plan, isti_problem *problem)
{
    isti_plan counted = { .flags = 0 };
    arrange_state state = { .plan = &counted,
                            .stack_alignment = STACK_ALIGNMENT,
                            .spill_alignment = STACK_ALIGNMENT };
    arrange_values(&state, signature, NULL);
    size_t stack_size = isti_align_up(state.stack_size, state.stack_alignment);
    if (stack_size > ISTI_STACK_MAX || state.stack_alignment > ISTI_STACK_MAX)
        return isti_problem_set(problem, IST_E_LAYOUT,
                                "the arguments take %zu bytes of the stack aligned to %zu; a call "
                                "takes at most %zu",
                                stack_size, state.stack_alignment, ISTI_STACK_MAX);
    isti_plan *plan = take_plan(signature, state.move_count, store, problem);
    if (plan == NULL)
        return problem->status;
    state = (arrange_state){ .plan = plan,
                             .moves = (isti_move *)plan->moves,
                             .stack_alignment = STACK_ALIGNMENT,
                             .spill_alignment = STACK_ALIGNMENT };
    arrange_values(&state, signature, (isti_value *)plan->arguments);
    sum_up(&state, signature);
    ISTI_ASSERT(isti_plan_verify(plan, &(isti_problem){ .status = IST_OK }));
    *ret_plan = plan;
    return IST_OK;
}
