// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/paths.h"

#include <algorithm>

#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

constexpr u64 kLargestFile = 1ull << 31;

// The parts of "C:\work\a.txt" below the drive. Returns nullopt for a name on another drive.
std::optional<std::vector<std::string>> split(std::string_view name) {
  std::vector<std::string> parts;
  if (name.size() < 3 || !same_ignoring_case(name.substr(0, 2), "C:") || name[2] != '\\') return std::nullopt;
  name.remove_prefix(3);
  while (!name.empty()) {
    const usize slash = name.find('\\');
    if (slash != 0) parts.emplace_back(name.substr(0, slash));
    name.remove_prefix(slash == std::string_view::npos ? name.size() : slash + 1);
  }
  return parts;
}

bool is_valid(std::string_view part) {
  if (part == "." || part == ".." || part.size() > 255) return false;
  return std::none_of(part.begin(), part.end(), [](char character) {
    return static_cast<u8>(character) < 0x20 || std::string_view("<>:\"|?*/").find(character) != std::string_view::npos;
  });
}

Place fixed_folder(std::string path, std::vector<std::string> entries) {
  Place place;
  place.kind = Place::Kind::fixed_folder;
  place.path = std::move(path);
  place.exists = true;
  place.facts.folder = true;
  place.entries = std::move(entries);
  return place;
}

Place no_place(Status why) {
  Place place;
  place.status = why;
  return place;
}

}  // namespace

Status status_of(FileProblem problem) {
  switch (problem) {
    case FileProblem::none:
      return kSuccess;
    case FileProblem::not_found:
      return kObjectNameNotFound;
    case FileProblem::denied:
      return kAccessDenied;
    case FileProblem::exists:
      return kObjectNameCollision;
    case FileProblem::too_many:
      return kTooManyOpenedFiles;
    case FileProblem::is_folder:
      return kFileIsDirectory;
    case FileProblem::not_a_folder:
      return kNotADirectory;
    case FileProblem::not_empty:
      return kDirectoryNotEmpty;
    default:
      return kUnsuccessful;
  }
}

bool FileSystem::set_program_folder(const std::string& folder) {
  program_folder_ = folder.empty() ? "." : folder;
  return program_.allow(program_folder_, false);
}
bool FileSystem::set_system_folder(const std::string& folder) {
  system_folder_ = folder;
  return system_.allow(folder, false);
}
bool FileSystem::set_work_folder(const std::string& folder, bool writes) {
  work_folder_ = folder;
  has_work_ = work_.allow(folder, writes);
  return has_work_;
}

bool FileSystem::make_home() {
  home_ = HomeFolder::make();
  own_.limit(HomeFolder::kMostBytes);
  return home_ != nullptr && own_.allow(home_->path(), true);
}

std::string volume_path(std::string_view path) {
  return std::string(kVolumeDevice).append(path.substr(std::min<usize>(path.size(), 2)));
}

