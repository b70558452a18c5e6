// SPDX-License-Identifier: BSD-3-Clause
// Names of Python functions among the code generated at run time, in the form of CPython (PYTHONPERFSUPPORT):
// "py::NAME:FILE".
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "ground/text/base_name.h"

namespace wperf::recording {

struct PythonName {
  std::string_view function, file;
  bool is_of_other_root = false;  // not the file that wperf saw at this path
};

// `other_root`: the process whose root folder has the file, if wperf sees another file at this path; otherwise 0.
inline std::string made_python_name(std::string_view function, std::string_view file, u32 other_root = 0) {
  std::string name = std::string("py::").append(function).append(":");
  if (other_root != 0) name.append("/proc/").append(std::to_string(other_root)).append("/root");
  return name.append(file);
}

// Removes "/proc/NUMBER/root" from the beginning of a path. Returns false if the path does not begin with it.
inline bool take_other_root(std::string_view& file) {
  constexpr std::string_view kBegin = "/proc/", kEnd = "/root/";
  if (!file.starts_with(kBegin)) return false;
  const usize end = file.find_first_not_of("0123456789", kBegin.size());
  if (end == file.npos || end == kBegin.size() || !file.substr(end).starts_with(kEnd)) return false;
  file.remove_prefix(end + kEnd.size() - 1);
  return true;
}

inline std::optional<PythonName> python_name(std::string_view made) {
  constexpr std::string_view kStart = "py::";
  if (!made.starts_with(kStart)) return std::nullopt;
  made.remove_prefix(kStart.size());
  const auto colon = made.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  PythonName name{made.substr(0, colon), made.substr(colon + 1)};
  name.is_of_other_root = take_other_root(name.file);
  return name;
}

// The name of a frame that stands for a single line: "step:12".
inline std::string python_line_name(std::string_view function, u32 line) {
  return std::string(function).append(":").append(std::to_string(line));
}

// The name of a module with one more folder of its path. `name`: the end of the path.
inline std::string_view longer_python_module(std::string_view file, std::string_view name) {
  if (name.size() >= file.size()) return name;
  const std::string_view folder = text::base_name(file.substr(0, file.size() - name.size() - 1));
  return file.substr(file.size() - name.size() - 1 - folder.size());
}

// The name of the file, preceded by its folder if the name begins with "__", because many folders have an __init__.
inline std::string_view python_module(std::string_view file) {
  const std::string_view name = text::base_name(file);
  return name.starts_with("__") ? longer_python_module(file, name) : name;
}

}  // namespace wperf::recording
