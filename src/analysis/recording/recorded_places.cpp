// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <future>
#include <map>
#include <numeric>
#include <string_view>
#include <thread>
#include <unordered_map>

#include "analysis/recording/mapped_code.h"
#include "analysis/recording/opened_code.h"
#include "analysis/recording/path_tree.h"
#include "analysis/recording/python_names.h"
#include "code/modules/for_each_module.h"
#include "code/modules/kernel_symbols.h"
#include "model/stacks/id_table.h"

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
constexpr u32 kRowsForTwo = 1 << 12;      // with fewer rows, starting a thread takes longer
constexpr u32 kByAddress = u32{1} << 31;  // marks an address in a node's key; more numbers would not fit into memory

// A return address follows the call, and may be in another function.
u64 searched_address(u64 address, bool is_return_address) {
  return is_return_address && address != 0 ? address - 1 : address;
}

class PlaceNamer {
 public:
  PlaceNamer(const perf_data::PerfFile& file, const ProcessHistory& history, const PlaceOptions& options,
             StackProfile& profile)
      : file_(file), history_(history), jit_(*options.jit), options_(options), profile_(profile) {}

  void run(stacks::StackAggregator& aggregator) {
    std::vector<u32> asked(aggregator.address_count());
    for (u32 i = 0; i < asked.size(); ++i) {
      const stacks::AggregatedAddress one = aggregator.address(i);
      const bool is_spot = one.kind == AddressKind::made;
      asked[i] = is_spot ? asked_.insert(kJit, one.address).id
                         : place_of(one.space, one.kind, searched_address(one.address, one.is_caller));
    }
    if (!options_.code && !options_.lists) aggregator.forget_addresses();
    find_names();
    options_.lists ? list_stacks(aggregator, asked) : place_stacks(aggregator, asked);
  }
  NamedPlaces take() { return {std::move(files_), std::move(lists_)}; }

 private:
  // A key to look up: an offset in a mapped file, a kernel address, a spot of made code, or an unknown address.
  static constexpr u64 kKernel = u64{1} << 32, kUnknown = u64{1} << 33, kJit = u64{1} << 34;

  u32 place_of(u32 space, AddressKind kind, u64 address) {
    if (kind == AddressKind::kernel) {
      const CodePlace place = history_.kernel_place(address);
      if (place.code != kNoCode) return asked_.insert(place.code, place.offset).id;
      return asked_.insert(kKernel, address).id;
    }
    if (kind == AddressKind::other) return asked_.insert(kUnknown, 0).id;
    const CodePlace place = history_.place_in(space, address);
    if (place.code == kNoCode) return asked_.insert(kUnknown, 0).id;
    return asked_.insert(place.code, place.offset).id;
  }

  void find_names();
  void place_stacks(const stacks::StackAggregator& aggregator, const std::vector<u32>& asked_of_address);
  void list_stacks(const stacks::StackAggregator& aggregator, const std::vector<u32>& asked_of_address);
  void list_frames(const stacks::AggregatedAddress& address, u32 asked);
  void list_sites(const PathTree& tree, const stacks::StackAggregator& aggregator,
                  const std::vector<u32>& asked_of_address);
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
  using ModuleOfFile = std::map<std::string_view, u32>;
  u32 module_of_python(std::string_view file, ModuleOfFile& files);
  // The names of kernel addresses, in their order.
  struct KernelAnswers {
    modules::KernelSymbols symbols;  // for this machine's kernel
    std::vector<u32> order;          // indices of the addresses to be named
    std::vector<modules::KernelSymbols::Function> functions;
  };
  void ask_kernel(const std::vector<u32>& asked, KernelAnswers& out) const;
  void name_kernel(const std::vector<u32>& asked, const KernelAnswers& answers);
  void name_jit(const std::vector<u32>& asked);
  void keep_made_site(const RecordedJit::Spot& spot, u32 function, u32 asked);
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
  struct Named {
    u32 place = kNothing;
    u32 first_inlined = 0, inlined = 0;  // range in inlined_places_, innermost last
  };
  std::vector<Named> named_;  // by number in asked_
  std::vector<u32> inlined_places_;
  std::map<std::pair<u32, std::string>, u32> inlined_functions_;  // keyed by module and name
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
  KernelAnswers kernel;  // one long list, read in parallel with all files
  std::future<void> kernel_asked;
  if (!of_kernel.empty()) kernel_asked = std::async(std::launch::async, [&] { ask_kernel(of_kernel, kernel); });
  // A few files at a time: the memory of files that were read is freed before the next ones are opened.
  for (usize begin = 0; begin < used.size(); begin += kFilesTogether) {
    if (options_.tell) options_.tell(begin, used.size());
    const std::span<const u32> some = std::span(used).subspan(begin, std::min(kFilesTogether, used.size() - begin));
    std::vector<modules::CodeFile> loaded(some.size());
    std::vector<std::shared_ptr<const modules::CodeFile>> opened(some.size());
    std::vector<size_t> to_load;
    for (size_t i = 0; i < some.size(); ++i) {
      const MappedCode& code = history_.codes()[some[i]];
      if (code.is_anonymous) continue;
      if (options_.opened != nullptr) opened[i] = options_.opened->find(code);
      if (opened[i] == nullptr) to_load.push_back(i);
    }
    modules::for_each_module(to_load.size(), [&](size_t n) {
      const MappedCode& code = history_.codes()[some[to_load[n]]];
      loaded[to_load[n]] = load_mapped_code(file_, history_, code, {windows_run, options_.search, options_.images});
    });
    for (const size_t i : to_load) {
      if (options_.opened == nullptr) break;
      opened[i] = options_.opened->keep(history_.codes()[some[i]], std::move(loaded[i]));
    }
    for (size_t i = 0; i < some.size(); ++i) {
      const MappedCode& code = history_.codes()[some[i]];
      if (code.is_anonymous) {
        name_jit_code(code, of_code[some[i]]);
      } else {
        const u32 module = static_cast<u32>(profile_.modules.size());
        name_file(code, opened[i] != nullptr ? *opened[i] : loaded[i], of_code[some[i]]);
        if (options_.code) keep_file(module, std::move(loaded[i]));
      }
    }
  }
  if (!of_kernel.empty()) {
    kernel_asked.get();
    name_kernel(of_kernel, kernel);
  }
  if (!of_nobody.empty()) name_unknown(of_nobody);
  if (!of_jit.empty()) name_jit(of_jit);
}

