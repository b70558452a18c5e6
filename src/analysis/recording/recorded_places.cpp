// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <future>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "analysis/recording/kernel_places.h"
#include "analysis/recording/mapped_code.h"
#include "analysis/recording/opened_code.h"
#include "analysis/recording/placed_stacks.h"
#include "analysis/recording/profile_tables.h"
#include "analysis/recording/python_names.h"
#include "code/modules/for_each_module.h"
#include "ground/bytes/hexadecimal.h"
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
using stacks::StackProfile;

constexpr usize kFilesTogether = 4;

// A return address is after the call, and may be in the next function.
u64 searched_address(u64 address, bool is_return_address) {
  return is_return_address && address != 0 ? address - 1 : address;
}

class PlaceNamer {
 public:
  PlaceNamer(const perf_data::PerfFile& file, const ProcessHistory& history, const PlaceOptions& options,
             StackProfile& profile)
      : file_(file), history_(history), jit_(*options.jit), options_(options), profile_(profile), tables_(profile) {}

  void run(stacks::StackAggregator& aggregator) {
    named_.of_address.resize(aggregator.address_count());
    for (u32 i = 0; i < named_.of_address.size(); ++i) {
      const stacks::AggregatedAddress one = aggregator.address(i);
      const bool is_jit = one.kind == AddressKind::made;
      named_.of_address[i] = is_jit ? asked_.insert(kJit, one.address).id
                                    : place_of(one.space, one.kind, searched_address(one.address, one.is_caller));
    }
    if (!options_.code && !options_.lists) aggregator.forget_addresses();
    find_names();
    tables_.tell_python_files_apart();
  }
  const NamedAddresses& named() const { return named_; }
  CodeFiles take_files() { return std::move(files_); }

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
  u32 add_module(const MappedCode& code, const modules::CodeFile& file, bool is_windows);
  // The requested offsets that are in the file, as its linked addresses.
  struct FileAddresses {
    std::vector<u64> addresses;
    std::vector<u32> asked;
  };
  // Names the other offsets.
  FileAddresses addresses_in(const MappedCode& code, const modules::CodeFile& file, const std::vector<u32>& asked,
                             u32 module, bool is_windows);
  void name_file(const MappedCode& code, const modules::CodeFile& file, const std::vector<u32>& asked);
  void name_answer(const symbols::Symbolization& known, const symbols::SymbolizedAddress& answer, u32 function,
                   u32 asked);
  void keep_site(const symbols::Symbolization& known, const symbols::SymbolizedAddress& answer, u32 function,
                 u32 asked);
  void keep_file(u32 module, modules::CodeFile file) {
    files_.of_module.resize(module + 1, kNothing);
    files_.of_module[module] = static_cast<u32>(files_.files.size());
    files_.files.push_back(std::move(file));
  }
  void name_jit_code(const MappedCode& code, const std::vector<u32>& asked);
  void name_jit(const std::vector<u32>& asked);
  void keep_made_site(const RecordedJit::JitLocation& location, u32 function, u32 asked);
  void name_unknown(const std::vector<u32>& asked);

  const perf_data::PerfFile& file_;
  const ProcessHistory& history_;
  const RecordedJit& jit_;
  const PlaceOptions& options_;
  StackProfile& profile_;
  IdTable asked_;
  NamedAddresses named_;  // the names of the keys, by number in asked_
  ProfileTables tables_;
  CodeFiles files_;
};

void PlaceNamer::find_names() {
  named_.names.assign(asked_.size(), {});
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
  KernelPlaces kernel;  // one long list: read in parallel with all the files
  std::future<void> kernel_asked;
  if (!of_kernel.empty()) {
    std::vector<u64> addresses;
    addresses.reserve(of_kernel.size());
    for (const u32 one : of_kernel) addresses.push_back(asked_.second(one));
    kernel_asked = std::async(std::launch::async,
                              [&, addresses = std::move(addresses)] { kernel.ask(file_, history_, addresses); });
  }
  // Opens only a few files at a time, and frees their memory before the next files are opened.
  for (usize begin = 0; begin < used.size(); begin += kFilesTogether) {
    if (options_.progress) options_.progress(begin, used.size());
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
    const std::vector<u32> places = kernel.name(tables_, profile_);
    for (u32 i = 0; i < of_kernel.size(); ++i) named_.names[of_kernel[i]].place = places[i];
  }
  if (!of_nobody.empty()) name_unknown(of_nobody);
  if (!of_jit.empty()) name_jit(of_jit);
}

