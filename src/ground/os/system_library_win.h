// SPDX-License-Identifier: BSD-3-Clause
// A DLL of Windows, loaded when it is first needed. Linked at start-up, setupapi, winhttp and wintrust would cost every
// run some milliseconds. It is loaded from the system folder only, so that no DLL in the program's folder can replace
// it.
#pragma once
#include <cstring>

namespace wperf::os {

class SystemLibrary {
 public:
  explicit SystemLibrary(const wchar_t* name);
  // Returns false and sets `function` to null if the library or the function does not exist.
  template <typename Function>
  bool bind(const char* name, Function& function) const {
    void* const found = find(name);
    static_assert(sizeof found == sizeof function);
    std::memcpy(&function, &found, sizeof found);
    return found != nullptr;
  }

 private:
  void* find(const char* name) const;
  void* library_;  // stays loaded until the process ends
};

}  // namespace wperf::os
