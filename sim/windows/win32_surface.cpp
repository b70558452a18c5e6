// SPDX-License-Identifier: BSD-3-Clause
#include "sim/windows/win32_surface.h"

#include "sim/windows/wide_strings.h"

namespace wperf::sim {
namespace {

std::array<std::span<const Win32Function>, 22> parts() {
  return {start_functions(),     process_functions(),     module_functions(),     memory_functions(),
          thread_functions(),    time_functions(),        console_functions(),    text_functions(),
          crt_functions(),       thread_life_functions(), crt_start_functions(),  crt_stream_functions(),
          crt_file_functions(),  crt_text_functions(),    crt_number_functions(), condition_functions(),
          file_functions(),      folder_functions(),      locale_functions(),     system_functions(),
          exception_functions(), absent_functions()};
}

std::string_view without_extension(std::string_view name) {
  constexpr std::string_view kExtension = ".dll";
  if (name.size() > kExtension.size() && same_ignoring_case(name.substr(name.size() - kExtension.size()), kExtension)) {
    name.remove_suffix(kExtension.size());
  }
  return name;
}

bool starts_with(std::string_view name, std::string_view prefix) {
  return name.size() >= prefix.size() && same_ignoring_case(name.substr(0, prefix.size()), prefix);
}

}  // namespace

u32 win32_function_count() {
  usize count = 0;
  for (const auto& part : parts()) count += part.size();
  return static_cast<u32>(count);
}

const Win32Function* win32_function(u32 number) {
  usize index = number;
  for (const auto& part : parts()) {
    if (index < part.size()) return &part[index];
    index -= part.size();
  }
  return nullptr;
}

bool enters_kernel(u32 number) {
  const Win32Function* const function = win32_function(number);
  if (function == nullptr) return true;
  for (const auto& part : {crt_functions(), crt_start_functions(), crt_stream_functions(), crt_text_functions(),
                           crt_number_functions(), memory_functions()}) {
    if (function >= part.data() && function < part.data() + part.size()) return (function->dlls & kCrtDll) == 0;
  }
  return number != kCallbackReturnNumber;
}

std::optional<u32> find_win32_function(u8 dlls, std::string_view name) {
  u32 number = 0;
  for (const auto& part : parts()) {
    for (const Win32Function& function : part) {
      if ((function.dlls & dlls) != 0 && function.name == name) return number;
      ++number;
    }
  }
  return std::nullopt;
}

u8 system_dlls_named(std::string_view dll) {
  const std::string_view name = without_extension(dll);
  if (same_ignoring_case(name, "kernel32") || same_ignoring_case(name, "kernelbase") ||
      same_ignoring_case(name, "bcryptprimitives") || same_ignoring_case(name, "userenv") ||
      starts_with(name, "api-ms-win-core-")) {
    return kKernelDll;
  }
  if (same_ignoring_case(name, "ntdll")) return kNtDll;
  if (same_ignoring_case(name, "ucrtbase") || same_ignoring_case(name, "msvcrt") ||
      same_ignoring_case(name, "vcruntime140") || starts_with(name, "api-ms-win-crt-")) {
    return kCrtDll;
  }
  return 0;
}

std::string_view system_dll_file(u8 dlls) {
  if (dlls & kKernelDll) return "KERNEL32.DLL";
  if (dlls & kNtDll) return "ntdll.dll";
  return "ucrtbase.dll";
}

bool same_dll_name(std::string_view left, std::string_view right) {
  return same_ignoring_case(without_extension(left), without_extension(right));
}

}  // namespace wperf::sim
