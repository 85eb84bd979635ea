/* SPDX-License-Identifier: MIT */
/*
 * The keywords of C11, and those of GCC and clang that headers use, in all their spellings (GCC's
 * manual, "Alternate Keywords"). Sorted, for a search by halves.
 */
#include <string.h>

#include "layout/lexer.h"

static const struct {
    const char *text;
    isti_keyword keyword;
} keywords[] = {
    { "_Alignas", ISTI_KEYWORD_ALIGNAS },
    { "_Alignof", ISTI_KEYWORD_ALIGNOF },
    { "_Atomic", ISTI_KEYWORD_ATOMIC },
    { "_Bool", ISTI_KEYWORD_BOOL },
    { "_Complex", ISTI_KEYWORD_COMPLEX },
    { "_Noreturn", ISTI_KEYWORD_STORAGE },
    { "_Static_assert", ISTI_KEYWORD_STATIC_ASSERT },
    { "_Thread_local", ISTI_KEYWORD_STORAGE },
    { "__alignof", ISTI_KEYWORD_ALIGNOF },
    { "__alignof__", ISTI_KEYWORD_ALIGNOF },
    { "__asm", ISTI_KEYWORD_ASM },
    { "__asm__", ISTI_KEYWORD_ASM },
    { "__attribute", ISTI_KEYWORD_ATTRIBUTE },
    { "__attribute__", ISTI_KEYWORD_ATTRIBUTE },
    { "__builtin_offsetof", ISTI_KEYWORD_OFFSETOF },
    { "__complex", ISTI_KEYWORD_COMPLEX },
    { "__complex__", ISTI_KEYWORD_COMPLEX },
    { "__const", ISTI_KEYWORD_QUALIFIER },
    { "__const__", ISTI_KEYWORD_QUALIFIER },
    { "__extension__", ISTI_KEYWORD_EXTENSION },
    { "__inline", ISTI_KEYWORD_STORAGE },
    { "__inline__", ISTI_KEYWORD_STORAGE },
    { "__int128", ISTI_KEYWORD_INT128 },
    { "__restrict", ISTI_KEYWORD_QUALIFIER },
    { "__restrict__", ISTI_KEYWORD_QUALIFIER },
    { "__signed", ISTI_KEYWORD_SIGNED },
    { "__signed__", ISTI_KEYWORD_SIGNED },
    { "__thread", ISTI_KEYWORD_STORAGE },
    { "__typeof", ISTI_KEYWORD_TYPEOF },
    { "__typeof__", ISTI_KEYWORD_TYPEOF },
    { "__volatile", ISTI_KEYWORD_QUALIFIER },
    { "__volatile__", ISTI_KEYWORD_QUALIFIER },
    { "asm", ISTI_KEYWORD_ASM },
    { "auto", ISTI_KEYWORD_STORAGE },
    { "char", ISTI_KEYWORD_CHAR },
    { "const", ISTI_KEYWORD_QUALIFIER },
    { "double", ISTI_KEYWORD_DOUBLE },
    { "enum", ISTI_KEYWORD_ENUM },
    { "extern", ISTI_KEYWORD_STORAGE },
    { "float", ISTI_KEYWORD_FLOAT },
    { "inline", ISTI_KEYWORD_STORAGE },
    { "int", ISTI_KEYWORD_INT },
    { "long", ISTI_KEYWORD_LONG },
    { "register", ISTI_KEYWORD_STORAGE },
    { "restrict", ISTI_KEYWORD_QUALIFIER },
    { "short", ISTI_KEYWORD_SHORT },
    { "signed", ISTI_KEYWORD_SIGNED },
    { "sizeof", ISTI_KEYWORD_SIZEOF },
    { "static", ISTI_KEYWORD_STORAGE },
    { "struct", ISTI_KEYWORD_STRUCT },
    { "typedef", ISTI_KEYWORD_TYPEDEF },
    { "typeof", ISTI_KEYWORD_TYPEOF },
    { "union", ISTI_KEYWORD_UNION },
    { "unsigned", ISTI_KEYWORD_UNSIGNED },
    { "void", ISTI_KEYWORD_VOID },
    { "volatile", ISTI_KEYWORD_QUALIFIER },
};

isti_keyword isti_keyword_of(const char *text, size_t length)
{
    size_t low = 0, high = sizeof keywords / sizeof keywords[0];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strncmp(text, keywords[middle].text, length);
        if (order == 0)
            order = keywords[middle].text[length] == '\0' ? 0 : -1;
        if (order == 0)
            return keywords[middle].keyword;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return ISTI_KEYWORD_NONE;
}
