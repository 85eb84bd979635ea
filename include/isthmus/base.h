/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_BASE_H
#define ISTHMUS_BASE_H
/*
 * What every public header stands on: linkage, contracts as attributes, the version.
 *
 * Names that begin with ist_ or IST_ are for callers. Names that begin with isti_ or ISTI_ appear
 * in these headers only because inlines need them; they may change with any release.
 *
 * Segments are 32-byte values. Inlines take them by value, because nothing is copied there;
 * functions of the library take `const ist_segment *`, because a 32-byte value through a call costs
 * several times the call. Every inline is also an exported symbol of the same name, for languages
 * that cannot inline; in that form each ist_segment parameter is a `const ist_segment *`.
 * docs/bindings.md lists those prototypes.
 */
#include <stddef.h>
#include <stdint.h>

#define IST_VERSION_MAJOR 0
#define IST_VERSION_MINOR 1
#define IST_VERSION_PATCH 0
#define IST_VERSION_STRING "0.1.0"

#ifdef __cplusplus
#define IST_BEGIN_DECLS extern "C" {
#define IST_END_DECLS }
#else
#define IST_BEGIN_DECLS
#define IST_END_DECLS
#endif

#define IST_API __attribute__((visibility("default")))
#define IST_INLINE static inline __attribute__((always_inline, unused))
#define IST_NODISCARD __attribute__((warn_unused_result))
#define IST_NONNULL(...) __attribute__((nonnull(__VA_ARGS__)))

/*
 * Around inlines that read handles. A failure leaves outputs untouched, so a program that goes on
 * after one reads a variable that was never set; that is its decision (IST_CHECK() with a handler
 * that returns). GCC sees the path through the inline and would report it at every use.
 */
#if defined(__GNUC__) && !defined(__clang__)
#define ISTI_BEGIN_INLINES \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmaybe-uninitialized\"")
#define ISTI_END_INLINES _Pragma("GCC diagnostic pop")
#else
#define ISTI_BEGIN_INLINES
#define ISTI_END_INLINES
#endif

/* Whether a sanitizer watches what the compiler loads and stores; it does not see into an asm. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ISTI_IS_WATCHED 1
#elif defined(__has_feature)
#define ISTI_IS_WATCHED                                                     \
    (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
     __has_feature(memory_sanitizer))
#else
#define ISTI_IS_WATCHED 0
#endif

#define ISTI_COLD __attribute__((cold, noinline))
#define ISTI_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define ISTI_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define ISTI_JOIN_(a, b) a##b
#define ISTI_JOIN(a, b) ISTI_JOIN_(a, b)
#define ISTI_UNIQUE(name) ISTI_JOIN(name, __COUNTER__)

IST_BEGIN_DECLS

/*
 * The version of the library that is running, "MAJOR.MINOR.PATCH"; IST_VERSION_STRING is that of
 * the header.
 */
IST_API const char *ist_version(void);

IST_END_DECLS
#endif
