// SPDX-License-Identifier: BSD-3-Clause
// The part of undecorating that a system library does: LLVM's demangle library on Linux, dbghelp on Windows.
// undecorated.cpp checks the name first. demangle_itanium() checks the name itself.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace wperf::symbols {

// `name`: without the types of results and parameters. `signature`: with the types of parameters, if this library can
// show them. Returns nullopt if the library does not understand the name, or if
// its text would be very long.
enum class NameParts : unsigned char { name, signature };
std::optional<std::string> demangle_microsoft(std::string_view name, NameParts parts);  // ?…
std::optional<std::string> demangle_itanium(std::string_view name, NameParts parts);    // _Z…
std::optional<std::string> demangle_rust(std::string_view name);                        // _R…
std::optional<std::string> demangle_d(std::string_view name);                           // _D…

}  // namespace wperf::symbols
