// SPDX-License-Identifier: BSD-3-Clause
#include "code/modules/elf_files.h"

#include <algorithm>
#include <filesystem>

#include "code/symbols/elf/debug_files.h"
#include "code/symbols/elf/elf_format.h"
#include "ground/os/files.h"
#include "ground/os/named_file.h"
#include "ground/os/process.h"
#include "ground/text/parts.h"

namespace wperf::modules {
namespace {

using symbols::Bytes;
using symbols::ElfFile;

bool same_bytes(Bytes a, Bytes b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// A recorded build id may be padded with zeros.
bool is_build(Bytes recorded, Bytes found) {
  if (recorded.size() < found.size() || found.empty()) return false;
  const Bytes rest = recorded.subspan(found.size());
  return same_bytes(recorded.first(found.size()), found) &&
         std::all_of(rest.begin(), rest.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

Bytes without_padding(Bytes recorded) {
  constexpr size_t kShaBytes = 20;
  return recorded.first(std::min(recorded.size(), kShaBytes));
}

// The root folder of a process, which may be in a container.
std::string root_of_process(u32 process) {
  return "/proc/" + std::to_string(process) + "/root";
}

// A process still has its files after they were deleted or replaced. Only a build id shows that they are the recorded
// files, because the process id may belong to another process now.
std::vector<std::string> deleted_files(const std::string& path, u32 process) {
  constexpr size_t kMostMaps = 64 << 20;
  std::vector<std::string> files;
  const std::string folder = "/proc/" + std::to_string(process), marked = path + " (deleted)";
  std::error_code error;
  if (std::filesystem::read_symlink(folder + "/exe", error) == marked) files.push_back(folder + "/exe");
  const auto maps = os::load_text_file(folder + "/maps", kMostMaps);
  std::string_view left = maps.has_value() ? std::string_view(maps.value()) : std::string_view();
  while (!left.empty()) {
    const std::string_view line = text::take_part(left, '\n');
    if (!line.ends_with(" " + marked)) continue;
    files.push_back(folder + "/map_files/" + std::string(line.substr(0, line.find(' '))));
    break;
  }
  return files;
}

// Possible places of the image: its path, the same path below the named folders, and perf's store.
std::vector<std::string> image_candidates(const RecordedElf& recorded, const ElfSearch& search) {
  const auto& [path, build_id, process, was_replaced] = recorded;
  std::vector<std::string> candidates;
  for (const std::string& folder : search.folders) {
    // A file may be named instead of a folder. Only its build id shows which module it belongs to.
    if (!build_id.empty() && !os::is_folder(folder) && os::file_exists(folder)) {
      candidates.push_back(folder);
      continue;
    }
    candidates.push_back(folder + path);
    candidates.push_back(os::join_path(folder, std::string(base_name(path))));
  }
  candidates.push_back(path);
  // Without a build id there is no check, and the process id may belong to another process now.
  if (process != 0 && !build_id.empty()) candidates.push_back(root_of_process(process) + path);
  const auto home = os::environment("HOME");
  if (home.has_value() && !build_id.empty()) {
    std::string id = symbols::build_id_text(without_padding(build_id));
    id.insert(2, "/");
    candidates.push_back(*home + "/.debug/.build-id/" + id + "/elf");
  }
  return candidates;
}

void find_image(const RecordedElf& recorded, const std::vector<std::string>& candidates, const ElfSearch& search,
                LoadedElf& loaded) {
  const auto& [path, build_id, process, was_replaced] = recorded;
  const std::string needed = build_id.empty() ? "" : ", of build " + symbols::build_id_text(without_padding(build_id));
  loaded.reason = was_replaced ? "the recorded " + path +
                                     " is missing: it was replaced or removed during the recording, or was in a "
                                     "container; record again, or name the folder of that file with --symbol-path"
                               : "no file " + path + " here" + needed;
  const os::NamedUse use = build_id.empty() ? os::NamedUse::read : os::NamedUse::checked;
  for (const std::string& candidate : candidates) {
    if (was_replaced && os::is_same_file(candidate, path)) continue;
    auto opened = os::open_named_file(candidate, use, search.folders);
    if (!opened.has_value()) {
      loaded.reason = opened.error().text;
      continue;
    }
    std::optional<os::MappedFile> mapped = std::move(opened).value();
    if (!mapped.has_value()) continue;
    const auto elf = ElfFile::parse(mapped->bytes());
    if (!elf.has_value()) {
      loaded.reason = candidate + ": " + elf.error().text;
      continue;
    }
    if (!build_id.empty() && !is_build(build_id, elf.value().build_id())) {
      if (std::ranges::find(search.folders, candidate) != search.folders.end()) continue;
      loaded.reason = candidate;
      loaded.reason.append(" is from a different build than the recorded one").append(needed);
      continue;
    }
    loaded.image = std::move(mapped);
    loaded.image_path = candidate;
    loaded.reason.clear();
    return;
  }
}

bool passes(const symbols::DebugFileCandidate& candidate, Bytes wanted, Bytes file) {
  if (candidate.check == symbols::DebugFileCheck::crc) return symbols::debug_link_crc(file) == candidate.crc;
  const auto elf = ElfFile::parse(file);
  return elf.has_value() && same_bytes(elf.value().build_id(), wanted);
}

// Returns nullopt if there is no such file, or if it must not be opened; then not_opened has the reason.
std::optional<os::MappedFile> open_checked(const std::string& path, const ElfSearch& search, LoadedElf& loaded) {
  auto opened = os::open_named_file(path, os::NamedUse::checked, search.folders);
  if (opened.has_value()) return std::move(opened).value();
  loaded.not_opened = std::move(opened).error().text;
  return std::nullopt;
}

bool take_debug(const symbols::DebugFileCandidate& candidate, Bytes build_id, const ElfSearch& search,
                LoadedElf& loaded) {
  std::optional<os::MappedFile> mapped = open_checked(candidate.path, search, loaded);
  if (!mapped.has_value() || !passes(candidate, build_id, mapped->bytes())) return false;
  loaded.debug = std::move(mapped);
  loaded.debug_path = candidate.path;
  return true;
}

void find_debug(const symbols::DebugFileSearch& places, Bytes build_id, std::optional<symbols::ElfDebugLink> link,
                const ElfSearch& search, LoadedElf& loaded) {
  for (const auto& candidate : symbols::debug_file_candidates(places, build_id, link)) {
    if (take_debug(candidate, build_id, search, loaded)) return;
  }
}

// Finds the file with the parts that dwz moved out of the debug file or the image.
void find_alternate(const symbols::DebugFileSearch& places, const ElfSearch& search, LoadedElf& loaded) {
  const bool separate = loaded.debug.has_value();
  const auto& holder = separate ? loaded.debug : loaded.image;
  const auto elf = ElfFile::parse(holder->bytes());
  if (!elf.has_value()) return;
  const auto link = elf.value().alternate_link();
  if (!link.has_value()) return;
  const std::string& path = separate ? loaded.debug_path : loaded.image_path;
  for (const std::string& candidate : symbols::alternate_file_candidates(places, path, *link)) {
    std::optional<os::MappedFile> mapped = open_checked(candidate, search, loaded);
    if (!mapped.has_value()) continue;
    const auto found = ElfFile::parse(mapped->bytes());
    if (!found.has_value() || !same_bytes(found.value().build_id(), link->build_id)) continue;
    loaded.alternate = std::move(mapped);
    return;
  }
}

using SplitFile = std::pair<os::MappedFile, ElfFile>;

// Returns nullopt if there is no such file, or if it must not be used.
std::optional<SplitFile> open_split_file(const std::string& path, const std::vector<std::string>& folders,
                                         std::string& refused) {
  auto opened = os::open_named_file(path, os::NamedUse::read, folders);
  if (!opened.has_value()) {
    if (refused.empty()) refused = std::move(opened).error().text;
    return std::nullopt;
  }
  if (!opened.value().has_value()) return std::nullopt;
  os::MappedFile mapped = *std::move(opened).value();
  auto elf = ElfFile::parse(mapped.bytes());
  if (!elf.has_value()) {
    if (refused.empty()) refused = path + ": " + elf.error().text;
    return std::nullopt;
  }
  return SplitFile{std::move(mapped), std::move(elf).value()};
}

// The compiler's file, the package that dwp makes, and both in the user's folders.
std::vector<std::string> split_candidates(const std::string& path, const std::string& package,
                                          const std::vector<std::string>& folders) {
  std::vector<std::string> candidates = {path, package};
  for (const std::string& folder : folders) {
    for (const std::string& file : {path, package})
      candidates.push_back(os::join_path(folder, std::string(base_name(file))));
  }
  return candidates;
}

symbols::SplitOpener split_opener(const ElfSearch& search, LoadedElf& loaded) {
  loaded.split = std::make_shared<SplitFiles>();
  loaded.split->files.reserve(1 << 16);  // a deque never reallocates, so references to the files stay valid
  return [split = loaded.split, folders = search.folders,
          package = loaded.image_path + ".dwp"](const symbols::SplitUnit& unit) {
    const std::string path = os::join_path(std::string(unit.folder), std::string(unit.name));
    std::string refused;
    for (const std::string& candidate : split_candidates(path, package, folders)) {
      if (split->files.size() == split->files.capacity()) continue;
      std::optional<SplitFile> opened = open_split_file(candidate, folders, refused);
      if (!opened.has_value()) continue;
      split->files.push_back(*std::move(opened));
      return symbols::split_dwarf_sections(split->files.back().second);
    }
    if (refused.empty()) {
      if (split->missing++ == 0) split->first_missing = {path, package};
    } else {
      if (split->refused.empty()) {
        split->refused = std::move(refused);
      } else {
        ++split->more_refused;
      }
    }
    return symbols::DwarfSections{};
  };
}

}  // namespace

std::string_view base_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

bool LoadedElf::has_shrunk() const {
  const auto is_shorter = [](const auto& file) { return file.has_value() && file->has_shrunk(); };
  return is_shorter(image) || is_shorter(debug) || is_shorter(alternate) || is_shorter(kept_functions);
}

LoadedElf find_elf(const RecordedElf& recorded, const ElfSearch& search) {
  const auto& [path, build_id, process, was_replaced] = recorded;
  LoadedElf loaded;
  if (path.empty() || path.front() != '/') {
    loaded.reason = "not a file, but memory of the program or of the kernel";
    return loaded;
  }
  find_image(recorded, image_candidates(recorded, search), search, loaded);
  if (!loaded.image.has_value() && process != 0 && !build_id.empty()) {
    const std::vector<std::string> deleted = deleted_files(path, process);
    if (!deleted.empty()) find_image(recorded, deleted, search, loaded);
  }
  if (!loaded.image.has_value() && search.downloads != nullptr && !build_id.empty()) {
    const std::string found =
        search.downloads->fetch(without_padding(build_id), DownloadKind::executable, base_name(path));
    if (!found.empty()) find_image(recorded, {found}, search, loaded);
  }
  symbols::DebugFileSearch debug_search{.image_path = path, .root = {}};
  std::optional<ElfFile> image;
  if (loaded.image.has_value()) {
    auto parsed = ElfFile::parse(loaded.image->bytes());
    if (parsed.has_value()) image = std::move(parsed).value();
    debug_search.image_path = loaded.image_path;
    // If an image is in a container, so are its debug files.
    if (const std::string root = root_of_process(process); loaded.image_path.starts_with(root + "/")) {
      debug_search.image_path = path;
      debug_search.root = root;
    } else if (process != 0 && loaded.image_path.starts_with("/proc/" + std::to_string(process) + "/")) {
      debug_search.image_path = path;  // the file was deleted
    }
  }
  const Bytes wanted = image.has_value() ? image->build_id() : without_padding(build_id);
  find_debug(debug_search, wanted, image.has_value() ? image->debug_link() : std::nullopt, search, loaded);
  const bool has_debug = loaded.debug.has_value() || (image.has_value() && image->section(".debug_info") != nullptr);
  if (!has_debug && search.downloads != nullptr && !wanted.empty()) {
    const std::string found = search.downloads->fetch(wanted, DownloadKind::debug_information, base_name(path));
    if (!found.empty()) take_debug({.path = found}, wanted, search, loaded);
  }
  return loaded;
}

std::optional<symbols::ElfFile> parsed_elf(const std::optional<os::MappedFile>& mapped) {
  if (!mapped.has_value()) return std::nullopt;
  auto parsed = symbols::ElfFile::parse(mapped->bytes());
  if (!parsed.has_value()) return std::nullopt;
  return std::move(parsed).value();
}

LoadedElf load_elf(const RecordedElf& recorded, const ElfSearch& search) {
  LoadedElf loaded = find_elf(recorded, search);
  if (!loaded.image.has_value() && !loaded.debug.has_value()) return loaded;
  if (search.lines) {
    const std::string& image_path = loaded.image.has_value() ? loaded.image_path : recorded.path;
    find_alternate({.image_path = image_path, .root = {}}, search, loaded);
  }
  symbols::ElfModuleFiles files;
  if (loaded.image.has_value()) files.image = loaded.image->bytes();
  if (loaded.debug.has_value()) files.debug = loaded.debug->bytes();
  if (loaded.alternate.has_value()) files.alternate = loaded.alternate->bytes();
  if (search.lines) files.open_split = split_opener(search, loaded);
  const auto named = ElfFile::parse(loaded.image.has_value() ? files.image : files.debug);
  const symbols::FunctionCacheKey key =
      symbols::ElfModule::key_of(files, named.has_value() ? named.value().build_id() : Bytes());
  if (search.functions != nullptr) loaded.kept_functions = search.functions->find(key);
  if (loaded.kept_functions.has_value()) files.kept_functions = loaded.kept_functions->bytes();
  auto made = symbols::ElfModule::make(files);
  if (!made.has_value()) {
    loaded.reason = made.error().text;
    return loaded;
  }
  loaded.symbols = std::move(made).value();
  // If a damaged file was left out, its names are missing, so they must not be cached for the next report.
  const bool is_whole = loaded.symbols->reason().empty() && !loaded.has_shrunk();
  if (search.functions != nullptr && is_whole && !loaded.symbols->has_kept_functions()) {
    search.functions->keep(key, loaded.symbols->symbols());
  }
  if (loaded.reason.empty()) loaded.reason = loaded.symbols->reason();
  if (loaded.reason.empty()) loaded.reason = loaded.not_opened;
  return loaded;
}

LoadedElf load_vdso(Bytes build_id, bool is_of_this_kernel) {
  LoadedElf loaded;
  auto made = symbols::ElfModule::make({.image = os::vdso_image(), .debug = {}, .alternate = {}});
  const bool is_here = made.has_value() && made.value().image() != nullptr;
  const bool is_same =
      is_here && (build_id.empty() ? is_of_this_kernel : is_build(build_id, made.value().image()->build_id()));
  if (!is_same) {
    loaded.reason = "it is part of the kernel, and another kernel is running here";
    return loaded;
  }
  loaded.symbols = std::move(made).value();
  return loaded;
}

std::optional<CodeBytes> code_of(const LoadedElf& loaded, u32 begin, u32 end) {
  if (!loaded.symbols.has_value() || !loaded.image.has_value() || loaded.symbols->image() == nullptr) return {};
  const u16 machine = loaded.symbols->image()->machine();
  const auto file = loaded.image->bytes();
  if ((machine != symbols::elf::kMachineX86_64 && machine != symbols::elf::kMachineArm64) || begin > end ||
      end > file.size())
    return {};
  const auto address = loaded.symbols->address_of_offset(begin);
  return CodeBytes{.instructions = machine == symbols::elf::kMachineX86_64 ? symbols::InstructionSet::x64
                                                                           : symbols::InstructionSet::arm64,
                   .bytes = file.subspan(begin, end - begin),
                   .base = address.has_value() ? *address - begin : 0,
                   .first = begin};
}

}  // namespace wperf::modules
