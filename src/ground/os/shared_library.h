// SPDX-License-Identifier: BSD-3-Clause
// A library loaded on demand. It stays loaded until the process ends.
#pragma once
#include <string>

#include "ground/diag/result.h"

namespace wperf::os {

class SharedLibrary {
 public:
  static diag::Result<SharedLibrary> load(const std::string& path);
  void* find(const char* symbol) const;  // null if absent

 private:
  explicit SharedLibrary(void* handle) : handle_(handle) {}
  void* handle_;
};

}  // namespace wperf::os
