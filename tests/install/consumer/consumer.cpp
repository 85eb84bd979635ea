/* SPDX-License-Identifier: MIT */
/* The same from C++, with the library in threads that it did not start. */
#include <isthmus/isthmus.h>

#include <cstdio>
#include <thread>

static ist_status use_in_thread(ist_segment stranger)
{
    ist_status status = IST_E_ARGUMENT;
    std::thread([&] { status = ist_set_i32(stranger, 0, 1); }).join();
    return status;
}

int main()
{
    ist_segment numbers{};
    ist_status status;
    bool refused = false;
    IST_WITH_CONFINED(arena, status) {
        IST_CHECK(ist_arena_allocate(arena, 80, alignof(std::int64_t), &numbers));
        refused = use_in_thread(numbers) == IST_E_WRONG_THREAD;
    }
    IST_CHECK(status);
    std::int64_t value = -1;
    status = ist_get_i64(numbers, 8, &value);
    std::printf("%s %s: %s\n", ist_version(), ist_status_name(status), ist_last_error());
    return value != -1 || !refused;
}
