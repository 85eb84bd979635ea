/* SPDX-License-Identifier: MIT */
/*
 * Signatures as keys, and plans checked against them. The check knows nothing of how a plan is made: it
 * compares the bytes that a signature names with those that the moves reach.
 */
#include "abi/plan.h"

#include <string.h>

/* ---- Signatures ---- */

bool isti_signature_equals(const isti_signature *a, const isti_signature *b)
{
    return a->count == b->count && memcmp(a, b, ISTI_SIGNATURE_SIZE(a->count)) == 0;
}

/* Multiply and fold, eight bytes at a time. Keys are no secrets: who makes them collide slows himself. */
uint64_t isti_signature_hash(const isti_signature *signature)
{
    const unsigned char *bytes = (const unsigned char *)signature;
    uint64_t hash = 0x9e3779b97f4a7c15u; /* 2^64 / the golden ratio. */
    for (size_t i = 0; i < ISTI_SIGNATURE_SIZE(signature->count); i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        hash = (hash ^ word) * 0xd6e8feb86659fd93u; /* Odd, with bits all over. */
        hash ^= hash >> 32;
    }
    return hash;
}

const isti_abi *isti_abi_of(const isti_signature *signature)
{
    static const isti_abi *const abis[] = { [ISTI_ABI_SYSV_X64] = &isti_sysv_x64 };
    return abis[signature->abi];
}

/* ---- Checking ---- */

/* Of any ABI. */
#define VECTOR_MAX 8
#define X87_MAX 2

static const struct {
    uint32_t width;       /* Bytes. */
    uint32_t least, most; /* Bytes that a move may have. */
} registers[] = {
    [ISTI_IN_GENERAL] = { .width = 8, .least = 1, .most = 8 },
    [ISTI_IN_VECTOR] = { .width = 64, .least = 1, .most = 64 },
    [ISTI_IN_X87] = { .width = 10, .least = 10, .most = 10 },
};

/* What is taken already: bytes of registers, and the stack below `stack_end`. */
typedef struct verify_state {
    const isti_plan *plan;
    uint32_t most[ISTI_ON_STACK];              /* Registers, by location. */
    uint64_t taken[ISTI_ON_STACK][VECTOR_MAX]; /* Their bytes, by location and number. */
    uint64_t stack_end;
    const char *subject;
    uint32_t index;
    isti_problem *problem;
} verify_state;

static bool wrong(verify_state *state, const char *what)
{
    isti_problem_set(state->problem, IST_E_LAYOUT, "%s %u: %s", state->subject, state->index, what);
    return false;
}

static uint64_t bytes_mask(const isti_move *move)
{
    uint64_t ones = move->size >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << move->size) - 1;
    return ones << move->part;
}

/* Takes the bytes of a register that a move names, unless one is taken. */
static bool take_register(verify_state *state, const isti_move *move)
{
    if (move->at >= state->most[move->location] ||
        move->part + move->size > registers[move->location].width)
        return wrong(state, "there is no such register");
    uint64_t *taken = &state->taken[move->location][move->at], mask = bytes_mask(move);
    if (*taken & mask)
        return wrong(state, "a byte of a register is used twice");
    if (move->part == 0 ? *taken != 0 : (*taken & mask >> 1) == 0)
        return wrong(state, "the bytes of a register do not come from below");
    *taken |= mask;
    return true;
}

static bool is_size_of_move(const isti_move *move)
{
    if (move->size < registers[move->location].least || move->size > registers[move->location].most)
        return false;
    return move->location == ISTI_IN_X87 || (move->size & (move->size - 1)) == 0;
}

/* The moves from `*next` on bring one piece, byte by byte, into one register. */
static bool
verify_piece(verify_state *state, const isti_piece *piece, const isti_value *value, uint32_t *next)
{
    uint32_t done = 0, reg = *next < value->move_count ? value->moves[*next].at : 0;
    while (done < piece->size) {
        if (*next == value->move_count)
            return wrong(state, "bytes are not moved");
        const isti_move *move = &value->moves[(*next)++];
        if (move->location != piece->location || move->at != reg || move->part != done ||
            move->offset != piece->offset + done)
            return wrong(state, "a move does not go on where the last one ended");
        if (!is_size_of_move(move) || move->size > piece->size - done)
            return wrong(state, "a move has a size that it cannot have");
        if (!take_register(state, move))
            return false;
        done += move->size;
    }
    return true;
}

