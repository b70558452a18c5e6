// SPDX-License-Identifier: BSD-3-Clause
// Functions that the compiler may call for any code, and string functions.
#pragma once
#include "base/ints.h"

extern "C" {
void* memset(void* to, int value, wperf::usize size);
void* memcpy(void* to, const void* from, wperf::usize size);
void* memmove(void* to, const void* from, wperf::usize size);
int memcmp(const void* a, const void* b, wperf::usize size);
}

namespace wperf::nthost {

usize length_of(const char* text);
bool equal_texts(const char* a, const char* b);
bool begins_with(const char* text, const char* beginning);

}  // namespace wperf::nthost
