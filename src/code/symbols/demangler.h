// SPDX-License-Identifier: BSD-3-Clause
// What of undecorating names the system's library does: LLVM's demangle library on Linux, dbghelp on Windows. Called by
// undecorated.cpp only, which checks first.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace wperf::symbols {

// Names alone are without types of results and parameters; a signature has those of parameters, where this library can
// tell. Nothing when it makes no sense of the name.
enum class NameParts : unsigned char { name, signature };
std::optional<std::string> demangle_microsoft(std::string_view name, NameParts parts);  // ?…
std::optional<std::string> demangle_itanium(std::string_view name, NameParts parts);    // _Z…
std::optional<std::string> demangle_rust(std::string_view name);                        // _R…
std::optional<std::string> demangle_d(std::string_view name);                           // _D…

}  // namespace wperf::symbols