void PlaceNamer::name_file(const MappedCode& code, const modules::CodeFile& file, const std::vector<u32>& asked) {
  const bool is_windows = file.is_windows() || perf_data::is_windows_path(code.path);
  const usize slash = code.path.find_last_of(is_windows ? "/\\" : "/");
  const u32 module =
      add_module(std::string(code.path.substr(slash == code.path.npos ? 0 : slash + 1)), code.path, file.reason());
  for (const std::byte byte : code.build_id) {
    profile_.modules[module].build_id += fmt::format("{:02x}", static_cast<u8>(byte));
  }
  if (file.is_windows()) {
    profile_.modules[module].pdb_path = file.pdb_path();
    profile_.modules[module].image_base = file.image_base();
  }
  u32 nameless = kNothing;  // for addresses that are not in the file
  std::vector<u64> addresses;
  std::vector<u32> of_address;
  for (const u32 one : asked) {
    std::optional<u64> address;
    if (file.has_symbols()) address = file.address_of_offset(asked_.second(one));
    if (address.has_value()) {
      addresses.push_back(*address);
      of_address.push_back(one);
    } else if (is_windows) {
      const u32 function = add_function({}, module, code.is_kernel);
      profile_.functions[function].name = fmt::format("{}+0x{:x}", profile_.modules[module].name, asked_.second(one));
      if (options_.rvas) profile_.sites[one] = {.function = function, .address = asked_.second(one)};
      named_[one].place = add_place(function);
    } else {
      if (nameless == kNothing) nameless = add_function({}, module, code.is_kernel);
      named_[one].place = add_place(nameless);
    }
  }
  if (addresses.empty()) return;
  // In files with overlapping segments the order may be different.
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
  profile_.modules[module].not_used = file.not_used();
  if (profile_.modules[module].reason.empty()) profile_.modules[module].reason = profile_.modules[module].not_used;
  const std::vector<modules::CodeRange> ranges =
      options_.line_ranges ? file.line_ranges(known) : std::vector<modules::CodeRange>();
  // By beginning; those without a known beginning by name or address.
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
      if (is_new) entry->second = add_function(answer.function, module, code.is_kernel);
      if (is_new && has_begin) profile_.functions.back().begin = answer.begin;
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

// A line belongs to the function that is shown: if inlined functions are not shown, it is the line of the call that was
// replaced.
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
    entry->second = add_function(std::string(name).append(stacks::kInlinedMark), module);
    profile_.functions.back().is_inlined = true;
  }
  return entry->second;
}

