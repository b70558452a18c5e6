// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/recorded_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include "os/files.h"
#include "pipeline/for_each_module.h"
#include "pipeline/kernel_symbols.h"
#include "stacks/id_table.h"

namespace wperf::pipeline {
namespace {

using perf_data::CodePlace;
using perf_data::kNoCode;
using perf_data::MappedCode;
using perf_data::TaskHistory;
using stacks::AddressKind;
using stacks::IdTable;
using stacks::kNothing;
using stacks::StackProfile;

constexpr size_t kMostMapBytes = 512 << 20;

std::string base_name_of_path(std::string_view path) {
  return std::string(path.substr(path.find_last_of('/') + 1));
}

// Where an address is called from stands behind the call, maybe in another function already.
u64 searched_address(u64 address, bool is_return_address) {
  return is_return_address && address != 0 ? address - 1 : address;
}

class PlaceNamer {
 public:
  PlaceNamer(const perf_data::PerfFile& file, const TaskHistory& history, const PlaceOptions& options,
             StackProfile& profile)
      : file_(file), history_(history), options_(options), profile_(profile) {}

  void run(const stacks::StackTally& tally) {
    const u32 nodes = tally.node_count();
    profile_.nodes.resize(nodes);
    std::vector<bool> is_caller(nodes), is_leaf(nodes);
    for (u32 i = 0; i < nodes; ++i) is_caller[tally.node(i).parent] = true;
    for (const stacks::TalliedSample& sample : tally.samples()) is_leaf[sample.node] = true;
    std::vector<u32> spaces(nodes), places(nodes, kNothing);
    for (u32 i = 0; i < nodes; ++i) {
      const stacks::TalliedNode node = tally.node(i);
      spaces[i] = node.is_root() ? static_cast<u32>(node.address) : spaces[node.parent];
      if (node.is_root()) continue;
      profile_.nodes[i].parent = node.parent;
      // A frame that is both is an address of a sample: the instruction itself.
      places[i] = place_of(spaces[i], node.kind, searched_address(node.address, is_caller[i] && !is_leaf[i]));
    }
    find_names();
    for (u32 i = 0; i < nodes; ++i) profile_.nodes[i].place = places[i] == kNothing ? kNothing : named_[places[i]];
  }

 private:
  // What is asked for: an offset in a mapped file, an address of the kernel, or one that nobody knows.
  static constexpr u64 kKernel = u64{1} << 32, kUnknown = u64{1} << 33;

  u32 place_of(u32 space, AddressKind kind, u64 address) {
    if (kind == AddressKind::kernel) return asked_.insert(kKernel, address).id;
    if (kind == AddressKind::other) return asked_.insert(kUnknown, 0).id;
    const CodePlace place = history_.place_in(space, address);
    if (place.code == kNoCode) return asked_.insert(kUnknown, 0).id;
    return asked_.insert(place.code, place.offset).id;
  }

  void find_names();
  void name_file(const MappedCode& code, const LoadedElf& loaded, const std::vector<u32>& asked);
  void name_written_code(const MappedCode& code, const std::vector<u32>& asked);
  void name_kernel(const std::vector<u32>& asked);
  void name_unknown(const std::vector<u32>& asked);

  u32 add_module(std::string name, std::string_view path, std::string reason) {
    profile_.modules.push_back({std::move(name), std::string(path), std::move(reason)});
    return static_cast<u32>(profile_.modules.size() - 1);
  }
  u32 add_function(std::string_view name, u32 module, bool kernel = false) {
    profile_.functions.push_back({name.empty() ? "[unknown]" : std::string(name), module, !name.empty(), kernel});
    return static_cast<u32>(profile_.functions.size() - 1);
  }
  u32 add_place(u32 function, u32 line = kNothing) {
    const auto [place, is_new] = places_.insert(function, line);
    if (is_new) profile_.places.push_back({function, line});
    return place;
  }
  u32 add_line(const symbols::ElfFrame& frame) {
    if (frame.file.empty() || frame.line == 0) return kNothing;
    const auto [entry, is_new] = line_numbers_.try_emplace(
        fmt::format("{}:{}", base_name_of_path(frame.file), frame.line), static_cast<u32>(profile_.lines.size()));
    if (is_new) profile_.lines.push_back(entry->first);
    return entry->second;
  }

