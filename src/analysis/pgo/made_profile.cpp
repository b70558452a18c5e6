// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/made_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/pgo/block_counts.h"
#include "analysis/pgo/chosen_binary.h"
#include "analysis/pgo/source_profile.h"
#include "code/symbols/image_dwarf.h"
#include "formats/compiler_profiles/compiler_profiles.h"
#include "ground/text/base_name.h"
#include "ground/text/shell_words.h"

namespace wperf::pgo {
namespace {

using compiler_profiles::AddressCount;
using compiler_profiles::AddressCounts;
using request::PgoFormat;

// The counts of a binary, without and with weights by period.
struct ExecutedCode {
  AddressCounts samples, weighted;
};

// The facts that are the same for all formats.
ProfileFacts begun_facts(const ProfileCounts& counts, const std::vector<u32>& events) {
  ProfileFacts facts;
  for (const u32 event : events) facts.events.push_back(counts.events[event].name);
  for (u32 event = 0; event < counts.events.size(); ++event) {
    if (std::find(events.begin(), events.end(), event) != events.end()) continue;
    for (const Binary& binary : counts.binaries) facts.of_other_events += samples_in(binary, {event});
  }
  for (const Binary& binary : counts.binaries) facts.without_address += binary.without_address;
  facts.drops = counts.drops;
  facts.losses = counts.losses;
  facts.samples = counts.samples;
  facts.branch_stacks = counts.branch_stacks;
  facts.without_stack = counts.samples_without_stacks;
  return facts;
}

// BOLT names local symbols NAME/1, NAME/2. `unnamed` receives the unweighted number of samples in functions without a
// symbol.
std::vector<compiler_profiles::FunctionSample> bolt_functions(const Binary& binary, const ExecutedCode& code,
                                                              std::set<std::string>& names, u64& unnamed) {
  std::vector<compiler_profiles::FunctionSample> samples;
  for (usize i = 0; i < code.samples.samples.size(); ++i) {
    const AddressCount& one = code.weighted.samples[i];
    u64 begin = 0;
    const CountedFunction* const function = function_at(binary, one.address, begin);
    if (function == nullptr || function->elf_symbol.empty()) {
      unnamed += code.samples.samples[i].count;
      continue;
    }
    const std::string number = function->local_number != 0 ? fmt::format("/{}", function->local_number) : "";
    const std::string_view name = *names.insert(function->elf_symbol + number).first;
    samples.push_back({name, one.address - begin, one.count});
  }
  return samples;
}

// Removes linker stubs, because they are not functions of the program. Calls of stubs are kept.
AddressCounts without_stubs(const Binary& binary, const AddressCounts& counts) {
  AddressCounts out = counts;
  if (binary.file == nullptr) return out;
  std::map<u64, bool> known;
  const auto is_in_stub = [&](u64 address) {
    const auto [place, is_new] = known.try_emplace(address);
    if (is_new) place->second = binary.file->function_at(address, true).function.ends_with(kStubEnd);
    return place->second;
  };
  std::erase_if(out.branches, [&](const auto& one) { return is_in_stub(one.from); });
  std::erase_if(out.ranges, [&](const auto& one) { return is_in_stub(one.begin); });
  return out;
}

// The path of the binary in the command that the user runs next.
const std::string& path_of(const Binary& binary, const ProfileOrder& order) {
  return order.binary.empty() ? binary.path : order.binary;
}

diag::Result<MadeProfile> profile_for_bolt(const Binary& binary, const ExecutedCode& code, const ProfileOrder& order,
                                           ProfileFacts facts) {
  if (binary.is_windows) {
    return diag::usage_error(fmt::format("BOLT reads ELF files, and {} is a Windows image", binary.name),
                             "use --format llvm (clang) or spt (MSVC)");
  }
  const std::string path = text::quoted_word(path_of(binary, order));
  const std::string rebuilt = fmt::format("llvm-bolt {} -o {}", path, text::quoted_word(binary.name + ".bolt"));
  if (facts.has_branches) {
    facts.next = fmt::format("perf2bolt --pa -p {} -o {} {} && {} -data {} -reorder-blocks=ext-tsp",
                             text::quoted_word(facts.file), text::quoted_word(facts.file + ".fdata"), path, rebuilt,
                             text::quoted_word(facts.file + ".fdata"));
    return MadeProfile{compiler_profiles::bolt_branches(without_stubs(binary, code.samples)), std::move(facts)};
  }
  std::set<std::string> names;
  const auto samples = bolt_functions(binary, code, names, facts.without_symbol);
  facts.used -= facts.without_symbol;
  if (facts.used == 0) {
    return diag::Error{.text = fmt::format("no sample of {} is in a function that the symbol table names", binary.name),
                       .hint = "BOLT needs the symbol table: link with -Wl,-q, and do not strip the program"};
  }
  facts.next = fmt::format("{} -data {} -reorder-blocks=ext-tsp", rebuilt, text::quoted_word(facts.file));
  // A blank would end the name of the event in the profile.
  std::string event = facts.events.front();
  std::replace(event.begin(), event.end(), ' ', '_');
  return MadeProfile{compiler_profiles::bolt_samples(event, samples), std::move(facts)};
}

diag::Result<MadeProfile> profile_for_llvm(const Binary& binary, const AddressCounts& counts, const ProfileOrder& order,
                                           ProfileFacts facts) {
  const SourceProfile made =
      binary.file != nullptr ? source_profile(*binary.file, counts, order.folders) : SourceProfile();
  if (made.functions.empty() && made.error.has_value()) return *made.error;
  const bool has_lines = std::any_of(made.functions.begin(), made.functions.end(),
                                     [](const auto& function) { return function.second.total != 0; });
  if (!has_lines) {
    return diag::Error{.text = fmt::format("{} has no debug information with lines of its functions", binary.name),
                       .hint = "build it with -g -fdebug-info-for-profiling; for Windows the PDB of /debug is enough"};
  }
  facts.instructions = made.instructions;
  facts.without_line = made.without_line;
  facts.without_name = made.without_name;
  facts.from_first_line = made.from_first_line;
  facts.undecodable = made.undecodable;
  facts.next = is_rust_name(facts.judgement.hottest)
                   ? fmt::format("rustc -C opt-level=3 -g -Z {} … (nightly)",
                                 text::quoted_word("profile-sample-use=" + facts.file))
                   : fmt::format("clang -O2 -g {} …", text::quoted_word("-fprofile-sample-use=" + facts.file));
  return MadeProfile{order.format == PgoFormat::llvm ? compiler_profiles::llvm_text(made.functions)
                                                     : compiler_profiles::llvm_binary(made.functions),
                     std::move(facts)};
}

bool has_dwarf(const modules::CodeFile& image) {
  const symbols::PeFile* const file = image.pe();
  return file != nullptr && symbols::has_dwarf(*file);
}

diag::Result<MadeProfile> profile_for_profgen(const Binary& binary, const AddressCounts& counts,
                                              const ProfileOrder& order, ProfileFacts facts) {
  if (binary.is_windows && binary.image_base == 0) {
    return diag::Error{.text = fmt::format("{} was not found, and its PDB does not give its image base", binary.name),
                       .hint = "name the file with --binary, or its folder with --symbol-path"};
  }
  if (binary.is_windows && binary.file != nullptr && !has_dwarf(*binary.file)) {
    facts.losses.push_back(fmt::format(
        "{} has no DWARF, and llvm-profgen does not read PDBs, so its profile will be empty: use --format llvm",
        binary.name));
  }
  facts.next = fmt::format(
      "llvm-profgen --binary {} --unsymbolized-profile {} --use-offset=0 -o {} && clang -O2 -g {} …",
      text::quoted_word(path_of(binary, order)), text::quoted_word(order.file), text::quoted_word(order.file + ".prof"),
      text::quoted_word("-fprofile-sample-use=" + order.file + ".prof"));
  return MadeProfile{compiler_profiles::llvm_unsymbolized(counts), std::move(facts)};
}

diag::Result<MadeProfile> profile_of_binary(const ProfileCounts& counts, const Binary& binary,
                                            const ProfileOrder& order) {
  const std::vector<u32> events = chosen_events(counts);
  ExecutedCode code{.samples = counts_of(binary, events), .weighted = {}};
  code.weighted = weighted_by_periods(code.samples, binary, events);
  const AddressCounts& addresses = code.samples;
  ProfileFacts facts = begun_facts(counts, events);
  facts.file = order.file;
  facts.format = order.format;
  facts.program = binary.name;
  facts.has_branches = !addresses.ranges.empty();
  if (facts.has_branches) {
    facts.events.clear();
    facts.used = branches_in(binary);
  } else {
    facts.used = samples_in(binary, events);
  }
  for (const Binary& other : counts.binaries) {
    if (&other == &binary) continue;
    const bool is_other_build =
        other.name == binary.name && other.path == binary.path && !binary.build_id.empty() && !other.build_id.empty();
    u64& sum = is_other_build ? facts.of_other_builds : facts.of_other_binaries;
    sum += facts.has_branches ? branches_in(other) : samples_in(other, events);
  }
  if (facts.has_branches) {
    facts.all_branches = facts.used + facts.of_other_builds + facts.of_other_binaries +
                         counts.drops.branches_elsewhere + counts.drops.branches_without_file;
  }
  facts.judgement = judge(binary, addresses, code.weighted);
  if (order.format == PgoFormat::bolt) return profile_for_bolt(binary, code, order, std::move(facts));
  // Ranges from branch stacks already count executions.
  const bool has_blocks = binary.file != nullptr && !facts.has_branches;
  const AddressCounts executions =
      has_blocks ? block_counts(*binary.file, code.weighted, population_of(counts, events)) : code.weighted;
  if (request::has_lines(order.format)) return profile_for_llvm(binary, executions, order, std::move(facts));
  return profile_for_profgen(binary, executions, order, std::move(facts));
}

std::optional<compiler_profiles::SptEvent> spt_event(EventKind kind) {
  using compiler_profiles::SptEvent;
  switch (kind) {
    case EventKind::instructions:
      return SptEvent::instructions;
    case EventKind::cycles:
      return SptEvent::cycles;
    case EventKind::timer:
      return SptEvent::timer;
    case EventKind::branches:
      return SptEvent::branches;
    case EventKind::instruction_misses:
      return SptEvent::instruction_misses;
    case EventKind::data_misses:
      return SptEvent::data_misses;
    case EventKind::other:
      return std::nullopt;
  }
  return std::nullopt;
}

// On Windows a build id is the bytes of the GUID and the age.
bool take_guid(const std::string& build_id, compiler_profiles::SptModule& module) {
  constexpr usize kGuidBytes = 16, kAllBytes = 20;
  if (build_id.size() != 2 * kAllBytes) return false;
  const auto digit = [](char c) { return static_cast<u32>(c <= '9' ? c - '0' : c - 'a' + 10); };
  for (usize i = 0; i < kAllBytes; ++i) {
    const u32 byte = digit(build_id[2 * i]) << 4 | digit(build_id[2 * i + 1]);
    if (i < kGuidBytes) {
      module.guid[i] = static_cast<u8>(byte);
    } else {
      module.age |= byte << 8 * (i - kGuidBytes);
    }
  }
  return true;
}

void add_spt_samples(const ProfileCounts& counts, const Binary& binary, compiler_profiles::SptModule& module) {
  for (const auto& [event, addresses] : binary.samples) {
    const auto type = spt_event(counts.events[event].kind);
    if (!type.has_value()) continue;
    for (const auto& [address, count] : addresses) {
      module.samples.push_back({*type, static_cast<u32>(address - binary.image_base), count});
    }
  }
  std::sort(module.samples.begin(), module.samples.end(),
            [](const auto& a, const auto& b) { return a.event != b.event ? a.event < b.event : a.rva < b.rva; });
}

void add_spt_pairs(const Binary& binary, compiler_profiles::SptModule& module, ProfileFacts& facts) {
  const auto rva = [&](u64 address) { return static_cast<u32>(address - binary.image_base); };
  for (const auto& branch : counts_of(binary, {}).branches) {
    module.branches.push_back({rva(branch.from), rva(branch.to), branch.count});
    facts.branches += branch.count;
  }
  for (const auto& [call, count] : binary.calls) {
    module.calls.push_back({rva(call.first), rva(call.second), count});
    facts.calls += count;
  }
}

// All images with a GUID, or only the named one. Each event has its own type of record, and so have branches and calls.
diag::Result<MadeProfile> profile_for_msvc(const ProfileCounts& counts, const Binary* named, const std::string& file) {
  std::vector<u32> events;
  for (u32 event = 0; event < counts.events.size(); ++event) {
    if (spt_event(counts.events[event].kind).has_value() && counts.events[event].samples != 0) events.push_back(event);
  }
  ProfileFacts facts = begun_facts(counts, events);
  facts.file = file;
  facts.format = PgoFormat::spt;
  if (named != nullptr) facts.program = named->name;
  std::vector<compiler_profiles::SptModule> modules;
  const Binary* main = nullptr;
  u64 most = 0;
  for (const Binary& binary : counts.binaries) {
    const u64 samples = samples_in(binary, events);
    if (named != nullptr && named != &binary) {
      facts.of_other_binaries += samples;
      continue;
    }
    compiler_profiles::SptModule module{.name = binary.name};
    if (!binary.is_windows || !take_guid(binary.build_id, module)) {
      facts.without_build += samples;
      continue;
    }
    add_spt_samples(counts, binary, module);
    add_spt_pairs(binary, module, facts);
    if (module.samples.empty()) continue;
    modules.push_back(std::move(module));
    facts.used += samples;
    if (samples > most) main = &binary;
    most = std::max(most, samples);
  }
  if (main == nullptr && !has_code_samples(counts)) return no_code_samples(counts);
  if (main == nullptr) {
    return diag::usage_error(
        "no samples for MSVC: an .spt file needs a Windows image with a known PDB, and a suitable event",
        "record cycles, instructions or a timer");
  }
  facts.modules = modules.size();
  facts.judgement = judge(*main, counts_of(*main, events));
  const std::string spd = std::string(text::without_extension(text::base_name(main->name))) + ".spd";
  facts.next = fmt::format("SPDConvert /mode:{} {} {}", main->branches.empty() ? "IP" : "LBR", text::quoted_word(spd),
                           text::quoted_word(file));
  WPERF_TRY(std::string bytes, compiler_profiles::spt(modules));
  return MadeProfile{std::move(bytes), std::move(facts)};
}

}  // namespace

diag::Result<MadeProfile> make_profile(const ProfileCounts& counts, const Binary* binary, const ProfileOrder& order) {
  return order.format == PgoFormat::spt ? profile_for_msvc(counts, binary, order.file)
                                        : profile_of_binary(counts, *binary, order);
}

}  // namespace wperf::pgo
