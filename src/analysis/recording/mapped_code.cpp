// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/mapped_code.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "code/modules/kernel_symbols.h"
#include "formats/perf_data/run_facts.h"
#include "ground/bytes/hexadecimal.h"
#include "ground/os/named_file.h"
#include "ground/text/base_name.h"

namespace wperf::recording {
namespace {

constexpr size_t kMostMapBytes = 512 << 20;

// Other names are given by the kernel to parts of the process, for example a stack.
bool may_have_map(const perf_data::MappedCode& code) {
  return code.path.empty() || code.path.front() == '/';
}

}  // namespace

std::string name_of_jit_code(u32 process) {
  return fmt::format("[JIT] pid {}", process);
}

// perf's name for code generated at run time.
std::string name_of_jit_code(const perf_data::MappedCode& code) {
  if (code.path.starts_with("/memfd:")) return std::string(modules::base_name(code.path));
  return may_have_map(code) ? name_of_jit_code(code.first_process) : std::string(code.path);
}

modules::CodeFile load_recorded_image(const perf_data::PerfFile& file, const perf_data::MappedCode& code,
                                      const modules::SymbolOptions& images) {
  if (!file.features().text(perf_data::Feature::perf_version).starts_with("wperf ")) return {};
  const std::string path(code.path);
  const readings::Module module{
      .name = std::string(text::base_name(path)), .path = path, .base = 0, .size = 0, .entry = 0};
  const std::string_view pdb =
      perf_data::pdb_name_of(file.features().section(perf_data::kPdbNamesFeature), code.build_id);
  return modules::CodeFile(modules::load_recorded_module(module, code.build_id, pdb, images));
}

modules::CodeFile load_module_again(const stacks::StackModule& module, const modules::ElfSearch& search,
                                    modules::SymbolOptions images) {
  const std::vector<std::byte> build = bytes::bytes_of_digits(module.build_id);
  if (module.pdb_path.empty() && !perf_data::is_windows_path(module.path)) {
    modules::CodeFile elf(modules::load_elf({.path = module.path, .build_id = build}, search));
    if (elf.has_symbols()) return elf;  // otherwise perhaps an image without a PDB
  }
  if (!module.pdb_path.empty()) images.recorded_pdb_files.push_back(module.pdb_path);
  const readings::Module image{.name = module.name, .path = module.path, .base = 0, .size = 0, .entry = 0};
  return modules::CodeFile(modules::load_recorded_module(image, build, modules::base_name(module.pdb_path), images));
}

bool is_windows_run(const perf_data::PerfFile& file) {
  const std::optional<perf_data::RunFacts> facts =
      perf_data::read_run_facts(file.features().section(perf_data::kRunFactsFeature));
  return facts.has_value() && facts->windows;
}

modules::CodeFile load_mapped_code(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history,
                                   const perf_data::MappedCode& code, const CodeSearch& search) {
  if (!search.windows_run && !perf_data::is_windows_path(code.path)) {
    modules::CodeFile elf(load_mapped_elf(file, history, code, search.elf));
    if (elf.has_symbols()) return elf;
    modules::CodeFile image = load_recorded_image(file, code, search.images);
    return image.is_windows() ? std::move(image) : std::move(elf);
  }
  return load_recorded_image(file, code, search.images);
}

modules::RecordedElf recorded_elf(const perf_data::MappedCode& code) {
  return {std::string(code.path), code.build_id, code.first_process, code.was_replaced};
}

modules::LoadedElf load_mapped_elf(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history,
                                   const perf_data::MappedCode& code, const modules::ElfSearch& search) {
  if (code.path != modules::kVdsoPath) return modules::load_elf(recorded_elf(code), search);
  bytes::Span build_id = code.build_id;
  for (const perf_data::BuildId& known : file.features().build_ids()) {
    if (build_id.empty() && known.file == modules::kVdsoPath) build_id = known.id;
  }
  std::string reason;
  return modules::load_vdso(build_id, build_id.empty() && modules::is_running_kernel(file, history, reason));
}

JitCode::JitCode(const perf_data::MappedCode& code, std::span<const std::string> folders) {
  if (!may_have_map(code)) {
    reason_ = "memory of the program, without a file";
    return;
  }
  const std::string path = fmt::format("/tmp/perf-{}.map", code.first_process);
  auto map = os::open_named_file(path, os::NamedUse::read, folders);
  if (!map.has_value()) {
    reason_ = "code that the program generated: " + map.error().text;
    return;
  }
  if (!map.value().has_value()) {
    reason_ = "code that the program generated, and there is no " + path;
    return;
  }
  const auto bytes = map.value()->bytes();
  if (bytes.size() > kMostMapBytes) {
    reason_ = fmt::format("{} is larger than {} bytes", path, kMostMapBytes);
    return;
  }
  text_.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());  // copied, because the program may still be
                                                                            // writing to it
  list_ = symbols::ListedSymbols::parse_perf_map(text_);
}

}  // namespace wperf::recording
