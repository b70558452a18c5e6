// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/chosen_binary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "base/ascii.h"
#include "code/modules/module_files.h"
#include "code/symbols/elf/elf_file.h"
#include "code/symbols/pe/pe_file.h"
#include "ground/os/files.h"
#include "ground/os/mapped_file.h"
#include "ground/text/base_name.h"
#include "ground/text/number_text.h"

namespace wperf::pgo {
namespace {

u64 weight_of(const Binary& binary, const std::vector<u32>& events) {
  return samples_in(binary, events) + binary.without_address + branches_in(binary);
}

std::vector<const Binary*> by_weight(const ProfileCounts& counts, const std::vector<u32>& events) {
  std::vector<std::pair<u64, const Binary*>> weighed;
  for (const Binary& binary : counts.binaries) {
    if (const u64 weight = weight_of(binary, events); weight != 0) weighed.emplace_back(weight, &binary);
  }
  std::stable_sort(weighed.begin(), weighed.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const Binary*> sorted;
  for (const auto& [weight, binary] : weighed) sorted.push_back(binary);
  return sorted;
}

// The names of the binaries, or their paths if several have the same name.
std::string names_of(const std::vector<const Binary*>& binaries) {
  constexpr usize kMost = 5;
  std::map<std::string_view, std::set<std::string_view>> paths;
  for (const Binary* const binary : binaries) paths[binary->name].insert(binary->path);
  std::string names;
  for (usize i = 0; i < std::min(binaries.size(), kMost); ++i) {
    const Binary& one = *binaries[i];
    names += (i != 0 ? ", " : "") + (paths[one.name].size() > 1 ? one.path : one.name);
  }
  if (binaries.size() > kMost) names += fmt::format(" and {} more", binaries.size() - kMost);
  return names;
}

// The binaries that the user may mean: binaries with the build id; if there are none, binaries with the path; otherwise
// binaries with the name.
std::vector<const Binary*> meant(const std::vector<const Binary*>& binaries, const NamedBinary& named) {
  std::vector<const Binary*> of_build, of_path, of_name;
  for (const Binary* const binary : binaries) {
    if (!named.build_id.empty() && binary->build_id.starts_with(named.build_id)) of_build.push_back(binary);
    const bool is_same = !named.path.empty() && os::is_same_file(binary->path, named.path);
    if (is_same || binary->path == named.given) of_path.push_back(binary);
    if (equal_ignoring_case(binary->name, named.name)) of_name.push_back(binary);
  }
  if (!of_build.empty()) return of_build;
  if (!of_path.empty()) return of_path;
  return named.is_missing_file() ? std::vector<const Binary*>() : of_name;
}

diag::Result<const Binary*> find_named(const std::vector<const Binary*>& binaries, const NamedBinary& named) {
  const std::vector<const Binary*> found = meant(binaries, named);
  if (found.empty() && named.is_missing_file()) {
    return diag::usage_error(fmt::format("there is no file {}", named.given),
                             "give the program that ran, or only the name of a module");
  }
  if (found.empty()) {
    return diag::usage_error(fmt::format("no sample was taken in {}", named.name), "sampled: " + names_of(binaries));
  }
  const Binary* const first = found.front();
  const bool has_build = !named.build_id.empty() && first->build_id.starts_with(named.build_id);
  if (has_build) return first;
  if (std::any_of(found.begin(), found.end(), [&](const Binary* one) { return one->path != first->path; })) {
    return diag::usage_error(fmt::format("several files named {} were sampled", named.name),
                             "give the path of one of them: " + names_of(found));
  }
  if (!named.build_id.empty() && !first->build_id.empty()) {
    return diag::usage_error(fmt::format("{} is a different build than the recorded one: {} instead of {}", named.path,
                                         named.build_id, first->build_id),
                             "give the file that ran, or record the new build");
  }
  return first;
}

diag::Result<const Binary*> find_program(const std::vector<const Binary*>& binaries,
                                         const std::vector<std::string>& programs) {
  const Binary* const first = binaries.front();
  const bool is_program = std::any_of(programs.begin(), programs.end(), [&](const std::string& program) {
    const std::string_view name = text::base_name(program);
    return equal_ignoring_case(first->name, name) || equal_ignoring_case(first->name, std::string(name) + ".exe");
  });
  if (is_program) return first;
  return diag::usage_error(programs.empty() ? "the recording does not name the recorded program"
                                            : fmt::format("most samples are not of the program but of {}", first->name),
                           "choose one with --binary: " + names_of(binaries));
}

}  // namespace

diag::Result<NamedBinary> open_named_binary(const std::string& named) {
  NamedBinary out{.given = named, .name = std::string(text::base_name(named)), .path = {}, .build_id = {}};
  if (!os::file_exists(named)) return out;
  out.path = named;
  WPERF_TRY(const os::MappedFile file, os::MappedFile::open(named));
  if (const auto elf = symbols::ElfFile::parse(file.bytes()); elf.has_value()) {
    out.build_id = symbols::build_id_text(elf.value().build_id());
    return out;
  }
  if (symbols::PeFile::parse(file.bytes()).has_value()) {
    const std::string build = modules::build_of_file(named);
    out.build_id = symbols::build_id_text(std::as_bytes(std::span(build)));
    return out;
  }
  return diag::usage_error(fmt::format("{} is neither an ELF file nor a Windows image", named), {});
}

bool has_code_samples(const ProfileCounts& counts) {
  return std::any_of(counts.binaries.begin(), counts.binaries.end(), [](const Binary& binary) {
    const bool has_samples = std::any_of(binary.samples.begin(), binary.samples.end(),
                                         [](const auto& event) { return !event.second.empty(); });
    return has_samples || binary.without_address != 0 || !binary.branches.empty();
  });
}

diag::Error no_code_samples(const ProfileCounts& counts) {
  const std::string count = text::with_commas(counts.samples);
  if (counts.samples != 0 && counts.drops.kernel == counts.samples) {
    return {.text = counts.samples == 1 ? "the only sample is in the kernel"
                                        : fmt::format("all {} samples are in the kernel", count),
            .hint = "record the program's code, too: use events without :k"};
  }
  const std::string of = counts.samples != 0 ? fmt::format("none of the {} samples is", count)
                                             : std::string("the recording has no samples");
  return {.text = of + " in a program or library", .hint = "record with `wperf record -o F.data -- PROGRAM`"};
}

diag::Result<const Binary*> choose_binary(const ProfileCounts& counts, const std::vector<u32>& events,
                                          const std::optional<NamedBinary>& named) {
  const std::vector<const Binary*> binaries = by_weight(counts, events);
  if (binaries.empty()) return no_code_samples(counts);
  WPERF_TRY(const Binary* const chosen,
            named.has_value() ? find_named(binaries, *named) : find_program(binaries, counts.programs));
  if (samples_in(*chosen, events) == 0 && chosen->branches.empty()) {
    return diag::Error{
        .text = fmt::format("the {} samples of {} have no addresses: {}", text::with_commas(chosen->without_address),
                            chosen->name, chosen->reason.empty() ? "its file is not on this machine" : chosen->reason),
        .hint = "use --binary for the file that ran, and --symbol-path for folders with symbols"};
  }
  return chosen;
}

}  // namespace wperf::pgo
