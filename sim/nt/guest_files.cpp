// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/guest_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace wperf::sim {
namespace {

constexpr usize kMostOpen = 512;
constexpr usize kMostListed = 1u << 20;

FileProblem problem_of(int error) {
  switch (error) {
    case ENOENT:
      return FileProblem::not_found;
    case ENOTDIR:
      return FileProblem::not_a_folder;
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:  // a link; links are not followed
      return FileProblem::denied;
    case EEXIST:
      return FileProblem::exists;
    case ENOTEMPTY:
      return FileProblem::not_empty;
    case EMFILE:
    case ENFILE:
      return FileProblem::too_many;
    case EISDIR:
      return FileProblem::is_folder;
    default:
      return FileProblem::failed;
  }
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

void fill_facts(const struct stat& status, bool writes, FileFacts& out) {
  out.folder = S_ISDIR(status.st_mode);
  out.writable = writes;
  out.bytes = out.folder ? 0 : static_cast<u64>(status.st_size);
  out.links = out.folder ? 1 : static_cast<u32>(status.st_nlink);
  out.read_only = !out.folder && (status.st_mode & S_IWUSR) == 0;
  out.read = {status.st_atim.tv_sec, static_cast<u64>(status.st_atim.tv_nsec)};
  out.changed = {status.st_mtim.tv_sec, static_cast<u64>(status.st_mtim.tv_nsec)};
  out.device = status.st_dev;
  out.index = status.st_ino;
}

timespec host_time(const std::optional<Moment>& time) {
  if (!time) return {.tv_sec = 0, .tv_nsec = UTIME_OMIT};
  return {.tv_sec = static_cast<time_t>(time->seconds), .tv_nsec = static_cast<long>(time->nanoseconds)};
}

}  // namespace

GuestFiles::~GuestFiles() {
  for (const int file : files_)
    if (file >= 0) ::close(file);
  if (folder_ >= 0) ::close(folder_);
}

bool GuestFiles::allow(const std::string& folder, bool writes) {
  if (folder_ >= 0) ::close(folder_);
  folder_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  writes_ = writes;
  struct stat status{};
  if (folder_ >= 0 && ::fstat(folder_, &status) == 0)
    identity_ = std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
  return folder_ >= 0;
}

void GuestFiles::note(FolderChange::Action action, u32 about, std::string_view name) {
  constexpr usize kMost = 1 << 16;
  const auto parts = parts_of_guest_name(name);
  if (parts && changes_.size() < kMost) changes_.push_back({action, about, guest_name_of(*parts)});
}

int GuestFiles::open_parent(const std::vector<std::string>& parts, FileProblem& problem) const {
  problem = FileProblem::not_found;
  if (folder_ < 0) return -1;
  int folder = ::fcntl(folder_, F_DUPFD_CLOEXEC, 0);
  for (usize index = 0; index + 1 < parts.size() && folder >= 0; ++index) {
    const int next = ::openat(folder, parts[index].c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int error = errno;
    ::close(folder);
    errno = error;
    folder = next;
  }
  if (folder < 0) problem = problem_of(errno);
  return folder;
}

FileProblem GuestFiles::open(std::string_view name, const FileOpenOptions& options, u32& number) {
  const auto parts = parts_of_guest_name(name);
  if (!parts) return FileProblem::not_found;
  if (parts->empty()) return folder_ < 0 ? FileProblem::not_found : FileProblem::is_folder;
  FileProblem problem{};
  const int parent = open_parent(*parts, problem);
  if (parent < 0) return problem;
  // O_NONBLOCK: opening a pipe must not block before it is recognised and refused.
  int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  flags |= !options.write ? O_RDONLY : options.read ? O_RDWR : O_WRONLY;
  if (options.append) flags |= O_APPEND;
  if (writes_ && options.create) flags |= O_CREAT;
  if (writes_ && options.exclusive) flags |= O_EXCL;
  const bool changes = options.write || options.truncate;
  struct stat status{};
  if (!writes_ && (changes || options.create)) {  // distinguishes existing files from files that must not be created
    const bool there = ::fstatat(parent, parts->back().c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (changes || !there || options.exclusive) {
      ::close(parent);
      return there && options.exclusive ? FileProblem::exists : FileProblem::denied;
    }
  }
  const bool was_there = ::fstatat(parent, parts->back().c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  const int file = ::openat(parent, parts->back().c_str(), flags, 0666);
  const int error = errno;
  ::close(parent);
  if (file < 0) return problem_of(error);
  problem = FileProblem::none;
  if (::fstat(file, &status) != 0)
    problem = FileProblem::failed;
  else if (S_ISDIR(status.st_mode))
    problem = FileProblem::is_folder;
  else if (!S_ISREG(status.st_mode))
    problem = FileProblem::denied;
  else if (options.truncate && ::ftruncate(file, 0) != 0)
    problem = problem_of(errno);
  else if (options.truncate)
    (void)grow(-status.st_size);
  usize free = 0;
  while (free < files_.size() && files_[free] >= 0) ++free;
  if (problem == FileProblem::none && free == kMostOpen) problem = FileProblem::too_many;
  if (problem != FileProblem::none) {
    ::close(file);
    return problem;
  }
  if (free == files_.size()) files_.push_back(-1);
  files_[free] = file;
  names_.resize(files_.size());
  names_[free] = name;
  if (!was_there)
    note(FolderChange::Action::added, FolderChange::kFileName, name);
  else if (options.truncate)
    note(FolderChange::Action::modified, FolderChange::kSize | FolderChange::kWritten, name);
  number = static_cast<u32>(free);
  return FileProblem::none;
}

FileProblem GuestFiles::facts(std::string_view name, FileFacts& out) const {
  const auto parts = parts_of_guest_name(name);
  if (!parts || folder_ < 0) return FileProblem::not_found;
  struct stat status{};
  if (parts->empty()) {
    if (::fstat(folder_, &status) != 0) return problem_of(errno);
    fill_facts(status, writes_, out);
    return FileProblem::none;
  }
  FileProblem problem{};
  const int parent = open_parent(*parts, problem);
  if (parent < 0) return problem;
  const int answer = ::fstatat(parent, parts->back().c_str(), &status, AT_SYMLINK_NOFOLLOW);
  const int error = errno;
  ::close(parent);
  if (answer != 0) return problem_of(error);
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return FileProblem::denied;
  fill_facts(status, writes_, out);
  return FileProblem::none;
}

FileProblem GuestFiles::facts(u32 number, FileFacts& out) const {
  struct stat status{};
  if (!is_open(number) || ::fstat(files_[number], &status) != 0) return FileProblem::failed;
  fill_facts(status, writes_, out);
  return FileProblem::none;
}

FileProblem GuestFiles::list(std::string_view name, std::vector<std::string>& out) const {
  out.clear();
  auto parts = parts_of_guest_name(name);
  if (!parts || folder_ < 0) return FileProblem::not_found;
  parts->emplace_back(".");  // the parent of the result is the folder itself
  FileProblem problem{};
  const int folder = open_parent(*parts, problem);
  if (folder < 0) return problem;
  const std::unique_ptr<DIR, CloseFolder> entries(::fdopendir(folder));
  if (!entries) {
    ::close(folder);
    return FileProblem::failed;
  }
  ::rewinddir(entries.get());  // the folder shares its position with the descriptor that it was copied from
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view file = entry->d_name;
    struct stat status{};
    if (file == "." || file == ".." || !is_plain_part(file) || file.find('\\') != std::string_view::npos) continue;
    if (::fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) continue;
    if (out.size() == kMostListed) return FileProblem::failed;
    out.emplace_back(file);
  }
  std::sort(out.begin(), out.end());
  return FileProblem::none;
}

FileProblem GuestFiles::remove(std::string_view name) {
  FileFacts now;
  if (const FileProblem problem = facts(name, now); problem != FileProblem::none) return problem;
  if (!writes_ || now.folder) return FileProblem::denied;
  const auto parts = parts_of_guest_name(name);
  FileProblem problem{};
  const int parent = open_parent(*parts, problem);
  if (parent < 0) return problem;
  problem = ::unlinkat(parent, parts->back().c_str(), 0) == 0 ? FileProblem::none : problem_of(errno);
  ::close(parent);
  if (problem != FileProblem::none) return problem;
  if (now.links == 1) (void)grow(-static_cast<std::int64_t>(now.bytes));
  note(FolderChange::Action::removed, FolderChange::kFileName, name);
  return problem;
}

FileProblem GuestFiles::remove_folder(std::string_view name) {
  FileFacts now;
  if (const FileProblem problem = facts(name, now); problem != FileProblem::none) return problem;
  const auto parts = parts_of_guest_name(name);
  if (!writes_ || parts->empty()) return FileProblem::denied;
  if (!now.folder) return FileProblem::not_a_folder;
  FileProblem problem{};
  const int parent = open_parent(*parts, problem);
  if (parent < 0) return problem;
  problem = ::unlinkat(parent, parts->back().c_str(), AT_REMOVEDIR) == 0 ? FileProblem::none : problem_of(errno);
  ::close(parent);
  if (problem == FileProblem::none) note(FolderChange::Action::removed, FolderChange::kFolderName, name);
  return problem;
}

FileProblem GuestFiles::make_folder(std::string_view name) {
  const auto parts = parts_of_guest_name(name);
  if (!parts) return FileProblem::not_found;
  if (parts->empty()) return folder_ < 0 ? FileProblem::not_found : FileProblem::exists;
  FileProblem problem{};
  const int parent = open_parent(*parts, problem);
  if (parent < 0) return problem;
  if (!writes_)
    problem = FileProblem::denied;
  else
    problem = ::mkdirat(parent, parts->back().c_str(), 0777) == 0 ? FileProblem::none : problem_of(errno);
  ::close(parent);
  if (problem == FileProblem::none) note(FolderChange::Action::added, FolderChange::kFolderName, name);
  return problem;
}

FileProblem GuestFiles::set_times(std::string_view name, std::optional<Moment> read, std::optional<Moment> changed) {
  const auto parts = parts_of_guest_name(name);
  if (!writes_ || !parts || parts->empty()) return FileProblem::denied;
  FileProblem problem{};
  const int parent = open_parent(*parts, problem);
  if (parent < 0) return problem;
  const timespec times[2] = {host_time(read), host_time(changed)};
  const int answer = ::utimensat(parent, parts->back().c_str(), times, AT_SYMLINK_NOFOLLOW);
  problem = answer == 0 ? FileProblem::none : problem_of(errno);
  ::close(parent);
  const u32 about = (read ? FolderChange::kRead : 0) | (changed ? FolderChange::kWritten : 0);
  if (problem == FileProblem::none) note(FolderChange::Action::modified, about, name);
  return problem;
}

FileProblem GuestFiles::set_read_only(u32 number, bool read_only) {
  struct stat status{};
  if (!is_open(number) || ::fstat(files_[number], &status) != 0) return FileProblem::failed;
  if (!writes_) return FileProblem::denied;
  constexpr mode_t kAnyWrite = S_IWUSR | S_IWGRP | S_IWOTH, kPermissions = 07777;
  const mode_t mode = status.st_mode & kPermissions;
  const mode_t wanted = read_only ? mode & ~kAnyWrite : mode | S_IWUSR;
  if (wanted == mode) return FileProblem::none;
  if (::fchmod(files_[number], wanted) != 0) return problem_of(errno);
  note_modified(number, FolderChange::kAttributes);
  return FileProblem::none;
}

void GuestFiles::note_rename(std::string_view from, std::string_view to, bool is_folder) {
  using Action = FolderChange::Action;
  const u32 about = is_folder ? FolderChange::kFolderName : FolderChange::kFileName;
  const bool stays = from.substr(0, from.rfind('\\')) == to.substr(0, to.rfind('\\'));
  note(stays ? Action::old_name : Action::removed, about, from);
  note(stays ? Action::new_name : Action::added, about, to);
  for (std::string& name : names_)
    if (name == from) name = to;
}

template <class Change>
FileProblem GuestFiles::for_parents(const std::vector<std::string>& old_parts,
                                    const std::vector<std::string>& new_parts, const Change& change) const {
  FileProblem problem{};
  const int old_parent = open_parent(old_parts, problem);
  if (old_parent < 0) return problem;
  const int new_parent = open_parent(new_parts, problem);
  if (new_parent >= 0) problem = change(old_parent, new_parent) == 0 ? FileProblem::none : problem_of(errno);
  if (new_parent >= 0) ::close(new_parent);
  ::close(old_parent);
  return problem;
}

FileProblem GuestFiles::rename(std::string_view from, std::string_view to, bool replace) {
  FileFacts now;
  if (const FileProblem problem = facts(from, now); problem != FileProblem::none) return problem;
  const auto old_parts = parts_of_guest_name(from), new_parts = parts_of_guest_name(to);
  if (!new_parts) return FileProblem::not_found;
  if (!writes_ || old_parts->empty() || new_parts->empty()) return FileProblem::denied;
  FileFacts replaced;
  const bool is_there = facts(to, replaced) != FileProblem::not_found;
  if (!replace && is_there) return FileProblem::exists;
  const FileProblem problem = for_parents(*old_parts, *new_parts, [&](int old_parent, int new_parent) {
    return ::renameat(old_parent, old_parts->back().c_str(), new_parent, new_parts->back().c_str());
  });
  if (problem != FileProblem::none) return problem;
  if (is_there && replaced.index != now.index && replaced.links == 1)
    (void)grow(-static_cast<std::int64_t>(replaced.bytes));
  note_rename(from, to, now.folder);
  return problem;
}

FileProblem GuestFiles::link(std::string_view from, std::string_view to) {
  FileFacts now;
  if (const FileProblem problem = facts(from, now); problem != FileProblem::none) return problem;
  const auto old_parts = parts_of_guest_name(from), new_parts = parts_of_guest_name(to);
  if (!new_parts) return FileProblem::not_found;
  if (!writes_ || new_parts->empty()) return FileProblem::denied;
  if (now.folder) return FileProblem::is_folder;
  // Without AT_SYMLINK_FOLLOW, linkat() would link a symbolic link, not its target; facts() has refused symbolic links.
  const FileProblem problem = for_parents(*old_parts, *new_parts, [&](int old_parent, int new_parent) {
    return ::linkat(old_parent, old_parts->back().c_str(), new_parent, new_parts->back().c_str(), 0);
  });
  if (problem == FileProblem::none) note(FolderChange::Action::added, FolderChange::kFileName, to);
  return problem;
}

}  // namespace wperf::sim
