// SPDX-License-Identifier: BSD-3-Clause
// `pgo`: makes a sample profile for a compiler from recordings, and judges it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/pgo/block_counts.h"
#include "analysis/pgo/judgement.h"
#include "analysis/pgo/profile_counts.h"
#include "analysis/pgo/source_profile.h"
#include "app/commands/commands.h"
#include "app/commands/destinations.h"
#include "app/commands/options_builder.h"
#include "app/commands/pgo_binary.h"
#include "app/output/outputs.h"
#include "app/show/pgo_recordings.h"
#include "code/modules/symbol_folders.h"
#include "formats/compiler_profiles/compiler_profiles.h"
#include "ground/os/output_file.h"
#include "ground/text/base_name.h"
#include "views/report/pgo_report.h"

namespace wperf::commands {
namespace {

using compiler_profiles::AddressCounts;
using request::PgoFormat;

struct Wanted {
  PgoFormat format = PgoFormat::llvm;
  std::string file;                  // name of the profile
  std::string binary;                // path of --binary; empty if it names only a module
  std::vector<std::string> folders;  // folders with sources
};

struct Profile {
  std::string bytes;
  report::PgoAnswer answer;
};

diag::Result<void> check_pgo_options(const request::Request& request) {
  if (!request.data_file.has_value()) {
    return diag::usage_error("pgo needs a recording", "wperf pgo perf.data --format llvm -o FILE");
  }
  if (!request.pgo.format.has_value()) {
    return diag::usage_error("pgo needs --format", request::kPgoFormatHint);
  }
  if (!request.outputs.json_file.has_value()) {
    return diag::usage_error("pgo needs -o FILE for the profile", "its judgement goes to stdout, with --json as JSON");
  }
  return {};
}

// Files next to the named binary are tried first.
void search_folder_of_binary(const NamedBinary& binary, request::Request& request) {
  if (binary.path.empty()) return;
  std::string folder = binary.path.substr(0, binary.path.size() - binary.name.size());
  if (folder.empty()) folder = ".";
  std::optional<std::string>& path = request.sampling.symbol_path;
  path = path.has_value() ? folder + ';' + *path : folder;
}

diag::Result<pgo::ProfileCounts> read_counts(const request::Request& request, diag::Console& console) {
  pgo::ProfileCounts counts;
  show::ReportOptions options = report_options(request, console);
  // This format needs no code files, and has call stacks.
  options.read.rvas = options.read.callers = request.pgo.format == PgoFormat::spt;
  options.read.files_with_lines = request::has_lines(*request.pgo.format);
  std::vector<std::string> files = {*request.data_file};
  files.insert(files.end(), request.further_files.begin(), request.further_files.end());
  for (const std::string& file : files) {
    options.file = file;
    WPERF_CHECK_OK(show::add_pgo_recording(options, counts, console));
  }
  return counts;
}

// The parts of the answer that are the same for all formats.
report::PgoAnswer begun_answer(const pgo::ProfileCounts& counts, const std::vector<u32>& events) {
  report::PgoAnswer answer;
  for (const u32 event : events) answer.events.push_back(counts.events[event].name);
  for (u32 event = 0; event < counts.events.size(); ++event) {
    if (std::find(events.begin(), events.end(), event) != events.end()) continue;
    for (const pgo::Binary& binary : counts.binaries) answer.of_other_events += pgo::samples_in(binary, {event});
  }
  for (const pgo::Binary& binary : counts.binaries) answer.without_address += binary.without_address;
  answer.drops = counts.drops;
  answer.losses = counts.losses;
  answer.samples = counts.samples;
  answer.branch_stacks = counts.branch_stacks;
  answer.without_stack = counts.samples_without_stacks;
  return answer;
}

// BOLT names a local symbol NAME/1; if several functions have that name, only BOLT knows their numbers.
std::vector<compiler_profiles::FunctionSample> bolt_functions(const pgo::Binary& binary, const AddressCounts& counts,
                                                              std::set<std::string>& names, u64& unnamed) {
  std::map<std::string_view, u32> uses;
  for (const auto& [begin, function] : binary.functions) ++uses[function.elf_symbol];
  std::vector<compiler_profiles::FunctionSample> samples;
  for (const auto& one : counts.samples) {
    u64 begin = 0;
    const pgo::CountedFunction* const function = pgo::function_at(binary, one.address, begin);
    if (function == nullptr || function->elf_symbol.empty() || uses[function->elf_symbol] > 1) {
      unnamed += one.count;
      continue;
    }
    const std::string_view name = *names.insert(function->elf_symbol + (function->is_local ? "/1" : "")).first;
    samples.push_back({name, one.address - begin, one.count});
  }
  return samples;
}

// The file that the next command reads.
const std::string& path_of(const pgo::Binary& binary, const Wanted& wanted) {
  return wanted.binary.empty() ? binary.path : wanted.binary;
}

diag::Result<Profile> profile_for_bolt(const pgo::Binary& binary, const AddressCounts& counts, const Wanted& wanted,
                                       report::PgoAnswer answer) {
  if (binary.is_windows) {
    return diag::usage_error(fmt::format("BOLT reads ELF files, and {} is a Windows image", binary.name),
                             "use --format llvm-unsymbolized (clang) or spt (MSVC)");
  }
  const std::string& path = path_of(binary, wanted);
  const std::string rebuilt = fmt::format("llvm-bolt {} -o {}.bolt", path, binary.name);
  if (answer.has_branches) {
    answer.next = fmt::format("perf2bolt --pa -p {0} -o {0}.fdata {1} && {2} -data {0}.fdata -reorder-blocks=ext-tsp",
                              answer.file, path, rebuilt);
    return Profile{compiler_profiles::bolt_branches(counts), std::move(answer)};
  }
  std::set<std::string> names;
  const auto samples = bolt_functions(binary, counts, names, answer.without_symbol);
  answer.used -= answer.without_symbol;
  answer.next = fmt::format("{} -data {} -reorder-blocks=ext-tsp", rebuilt, answer.file);
  // A blank would end the event's name.
  std::string event = answer.events.front();
  std::replace(event.begin(), event.end(), ' ', '_');
  return Profile{compiler_profiles::bolt_samples(event, samples), std::move(answer)};
}

diag::Result<Profile> profile_for_llvm(const pgo::Binary& binary, const AddressCounts& counts, const Wanted& wanted,
                                       report::PgoAnswer answer) {
  const pgo::SourceProfile made =
      binary.file != nullptr ? pgo::source_profile(*binary.file, counts, wanted.folders) : pgo::SourceProfile();
  if (made.functions.empty() && made.error.has_value()) return *made.error;
  if (made.functions.empty()) {
    return diag::Error{.text = fmt::format("{} has no debug information with lines of its functions", binary.name),
                       .hint = "build it with -g -fdebug-info-for-profiling; for Windows the PDB of /debug is enough"};
  }
  answer.instructions = made.instructions;
  answer.without_line = made.without_line;
  answer.from_first_line = made.from_first_line;
  answer.undecodable = made.undecodable;
  answer.next = pgo::is_rust_name(answer.judgement.hottest)
                    ? fmt::format("rustc -C opt-level=3 -g -Z profile-sample-use={} … (nightly)", answer.file)
                    : fmt::format("clang -O2 -g -fprofile-sample-use={} …", answer.file);
  return Profile{wanted.format == PgoFormat::llvm ? compiler_profiles::llvm_text(made.functions)
                                                  : compiler_profiles::llvm_binary(made.functions),
                 std::move(answer)};
}

diag::Result<Profile> profile_for_profgen(const pgo::Binary& binary, const AddressCounts& counts, const Wanted& wanted,
                                          report::PgoAnswer answer) {
  if (binary.is_windows && binary.image_base == 0) {
    return diag::Error{
        .text = fmt::format("{} was not found, and its PDB does not say where it is linked", binary.name),
        .hint = "name the file with --binary, or its folder with --symbol-path"};
  }
  answer.next = fmt::format(
      "llvm-profgen --binary {0} --unsymbolized-profile {1} --use-offset=0 -o {1}.prof && "
      "clang -O2 -g -fprofile-sample-use={1}.prof …",
      path_of(binary, wanted), wanted.file);
  return Profile{compiler_profiles::llvm_unsymbolized(counts), std::move(answer)};
}

diag::Result<Profile> profile_of_binary(const pgo::ProfileCounts& counts, const pgo::Binary& binary,
                                        const Wanted& wanted) {
  const std::vector<u32> events = pgo::chosen_events(counts);
  const AddressCounts addresses = pgo::counts_of(binary, events);
  report::PgoAnswer answer = begun_answer(counts, events);
  answer.file = wanted.file;
  answer.format = request::pgo_format_name(wanted.format);
  answer.program = binary.name;
  answer.has_branches = !addresses.ranges.empty();
  if (answer.has_branches) {
    answer.events.clear();
    for (const auto& one : addresses.branches) answer.used += one.count;
  } else {
    answer.used = pgo::samples_in(binary, events);
  }
  for (const pgo::Binary& other : counts.binaries) {
    if (&other != &binary) answer.of_other_binaries += pgo::samples_in(other, events);
  }
  answer.judgement = pgo::judge(binary, addresses);
  if (wanted.format == PgoFormat::bolt) return profile_for_bolt(binary, addresses, wanted, std::move(answer));
  // A range from a branch stack already counts executions.
  const bool has_blocks = binary.file != nullptr && !answer.has_branches;
  const AddressCounts executions =
      has_blocks ? pgo::block_counts(*binary.file, addresses, pgo::population_of(counts, events)) : addresses;
  if (request::has_lines(wanted.format)) return profile_for_llvm(binary, executions, wanted, std::move(answer));
  return profile_for_profgen(binary, executions, wanted, std::move(answer));
}

std::optional<compiler_profiles::SptEvent> spt_event(pgo::EventKind kind) {
  using compiler_profiles::SptEvent;
  switch (kind) {
    case pgo::EventKind::instructions:
      return SptEvent::instructions;
    case pgo::EventKind::cycles:
      return SptEvent::cycles;
    case pgo::EventKind::timer:
      return SptEvent::timer;
    case pgo::EventKind::branches:
      return SptEvent::branches;
    case pgo::EventKind::instruction_misses:
      return SptEvent::instruction_misses;
    case pgo::EventKind::data_misses:
      return SptEvent::data_misses;
    case pgo::EventKind::other:
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

void add_spt_samples(const pgo::ProfileCounts& counts, const pgo::Binary& binary,
                     compiler_profiles::SptModule& module) {
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

void add_spt_pairs(const pgo::Binary& binary, compiler_profiles::SptModule& module, report::PgoAnswer& answer) {
  const auto rva = [&](u64 address) { return static_cast<u32>(address - binary.image_base); };
  for (const auto& branch : pgo::counts_of(binary, {}).branches) {
    module.branches.push_back({rva(branch.from), rva(branch.to), branch.count});
    answer.branches += branch.count;
  }
  for (const auto& [call, count] : binary.calls) {
    module.calls.push_back({rva(call.first), rva(call.second), count});
    answer.calls += count;
  }
}

// All images with a GUID, or only the named one. Each event has its own type of record, and so have branches and calls.
diag::Result<Profile> profile_for_msvc(const pgo::ProfileCounts& counts, const pgo::Binary* named,
                                       const std::string& file) {
  std::vector<u32> events;
  for (u32 event = 0; event < counts.events.size(); ++event) {
    if (spt_event(counts.events[event].kind).has_value() && counts.events[event].samples != 0) events.push_back(event);
  }
  report::PgoAnswer answer = begun_answer(counts, events);
  answer.file = file;
  answer.format = request::pgo_format_name(PgoFormat::spt);
  if (named != nullptr) answer.program = named->name;
  std::vector<compiler_profiles::SptModule> modules;
  const pgo::Binary* main = nullptr;
  u64 most = 0;
  for (const pgo::Binary& binary : counts.binaries) {
    const u64 samples = pgo::samples_in(binary, events);
    if (named != nullptr && named != &binary) {
      answer.of_other_binaries += samples;
      continue;
    }
    compiler_profiles::SptModule module{.name = binary.name};
    if (!binary.is_windows || !take_guid(binary.build_id, module)) {
      answer.without_build += samples;
      continue;
    }
    add_spt_samples(counts, binary, module);
    add_spt_pairs(binary, module, answer);
    if (module.samples.empty()) continue;
    modules.push_back(std::move(module));
    answer.used += samples;
    if (samples > most) main = &binary;
    most = std::max(most, samples);
  }
  if (main == nullptr) {
    return diag::usage_error(
        "no samples for MSVC: they need a Windows image whose PDB is known, and an event that .spt files have",
        "record cycles, instructions or a timer");
  }
  answer.modules = modules.size();
  answer.judgement = pgo::judge(*main, pgo::counts_of(*main, events));
  answer.next = fmt::format("SPDConvert /mode:{} {}.spd {}", main->branches.empty() ? "IP" : "LBR",
                            text::without_extension(text::base_name(main->name)), file);
  WPERF_TRY(std::string bytes, compiler_profiles::spt(modules));
  return Profile{std::move(bytes), std::move(answer)};
}

diag::Result<void> write_profile(const std::string& path, const std::string& bytes) {
  WPERF_TRY(os::OutputFile written, os::OutputFile::create(path));
  written.write(bytes);
  return written.close();
}

}  // namespace

diag::Result<void> run_pgo(const request::Request& asked, diag::Console& console) {
  WPERF_CHECK_OK(check_pgo_options(asked));
  request::Request request = asked;
  Wanted wanted;
  wanted.format = *request.pgo.format;
  wanted.file = *std::exchange(request.outputs.json_file, std::nullopt);
  std::optional<NamedBinary> named;
  if (request.pgo.binary.has_value()) {
    WPERF_TRY(named, open_named_binary(*request.pgo.binary));
    search_folder_of_binary(*named, request);
    wanted.binary = named->path;
  }
  wanted.folders = modules::symbol_folders(modules::symbol_options(request).symbol_path);
  WPERF_TRY(const pgo::ProfileCounts counts, read_counts(request, console));
  const pgo::Binary* binary = nullptr;
  if (wanted.format != PgoFormat::spt || named.has_value()) {
    WPERF_TRY(binary, choose_binary(counts, pgo::chosen_events(counts), named));
    if (binary->build_id.empty() && named.has_value()) {
      console.warn(fmt::format("warning: the recording does not say which build of {} ran", binary->name));
    }
  }
  WPERF_TRY(const Profile profile, wanted.format == PgoFormat::spt ? profile_for_msvc(counts, binary, wanted.file)
                                                                   : profile_of_binary(counts, *binary, wanted));
  WPERF_CHECK_OK(write_profile(output::output_path(request.outputs, wanted.file), profile.bytes));
  return output::show(
      request.outputs, console, [&] { return report::pgo_text(profile.answer); },
      [&] { return report::pgo_json(profile.answer); });
}

}  // namespace wperf::commands
