/* SPDX-License-Identifier: MIT */
/* Plans as text; see isti_plan_print(). */
#include "abi/plan.h"

static const char *vector_kind(const isti_move *move)
{
    return move->size == 64 ? "zmm" : move->size == 32 ? "ymm" : "xmm";
}

static void print_place(isti_text *text, const char *const *general_names, const isti_move *move)
{
    switch (move->location) {
    case ISTI_IN_GENERAL:
        isti_text_add(text, "%s", general_names[move->at]);
        break;
    case ISTI_IN_VECTOR:
        isti_text_add(text, "%s%u", vector_kind(move), move->at);
        break;
    case ISTI_IN_X87:
        isti_text_add(text, "st(%u)", move->at);
        break;
    default:
        isti_text_add(text, "[rsp+%u]", move->at);
    }
    if (move->part != 0)
        isti_text_add(text, " byte %u", move->part);
}

static void print_size(isti_text *text, const isti_move *move)
{
    static const char *const extensions[] = { [ISTI_EXTEND_NONE] = "",
                                              [ISTI_EXTEND_ZERO] = ", zero-extended",
                                              [ISTI_EXTEND_SIGN] = ", sign-extended" };
    isti_text_add(text, ", %u byte%s%s", move->size, move->size == 1 ? "" : "s",
                  extensions[move->extension]);
}

static void print_offset(isti_text *text, const isti_move *move)
{
    if (move->offset != 0)
        isti_text_add(text, " at %u", move->offset);
}

static void
print_argument(isti_text *text, const isti_abi *abi, const isti_value *value, uint32_t index)
{
    for (uint32_t i = 0; i < value->move_count; i++) {
        const isti_move *move = &value->moves[i];
        print_place(text, abi->general_names, move);
        isti_text_add(text, " <- argument %u", index);
        print_offset(text, move);
        print_size(text, move);
        isti_text_add(text, "%s\n", value->flags & ISTI_VALUE_SEGMENT ? ", segment" : "");
    }
    if (value->move_count == 0)
        isti_text_add(text, "argument %u does not travel\n", index);
}

void isti_plan_print(const isti_plan *plan, isti_text *text)
{
    const isti_abi *abi = isti_abi_of(plan->signature);
    if (plan->flags & ISTI_PLAN_RESULT_POINTER)
        isti_text_add(text, "%s <- address of the result\n", abi->general_names[0]);
    for (uint32_t i = 0; i < plan->signature->count; i++)
        print_argument(text, abi, &plan->arguments[i], i);
    isti_text_add(text, "al <- %u\n", plan->vector_count);
    isti_text_add(text, "call, %u bytes of stack aligned to %u\n", plan->stack_size,
                  plan->stack_alignment);
    for (uint32_t i = 0; i < plan->result.move_count; i++) {
        const isti_move *move = &plan->result.moves[i];
        isti_text_add(text, "result");
        print_offset(text, move);
        isti_text_add(text, " <- ");
        print_place(text, abi->general_result_names, move);
        print_size(text, move);
        isti_text_add(text, "\n");
    }
}
