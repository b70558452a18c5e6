// SPDX-License-Identifier: BSD-3-Clause
#include "recording/recorded_places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "modules/for_each_module.h"
#include "modules/kernel_symbols.h"
#include "recording/function_names.h"
#include "recording/mapped_code.h"
#include "stacks/id_table.h"

namespace wperf::recording {
namespace {

using perf_data::CodePlace;
using perf_data::kNoCode;
using perf_data::MappedCode;
using perf_data::ProcessHistory;
using stacks::AddressKind;
using stacks::IdTable;
using stacks::kNothing;
using stacks::SmallIdTable;
using stacks::StackProfile;

constexpr usize kFilesTogether = 4;

// Where an address is called from stands behind the call, maybe in another function already.
u64 searched_address(u64 address, bool is_return_address) {
  return is_return_address && address != 0 ? address - 1 : address;
}

class PlaceNamer {
 public:
  PlaceNamer(const perf_data::PerfFile& file, const ProcessHistory& history, const RecordedJit& jit,
             const PlaceOptions& options, StackProfile& profile)
      : file_(file), history_(history), jit_(jit), options_(options), profile_(profile) {}

  void run(const stacks::StackAggregator& aggregator) {
    std::vector<u32> asked(aggregator.address_count());
    for (u32 i = 0; i < asked.size(); ++i) {
      const stacks::AggregatedAddress one = aggregator.address(i);
      const bool is_spot = one.kind == AddressKind::made;
      asked[i] = is_spot ? asked_.insert(kJit, one.address).id
                         : place_of(one.space, one.kind, searched_address(one.address, one.is_caller));
    }
    find_names();
    options_.lists ? list_stacks(aggregator, asked) : place_stacks(aggregator, asked);
  }
  NamedPlaces take() { return {std::move(files_), std::move(lists_)}; }

 private:
  // What is asked for: an offset in a mapped file, an address of the kernel, a spot of made code, or one that nobody
  // knows.
  static constexpr u64 kKernel = u64{1} << 32, kUnknown = u64{1} << 33, kJit = u64{1} << 34;

  u32 place_of(u32 space, AddressKind kind, u64 address) {
    if (kind == AddressKind::kernel) return asked_.insert(kKernel, address).id;
    if (kind == AddressKind::other) return asked_.insert(kUnknown, 0).id;
    const CodePlace place = history_.place_in(space, address);
    if (place.code == kNoCode) return asked_.insert(kUnknown, 0).id;
    return asked_.insert(place.code, place.offset).id;
  }

  void find_names();
  void place_stacks(const stacks::StackAggregator& aggregator, const std::vector<u32>& asked_of_address);
  void list_stacks(const stacks::StackAggregator& aggregator, const std::vector<u32>& asked_of_address);
  void list_frames(const stacks::AggregatedAddress& address, u32 asked);
  u32 node_below(u32 parent, u32 number, u32 asked, u64 address);
  u32 insert_node(u32 parent, u32 key, u32 place);
  void name_file(const MappedCode& code, const modules::CodeFile& file, const std::vector<u32>& asked);
  void name_answer(const symbols::Symbolization& known, const symbols::SymbolizedAddress& answer, u32 function,
                   u32 asked);
  void keep_site(const symbols::Symbolization& known, const symbols::SymbolizedAddress& answer, u32 function,
                 u32 asked);
  u32 inlined_function(std::string_view name, u32 module);
  void keep_file(u32 module, modules::CodeFile file) {
    files_.of_module.resize(module + 1, kNothing);
    files_.of_module[module] = static_cast<u32>(files_.files.size());
    files_.files.push_back(std::move(file));
  }
  void name_jit_code(const MappedCode& code, const std::vector<u32>& asked);
  void name_kernel(const std::vector<u32>& asked);
  void name_jit(const std::vector<u32>& asked);
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
  u32 text(std::string_view one) {
    const auto [entry, is_new] = texts_.try_emplace(std::string(one), static_cast<u32>(profile_.texts.size()));
    if (is_new) profile_.texts.push_back(entry->first);
    return entry->second;
  }
  u32 add_line(std::string_view file, u32 line) {
    if (file.empty() || line == 0) return kNothing;
    const auto [entry, is_new] = line_numbers_.try_emplace(fmt::format("{}:{}", modules::base_name(file), line),
                                                           static_cast<u32>(profile_.lines.size()));
    if (is_new) profile_.lines.push_back(entry->first);
    return entry->second;
  }

