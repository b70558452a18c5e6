// SPDX-License-Identifier: BSD-3-Clause
// Recognises the modules of Python programs by their names.
#pragma once
#include <string_view>

namespace wperf::stacks {

// Is it the source file of a Python function, which is shown in place of a module? Also true for "<string>" and similar
// names.
inline bool is_python_file(std::string_view module) {
  return module.ends_with(".py") || (module.starts_with('<') && module.ends_with('>'));
}

// Is it a file of CPython: "python3.11", "libpython3.11.so.1.0", "python313.dll"?
inline bool is_python_interpreter(std::string_view module) {
  return module.starts_with("python3") || module.starts_with("libpython3");
}

}  // namespace wperf::stacks
