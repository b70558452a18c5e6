// SPDX-License-Identifier: BSD-3-Clause
// Module handles and functions of modules.
#include "sim/windows/win32_call.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

std::string file_part(const std::string& path) {
  const usize slash = path.find_last_of("\\/");
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// Returns 0 if it is not loaded.
u64 handle_of(const ProcessState& state, const std::string& name) {
  for (const LoadedImage& image : state.loaded.images) {
    if (same_dll_name(image.module.name, file_part(name))) return image.module.base;
  }
  const SystemImage* const system = state.system.named(file_part(name));
  return system != nullptr ? system->base : 0;
}

u64 module_handle(Win32Call& call, u64 name_address, bool wide) {
  if (name_address == 0) return call.state.loaded.images[0].module.base;
  std::string name;
  if (!call.read_name(name_address, wide, name)) return 0;
  const u64 handle = handle_of(call.state, name);
  return handle != 0 ? handle : call.fail(kErrorModNotFound);
}

u64 get_module_handle_a(Win32Call& call) {
  return module_handle(call, call.argument(0), false);
}
u64 get_module_handle_w(Win32Call& call) {
  return module_handle(call, call.argument(0), true);
}

u64 module_handle_ex(Win32Call& call, bool wide) {
  constexpr u32 kFromAddress = 4;
  u64 handle = 0;
  if ((call.argument32(0) & kFromAddress) != 0) {
    for (const Module& module : call.state.modules) {
      if (call.argument(1) - module.base < module.size) handle = module.base;
    }
    if (handle == 0) call.set_last_error(kErrorModNotFound);
  } else {
    handle = module_handle(call, call.argument(1), wide);
  }
  if (call.outcome() != CallOutcome::resume || !call.write_value(call.argument(2), handle)) return 0;
  return handle != 0;
}

u64 get_module_handle_ex_a(Win32Call& call) {
  return module_handle_ex(call, false);
}
u64 get_module_handle_ex_w(Win32Call& call) {
  return module_handle_ex(call, true);
}

u64 load_library(Win32Call& call, bool wide) {
  if (call.argument(0) == 0) return call.fail(kErrorInvalidParameter);
  return module_handle(call, call.argument(0), wide);
}

u64 load_library_a(Win32Call& call) {
  return load_library(call, false);
}
u64 load_library_w(Win32Call& call) {
  return load_library(call, true);
}
u64 free_library(Win32Call&) {
  return 1;
}

u64 get_proc_address(Win32Call& call) {
  const u64 handle = call.argument(0) != 0 ? call.argument(0) : call.state.loaded.images[0].module.base;
  std::string name;
  u32 ordinal = 0;
  if (call.argument(1) < 0x10000) {
    ordinal = call.argument32(1);
  } else if (!call.read_name(call.argument(1), false, name)) {
    return 0;
  }
  u64 address = 0;
  if (const SystemImage* const system = call.state.system.at(handle)) {
    if (!name.empty()) address = call.state.system.address_of(system_dll_file(system->dll), name).value_or(0);
  } else {
    const LoadedImages& loaded = call.state.loaded;
    for (usize index = 0; index < loaded.images.size(); ++index) {
      if (loaded.images[index].module.base != handle) continue;
      address = find_export(loaded, call.state.system, index, name, ordinal);
    }
  }
  return address != 0 ? address : call.fail(kErrorProcNotFound);
}

u64 module_file_name(Win32Call& call, bool wide) {
  const u64 handle = call.argument(0) != 0 ? call.argument(0) : call.state.loaded.images[0].module.base;
  const u32 capacity = call.argument32(2);
  std::string path;
  for (const Module& module : call.state.modules) {
    if (module.base == handle) path = "C:\\" + module.name;  // the host's path would make runs differ
  }
  if (path.empty()) return call.fail(kErrorModNotFound);
  if (capacity == 0) return call.fail(kErrorInsufficientBuffer);
  const bool cut = path.size() >= capacity;
  if (!call.write_name(call.argument(1), wide, std::string_view(path).substr(0, capacity - 1))) return 0;
  return cut ? call.fail(kErrorInsufficientBuffer, capacity) : path.size();
}

u64 get_module_file_name_a(Win32Call& call) {
  return module_file_name(call, false);
}
u64 get_module_file_name_w(Win32Call& call) {
  return module_file_name(call, true);
}

constexpr Win32Function kModule[] = {
    {"GetModuleHandleA", kKernelDll, get_module_handle_a},
    {"GetModuleHandleW", kKernelDll, get_module_handle_w},
    {"GetModuleHandleExA", kKernelDll, get_module_handle_ex_a},
    {"GetModuleHandleExW", kKernelDll, get_module_handle_ex_w},
    {"LoadLibraryA", kKernelDll, load_library_a},
    {"LoadLibraryW", kKernelDll, load_library_w},
    {"LoadLibraryExA", kKernelDll, load_library_a},
    {"LoadLibraryExW", kKernelDll, load_library_w},
    {"FreeLibrary", kKernelDll, free_library},
    {"GetProcAddress", kKernelDll, get_proc_address},
    {"GetModuleFileNameA", kKernelDll, get_module_file_name_a},
    {"GetModuleFileNameW", kKernelDll, get_module_file_name_w},
};

}  // namespace

std::span<const Win32Function> module_functions() {
  return kModule;
}

}  // namespace wperf::sim
