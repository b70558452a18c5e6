// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/branch_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <optional>

#include "formats/perf_data/process_history.h"
#include "model/stacks/stack_profile.h"

namespace wperf::pgo {
namespace {

using perf_data::ProcessHistory;

constexpr u64 kMispredicted = 1;  // bit of a branch's flags

bool has_branches(const perf_data::PerfFile& file) {
  return std::any_of(file.attrs().begin(), file.attrs().end(),
                     [](const perf_data::Event& event) { return event.attributes.has(perf_data::kSampleBranchStack); });
}

// Each different branch and range is placed in its file once, after all stacks were read.
class StackReader {
 public:
  StackReader(const perf_data::PerfFile& file, ProfileCounts& counts)
      : file_(file), history_(ProcessHistory::collect(file)), counts_(counts) {}

  void read() {
    file_.for_each_record(perf_data::Visitors{
        [&](const perf_data::Sample& sample, const perf_data::Record& record) { take(sample, record.file_offset); }});
  }
  void place(const recording::RecordedSamples& recorded);

 private:
  struct Spot {
    u32 code = perf_data::kNoCode;
    u64 offset = 0;
    auto operator<=>(const Spot&) const = default;
  };

  void take(const perf_data::Sample& sample, u64 file_offset) {
    const auto& events = file_.attrs();
    const u32 event = sample.event == perf_data::kNoEvent ? 0 : sample.event;
    const perf_data::BranchStack& stack = sample.branches;
    if (event >= events.size() || stack.size() == 0) return;
    if ((events[event].attributes.branch_sample_type & perf_data::kBranchCallStack) != 0) {
      ++counts_.drops.call_stacks;
      return;
    }
    ++counts_.branch_stacks;
    const u64 when = history_.has_times() ? sample.time : file_offset;
    const u32 space = history_.task_at(sample.pid, sample.tid, when).space;
    Spot next_from;  // the branch that was taken after this one; the newest comes first
    for (usize i = 0; i < stack.size(); ++i) {
      const Spot from = spot(space, stack.from(i)), to = spot(space, stack.to(i));
      if (from.code == perf_data::kNoCode || to.code == perf_data::kNoCode || from.code != to.code) {
        ++counts_.drops.branches_elsewhere;
      } else {
        BranchTotals& totals = branches_[{from, to}];
        ++totals.count;
        totals.mispredicted += stack.flags(i) & kMispredicted;
      }
      if (i != 0) add_range(to, next_from);
      next_from = from;
    }
  }

  void add_range(const Spot& begin, const Spot& last) {
    if (begin.code == perf_data::kNoCode || begin.code != last.code) {
      ++counts_.drops.ranges_elsewhere;
    } else if (last.offset < begin.offset) {
      ++counts_.drops.ranges_backwards;
    } else {
      ++ranges_[{begin, last}];
    }
  }

  Spot spot(u32 space, u64 address) const {
    const perf_data::CodePlace place = history_.place_in(space, address);
    if (place.code == perf_data::kNoCode || history_.codes()[place.code].is_anonymous) return {};
    return {place.code, place.offset};
  }

  const perf_data::PerfFile& file_;
  const ProcessHistory history_;
  ProfileCounts& counts_;
  std::map<std::pair<Spot, Spot>, BranchTotals> branches_;
  std::map<std::pair<Spot, Spot>, u64> ranges_;
};

// A file of the recording whose samples have names, and its binary.
struct KnownCode {
  const modules::CodeFile* file = nullptr;
  Binary* binary = nullptr;
};

// By path and build id; binaries without samples are not opened.
KnownCode known_code(const perf_data::MappedCode& code, const recording::RecordedSamples& recorded,
                     ProfileCounts& counts) {
  std::string build_id;
  for (const std::byte byte : code.build_id) build_id += fmt::format("{:02x}", static_cast<u8>(byte));
  const auto& modules = recorded.profile.modules;
  for (u32 i = 0; i < modules.size(); ++i) {
    if (modules[i].path != code.path || modules[i].build_id != build_id) continue;
    const modules::CodeFile* const file = recorded.files.find(i);
    if (file == nullptr) continue;
    return {file, &counts.binary_of(modules[i], file)};
  }
  return {};
}

void StackReader::place(const recording::RecordedSamples& recorded) {
  std::vector<KnownCode> known;
  for (const perf_data::MappedCode& code : history_.codes()) known.push_back(known_code(code, recorded, counts_));
  const auto address = [&](const Spot& spot) -> std::optional<u64> {
    const modules::CodeFile* const file = known[spot.code].file;
    return file != nullptr ? file->address_of_offset(spot.offset) : std::nullopt;
  };
  for (const auto& [branch, totals] : branches_) {
    const std::optional<u64> from = address(branch.first), to = address(branch.second);
    if (!from.has_value() || !to.has_value()) {
      counts_.drops.branches_elsewhere += totals.count;
      continue;
    }
    BranchTotals& sum = known[branch.first.code].binary->branches[{*from, *to}];
    sum.count += totals.count;
    sum.mispredicted += totals.mispredicted;
  }
  for (const auto& [range, count] : ranges_) {
    const std::optional<u64> begin = address(range.first), last = address(range.second);
    if (!begin.has_value() || !last.has_value()) {
      counts_.drops.ranges_elsewhere += count;
      continue;
    }
    const KnownCode& code = known[range.first.code];
    const symbols::SymbolizedAddress function = code.file->function_at(*begin, true);
    const bool has_end = function.begin != function.end;
    if (has_end && *last >= function.end) {
      counts_.drops.ranges_across_functions += count;
      continue;
    }
    code.binary->ranges[{*begin, *last}] += count;
    if (!has_end) continue;
    CountedFunction& counted = code.binary->functions[function.begin];
    if (counted.name.empty()) counted = {.name = std::string(function.function), .end = function.end, .elf_symbol = {}};
  }
}

}  // namespace

void add_branch_stacks(const perf_data::PerfFile& file, const recording::RecordedSamples& recorded,
                       ProfileCounts& counts) {
  if (!has_branches(file)) return;
  StackReader reader(file, counts);
  reader.read();
  reader.place(recorded);
}

}  // namespace wperf::pgo