// Stacks become paths in one tree, from the outermost caller down. If addresses are not requested, all addresses of a
// place share a node. Inlined functions become nodes below the function that contains them. There are many more frames
// than nodes, so two threads with a tree each are faster.
void PlaceNamer::place_stacks(const stacks::StackAggregator& aggregator, const std::vector<u32>& asked_of_address) {
  std::vector<u32> place_of_address;
  place_of_address.reserve(asked_of_address.size());
  for (const u32 asked : asked_of_address) place_of_address.push_back(named_[asked].place);
  const auto place_rows = [&](u32 from, u32 to, PathTree& tree) {
    // Nodes of the previous stack; for frames with inlined functions, the last of their nodes.
    std::vector<u32> path{PathTree::kRoot};
    aggregator.for_each_stack(from, to, [&](u32 row, u32 depth, std::span<const u32> own) {
      path.resize(depth + 1);
      for (const u32 one : own) {
        const u32 place = place_of_address[one];
        u32 node = tree.insert(path.back(), options_.code ? kByAddress | one : place, place);
        if (!inlined_places_.empty()) {
          const Named& named = named_[asked_of_address[one]];
          for (const u32 inlined : std::span(inlined_places_).subspan(named.first_inlined, named.inlined)) {
            node = tree.insert(node, inlined, inlined);
          }
        }
        path.push_back(node);
      }
      profile_.samples[row].node = path.back();
    });
  };
  const u32 rows = aggregator.stack_count();
  const bool is_shared = rows >= kRowsForTwo && std::thread::hardware_concurrency() > 1;
  const u32 middle = is_shared ? rows / 2 : rows;
  PathTree tree, others;
  std::future<void> other_half;
  if (is_shared) other_half = std::async(std::launch::async, [&] { place_rows(middle, rows, others); });
  place_rows(0, middle, tree);
  if (is_shared) {
    other_half.get();
    const std::vector<u32> here = tree.join(others);
    for (u32 row = middle; row < rows; ++row) profile_.samples[row].node = here[profile_.samples[row].node];
  }
  if (options_.code) list_sites(tree, aggregator, asked_of_address);
  profile_.nodes = tree.take_nodes();
}

// Inlined functions have the site of the function that contains them.
void PlaceNamer::list_sites(const PathTree& tree, const stacks::StackAggregator& aggregator,
                            const std::vector<u32>& asked_of_address) {
  profile_.site_of_node.assign(1, kNothing);
  profile_.address_of_node.assign(1, 0);
  for (u32 node = 1; node < tree.size(); ++node) {
    if ((tree.key(node) & kByAddress) == 0) {
      const u32 parent = tree.parent(node);
      profile_.site_of_node.push_back(profile_.site_of_node[parent]);
      profile_.address_of_node.push_back(profile_.address_of_node[parent]);
      continue;
    }
    const u32 number = tree.key(node) & ~kByAddress;
    const u32 asked = asked_of_address[number];
    const stacks::AggregatedAddress one = aggregator.address(number);
    profile_.site_of_node.push_back(profile_.sites[asked].function != kNothing ? asked : kNothing);
    profile_.address_of_node.push_back(one.kind == AddressKind::made ? jit_.spot(one.address).address : one.address);
  }
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
  // The lookup used the address before the return address, in the call.
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
  aggregator.for_each_stack(0, aggregator.stack_count(), [&](u32, u32 depth, std::span<const u32> own) {
    size += depth + own.size();
    lists_.stack_begins.push_back(size);
  });
  lists_.addresses.reserve(size);
  std::vector<u32> path;  // outermost first
  aggregator.for_each_stack(0, aggregator.stack_count(), [&](u32 row, u32 depth, std::span<const u32> own) {
    path.resize(depth);
    path.insert(path.end(), own.begin(), own.end());
    lists_.addresses.insert(lists_.addresses.end(), path.rbegin(), path.rend());
    profile_.samples[row].node = 1 + lists_.frames[lists_.frame_begins[path.back()]].place;
  });
}

void PlaceNamer::name_jit_code(const MappedCode& code, const std::vector<u32>& asked) {
  const JitCode written(code, options_.search.folders);
  const u32 module = add_module(name_of_jit_code(code), code.path, written.reason());
  std::unordered_map<const symbols::ListedSymbol*, u32> functions;
  ModuleOfFile files;
  for (const u32 one : asked) {
    const symbols::ListedSymbol* found = written.find(asked_.second(one));
    const auto [entry, is_new] = functions.try_emplace(found, 0);
    if (is_new) {
      const std::string_view name = found != nullptr ? found->name : std::string_view();
      const auto python = python_name(name);
      entry->second = python.has_value() ? add_function(python->function, module_of_python(python->file, files))
                                         : add_function(name, module);
    }
    named_[one].place = add_place(entry->second);
  }
}

// The module of a Python function is its file.
u32 PlaceNamer::module_of_python(std::string_view file, ModuleOfFile& files) {
  const auto [module, is_new] = files.try_emplace(file, 0);
  if (is_new) module->second = add_module(std::string(python_module(file)), file, {});
  return module->second;
}

