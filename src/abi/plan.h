/* SPDX-License-Identifier: MIT */
#ifndef ISTI_ABI_PLAN_H
#define ISTI_ABI_PLAN_H
/*
 * How a call is made, as data. Pure: the same on every host, no thread, no system call; memory comes
 * from a store.
 *
 *     function --classify--> signature --arrange--> plan --> interpreter, generated stub, upcall
 *
 * A signature says how each value travels and nothing else: no names, no members. A plan depends on its
 * signature only, so functions whose types classify alike share one: a signature is the key, compared
 * and hashed by its bytes.
 *
 *     alignas(isti_signature) char buffer[ISTI_SIGNATURE_SIZE(2)];
 *     isti_signature *signature = (isti_signature *)buffer;
 *     isti_sysv_x64.classify(function, NULL, signature, &problem);
 *     isti_sysv_x64.arrange(signature, &store, &plan, &problem);
 *
 * What runs a plan downwards:
 *   1. makes room for plan->stack_size bytes at a multiple of plan->stack_alignment: the lowest is what
 *      the stack pointer points at when the call instruction begins, and stack offset 0;
 *   2. if ISTI_PLAN_RESULT_POINTER, puts the result's address into general register 0;
 *   3. makes each move of each argument; of a segment argument (ISTI_VALUE_SEGMENT) the value is the
 *      first 8 bytes of the ist_segment, its address, and the segment is held around the call;
 *   4. sets AL to plan->vector_count, calls, and makes the moves of the result the other way.
 * It reads no byte of an argument and writes none of a result but those that the moves name. Upwards
 * the same moves run backwards; `spill_offset` is where a value that came in registers is put together.
 */
#include <stdbool.h>

#include "base/text.h"
#include "layout/layout.h"

/* ---- Signatures ---- */

/* Registers of a kind are counted from 0 in the order in which the ABI hands them out. */
typedef enum isti_location {
    ISTI_IN_GENERAL = 1, /* Arguments: rdi rsi rdx rcx r8 r9; results: rax rdx. */
    ISTI_IN_VECTOR,      /* xmm0, or ymm0 or zmm0 for a move of 32 or 64 bytes. */
    ISTI_IN_X87,         /* Results only: st(0), st(1) at the return; 10 bytes. */
    ISTI_ON_STACK
} isti_location;

/* What the bits above a value are; what is not mentioned may be anything. */
enum {
    ISTI_EXTEND_NONE,
    ISTI_EXTEND_ZERO, /* To 32 bits at least: to 64, or a whole stack word, is as good. */
    ISTI_EXTEND_SIGN
};

enum {
    ISTI_VALUE_SEGMENT = 1, /* A pointer: what is handed in is an ist_segment. */
    ISTI_VALUE_MEMORY = 2,  /* Argument: always on the stack; result: where the caller says. */
};

/* A run of a value's bytes that share one register. */
typedef struct isti_piece {
    uint8_t location; /* isti_location; 0: no piece. */
    uint8_t offset;   /* Bytes into the value. */
    uint8_t size;     /* Bytes; 10 of x87. */
} isti_piece;

/*
 * How a value travels. Pieces in registers, if there are enough for all of it; otherwise, or if there is
 * no piece and ISTI_VALUE_MEMORY, its `size` bytes on the stack. Neither: it does not travel at all.
 * No byte of it is padding: signatures are compared as memory.
 */
typedef struct isti_passing {
    uint32_t size; /* Bytes of the value; 0 of a result in memory, where it does not matter. */
    uint8_t
        alignment_shift; /* On the stack: a multiple of 1 << this; at least 3. Of a result: 0. */
    uint8_t extension;   /* Of the first piece. */
    uint8_t flags;       /* ISTI_VALUE_... */
    uint8_t zero;
    isti_piece pieces[2];
    uint8_t zeros[2];
} isti_passing;

/* Identifies an ABI in signatures. */
enum { ISTI_ABI_SYSV_X64 = 1 };

/* All that a plan depends on. */
typedef struct isti_signature {
    uint32_t abi;
    uint32_t count; /* Of arguments. */
    isti_passing result;
    isti_passing arguments[];
} isti_signature;

_Static_assert(sizeof(isti_passing) == 16, "signatures are compared as memory");
_Static_assert(sizeof(isti_signature) == 24, "signatures are compared as memory");

#define ISTI_SIGNATURE_SIZE(count) (sizeof(isti_signature) + (count) * sizeof(isti_passing))

bool isti_signature_equals(const isti_signature *a, const isti_signature *b);
uint64_t isti_signature_hash(const isti_signature *signature);

/* ---- Plans ---- */

