// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/recorded_branches.h"

#include "ground/bytes/hexadecimal.h"

namespace wperf::pgo {

RecordedBranches::CodeLocation RecordedBranches::location(u32 space, u64 address) const {
  const perf_data::CodePlace place = history_.place_in(space, address);
  if (place.code == perf_data::kNoCode || history_.codes()[place.code].is_anonymous) return {};
  return {place.code, place.offset};
}

void RecordedBranches::add_branch(const CodeLocation& from, const CodeLocation& to, bool mispredicted) {
  if (!from.known() || from.code != to.code) {
    ++counts_.drops.branches_elsewhere;
    if (to.known()) ++entries_.totals(to.code, to.offset, 0).count;
    return;
  }
  BranchTotals& totals = branches_.totals(from.code, from.offset, to.offset);
  ++totals.count;
  totals.mispredicted += mispredicted ? 1 : 0;
}

void RecordedBranches::add_range(const CodeLocation& begin, const CodeLocation& last) {
  if (!begin.known() || begin.code != last.code) {
    ++counts_.drops.ranges_elsewhere;
  } else if (last.offset < begin.offset) {
    ++counts_.drops.ranges_backwards;
  } else {
    ++ranges_.totals(begin.code, begin.offset, last.offset).count;
  }
}

// Finds the binary by path and build id. Only files of binaries with samples are open.
RecordedBranches::Code RecordedBranches::find_code(const perf_data::MappedCode& code,
                                                   const recording::RecordedSamples& recorded) const {
  const std::string build_id = bytes::hexadecimal(code.build_id);
  const auto& modules = recorded.profile.modules;
  for (u32 i = 0; i < modules.size(); ++i) {
    if (modules[i].path != code.path || modules[i].build_id != build_id) continue;
    const modules::CodeFile* const file = recorded.files.find(i);
    if (file == nullptr && !rvas_) continue;
    const Binary& binary = counts_.binary_of(modules[i], file);
    return {file, static_cast<usize>(&binary - counts_.binaries.data())};
  }
  return {};
}

std::optional<u64> RecordedBranches::address_in(const Code& code, u64 offset) const {
  const std::optional<u64> known = code.file != nullptr ? code.file->address_of_offset(offset) : std::nullopt;
  if (known.has_value() || !rvas_ || code.binary == kNoBinary) return known;
  const Binary& binary = counts_.binaries[code.binary];
  return binary.is_windows ? std::optional(binary.image_base + offset) : std::nullopt;
}

void RecordedBranches::place(const recording::RecordedSamples& recorded, BranchCounts Binary::* branches,
                             EntryCounts Binary::* entries) {
  std::vector<Code> known;
  for (const perf_data::MappedCode& code : history_.codes()) known.push_back(find_code(code, recorded));
  const auto address = [&](u32 code, u64 offset) { return address_in(known[code], offset); };
  for (const Pair& branch : branches_.all()) {
    const std::optional<u64> from = address(branch.code, branch.first), to = address(branch.code, branch.second);
    if (!from.has_value() || !to.has_value()) {
      counts_.drops.branches_without_file += branch.totals.count;
      continue;
    }
    BranchTotals& sum = (counts_.binaries[known[branch.code].binary].*branches)[{*from, *to}];
    sum.count += branch.totals.count;
    sum.mispredicted += branch.totals.mispredicted;
  }
  for (const Pair& entry : entries_.all()) {
    const std::optional<u64> to = address(entry.code, entry.first);
    if (to.has_value()) (counts_.binaries[known[entry.code].binary].*entries)[*to] += entry.totals.count;
  }
  for (const Pair& range : ranges_.all()) {
    const std::optional<u64> begin = address(range.code, range.first), last = address(range.code, range.second);
    if (!begin.has_value() || !last.has_value()) {
      counts_.drops.ranges_elsewhere += range.totals.count;
    } else {
      place_range(known[range.code], *begin, *last, range.totals.count);
    }
  }
}

void RecordedBranches::place_range(const Code& code, u64 begin, u64 last, u64 count) {
  const symbols::SymbolizedAddress function = code.file != nullptr && code.file->has_symbols()
                                                  ? code.file->function_at(begin, true)
                                                  : symbols::SymbolizedAddress();
  const bool has_end = function.begin != function.end;
  if (has_end && last >= function.end) {
    counts_.drops.ranges_across_functions += count;
    return;
  }
  Binary& binary = counts_.binaries[code.binary];
  binary.ranges[{begin, last}] += count;
  if (!has_end || function.function.ends_with(kStubEnd)) return;
  CountedFunction& counted = binary.functions[function.begin];
  if (counted.name.empty()) counted = {.name = std::string(function.function), .end = function.end, .elf_symbol = {}};
}

}  // namespace wperf::pgo
