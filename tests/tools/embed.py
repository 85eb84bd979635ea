#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The library from a language that cannot inline: ctypes, in the main thread and in others.

    embed.py libisthmus.so VERSION
"""
import ctypes
import sys
import threading
import unittest

OK, CLOSED, HELD, WRONG_THREAD, BOUNDS, ALIGNMENT, READ_ONLY = range(7)


class Arena(ctypes.Structure):
    _fields_ = [("session", ctypes.c_void_p), ("expected", ctypes.c_uint64)]


class Segment(ctypes.Structure):
    _fields_ = [("address", ctypes.c_uint64), ("size", ctypes.c_uint64), ("session", ctypes.c_uint64),
                ("expected", ctypes.c_uint64)]


class Hold(ctypes.Structure):
    _fields_ = [("session", ctypes.c_void_p), ("expected", ctypes.c_uint64), ("slot", ctypes.c_void_p)]


SEGMENT = ctypes.POINTER(Segment)
SIZE = ctypes.c_size_t
STATUS = ctypes.c_int


def declare(library):
    """The prototypes of docs/bindings.md that are used here."""
    prototypes = {
        "ist_version": (ctypes.c_char_p, []),
        "ist_last_error": (ctypes.c_char_p, []),
        "ist_status_name": (ctypes.c_char_p, [STATUS]),
        "ist_arena_open_confined": (STATUS, [ctypes.POINTER(Arena)]),
        "ist_arena_global": (Arena, []),
        "ist_arena_allocate": (STATUS, [Arena, SIZE, SIZE, SEGMENT]),
        "ist_arena_close": (STATUS, [Arena]),
        "ist_arena_is_alive": (ctypes.c_int, [Arena]),
        "ist_arena_hold": (STATUS, [Arena, ctypes.POINTER(Hold)]),
        "ist_arena_release": (STATUS, [ctypes.POINTER(Hold)]),
        "ist_arena_on_close": (STATUS, [Arena, ctypes.c_void_p, ctypes.c_void_p]),
        "ist_segment_of": (Segment, [ctypes.c_void_p, SIZE]),
        "ist_segment_address": (ctypes.c_size_t, [SEGMENT]),
        "ist_segment_size": (SIZE, [SEGMENT]),
        "ist_segment_as_read_only": (Segment, [SEGMENT]),
        "ist_segment_slice": (STATUS, [SEGMENT, SIZE, SIZE, SEGMENT]),
        "ist_get_i64": (STATUS, [SEGMENT, SIZE, ctypes.POINTER(ctypes.c_int64)]),
        "ist_set_i64": (STATUS, [SEGMENT, SIZE, ctypes.c_int64]),
        "ist_read_f64": (ctypes.c_double, [SEGMENT, SIZE]),
        "ist_set_f64": (STATUS, [SEGMENT, SIZE, ctypes.c_double]),
        "ist_set_u32_be": (STATUS, [SEGMENT, SIZE, ctypes.c_uint32]),
    }
    for name, (result, arguments) in prototypes.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


def call_in_thread(function):
    """The function's result, or its exception, from a thread of its own."""
    outcome = []

    def body():
        try:
            outcome.append((function(), None))
        except BaseException as problem:  # Handed to the caller, whatever it is.
            outcome.append((None, problem))

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    result, problem = outcome[0]
    if problem is not None:
        raise problem
    return result