  const perf_data::PerfFile& file_;
  const ProcessHistory& history_;
  const RecordedJit& jit_;
  const PlaceOptions& options_;
  StackProfile& profile_;
  IdTable asked_;
  SmallIdTable nodes_;  // without the root
  struct Named {
    u32 place = kNothing;
    u32 first_inlined = 0, inlined = 0;  // in inlined_places_, the innermost last
  };
  std::vector<Named> named_;  // by number in asked_
  std::vector<u32> inlined_places_;
  std::map<std::pair<u32, std::string>, u32> inlined_functions_;  // by module and name
  CodeFiles files_;
  std::unordered_map<std::string, u32> texts_;
  stacks::LineStacks lists_;
  SmallIdTable places_;
  std::unordered_map<std::string, u32> line_numbers_;
};

void PlaceNamer::find_names() {
  named_.assign(asked_.size(), {});
  if (options_.code || options_.lists) profile_.sites.assign(asked_.size(), {});
  std::vector<std::vector<u32>> of_code(history_.codes().size());
  std::vector<u32> of_kernel, of_nobody, of_jit;
  for (u32 i = 0; i < asked_.size(); ++i) {
    const u64 where = asked_.first(i);
    (where == kKernel    ? of_kernel
     : where == kUnknown ? of_nobody
     : where == kJit     ? of_jit
                         : of_code[where])
        .push_back(i);
  }
  std::vector<u32> used;
  for (u32 code = 0; code < of_code.size(); ++code) {
    if (of_code[code].empty()) continue;
    used.push_back(code);
    std::sort(of_code[code].begin(), of_code[code].end(),
              [&](u32 a, u32 b) { return asked_.second(a) < asked_.second(b); });
  }
  const bool windows_run = is_windows_run(file_);
  // A few at a time: what was read of a file is given back before the next ones come.
  for (usize begin = 0; begin < used.size(); begin += kFilesTogether) {
    if (options_.tell) options_.tell(begin, used.size());
    const std::span<const u32> some = std::span(used).subspan(begin, std::min(kFilesTogether, used.size() - begin));
    std::vector<modules::CodeFile> loaded(some.size());
    modules::for_each_module(some.size(), [&](size_t i) {
      const MappedCode& code = history_.codes()[some[i]];
      if (!code.is_anonymous)
        loaded[i] = load_mapped_code(file_, history_, code, windows_run, options_.search, options_.images);
    });
    for (size_t i = 0; i < some.size(); ++i) {
      const MappedCode& code = history_.codes()[some[i]];
      if (code.is_anonymous) {
        name_jit_code(code, of_code[some[i]]);
      } else {
        const u32 module = static_cast<u32>(profile_.modules.size());
        name_file(code, loaded[i], of_code[some[i]]);
        if (options_.code) keep_file(module, std::move(loaded[i]));
      }
    }
  }
  if (!of_kernel.empty()) name_kernel(of_kernel);
  if (!of_nobody.empty()) name_unknown(of_nobody);
  if (!of_jit.empty()) name_jit(of_jit);
}

void PlaceNamer::name_file(const MappedCode& code, const modules::CodeFile& file, const std::vector<u32>& asked) {
  const usize slash = code.path.find_last_of(file.is_windows() || is_windows_path(code.path) ? "/\\" : "/");
  const u32 module =
      add_module(std::string(code.path.substr(slash == code.path.npos ? 0 : slash + 1)), code.path, file.reason());
  if (file.is_windows()) {
    profile_.modules[module].pdb_path = file.pdb_path();
    profile_.modules[module].image_base = file.image_base();
  }
  u32 nameless = kNothing;  // what the file has no address for
  std::vector<u64> addresses;
  std::vector<u32> of_address;
  for (const u32 one : asked) {
    std::optional<u64> address;
    if (file.has_symbols()) address = file.address_of_offset(asked_.second(one));
    if (address.has_value()) {
      addresses.push_back(*address);
      of_address.push_back(one);
    } else {
      if (nameless == kNothing) nameless = add_function({}, module);
      named_[one].place = add_place(nameless);
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
  const bool lines = options_.lines || options_.inlined || options_.code_lines;
  const symbols::Symbolization known = file.answer(sorted, {.lines = lines, .decorated = options_.decorated});
  const std::vector<modules::CodeRange> ranges =
      options_.line_ranges ? file.line_ranges(known) : std::vector<modules::CodeRange>();
  // By where they begin; what nobody knows the beginning of, by name or address.
  std::unordered_map<u64, u32> functions, loose_addresses;
  std::unordered_map<std::string_view, u32> loose_functions;
  NamelessCode nameless_code(file);
  usize at = 0;
  for (const u32 i : order) {
    while (known.answers[at].address != addresses[i]) ++at;
    symbols::SymbolizedAddress answer = known.answers[at];
    const bool is_named = !answer.function.empty();
    if (!is_named) nameless_code.find_bounds(answer);
    const bool has_begin = answer.begin != answer.end;
    const auto add = [&](auto& numbers, const auto& key) {
      const auto [entry, is_new] = numbers.try_emplace(key, 0);
      if (is_new) entry->second = add_function(answer.function, module);
      if (is_new && !is_named) {
        const u64 from = has_begin ? answer.begin : answer.address;
        profile_.functions.back().name = nameless_code.name(profile_.modules[module].name, from);
      }
      return entry->second;
    };
    const u32 function = has_begin  ? add(functions, answer.begin)
                         : is_named ? add(loose_functions, answer.function)
                                    : add(loose_addresses, answer.address);
    name_answer(known, answer, function, of_address[i]);
    if (!ranges.empty()) {
      profile_.sites[of_address[i]].line_begin = ranges[at].begin;
      profile_.sites[of_address[i]].line_end = ranges[at].end;
    }
  }
  if (options_.signatures) tell_overloads_apart(file, functions, profile_);
}

void PlaceNamer::keep_site(const symbols::Symbolization& known, const symbols::SymbolizedAddress& answer, u32 function,
                           u32 asked) {
  stacks::CodeSite& site = profile_.sites[asked];
  site = {function, answer.address, answer.begin, answer.end};
  if (!options_.code) return;
  site.first_frame = static_cast<u32>(profile_.code_frames.size());
  site.frame_count = answer.frame_count;
  for (u32 i = 0; i < answer.frame_count; ++i) {
    const symbols::SymbolizedFrame& frame = known.frames[answer.first_frame + i];
    profile_.code_frames.push_back({text(frame.function), text(frame.file), frame.line, frame.inlined});
  }
}

// A line belongs to the function that it is shown with: where inlined functions are not shown, it is the line of the
// call that was replaced.
void PlaceNamer::name_answer(const symbols::Symbolization& known, const symbols::SymbolizedAddress& answer,
                             u32 function, u32 asked) {
  if (options_.code || options_.lists) keep_site(known, answer, function, asked);
  const symbols::SymbolizedFrame* const frames = known.frames.data() + answer.first_frame;
  const auto line_of = [&](const symbols::SymbolizedFrame& frame) {
    return options_.lines ? add_line(frame.file, frame.line) : kNothing;
  };
  const u32 count = answer.frame_count;
  const u32 own = add_place(function, count != 0 ? line_of(frames[count - 1]) : kNothing);
  if (!options_.inlined || count < 2) {
    named_[asked].place = own;
    return;
  }
  named_[asked] = {own, static_cast<u32>(inlined_places_.size()), 0};
  for (u32 i = count - 1; i-- > 0;) {
    if (frames[i].function.empty()) continue;
    inlined_places_.push_back(
        add_place(inlined_function(frames[i].function, profile_.functions[function].module), line_of(frames[i])));
    ++named_[asked].inlined;
  }
}

u32 PlaceNamer::inlined_function(std::string_view name, u32 module) {
  const auto [entry, is_new] = inlined_functions_.try_emplace({module, std::string(name)}, 0);
  if (is_new) {
    entry->second = add_function(std::string(name) + " (inlined)", module);
    profile_.functions.back().is_inlined = true;
  }
  return entry->second;
}

u32 PlaceNamer::insert_node(u32 parent, u32 key, u32 place) {
  const auto [number, is_new] = nodes_.insert(parent, key);
  if (is_new) profile_.nodes.push_back({parent, place});
  return number + 1;
}

// Inlined functions make nodes of their own below the one of the function that they are in.
u32 PlaceNamer::node_below(u32 parent, u32 number, u32 asked, u64 address) {
  constexpr u32 kByAddress = u32{1} << 31;  // so many numbers would not fit into memory
  const Named& named = named_[asked];
  u32 node = insert_node(parent, options_.code ? kByAddress | number : named.place, named.place);
  for (u32 i = 0; i < named.inlined; ++i) {
    const u32 place = inlined_places_[named.first_inlined + i];
    node = insert_node(node, place, place);
  }
  if (options_.code && profile_.site_of_node.size() < profile_.nodes.size()) {
    const u32 site = profile_.sites[asked].function != kNothing ? asked : kNothing;
    profile_.site_of_node.resize(profile_.nodes.size(), site);
    profile_.address_of_node.resize(profile_.nodes.size(), address);
  }
  return node;
}

// Stacks become paths in one tree, from the outermost caller down. Where nobody asks for addresses, those of one place
// are one node.
void PlaceNamer::place_stacks(const stacks::StackAggregator& aggregator, const std::vector<u32>& asked_of_address) {
  profile_.nodes.assign(1, {});
  if (options_.code) {
    profile_.site_of_node.assign(1, kNothing);
    profile_.address_of_node.assign(1, 0);
  }
  const auto recorded_address = [&](u32 number) {
    const stacks::AggregatedAddress one = aggregator.address(number);
    return one.kind == AddressKind::made ? jit_.spot(one.address).address : one.address;
  };
  // Nodes of the stack that came last; where frames have nodes of inlined functions below, the last of those.
  std::vector<u32> path{0};
  aggregator.for_each_stack([&](u32 row, u32 depth, std::span<const u32> own) {
    path.resize(depth + 1);
    for (const u32 one : own) {
      const u64 address = options_.code ? recorded_address(one) : 0;
      path.push_back(node_below(path.back(), one, asked_of_address[one], address));
    }
    profile_.samples[row].node = path.back();
  });
}

void PlaceNamer::list_frames(const stacks::AggregatedAddress& address, u32 asked) {
  const Named& named = named_[asked];
  if (address.kind == AddressKind::made) {
    const u64 recorded = jit_.spot(address.address).address + (address.is_caller ? 1 : 0);
    return lists_.frames.push_back({recorded, stacks::kNoOffset, named.place});
  }
  for (u32 i = named.inlined; i-- > 0;) {
    lists_.frames.push_back({address.address, stacks::kNoOffset, inlined_places_[named.first_inlined + i]});
  }
  const stacks::CodeSite& site = profile_.sites[asked];
  // What was looked up is the call before the address that is told.
  const u64 offset =
      site.begin == site.end ? stacks::kNoOffset : site.address - site.begin + (address.is_caller ? 1 : 0);
  lists_.frames.push_back({address.address, offset, named.place});
}

void PlaceNamer::list_stacks(const stacks::StackAggregator& aggregator, const std::vector<u32>& asked_of_address) {
  profile_.nodes.assign(1, {});
  for (u32 place = 0; place < profile_.places.size(); ++place) profile_.nodes.push_back({0, place});
  lists_.frames.reserve(asked_of_address.size());
  lists_.frame_begins.reserve(asked_of_address.size() + 1);
  for (u32 i = 0; i < asked_of_address.size(); ++i) {
    lists_.frame_begins.push_back(static_cast<u32>(lists_.frames.size()));
    list_frames(aggregator.address(i), asked_of_address[i]);
  }
  lists_.frame_begins.push_back(static_cast<u32>(lists_.frames.size()));
  u64 size = 0;
  lists_.stack_begins.reserve(profile_.samples.size() + 1);
  lists_.stack_begins.push_back(0);
  aggregator.for_each_stack([&](u32, u32 depth, std::span<const u32> own) {
    size += depth + own.size();
    lists_.stack_begins.push_back(size);
  });
  lists_.addresses.reserve(size);
  std::vector<u32> path;  // outermost first
  aggregator.for_each_stack([&](u32 row, u32 depth, std::span<const u32> own) {
    path.resize(depth);
    path.insert(path.end(), own.begin(), own.end());
    lists_.addresses.insert(lists_.addresses.end(), path.rbegin(), path.rend());
    profile_.samples[row].node = 1 + lists_.frames[lists_.frame_begins[path.back()]].place;
  });
}

void PlaceNamer::name_jit_code(const MappedCode& code, const std::vector<u32>& asked) {
  const JitCode written(code);
  const u32 module = add_module(name_of_jit_code(code), code.path, written.reason());
  std::unordered_map<const symbols::ListedSymbol*, u32> functions;
  for (const u32 one : asked) {
    const symbols::ListedSymbol* found = written.find(asked_.second(one));
    const auto [entry, is_new] = functions.try_emplace(found, 0);
    if (is_new) entry->second = add_function(found != nullptr ? found->name : std::string_view(), module);
    named_[one].place = add_place(entry->second);
  }
}

void PlaceNamer::name_kernel(const std::vector<u32>& asked) {
  modules::KernelSymbols kernel = modules::KernelSymbols::load(file_, history_);
  std::vector<u32> order(asked.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](u32 a, u32 b) { return asked_.second(asked[a]) < asked_.second(asked[b]); });
  const auto first = static_cast<u32>(profile_.functions.size());
  std::vector<u32> function_of(asked.size());
  std::vector<std::string_view> modules_of;                   // by function
  std::map<std::pair<std::string_view, u64>, u32> functions;  // by module and where they begin; without a name at 0
  for (const u32 i : order) {
    const modules::KernelSymbols::Function found = kernel.find(asked_.second(asked[i]));
    const auto [entry, is_new] = functions.try_emplace({found.module, found.name.empty() ? 0 : found.begin}, 0);
    if (is_new) {
      entry->second = add_function(found.name, kNothing, true);
      modules_of.push_back(found.module);
    }
    function_of[i] = entry->second;
  }
  // Modules stand in the order in which they were asked for.
  std::map<std::string_view, u32> modules;
  for (u32 i = 0; i < asked.size(); ++i) {
    stacks::StackFunction& function = profile_.functions[function_of[i]];
    if (function.module == kNothing) {
      const std::string_view name = modules_of[function_of[i] - first];
      const auto [module, is_new] = modules.try_emplace(name, 0);
      if (is_new) {
        const bool is_nameless_module = !name.empty() && kernel.reason().empty() && !function.is_known;
        module->second = add_module(
            name.empty()         ? "[kernel]"
            : name.contains('.') ? std::string(name)
                                 : fmt::format("[{}]", name),
            {}, is_nameless_module ? "the kernel that runs here does not have it at that place" : kernel.reason());
      }
      function.module = module->second;
    }
    named_[asked[i]].place = add_place(function_of[i]);
  }
}

// A function that was made again is the same one.
void PlaceNamer::name_jit(const std::vector<u32>& asked) {
  std::map<u32, u32> modules;
  std::map<std::pair<u32, std::string_view>, u32> functions;
  for (const u32 one : asked) {
    const RecordedJit::Spot spot = jit_.spot(asked_.second(one));
    const auto [module, is_new_module] = modules.try_emplace(spot.process, 0);
    if (is_new_module) module->second = add_module(name_of_jit_code(spot.process), {}, {});
    const auto [function, is_new] = functions.try_emplace({spot.process, spot.function}, 0);
    if (is_new) function->second = add_function(spot.function, module->second);
    const u32 line = options_.lines ? add_line(spot.line.file, spot.line.line) : kNothing;
    named_[one].place = add_place(function->second, line);
  }
}

void PlaceNamer::name_unknown(const std::vector<u32>& asked) {
  const u32 module = add_module("[unknown]", {}, "the recording does not say what was there");
  profile_.modules[module].is_nowhere = true;
  const u32 place = add_place(add_function({}, module));
  for (const u32 one : asked) named_[one].place = place;
}

}  // namespace

NamedPlaces name_places(const perf_data::PerfFile& file, const ProcessHistory& history,
                        const stacks::StackAggregator& aggregator, const RecordedJit& jit, const PlaceOptions& options,
                        StackProfile& profile) {
  PlaceNamer namer(file, history, jit, options, profile);
  namer.run(aggregator);
  return namer.take();
}

}  // namespace wperf::recording
