/* SPDX-License-Identifier: MIT */
#ifndef ISTI_BASE_EXPORT_H
#define ISTI_BASE_EXPORT_H
/*
 * Inlines of the public headers as exported symbols, for languages that cannot inline: see
 * docs/decisions/0004-exported-inlines.md. The text is the inline's own; only a segment comes by
 * pointer. docs/bindings.md lists the prototypes.
 */

/*
 * The symbol is set by the assembler. An asm label would give two functions of one file the same
 * name, the inline and its twin, and clang takes them for one that calls itself.
 */
#define ISTI_EXPORT_SYMBOL(name)                                                 \
    __asm__(".globl " #name "\n\t.type " #name ", @function\n\t.set " #name ", " \
                                                                            "isti_export_" #name)

#define ISTI_EXPORT(result, name, parameters, call)                   \
    static __attribute__((used)) result isti_export_##name parameters \
    {                                                                 \
        return call;                                                  \
    }                                                                 \
    ISTI_EXPORT_SYMBOL(name);

#endif