class Embedding(unittest.TestCase):
    def open(self, size=80):
        arena, segment = Arena(), Segment()
        self.assertEqual(ist.ist_arena_open_confined(arena), OK)
        self.assertEqual(ist.ist_arena_allocate(arena, size, 8, segment), OK)
        return arena, segment

    def life(self):
        arena, segment = self.open()
        value = ctypes.c_int64(-1)
        self.assertEqual(ist.ist_get_i64(segment, 8, value), OK)
        self.assertEqual(value.value, 0)
        self.assertEqual(ist.ist_set_i64(segment, 8, -7), OK)
        self.assertEqual(ist.ist_get_i64(segment, 8, value), OK)
        self.assertEqual(value.value, -7)
        self.assertEqual(ctypes.string_at(segment.address + 8, 8), (-7).to_bytes(8, sys.byteorder, signed=True))
        self.assertEqual(ist.ist_set_f64(segment, 16, 2.5), OK)
        self.assertEqual(ist.ist_read_f64(segment, 16), 2.5)
        self.assertEqual(ist.ist_set_u32_be(segment, 25, 0x01020304), OK)
        self.assertEqual(ctypes.string_at(segment.address + 25, 4), b"\1\2\3\4")
        self.assertEqual(ist.ist_arena_close(arena), OK)
        self.assertEqual(ist.ist_get_i64(segment, 8, value), CLOSED)
        self.assertEqual(value.value, -7)
        self.assertEqual(ist.ist_last_error(),
                         b"read of 8 bytes at offset 8 of a segment of 80 bytes whose confined arena is closed")
        self.assertEqual(ist.ist_arena_close(arena), CLOSED)
        self.assertFalse(ist.ist_arena_is_alive(arena))

    def test_version(self):
        self.assertEqual(ist.ist_version().decode(), version)

    def test_life_in_the_main_thread(self):
        self.life()

    def test_life_in_other_threads(self):
        for _ in range(3):
            call_in_thread(self.life)

    def test_other_thread_is_refused(self):
        arena, segment = self.open()
        self.assertEqual(call_in_thread(lambda: (ist.ist_set_i64(segment, 0, 1), ist.ist_last_error())),
                         (WRONG_THREAD, b"write of 8 bytes at offset 0 of a segment of 80 bytes "
                                        b"whose confined arena belongs to another thread"))
        self.assertEqual(call_in_thread(lambda: ist.ist_arena_close(arena)), WRONG_THREAD)
        self.assertEqual(ist.ist_arena_close(arena), OK)

    def test_statuses(self):
        arena, segment = self.open()
        part, value = Segment(), ctypes.c_int64(5)
        self.assertEqual(ist.ist_get_i64(segment, 73, value), BOUNDS)
        self.assertEqual(ist.ist_last_error(), b"read of 8 bytes at offset 73 of a segment of 80 bytes")
        self.assertEqual(ist.ist_get_i64(segment, 1, value), ALIGNMENT)
        self.assertEqual(ist.ist_set_i64(ist.ist_segment_as_read_only(segment), 0, 1), READ_ONLY)
        self.assertEqual(ist.ist_status_name(READ_ONLY), b"IST_E_READ_ONLY")
        self.assertEqual(ist.ist_segment_slice(segment, 16, 65, part), BOUNDS)
        self.assertEqual(ist.ist_segment_slice(segment, 16, 64, part), OK)
        self.assertEqual(ist.ist_segment_size(part), 64)
        self.assertEqual(ist.ist_segment_address(part), segment.address + 16)
        self.assertEqual(value.value, 5)
        self.assertEqual(ist.ist_arena_close(arena), OK)

    def test_hold(self):
        arena, _ = self.open()
        hold = Hold()
        self.assertEqual(ist.ist_arena_hold(arena, hold), OK)
        self.assertEqual(ist.ist_arena_close(arena), HELD)
        self.assertEqual(ist.ist_last_error(), b"close of a confined arena that is held 1 time")
        self.assertEqual(ist.ist_arena_release(hold), OK)
        self.assertEqual(ist.ist_arena_close(arena), OK)

    def test_cleanup_calls_back(self):
        arena, _ = self.open()
        calls = []
        action_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        actions = [action_type(lambda data, i=i: calls.append((i, data))) for i in range(2)]
        for i, action in enumerate(actions):
            self.assertEqual(ist.ist_arena_on_close(arena, ctypes.cast(action, ctypes.c_void_p), 100 + i), OK)
        self.assertEqual(ist.ist_arena_close(arena), OK)
        self.assertEqual(calls, [(1, 101), (0, 100)])

    def test_own_and_global_memory_in_any_thread(self):
        own = ctypes.create_string_buffer(16)
        segment, lasting = ist.ist_segment_of(ctypes.addressof(own), 16), Segment()
        self.assertEqual(ist.ist_arena_allocate(ist.ist_arena_global(), 16, 8, lasting), OK)
        for each in (segment, lasting):
            self.assertEqual(call_in_thread(lambda: ist.ist_set_i64(each, 8, 3)), OK)
            value = ctypes.c_int64()
            self.assertEqual(ist.ist_get_i64(each, 8, value), OK)
            self.assertEqual(value.value, 3)
        self.assertEqual(own.raw[8:], (3).to_bytes(8, sys.byteorder))


if __name__ == "__main__":
    ist = ctypes.CDLL(sys.argv[1])
    version = sys.argv[2]
    declare(ist)
    unittest.main(argv=sys.argv[:1])