Place FileSystem::find(std::string_view nt_name) {
  for (const std::string_view volume : {kVolumeDevice, kVolumeName}) {
    if (same_ignoring_case(nt_name.substr(0, volume.size()), volume) && nt_name.substr(volume.size()).starts_with('\\'))
      return find(std::string(kNtPrefix) + "C:" + std::string(nt_name.substr(volume.size())));
  }
  if (!nt_name.starts_with(kNtPrefix)) return no_place(kObjectPathNotFound);
  nt_name.remove_prefix(kNtPrefix.size());
  if (same_ignoring_case(nt_name, "NUL")) {
    Place place;
    place.kind = Place::Kind::null_device;
    place.exists = true;
    place.path = "NUL";
    return place;
  }
  const auto parts = split(nt_name);
  if (!parts) return no_place(kObjectPathNotFound);
  for (const std::string& part : *parts)
    if (!is_valid(part)) return no_place(kObjectNameInvalid);
  Place place;
  const auto is = [&](usize index, std::string_view name) {
    return index < parts->size() && same_ignoring_case((*parts)[index], name);
  };
  if (parts->empty()) {
    place = fixed_folder("C:\\", {"app", "Program Files", "ProgramData", "users", "windows", "work"});
  } else if (is(0, "app")) {
    place = find_in(program_, std::string(kProgramFolder), *parts, 1);
  } else if (is(0, "work")) {
    if (has_work_) {
      place = find_in(work_, std::string(kWorkFolder), *parts, 1);
    } else {
      place = parts->size() == 1 ? fixed_folder(std::string(kWorkFolder), {}) : no_place(kObjectNameNotFound);
    }
  } else if (home_ != nullptr && (is(0, "users") || is(0, "ProgramData"))) {
    place = find_in(own_, "C:", *parts, 0);
  } else if (is(0, "Program Files") && parts->size() == 1) {
    place = fixed_folder("C:\\Program Files", {});
  } else if (is(0, "windows") && parts->size() == 1) {
    place = fixed_folder("C:\\windows", {"system32"});
  } else if (is(0, "windows") && is(1, "system32")) {
    place = find_in(system_, std::string(kSystemFolder), *parts, 2);
  } else {
    place = no_place(parts->size() == 1 || (is(0, "windows") && parts->size() == 2) ? kObjectNameNotFound
                                                                                    : kObjectPathNotFound);
  }
  place.names_folder = nt_name.ends_with('\\');
  return place;
}

// `first` is the index of the first part below the root.
Place FileSystem::find_in(GuestFiles& files, std::string root, const std::vector<std::string>& parts, usize first) {
  Place place;
  place.files = &files;
  place.path = std::move(root);
  place.host_name = kGuestFolder;
  place.exists = true;
  place.status = status_of(files.facts(place.host_name, place.facts));
  for (usize index = first; index < parts.size() && place.status == kSuccess; ++index) {
    if (!place.exists || !place.facts.folder) return no_place(kObjectPathNotFound);
    std::string part = parts[index];
    FileFacts facts;
    FileProblem problem = files.facts(place.host_name + "\\" + part, facts);
    if (problem == FileProblem::not_found) {
      std::vector<std::string> names;
      (void)files.list(place.host_name, names);
      const auto same = std::find_if(names.begin(), names.end(),
                                     [&](const std::string& name) { return same_ignoring_case(name, part); });
      if (same != names.end()) {
        part = *same;
        problem = files.facts(place.host_name + "\\" + part, facts);
      }
    }
    place.host_name += "\\" + part;
    place.path += "\\" + part;
    place.exists = problem == FileProblem::none;
    place.facts = facts;
    if (problem != FileProblem::none && problem != FileProblem::not_found) place.status = status_of(problem);
  }
  return place;
}

std::string FileSystem::host_path(std::string_view path) {
  const Place place = find(std::string(kNtPrefix) + std::string(path));
  if (place.files == nullptr || !place.exists) return {};
  std::string below = place.host_name.substr(kGuestFolder.size());
  std::replace(below.begin(), below.end(), '\\', '/');
  if (place.files == &own_) return home_->path() + below;
  const std::string& root = place.files == &program_  ? program_folder_
                            : place.files == &system_ ? system_folder_
                                                      : work_folder_;
  return root + below;
}

std::optional<std::vector<std::byte>> FileSystem::contents(const Place& place) {
  if (place.files == nullptr || !place.exists || place.facts.folder || place.facts.bytes > kLargestFile)
    return std::nullopt;
  u32 number = 0;
  FileOpenOptions options;
  options.read = true;
  if (place.files->open(place.host_name, options, number) != FileProblem::none) return std::nullopt;
  std::vector<std::byte> bytes(place.facts.bytes);
  usize done = 0;
  while (done < bytes.size()) {
    const auto got = place.files->read(number, {reinterpret_cast<char*>(bytes.data()) + done, bytes.size() - done});
    if (!got || *got == 0) break;
    done += *got;
  }
  place.files->close(number);
  if (done != bytes.size()) return std::nullopt;
  return bytes;
}

}  // namespace wperf::sim::nt