/*
 * Of several moves to one register those of its lower bytes come first and begin at `part` 0: that one
 * may change the whole register, the others change nothing but their own bytes.
 */
typedef struct isti_move {
    uint32_t offset;   /* In the value: bytes. */
    uint32_t size;     /* Registers: 1, 2, 4, 8, 16, 32, 64 bytes, 10 of x87; stack: any. */
    uint32_t at;       /* The register's number, or the stack offset. */
    uint8_t location;  /* isti_location. */
    uint8_t part;      /* First byte of the register. */
    uint8_t extension; /* ISTI_EXTEND_...; general registers and the stack. */
    uint8_t zero;
} isti_move;

/* An argument, or the result. */
typedef struct isti_value {
    const isti_move *moves; /* None: it does not travel, or is a result in memory. */
    uint32_t move_count;
    uint32_t size;         /* As in its passing. */
    uint32_t flags;        /* ISTI_VALUE_... */
    uint32_t spill_offset; /* If its moves are in registers: below plan->spill_size. */
} isti_value;

enum {
    ISTI_PLAN_RESULT_POINTER =
        1, /* General register 0 is the result's address; comes back in result register 0. */
    ISTI_PLAN_AVX = 2,      /* A move of 32 bytes: both sides need AVX. */
    ISTI_PLAN_AVX512 = 4,   /* A move of 64 bytes: both sides need AVX-512F. */
    ISTI_PLAN_SEGMENTS = 8, /* An argument is a segment. */
};

/* One block of memory; nothing in it changes. Any number of threads and calls use it at once. */
typedef struct isti_plan {
    const isti_signature *signature; /* A copy, in the same block. */
    const isti_value *arguments;     /* signature->count */
    const isti_move *moves;          /* Of all arguments, in their order, then of the result. */
    uint32_t move_count;
    uint32_t flags;           /* ISTI_PLAN_... */
    uint32_t stack_size;      /* Bytes; a multiple of stack_alignment. */
    uint32_t stack_alignment; /* At least 16. */
    uint32_t spill_size; /* Bytes that hold every argument that comes in registers; for upcalls. */
    uint32_t spill_alignment; /* At least 16; each value lies at a multiple of its own alignment. */
    uint32_t segment_count;   /* Arguments that are segments. */
    uint8_t general_count;    /* Registers used by arguments and the result's address. */
    uint8_t vector_count;     /* AL. */
    isti_value result;
} isti_plan;

/* The most that a call takes; more is IST_E_LAYOUT. */
#define ISTI_ARGUMENTS_MAX 32767
#define ISTI_STACK_MAX ((size_t)1 << 20)
#define ISTI_RESULT_MAX ((size_t)INT32_MAX)

/* What the user says beyond the types. NULL: nothing. */
typedef struct isti_classify_options {
    bool all_raw;             /* No pointer is a segment; for upcalls. */
    const uint64_t *raw_bits; /* Bit i % 64 of word i / 64: argument i is no segment. */
    size_t raw_count;         /* Words; later arguments: not marked. */
} isti_classify_options;

/*
 * An ABI. A pointer parameter is a segment unless the options or its name, "raw", say otherwise; pointers
 * in structs and results are plain bytes.
 */
typedef struct isti_abi {
    const char *name;
    const char *const *general_names; /* Of arguments: general_count. */
    const char *const *general_result_names;
    uint32_t general_count, vector_count; /* Registers for arguments. */
    uint32_t general_result_count, vector_result_count;

    /*
     * Writes ISTI_SIGNATURE_SIZE(function->count) bytes. Returns: IST_OK; IST_E_LAYOUT: such a call
     * cannot be made; the problem names the parameter and the member and says why.
     */
    ist_status (*classify)(const ist_function *function, const isti_classify_options *options,
                           isti_signature *signature, isti_problem *problem);
    /*
     * A plan in memory of the store, in one piece. Returns: IST_OK; IST_E_LAYOUT: more of the stack than
     * ISTI_STACK_MAX; what the store says.
     */
    ist_status (*arrange)(const isti_signature *signature, const isti_store *store,
                          const isti_plan **ret_plan, isti_problem *problem);
} isti_abi;

extern const isti_abi isti_sysv_x64;
const isti_abi *isti_abi_of(const isti_signature *signature);

/*
 * Whether a plan moves each byte of each value that its signature names exactly once, uses no register
 * and no byte of the stack twice, and stays within what the ABI has. The problem says what is wrong.
 */
bool isti_plan_verify(const isti_plan *plan, isti_problem *problem);

/* One line for each move: "rdi <- argument 0, 8 bytes". */
void isti_plan_print(const isti_plan *plan, isti_text *text);

#endif
