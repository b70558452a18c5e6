// SPDX-License-Identifier: BSD-3-Clause
// dbghelp.dll is part of Windows. It is loaded for the first name, and only one thread may use it at a time.
#include <windows.h>

#include <cstring>
#include <mutex>

#include "code/symbols/demangler.h"

namespace wperf::symbols {
namespace {

using Undecorate = DWORD(WINAPI*)(PCSTR name, PSTR output, DWORD size, DWORD flags);
constexpr DWORD kNameOnly = 0x1000;  // UNDNAME_NAME_ONLY
// UNDNAME_NO_MS_KEYWORDS, _NO_FUNCTION_RETURNS, _NO_ALLOCATION_MODEL, _NO_ALLOCATION_LANGUAGE, _NO_ACCESS_SPECIFIERS,
// _NO_MEMBER_TYPE
constexpr DWORD kSignature = 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0080 | 0x0200;

Undecorate load_undecorate() {
  const HMODULE library = LoadLibraryExW(L"dbghelp.dll", nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
  if (library == nullptr) return nullptr;
  const FARPROC found = GetProcAddress(library, "UnDecorateSymbolName");
  Undecorate function = nullptr;
  static_assert(sizeof found == sizeof function);
  std::memcpy(&function, &found, sizeof function);
  return function;
}

}  // namespace

std::optional<std::string> demangle_microsoft(std::string_view name, NameParts parts) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  static const Undecorate undecorate = load_undecorate();
  if (undecorate == nullptr) return std::nullopt;
  std::string output(32768, '\0');
  const DWORD length = undecorate(std::string(name).c_str(), output.data(), static_cast<DWORD>(output.size()),
                                  parts == NameParts::name ? kNameOnly : kSignature);
  if (length == 0 || length >= output.size()) return std::nullopt;
  output.resize(length);
  return output;
}

// Windows cannot demangle names of other compilers, so they remain unchanged.
std::optional<std::string> demangle_itanium(std::string_view, NameParts) {
  return std::nullopt;
}
std::optional<std::string> demangle_rust(std::string_view) {
  return std::nullopt;
}
std::optional<std::string> demangle_d(std::string_view) {
  return std::nullopt;
}

}  // namespace wperf::symbols
