// SPDX-License-Identifier: BSD-3-Clause
// What of undecorating names the system's library does: LLVM's demangle library on Linux, dbghelp on Windows. Called by
// undecorated.cpp only, which checks first.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace wperf::symbols {

// Names alone: without types of results and parameters. Nothing when the library makes no sense of them.
std::optional<std::string> demangle_microsoft(std::string_view name);  // ?…
std::optional<std::string> demangle_itanium(std::string_view name);    // _Z…
std::optional<std::string> demangle_rust(std::string_view name);       // _R…
std::optional<std::string> demangle_d(std::string_view name);          // _D…

}  // namespace wperf::symbols