  const perf_data::PerfFile& file_;
  const TaskHistory& history_;
  const PlaceOptions& options_;
  StackProfile& profile_;
  IdTable asked_;
  std::vector<u32> named_;  // by number in asked_: a place
  IdTable places_;
  std::unordered_map<std::string, u32> line_numbers_;
};

void PlaceNamer::find_names() {
  named_.assign(asked_.size(), kNothing);
  std::vector<std::vector<u32>> of_code(history_.codes().size());
  std::vector<u32> of_kernel, of_nobody;
  for (u32 i = 0; i < asked_.size(); ++i) {
    const u64 where = asked_.first(i);
    (where == kKernel ? of_kernel : where == kUnknown ? of_nobody : of_code[where]).push_back(i);
  }
  std::vector<u32> used;
  for (u32 code = 0; code < of_code.size(); ++code) {
    if (of_code[code].empty()) continue;
    used.push_back(code);
    std::sort(of_code[code].begin(), of_code[code].end(),
              [&](u32 a, u32 b) { return asked_.second(a) < asked_.second(b); });
  }
  std::vector<LoadedElf> loaded(used.size());
  for_each_module(used.size(), [&](size_t i) {
    const MappedCode& code = history_.codes()[used[i]];
    if (!code.is_anonymous) loaded[i] = load_elf(std::string(code.path), code.build_id, options_.search);
  });
  for (size_t i = 0; i < used.size(); ++i) {
    const MappedCode& code = history_.codes()[used[i]];
    if (code.is_anonymous) {
      name_written_code(code, of_code[used[i]]);
    } else {
      name_file(code, loaded[i], of_code[used[i]]);
    }
  }
  if (!of_kernel.empty()) name_kernel(of_kernel);
  if (!of_nobody.empty()) name_unknown(of_nobody);
}

void PlaceNamer::name_file(const MappedCode& code, const LoadedElf& loaded, const std::vector<u32>& asked) {
  const u32 module = add_module(base_name_of_path(code.path), code.path, loaded.reason);
  u32 nameless = kNothing;
  std::vector<u64> addresses;
  std::vector<u32> of_address;
  for (const u32 one : asked) {
    std::optional<u64> address;
    if (loaded.symbols.has_value()) address = loaded.symbols->address_of_offset(asked_.second(one));
    if (address.has_value()) {
      addresses.push_back(*address);
      of_address.push_back(one);
    } else {
      if (nameless == kNothing) nameless = add_function({}, module);
      named_[one] = add_place(nameless);
    }
  }
  if (addresses.empty()) return;
  // In files with overlapping segments the order may be another.
  std::vector<u32> order(addresses.size());
  for (u32 i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](u32 a, u32 b) { return addresses[a] < addresses[b]; });
  std::vector<u64> sorted;
  sorted.reserve(order.size());
  for (const u32 i : order) {
    if (sorted.empty() || sorted.back() != addresses[i]) sorted.push_back(addresses[i]);
  }
  const symbols::ElfAnswers known =
      loaded.symbols->answer(sorted, {.lines = options_.search.lines, .decorated = options_.decorated});
  std::unordered_map<u64, u32> functions;  // by where they begin
  usize at = 0;
  for (const u32 i : order) {
    while (known.answers[at].address != addresses[i]) ++at;
    const symbols::ElfAnswer& answer = known.answers[at];
    u32 function = nameless;
    if (!answer.function.empty()) {
      const auto [entry, is_new] = functions.try_emplace(answer.begin, 0);
      if (is_new) entry->second = add_function(answer.function, module);
      function = entry->second;
    } else if (nameless == kNothing) {
      function = nameless = add_function({}, module);
    }
    const u32 line = answer.frame_count != 0 ? add_line(known.frames[answer.first_frame]) : kNothing;
    named_[of_address[i]] = add_place(function, line);
  }
}

void PlaceNamer::name_written_code(const MappedCode& code, const std::vector<u32>& asked) {
  const bool may_have_map = code.path.empty() || code.path.front() == '/';
  const std::string path = fmt::format("/tmp/perf-{}.map", code.first_process);
  diag::Result<std::string> text = diag::Error{.text = "memory of the program, without a file", .hint = {}};
  if (may_have_map) {
    if (os::file_exists(path)) {
      text = os::load_text_file(path, kMostMapBytes);
    } else {
      text = diag::Error{.text = "code that the program made, and there is no " + path, .hint = {}};
    }
  }
  const std::string_view map = text.has_value() ? std::string_view(text.value()) : std::string_view();
  const symbols::ListedSymbols list = symbols::ListedSymbols::parse_perf_map(map);
  const std::string name = may_have_map ? fmt::format("[JIT] pid {}", code.first_process) : std::string(code.path);
  const u32 module = add_module(name, code.path, text.has_value() ? std::string() : text.error().text);
  std::unordered_map<const symbols::ListedSymbol*, u32> functions;
  for (const u32 one : asked) {
    const symbols::ListedSymbol* found = list.find(asked_.second(one));
    const auto [entry, is_new] = functions.try_emplace(found, 0);
    if (is_new) entry->second = add_function(found != nullptr ? found->name : std::string_view(), module);
    named_[one] = add_place(entry->second);
  }
}

void PlaceNamer::name_kernel(const std::vector<u32>& asked) {
  KernelSymbols kernel = KernelSymbols::load(file_, history_);
  std::map<std::string_view, u32> modules;
  std::unordered_map<u64, u32> functions;  // by where they begin; what has no name at 0
  for (const u32 one : asked) {
    const KernelSymbols::Function found = kernel.find(asked_.second(one));
    const auto [entry, is_new] = functions.try_emplace(found.name.empty() ? 0 : found.begin, 0);
    if (is_new) {
      const auto [module, is_new_module] = modules.try_emplace(found.module, 0);
      if (is_new_module) {
        module->second = add_module(found.module.empty() ? "[kernel]" : fmt::format("[{}]", found.module), {},
                                    found.module.empty() ? kernel.reason() : std::string());
      }
      entry->second = add_function(found.name, module->second, true);
    }
    named_[one] = add_place(entry->second);
  }
}

void PlaceNamer::name_unknown(const std::vector<u32>& asked) {
  const u32 module = add_module("[unknown]", {}, "the recording does not say what was there");
  const u32 place = add_place(add_function({}, module));
  for (const u32 one : asked) named_[one] = place;
}

}  // namespace

void name_places(const perf_data::PerfFile& file, const TaskHistory& history, const stacks::StackTally& tally,
                 const PlaceOptions& options, StackProfile& profile) {
  PlaceNamer(file, history, options, profile).run(tally);
}

}  // namespace wperf::pipeline