void PlaceNamer::ask_kernel(const std::vector<u32>& asked, KernelAnswers& out) const {
  out.symbols = modules::KernelSymbols::load(file_, history_);
  out.order.resize(asked.size());
  std::iota(out.order.begin(), out.order.end(), 0);
  std::sort(out.order.begin(), out.order.end(),
            [&](u32 a, u32 b) { return asked_.second(asked[a]) < asked_.second(asked[b]); });
  out.functions.reserve(asked.size());
  for (const u32 i : out.order) out.functions.push_back(out.symbols.find(asked_.second(asked[i])));
}

void PlaceNamer::name_kernel(const std::vector<u32>& asked, const KernelAnswers& answers) {
  const auto first = static_cast<u32>(profile_.functions.size());
  std::vector<u32> function_of(asked.size());
  std::vector<std::string_view> modules_of;                   // by function
  std::map<std::pair<std::string_view, u64>, u32> functions;  // keyed by module and beginning; 0 if there is no name
  for (usize at = 0; at < asked.size(); ++at) {
    const modules::KernelSymbols::Function& found = answers.functions[at];
    const auto [entry, is_new] = functions.try_emplace({found.module, found.name.empty() ? 0 : found.begin}, 0);
    if (is_new) {
      entry->second = add_function(found.name, kNothing, true);
      modules_of.push_back(found.module);
    }
    function_of[answers.order[at]] = entry->second;
  }
  // Modules are in the order of the lookups.
  std::map<std::string_view, u32> modules;
  for (u32 i = 0; i < asked.size(); ++i) {
    stacks::StackFunction& function = profile_.functions[function_of[i]];
    if (function.module == kNothing) {
      const std::string_view name = modules_of[function_of[i] - first];
      const auto [module, is_new] = modules.try_emplace(name, 0);
      if (is_new) {
        const bool is_nameless_module = !name.empty() && answers.symbols.reason().empty() && !function.is_known;
        module->second = add_module(
            name.empty()         ? "[kernel]"
            : name.contains('.') ? std::string(name)
                                 : fmt::format("[{}]", name),
            {}, is_nameless_module ? "the running kernel has no function at that address" : answers.symbols.reason());
      }
      function.module = module->second;
    }
    named_[asked[i]].place = add_place(function_of[i]);
  }
}

// A function that was generated again is the same function.
void PlaceNamer::name_jit(const std::vector<u32>& asked) {
  std::map<u32, u32> modules;
  ModuleOfFile files;
  std::map<std::pair<u32, std::string_view>, u32> functions;
  for (const u32 one : asked) {
    const RecordedJit::Spot spot = jit_.spot(asked_.second(one));
    const auto python = python_name(spot.function);
    u32 module = kNothing;
    if (python.has_value()) {
      module = module_of_python(python->file, files);
    } else {
      const auto [known, is_new] = modules.try_emplace(spot.process, 0);
      if (is_new) known->second = add_module(name_of_jit_code(spot.process), {}, {});
      module = known->second;
    }
    const auto [function, is_new] = functions.try_emplace({python.has_value() ? 0 : spot.process, spot.function}, 0);
    if (is_new) function->second = add_function(python.has_value() ? python->function : spot.function, module);
    const u32 line = options_.lines ? add_line(spot.line.file, spot.line.line) : kNothing;
    named_[one].place = add_place(function->second, line);
    if (options_.code && spot.line.line != 0) keep_made_site(spot, function->second, one);
  }
}

// Bounds of such code are not known here, so only its lines are listed.
void PlaceNamer::keep_made_site(const RecordedJit::Spot& spot, u32 function, u32 asked) {
  stacks::CodeSite& site = profile_.sites[asked];
  site = {.function = function, .address = spot.address};
  site.first_frame = static_cast<u32>(profile_.code_frames.size());
  site.frame_count = 1;
  profile_.code_frames.push_back(
      {text(profile_.functions[function].name), text(spot.line.file), spot.line.line, false});
}

void PlaceNamer::name_unknown(const std::vector<u32>& asked) {
  const u32 module = add_module("[unknown]", {}, "the recording has no mapping for this address");
  profile_.modules[module].is_nowhere = true;
  const u32 place = add_place(add_function({}, module));
  for (const u32 one : asked) named_[one].place = place;
}

}  // namespace

NamedPlaces name_places(const perf_data::PerfFile& file, const ProcessHistory& history,
                        stacks::StackAggregator& aggregator, const PlaceOptions& options, StackProfile& profile) {
  PlaceNamer namer(file, history, options, profile);
  namer.run(aggregator);
  return namer.take();
}

}  // namespace wperf::recording