u32 PlaceNamer::add_module(const MappedCode& code, const modules::CodeFile& file, bool is_windows) {
  const usize slash = code.path.find_last_of(is_windows ? "/\\" : "/");
  const u32 module = tables_.add_module(std::string(code.path.substr(slash == code.path.npos ? 0 : slash + 1)),
                                        code.path, file.reason());
  profile_.modules[module].build_id = bytes::hexadecimal(code.build_id);
  if (file.is_windows()) {
    profile_.modules[module].pdb_path = file.pdb_path();
    profile_.modules[module].image_base = file.image_base();
  }
  return module;
}

PlaceNamer::FileAddresses PlaceNamer::addresses_in(const MappedCode& code, const modules::CodeFile& file,
                                                   const std::vector<u32>& asked, u32 module, bool is_windows) {
  FileAddresses out;
  u32 nameless = kNothing;
  for (const u32 one : asked) {
    std::optional<u64> address;
    if (file.has_symbols()) address = file.address_of_offset(asked_.second(one));
    if (address.has_value()) {
      out.addresses.push_back(*address);
      out.asked.push_back(one);
    } else if (is_windows) {
      const u32 function = tables_.add_function({}, module, code.is_kernel);
      profile_.functions[function].name = fmt::format("{}+0x{:x}", profile_.modules[module].name, asked_.second(one));
      if (options_.rvas) profile_.sites[one] = {.function = function, .address = asked_.second(one)};
      named_.names[one].place = tables_.add_place(function);
    } else {
      if (nameless == kNothing) nameless = tables_.add_function({}, module, code.is_kernel);
      named_.names[one].place = tables_.add_place(nameless);
    }
  }
  return out;
}

void PlaceNamer::name_file(const MappedCode& code, const modules::CodeFile& file, const std::vector<u32>& asked) {
  const bool is_windows = file.is_windows() || perf_data::is_windows_path(code.path);
  const u32 module = add_module(code, file, is_windows);
  const FileAddresses inside = addresses_in(code, file, asked, module, is_windows);
  const std::vector<u64>& addresses = inside.addresses;
  const std::vector<u32>& of_address = inside.asked;
  if (addresses.empty()) return;
  // In files with overlapping segments, addresses can be in another order than offsets.
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
  const std::vector<code::AddressRange> ranges =
      options_.line_ranges ? file.line_ranges(known) : std::vector<code::AddressRange>();
  // Functions keyed by start address; functions without a known start are keyed by name or address.
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
      if (!is_new) return entry->second;
      entry->second = tables_.add_function(answer.function, module, code.is_kernel);
      stacks::StackFunction& function = profile_.functions.back();
      if (has_begin) function.begin = answer.begin;
      function.is_address = is_named ? answer.source == symbols::SymbolSource::pdata : has_begin;
      if (!is_named) {
        const u64 from = has_begin ? answer.begin : answer.address;
        function.name = nameless_code.name(profile_.modules[module].name, from);
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
    profile_.code_frames.push_back({tables_.text(frame.function), tables_.text(frame.file), frame.line, frame.inlined});
  }
}

// The line is a line of the displayed function: if inlined functions are not shown, it is the line of the call that was
// inlined.
void PlaceNamer::name_answer(const symbols::Symbolization& known, const symbols::SymbolizedAddress& answer,
                             u32 function, u32 asked) {
  if (options_.code || options_.lists) keep_site(known, answer, function, asked);
  const symbols::SymbolizedFrame* const frames = known.frames.data() + answer.first_frame;
  const auto line_of = [&](const symbols::SymbolizedFrame& frame) {
    return options_.lines ? tables_.add_line(frame.file, frame.line) : kNothing;
  };
  const u32 count = answer.frame_count;
  const u32 own = tables_.add_place(function, count != 0 ? line_of(frames[count - 1]) : kNothing);
  if (!options_.inlined || count < 2) {
    named_.names[asked].place = own;
    return;
  }
  named_.names[asked] = {own, static_cast<u32>(named_.inlined_places.size()), 0};
  for (u32 i = count - 1; i-- > 0;) {
    if (frames[i].function.empty()) continue;
    named_.inlined_places.push_back(tables_.add_place(
        tables_.inlined_function(frames[i].function, profile_.functions[function].module), line_of(frames[i])));
    ++named_.names[asked].inlined;
  }
}

