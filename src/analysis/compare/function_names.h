// SPDX-License-Identifier: BSD-3-Clause
// Names of functions in two builds, and as people write them.
#pragma once
#include <string>
#include <string_view>

namespace wperf::compare {

// A function's name without the additions of compilers and linkers, the same in another build.
// "parse(char const*) [clone .isra.0]", "parse.part.3", "rust::f::h0123456789abcdef", "?A0x1f3a::g" → the original
// function. Copies of a function, and parts that a compiler moved away, count for it.
std::string function_key(std::string_view name);

// Does a person who writes `wanted` mean this function? It may be its name, also without return type, parameters,
// anonymous namespaces, template arguments (then all instances are meant), or the version of a symbol. It may also be
// the last parts of its name.
bool is_meant(std::string_view wanted, std::string_view name);

}  // namespace wperf::compare
