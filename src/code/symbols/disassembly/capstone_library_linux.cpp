// SPDX-License-Identifier: BSD-3-Clause
#ifdef WPERF_HAS_CAPSTONE
#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "code/symbols/disassembly/capstone_library.h"

namespace wperf::symbols {
namespace {

struct Loaded {
  CapstoneLibrary functions{};
  std::string failure;
};

// The major version of the header at build time, because enumerations and structs differ between versions. The
// library's name is one literal, so that tools/libraries.py can find it in the program.
#define WPERF_TEXT_OF(number) #number
#define WPERF_CAPSTONE_NAME(major) "libcapstone.so." WPERF_TEXT_OF(major)
constexpr const char* kLibrary = WPERF_CAPSTONE_NAME(CS_API_MAJOR);

template <typename Function>
void find(void* library, const char* name, Function& function, std::string& failure) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr && failure.empty()) failure = fmt::format("the Capstone library has no function {}", name);
}

Loaded load() {
  Loaded result;
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    result.failure = fmt::format("cannot load the Capstone library: {}", reason != nullptr ? reason : kLibrary);
    return result;
  }
  CapstoneLibrary& to = result.functions;
  find(library, "cs_open", to.open, result.failure);
  find(library, "cs_close", to.close, result.failure);
  find(library, "cs_option", to.option, result.failure);
  find(library, "cs_malloc", to.malloc, result.failure);
  find(library, "cs_free", to.free, result.failure);
  find(library, "cs_disasm_iter", to.disasm_iter, result.failure);
  find(library, "cs_insn_group", to.insn_group, result.failure);
  return result;
}

}  // namespace

diag::Result<const CapstoneLibrary*> capstone() {
  static const Loaded loaded = load();
  if (!loaded.failure.empty()) {
    return diag::Error{
        .text = loaded.failure,
        .hint = fmt::format("install it (Debian: libcapstone{}), or leave out --disassemble", CS_API_MAJOR)};
  }
  return &loaded.functions;
}

}  // namespace wperf::symbols
#endif
