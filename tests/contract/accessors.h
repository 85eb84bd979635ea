/* SPDX-License-Identifier: MIT */
#ifndef TEST_CONTRACT_ACCESSORS_H
#define TEST_CONTRACT_ACCESSORS_H
/*
 * Every accessor that there shall be, written out: X(suffix, type, alignment, a value, its bytes in memory...).
 * The bytes are worked out by hand; those without _le and _be are a little-endian machine's.
 */
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Write down the bytes of a big-endian machine first."
#endif

#define ACCESSORS(X)                                                                               \
    X(i8, int8_t, 1, -2, 0xfe)                                                                     \
    X(u8, uint8_t, 1, 0xa5, 0xa5)                                                                  \
    X(i16, int16_t, 2, -0x0201, 0xff, 0xfd)                                                        \
    X(i16_unaligned, int16_t, 1, -0x0201, 0xff, 0xfd)                                              \
    X(i16_le, int16_t, 1, -0x0201, 0xff, 0xfd)                                                     \
    X(i16_be, int16_t, 1, -0x0201, 0xfd, 0xff)                                                     \
    X(u16, uint16_t, 2, 0x8001, 0x01, 0x80)                                                        \
    X(u16_unaligned, uint16_t, 1, 0x8001, 0x01, 0x80)                                              \
    X(u16_le, uint16_t, 1, 0x8001, 0x01, 0x80)                                                     \
    X(u16_be, uint16_t, 1, 0x8001, 0x80, 0x01)                                                     \
    X(i32, int32_t, 4, -0x01020304, 0xfc, 0xfc, 0xfd, 0xfe)                                        \
    X(i32_unaligned, int32_t, 1, -0x01020304, 0xfc, 0xfc, 0xfd, 0xfe)                              \
    X(i32_le, int32_t, 1, -0x01020304, 0xfc, 0xfc, 0xfd, 0xfe)                                     \
    X(i32_be, int32_t, 1, -0x01020304, 0xfe, 0xfd, 0xfc, 0xfc)                                     \
    X(u32, uint32_t, 4, 0x89abcdef, 0xef, 0xcd, 0xab, 0x89)                                        \
    X(u32_unaligned, uint32_t, 1, 0x89abcdef, 0xef, 0xcd, 0xab, 0x89)                              \
    X(u32_le, uint32_t, 1, 0x89abcdef, 0xef, 0xcd, 0xab, 0x89)                                     \
    X(u32_be, uint32_t, 1, 0x89abcdef, 0x89, 0xab, 0xcd, 0xef)                                     \
    X(i64, int64_t, 8, -0x0102030405060708, 0xf8, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe)        \
    X(i64_unaligned, int64_t, 1, -0x0102030405060708, 0xf8, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe) \
    X(i64_le, int64_t, 1, -0x0102030405060708, 0xf8, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe)     \
    X(i64_be, int64_t, 1, -0x0102030405060708, 0xfe, 0xfd, 0xfc, 0xfb, 0xfa, 0xf9, 0xf8, 0xf8)     \
    X(u64, uint64_t, 8, 0x8091a2b3c4d5e6f7, 0xf7, 0xe6, 0xd5, 0xc4, 0xb3, 0xa2, 0x91, 0x80)        \
    X(u64_unaligned, uint64_t, 1, 0x8091a2b3c4d5e6f7, 0xf7, 0xe6, 0xd5, 0xc4, 0xb3, 0xa2, 0x91, 0x80) \
    X(u64_le, uint64_t, 1, 0x8091a2b3c4d5e6f7, 0xf7, 0xe6, 0xd5, 0xc4, 0xb3, 0xa2, 0x91, 0x80)     \
    X(u64_be, uint64_t, 1, 0x8091a2b3c4d5e6f7, 0x80, 0x91, 0xa2, 0xb3, 0xc4, 0xd5, 0xe6, 0xf7)     \
    X(f32, float, 4, 3.14159274f, 0xdb, 0x0f, 0x49, 0x40)                                          \
    X(f32_unaligned, float, 1, 3.14159274f, 0xdb, 0x0f, 0x49, 0x40)                                \
    X(f32_le, float, 1, 3.14159274f, 0xdb, 0x0f, 0x49, 0x40)                                       \
    X(f32_be, float, 1, 3.14159274f, 0x40, 0x49, 0x0f, 0xdb)                                       \
    X(f64, double, 8, -2.718281828459045, 0x69, 0x57, 0x14, 0x8b, 0x0a, 0xbf, 0x05, 0xc0)          \
    X(f64_unaligned, double, 1, -2.718281828459045, 0x69, 0x57, 0x14, 0x8b, 0x0a, 0xbf, 0x05, 0xc0) \
    X(f64_le, double, 1, -2.718281828459045, 0x69, 0x57, 0x14, 0x8b, 0x0a, 0xbf, 0x05, 0xc0)       \
    X(f64_be, double, 1, -2.718281828459045, 0xc0, 0x05, 0xbf, 0x0a, 0x8b, 0x14, 0x57, 0x69)       \
    X(address, void *, 8, (void *)(uintptr_t)0x7f0102030405, 5, 4, 3, 2, 1, 0x7f, 0, 0)            \
    X(address_unaligned, void *, 1, (void *)(uintptr_t)0x7f0102030405, 5, 4, 3, 2, 1, 0x7f, 0, 0)

#endif
