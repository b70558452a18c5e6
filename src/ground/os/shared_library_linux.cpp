// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include "ground/os/shared_library.h"

namespace wperf::os {

diag::Result<SharedLibrary> SharedLibrary::load(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return diag::Error{.text = reason != nullptr ? reason : "cannot load " + path, .hint = {}};
  }
  return SharedLibrary(handle);
}

void* SharedLibrary::find(const char* symbol) const {
  return dlsym(handle_, symbol);
}

}  // namespace wperf::os
