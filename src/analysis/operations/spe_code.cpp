// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/operations/spe_code.h"

#include <algorithm>
#include <map>

#include "analysis/recording/mapped_code.h"
#include "code/modules/for_each_module.h"
#include "code/modules/symbol_folders.h"

namespace wperf::operations {
namespace {

using perf_data::ProcessHistory;

std::vector<answers::AddressAnswer> answers_of_map(const recording::JitCode& code, u64 first,
                                                   const std::vector<u32>& wanted) {
  std::vector<answers::AddressAnswer> answers;
  for (const u32 rva : wanted) {
    const symbols::ListedSymbol* found = code.find(first + rva);
    if (found == nullptr) continue;
    answers::AddressAnswer& answer = answers.emplace_back();
    answer.rva = rva;
    answer.function = found->name;
  }
  return answers;
}

answers::AddressAnswer answer_of(const symbols::Symbolization& known, const symbols::SymbolizedAddress& one) {
  answers::AddressAnswer answer;
  answer.function = one.function;
  for (u32 i = 0; i < one.frame_count; ++i) {
    const symbols::SymbolizedFrame& frame = known.frames[one.first_frame + i];
    answer.frames.push_back({.function = std::string(frame.function),
                             .file = std::string(frame.file),
                             .line = frame.line,
                             .inlined = frame.inlined});
  }
  return answer;
}

// `wanted`: offsets as in address_of_offset().
std::vector<answers::AddressAnswer> answers_of(const modules::CodeFile& file, const std::vector<u32>& wanted,
                                               const symbols::SymbolQuery& query, bool line_ranges) {
  std::vector<answers::AddressAnswer> answers;
  if (!file.has_symbols()) return answers;
  // In files with overlapping segments, addresses can be in another order than offsets.
  std::map<u64, u32> asked;
  for (const u32 offset : wanted) {
    if (const auto address = file.address_of_offset(offset); address.has_value()) asked.try_emplace(*address, offset);
  }
  std::vector<u64> addresses;
  addresses.reserve(asked.size());
  for (const auto& [address, offset] : asked) addresses.push_back(address);
  const symbols::Symbolization known = file.answer(addresses, query);
  const std::vector<code::AddressRange> ranges =
      line_ranges ? file.line_ranges(known) : std::vector<code::AddressRange>(known.answers.size());
  answers.reserve(known.answers.size());
  for (usize i = 0; i < known.answers.size(); ++i) {
    const u64 address = known.answers[i].address;
    answers::AddressAnswer& answer = answers.emplace_back(answer_of(known, known.answers[i]));
    answer.rva = asked.at(address);
    if (ranges[i].begin >= ranges[i].end) continue;
    answer.line_begin = answer.rva - static_cast<u32>(address - ranges[i].begin);
    answer.line_end = answer.rva + static_cast<u32>(ranges[i].end - address);
  }
  std::sort(answers.begin(), answers.end(), [](const auto& a, const auto& b) { return a.rva < b.rva; });
  return answers;
}

}  // namespace

NamedCode code_of_file(const recording::CanonicalCode& code, const std::string& data_file) {
  NamedCode named;
  answers::SampleTarget& target = named.target;
  target.pe_file = data_file;
  const ProcessHistory& history = code.history();
  const u32 pid = history.only_process();
  target.process = pid != ProcessHistory::kNobody ? pid : 0;
  for (const recording::CanonicalFile& file : code.files()) {
    const perf_data::MappedCode& mapped = history.codes()[file.code];
    answers::SampleModule& module = target.modules.emplace_back();
    module.name = mapped.is_anonymous ? recording::name_of_jit_code(mapped) : modules::base_name(mapped.path);
    module.path = mapped.path;
    module.base = file.base;
    module.size = static_cast<u32>(file.size);
    named.first.push_back(file.first);
  }
  named.files.resize(target.modules.size());
  if (!target.modules.empty()) {
    target.modules.front().main = pid != ProcessHistory::kNobody;
    target.image_name = target.modules.front().name;
    target.base_address = target.modules.front().base;
  }
  return named;
}

std::vector<std::vector<answers::AddressAnswer>> name_code(const perf_data::PerfFile& file,
                                                           const recording::CanonicalCode& canonical,
                                                           const std::vector<std::vector<u32>>& wanted,
                                                           const CodeNaming& naming, NamedCode& code) {
  modules::FunctionFiles functions({});
  const modules::ElfSearch search{
      .folders = modules::symbol_folders(naming.symbols.symbol_path), .lines = naming.lines, .functions = &functions};
  std::vector<std::vector<answers::AddressAnswer>> answers(wanted.size());
  modules::for_each_module(wanted.size(), [&](size_t i) {
    if (wanted[i].empty()) return;
    if (!code.of_run) {
      const perf_data::MappedCode& mapped = canonical.history().codes()[canonical.files()[i].code];
      if (mapped.is_anonymous) {
        const recording::JitCode written(mapped, search.folders);
        code.target.modules[i].reason = written.reason();
        answers[i] = answers_of_map(written, code.first[i], wanted[i]);
        return;
      }
      code.files[i] = recording::load_mapped_code(file, canonical.history(), mapped,
                                                  {recording::is_windows_run(file), search, naming.symbols});
      code.target.modules[i].reason = code.files[i].reason();
    }
    const symbols::SymbolQuery query{.lines = naming.lines, .decorated = naming.decorated};
    answers[i] = answers_of(code.files[i], wanted[i], query, naming.line_ranges);
  });
  return answers;
}

}  // namespace wperf::operations