static bool verify_stack(verify_state *state, const isti_passing *passing, const isti_value *value)
{
    const isti_move *move = value->moves;
    uint64_t alignment = (uint64_t)1 << passing->alignment_shift;
    if (value->move_count != 1 || move->location != ISTI_ON_STACK || move->offset != 0 ||
        move->part != 0 || move->size != passing->size)
        return wrong(state, "is on the stack, but not all of it and nothing else");
    if (move->at < state->stack_end || move->at % 8 != 0 || move->at % alignment != 0 ||
        state->plan->stack_alignment % alignment != 0)
        return wrong(state, "lies where something else does, or is misaligned");
    state->stack_end = (uint64_t)move->at + move->size;
    return state->stack_end <= state->plan->stack_size || wrong(state, "lies outside the stack");
}

static bool
verify_registers(verify_state *state, const isti_passing *passing, const isti_value *value)
{
    uint32_t next = 0;
    for (size_t i = 0; i < 2 && passing->pieces[i].location != 0; i++) {
        if (!verify_piece(state, &passing->pieces[i], value, &next))
            return false;
    }
    return next == value->move_count || wrong(state, "bytes are moved that it does not have");
}

static bool
verify_argument(verify_state *state, const isti_passing *passing, const isti_value *value)
{
    bool has_pieces = passing->pieces[0].location != 0;
    if (value->size != passing->size || value->flags != passing->flags)
        return wrong(state, "is not what the signature says");
    if (!has_pieces && !(passing->flags & ISTI_VALUE_MEMORY))
        return value->move_count == 0 || wrong(state, "is moved, but does not travel");
    if (!has_pieces || (value->move_count > 0 && value->moves[0].location == ISTI_ON_STACK))
        return verify_stack(state, passing, value);
    if (value->spill_offset % (1u << passing->alignment_shift) != 0 ||
        (uint64_t)value->spill_offset + value->size > state->plan->spill_size)
        return wrong(state, "has no place to be put together");
    return verify_registers(state, passing, value);
}

static unsigned used_registers(const verify_state *state)
{
    unsigned used = 0;
    for (unsigned i = 0; i < VECTOR_MAX; i++)
        used += state->taken[ISTI_IN_VECTOR][i] != 0;
    return used;
}

static bool verify_arguments(verify_state *state)
{
    const isti_plan *plan = state->plan;
    const isti_move *next = plan->moves;
    if (plan->flags & ISTI_PLAN_RESULT_POINTER)
        state->taken[ISTI_IN_GENERAL][0] = 0xff;
    for (; state->index < plan->signature->count; state->index++) {
        const isti_value *value = &plan->arguments[state->index];
        if (value->move_count > 0 && value->moves != next)
            return wrong(state, "its moves are not behind those of the last one");
        next += value->move_count;
        if (!verify_argument(state, &plan->signature->arguments[state->index], value))
            return false;
    }
    return next + plan->result.move_count == plan->moves + plan->move_count ||
           wrong(state, "and so many moves are not all there are");
}

static bool verify_result(verify_state *state)
{
    const isti_passing *passing = &state->plan->signature->result;
    bool in_memory = passing->flags & ISTI_VALUE_MEMORY;
    if (in_memory != ((state->plan->flags & ISTI_PLAN_RESULT_POINTER) != 0))
        return wrong(state, "is in memory or not, and the signature says otherwise");
    return verify_registers(state, passing, &state->plan->result);
}

bool isti_plan_verify(const isti_plan *plan, isti_problem *problem)
{
    const isti_abi *abi = isti_abi_of(plan->signature);
    verify_state arguments = {
        .plan = plan,
        .most = { [ISTI_IN_GENERAL] = abi->general_count, [ISTI_IN_VECTOR] = abi->vector_count },
        .subject = "argument",
        .problem = problem
    };
    verify_state result = { .plan = plan,
                            .most = { [ISTI_IN_GENERAL] = abi->general_result_count,
                                      [ISTI_IN_VECTOR] = abi->vector_result_count,
                                      [ISTI_IN_X87] = X87_MAX },
                            .subject = "result",
                            .problem = problem };
    if (plan->stack_alignment < 16 || plan->stack_size % plan->stack_alignment != 0)
        return wrong(&result, "the stack is misaligned");
    if (!verify_arguments(&arguments) || !verify_result(&result))
        return false;
    return used_registers(&arguments) == plan->vector_count ||
           wrong(&arguments, "so many vector registers are not what the plan says");
}