void PlaceNamer::name_jit_code(const MappedCode& code, const std::vector<u32>& asked) {
  const JitCode written(code, options_.search.folders);
  const u32 module = tables_.add_module(name_of_jit_code(code), code.path, written.reason());
  std::unordered_map<const symbols::ListedSymbol*, u32> functions;
  ProfileTables::ModuleOfFile files;
  for (const u32 one : asked) {
    const symbols::ListedSymbol* found = written.find(asked_.second(one));
    const auto [entry, is_new] = functions.try_emplace(found, 0);
    if (is_new) {
      const std::string_view name = found != nullptr ? found->name : std::string_view();
      const auto python = python_name(name);
      entry->second = python.has_value()
                          ? tables_.add_function(python->function, tables_.module_of_python(python->file, files,
                                                                                            python->is_of_other_root))
                          : tables_.add_function(name, module);
    }
    named_.names[one].place = tables_.add_place(entry->second);
  }
}

// A function that was generated several times counts as one function.
void PlaceNamer::name_jit(const std::vector<u32>& asked) {
  std::map<u32, u32> modules;
  ProfileTables::ModuleOfFile files;
  std::map<std::tuple<u32, std::string_view, u32>, u32> functions;  // by module, name and line
  for (const u32 one : asked) {
    const RecordedJit::JitLocation location = jit_.location(asked_.second(one));
    const auto python = python_name(location.function);
    u32 module = kNothing;
    if (python.has_value()) {
      module = tables_.module_of_python(python->file, files, python->is_of_other_root);
    } else {
      const auto [known, is_new] = modules.try_emplace(location.process, 0);
      if (is_new) known->second = tables_.add_module(name_of_jit_code(location.process), {}, {});
      module = known->second;
    }
    const u32 own_line = python.has_value() && options_.python_lines ? location.line.line : 0;
    const std::string_view name = python.has_value() ? python->function : location.function;
    const auto [function, is_new] = functions.try_emplace({module, name, own_line}, 0);
    if (is_new) {
      function->second =
          tables_.add_function(own_line != 0 ? python_line_name(name, own_line) : std::string(name), module);
    }
    const u32 line = options_.lines ? tables_.add_line(location.line.file, location.line.line) : kNothing;
    named_.names[one].place = tables_.add_place(function->second, line);
    if (options_.code && location.line.line != 0) keep_made_site(location, function->second, one);
  }
}

// The bounds of generated code are not known here, so only its lines are listed.
void PlaceNamer::keep_made_site(const RecordedJit::JitLocation& location, u32 function, u32 asked) {
  stacks::CodeSite& site = profile_.sites[asked];
  site = {.function = function, .address = location.address};
  site.first_frame = static_cast<u32>(profile_.code_frames.size());
  site.frame_count = 1;
  profile_.code_frames.push_back(
      {tables_.text(profile_.functions[function].name), tables_.text(location.line.file), location.line.line, false});
}

void PlaceNamer::name_unknown(const std::vector<u32>& asked) {
  const u32 module = tables_.add_module("[unknown]", {}, "the recording has no mapping for this address");
  profile_.modules[module].is_nowhere = true;
  const u32 place = tables_.add_place(tables_.add_function({}, module));
  for (const u32 one : asked) named_.names[one].place = place;
}

}  // namespace

NamedPlaces name_places(const perf_data::PerfFile& file, const ProcessHistory& history,
                        stacks::StackAggregator& aggregator, const PlaceOptions& options, StackProfile& profile) {
  PlaceNamer namer(file, history, options, profile);
  namer.run(aggregator);
  NamedPlaces places{namer.take_files(), {}};
  if (options.lists) {
    places.lists = list_stacks(aggregator, namer.named(), *options.jit, profile);
  } else {
    place_stacks(aggregator, namer.named(), *options.jit, options.code, profile);
  }
  return places;
}

}  // namespace wperf::recording
