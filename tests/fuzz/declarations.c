/* SPDX-License-Identifier: MIT */
/*
 * C text from anybody: whatever it is, it is read or refused, and what was read says the same when it is written as C
 * and read again. Bytes of value 1 divide an input into pieces for one context.
 *
 * Looks at public headers alone. Ends in abort() where something is wrong.
 */
#include <isthmus/isthmus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TEXT_SIZE ((size_t)1 << 20)
#define DECLARATIONS_LOOKED_AT 64

static void require_at(int condition, const char *what, int line, const char *text)
{
    if (condition)
        return;
    fprintf(stderr, "line %d: not so: %s\nlast error: %s\n%s\n", line, what, ist_last_error(), text != NULL ? text : "");
    abort();
}
#define require(condition, text) require_at((condition), #condition, __LINE__, (text))

/* A failure says where, and is one of those that the header promises. */
static void require_refusal(ist_status status)
{
    require(status == IST_E_LAYOUT || status == IST_E_OVERFLOW || status == IST_E_NOT_FOUND ||
                status == IST_E_ARGUMENT || status == IST_E_NO_MEMORY,
            NULL);
    if (status == IST_E_LAYOUT)
        require(strchr(ist_last_error(), ':') != NULL, NULL);
}

/* Written as C and read again a layout is the same, unless C has no way to say it. */
static void round_trip(ist_arena arena, const ist_layout *layout)
{
    static char text[TEXT_SIZE];
    const ist_layout *again;
    size_t needed;
    ist_status status = ist_layout_format(layout, IST_FORMAT_TABLE, text, sizeof text, &needed);
    require(status == IST_OK && (needed >= sizeof text || needed == strlen(text)), text);
    status = ist_layout_format(layout, IST_FORMAT_C, text, sizeof text, &needed);
    if (status != IST_OK) {
        require(status == IST_E_LAYOUT, NULL);
        return;
    }
    if (needed >= sizeof text)
        return;
    require(needed == strlen(text), text);
    require(ist_layout_parse(arena, text, &again) == IST_OK, text);
    require(ist_layout_equals(layout, again, 0), text);
}

static void alone(ist_arena arena, const char *text)
{
    const ist_layout *layout;
    const ist_function *function;
    static char printed[TEXT_SIZE];
    size_t needed;
    ist_status status = ist_layout_parse(arena, text, &layout);
    if (status == IST_OK)
        round_trip(arena, layout);
    else
        require_refusal(status);
    status = ist_function_parse(arena, text, &function);
    if (status != IST_OK) {
        require_refusal(status);
    } else if (ist_function_format(function, printed, sizeof printed, &needed) == IST_OK && needed < sizeof printed) {
        const ist_function *again;
        require(ist_function_parse(arena, printed, &again) == IST_OK, printed);
        require(ist_function_count(again) == ist_function_count(function), printed);
    }
}

/* What is known of the first piece, and must not change when another fails. */
static void look_at(ist_arena arena, ist_declarations *known)
{
    const ist_layout *layout;
    ist_declaration declaration = { .size = sizeof declaration };
    size_t count = ist_declarations_count(known);
    for (size_t i = 0; i < count && i < DECLARATIONS_LOOKED_AT; i++) {
        require(ist_declarations_get(known, i, &declaration) == IST_OK, NULL);
        if (declaration.kind == IST_DECLARED_TAG)
            require(ist_declarations_layout(known, declaration.name, &layout) == IST_OK && layout == declaration.layout,
                    declaration.name);
        if (declaration.layout != NULL)
            round_trip(arena, declaration.layout);
    }
    require(ist_declarations_get(known, count, &declaration) == IST_E_BOUNDS, NULL);
}

static void pieces(ist_arena arena, char *text)
{
    static const char first[] = "struct isthmus_first; typedef struct isthmus_first *isthmus_typedef;";
    const ist_layout *layout;
    ist_declarations *known;
    require(ist_declarations_open(arena, &known) == IST_OK, NULL);
    require(ist_declarations_add(known, first) == IST_OK, NULL);
    require(ist_declarations_layout(known, "struct isthmus_first", &layout) == IST_OK, NULL);
    for (char *next; text != NULL; text = next) {
        size_t before = ist_declarations_count(known);
        int was_complete = ist_layout_is_complete(layout);
        next = strchr(text, 1);
        if (next != NULL)
            *next++ = '\0';
        ist_status status = ist_declarations_add(known, text);
        if (status != IST_OK) {
            require_refusal(status);
            require(ist_declarations_count(known) == before, text);
            require(ist_layout_is_complete(layout) == was_complete, text);
        }
    }
    look_at(arena, known);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ist_arena arena;
    char *text = malloc(size + 1);
    require(text != NULL && ist_arena_open_confined(&arena) == IST_OK, NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    alone(arena, text);
    pieces(arena, text);
    require(ist_arena_close(arena) == IST_OK, NULL);
    free(text);
    return 0;
}
