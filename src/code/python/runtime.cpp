// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/runtime.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <system_error>
#include <vector>

#include "code/python/evaluation.h"
#include "code/symbols/elf/elf_symbols.h"
#include "ground/os/named_file.h"
#include "ground/text/base_name.h"

namespace wperf::python {
namespace {

using symbols::ElfFile;
using symbols::PeFile;

constexpr std::string_view kElfSection = ".PyRuntime";
constexpr std::string_view kImageSection = "PyRuntim";  // names in an image have eight characters
constexpr u32 kFinalRelease = 0xf0, kFirstWithTable = 0x030d0000;

u32 take_digits(std::string_view& text) {
  u32 number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{}) return 0;
  text.remove_prefix(static_cast<usize>(read.ptr - text.data()));
  return number;
}

// The name of the mapped file. The kernel marks the path of a file that was deleted or replaced.
std::string_view name_of(const os::FileMapping& mapping) {
  std::string_view name = text::base_name(mapping.path);
  constexpr std::string_view kDeleted = " (deleted)";
  if (name.ends_with(kDeleted)) name.remove_suffix(kDeleted.size());
  return name;
}

// Opens the file that the process has mapped, not a file that has replaced it since, if the system allows this.
diag::Result<std::optional<os::MappedFile>> open_module(const os::FileMapping& mapping, u32 process) {
  if (process != 0) {
    const std::string folder = fmt::format("/proc/{}/", process);
    std::vector<std::string> places = {fmt::format("{}map_files/{:x}-{:x}", folder, mapping.begin, mapping.end)};
    // Only administrators can read map_files; these two places need fewer rights.
    std::error_code failed;
    if (std::filesystem::read_symlink(folder + "exe", failed) == mapping.path) places.push_back(folder + "exe");
    places.push_back(folder + "root" + mapping.path);
    for (const std::string& place : places) {
      auto opened = os::open_named_file(place, os::NamedUse::read, {});
      if (opened.has_value() && opened.value().has_value()) return opened;
    }
  }
  return os::open_named_file(mapping.path, os::NamedUse::read, {});
}

// The difference between addresses in the process and linked addresses. `mapping`: any mapping of that file.
std::optional<u64> load_bias(const ElfFile& file, const os::FileMapping& mapping) {
  const auto linked = file.address_of_offset(mapping.file_offset);
  if (!linked.has_value()) return std::nullopt;
  return mapping.begin - *linked;
}

std::optional<PythonRuntime> runtime_in_module(bytes::Span file, const os::FileMapping& mapping,
                                               ProcessMemory& memory) {
  std::optional<RuntimeInFile> found;
  u64 bias = mapping.begin;
  bool is_image = false;
  if (const auto elf = ElfFile::parse(file); elf.has_value()) {
    found = runtime_in_elf(elf.value(), version_in_name(name_of(mapping)) != 0);
    const auto moved = load_bias(elf.value(), mapping);
    if (!moved.has_value()) return std::nullopt;
    bias = *moved;
  } else if (const auto image = PeFile::parse(file); image.has_value() && mapping.file_offset == 0) {
    found = runtime_in_image(image.value());
    is_image = true;
  }
  if (!found.has_value()) return std::nullopt;
  PythonRuntime out{.address = bias + found->runtime, .evaluation = {}, .version = 0, .path = mapping.path};
  if (found->version.has_value() && !memory.read_number(bias + *found->version, out.version)) out.version = 0;
  for (const code::AddressRange& part : found->evaluation)
    out.evaluation.push_back({bias + part.begin, bias + part.end});
  if (out.version == 0) out.version = version_in_name(name_of(mapping));
  // The layouts by version apply only to Linux; on Windows a long has four bytes.
  if (is_image && out.version < kFirstWithTable) out.version = 0;
  return out;
}

// The first mapping of each file that may be an interpreter.
std::vector<os::FileMapping> candidates(std::span<const os::FileMapping> mappings) {
  constexpr usize kMost = 16;
  std::vector<os::FileMapping> out;
  for (const os::FileMapping& mapping : mappings) {
    const bool is_first = out.empty();  // usually the program itself, which may contain an interpreter whatever its
                                        // name is
    if (!is_first && (out.back().path == mapping.path || version_in_name(name_of(mapping)) == 0)) continue;
    out.push_back(mapping);
    if (out.size() == kMost) break;
  }
  return out;
}

}  // namespace

std::optional<RuntimeInFile> runtime_in_elf(const ElfFile& file, bool by_symbol) {
  RuntimeInFile out;
  if (!file.is_64_bit() || file.big_endian()) return std::nullopt;
  if (!by_symbol && file.section(kElfSection) == nullptr) return std::nullopt;
  const auto variables = symbols::DataSymbols::read(file, nullptr);
  if (const auto* section = file.section(kElfSection)) {
    out.runtime = section->address;
  } else if (const auto* variable = variables.named("_PyRuntime")) {
    out.runtime = variable->begin;
  } else {
    return std::nullopt;
  }
  if (const auto* version = variables.named("Py_Version")) out.version = version->begin;
  out.evaluation = evaluation_parts(file);
  return out;
}

std::optional<RuntimeInFile> runtime_in_image(const PeFile& image) {
  RuntimeInFile out;
  if (const auto* section = image.section(kImageSection)) {
    out.runtime = section->rva;
  } else {
    return std::nullopt;
  }
  for (const auto& one : image.exports()) {
    if (one.name == "Py_Version") out.version = one.rva.value;
    if (one.name != "_PyEval_EvalFrameDefault") continue;
    const auto function = image.function_at(one.rva);
    if (function.has_value()) out.evaluation.push_back({function->begin.value, function->end.value});
  }
  return out;
}

u32 version_in_name(std::string_view file_name) {
  if (file_name.starts_with("lib")) file_name.remove_prefix(3);
  constexpr std::string_view kName = "python3";
  if (!file_name.starts_with(kName)) return 0;
  file_name.remove_prefix(kName.size());
  if (file_name.starts_with('.')) file_name.remove_prefix(1);
  const u32 minor = take_digits(file_name);
  if (file_name.starts_with('t')) file_name.remove_prefix(1);
  if (file_name.starts_with("_d")) file_name.remove_prefix(2);  // a debug build on Windows
  const bool ends = file_name.empty() || file_name.starts_with(".so") || file_name.starts_with(".dll");
  if (minor == 0 || minor > 0xff || !ends) return 0;
  return u32{3} << 24 | minor << 16 | kFinalRelease;
}

diag::Result<PythonRuntime> find_runtime(std::span<const os::FileMapping> mappings, ProcessMemory& memory,
                                         u32 process) {
  std::string refused;
  for (const os::FileMapping& mapping : candidates(mappings)) {
    const auto opened = open_module(mapping, process);
    if (!opened.has_value()) {
      if (refused.empty()) refused = opened.error().text;
      continue;
    }
    if (!opened.value().has_value()) continue;
    auto found = runtime_in_module(opened.value()->bytes(), mapping, memory);
    if (found.has_value()) return *std::move(found);
  }
  std::string text = "the process has no interpreter of Python";
  if (!refused.empty()) text += " (" + refused + ")";
  return diag::Error{.text = std::move(text), .hint = {}};
}

}  // namespace wperf::python
