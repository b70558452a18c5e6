// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/unicorn_library.h"

#include <dlfcn.h>

namespace wperf::sim {
namespace {

constexpr const char* kLibrary = "libunicorn.so.2";

struct Loaded {
  UnicornLibrary functions{};
  std::string failure;
};

template <typename Function>
void find(void* library, const char* name, Function& function, std::string& failure) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr && failure.empty()) failure = std::string(kLibrary) + " has no function " + name;
}

Loaded load() {
  Loaded result;
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    result.failure = "cannot load the Unicorn library: " + std::string(reason != nullptr ? reason : kLibrary);
    return result;
  }
  UnicornLibrary& to = result.functions;
  std::string& failure = result.failure;
  find(library, "uc_open", to.open, failure);
  find(library, "uc_close", to.close, failure);
  find(library, "uc_strerror", to.strerror, failure);
  find(library, "uc_ctl", to.ctl, failure);
  find(library, "uc_emu_start", to.emu_start, failure);
  find(library, "uc_emu_stop", to.emu_stop, failure);
  find(library, "uc_hook_add", to.hook_add, failure);
  find(library, "uc_mem_map", to.mem_map, failure);
  find(library, "uc_mem_map_ptr", to.mem_map_ptr, failure);
  find(library, "uc_mem_unmap", to.mem_unmap, failure);
  find(library, "uc_mem_protect", to.mem_protect, failure);
  find(library, "uc_mem_write", to.mem_write, failure);
  find(library, "uc_reg_read", to.reg_read, failure);
  find(library, "uc_reg_write", to.reg_write, failure);
  find(library, "uc_reg_read_batch", to.reg_read_batch, failure);
  find(library, "uc_reg_write_batch", to.reg_write_batch, failure);
  find(library, "uc_context_alloc", to.context_alloc, failure);
  find(library, "uc_context_size", to.context_size, failure);
  find(library, "uc_context_save", to.context_save, failure);
  find(library, "uc_context_restore", to.context_restore, failure);
  find(library, "uc_context_free", to.context_free, failure);
  return result;
}

const Loaded& loaded() {
  static const Loaded once = load();
  return once;
}

}  // namespace

const UnicornLibrary* unicorn() {
  return loaded().failure.empty() ? &loaded().functions : nullptr;
}
const std::string& unicorn_failure() {
  return loaded().failure;
}

}  // namespace wperf::sim
