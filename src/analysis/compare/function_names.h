// SPDX-License-Identifier: BSD-3-Clause
// Compares names of functions between two builds, and with names that users type.
#pragma once
#include <string>
#include <string_view>

namespace wperf::compare {

// A function's name without the additions of compilers and linkers, so that it is the same in another build.
// "parse(char const*) [clone .isra.0]", "parse.part.3", "rust::f::h0123456789abcdef", "?A0x1f3a::g" → the original
// function. Copies and separated parts of a function have the same key.
std::string function_key(std::string_view name);

// Does `wanted` mean this function? `wanted` may be the function's name. The return type, parameters, anonymous
// namespaces, template arguments (then all instances match) and the symbol version may be left out. `wanted` may also
// be the last parts of the name.
bool is_meant(std::string_view wanted, std::string_view name);

}  // namespace wperf::compare
