// SPDX-License-Identifier: BSD-3-Clause
// The files that a simulated program can see: the files in one folder of the host, and no others. The program sees this
// folder as C:\work, which is also the current folder; the program's only drive has no other folder. Names are resolved
// before they reach the host, and each part is opened without following links, so that no name leads out of the folder.
// Owned by a process's state.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ints.h"
#include "sim/nt/guest_names.h"
#include "sim/nt/host_memory.h"
#include "sim/nt/standard_streams.h"

namespace wperf::sim {

// The parts of the host that a program sees.
struct Surroundings {
  std::string folder;                                  // on the host; if empty, the program sees no files
  bool writes = false;                                 // the program may also change the contents of the folder
  std::shared_ptr<StandardStreams> streams = nullptr;  // null: it has no input, and its output is discarded
};

enum class FileProblem : u8 { none, not_found, denied, exists, too_many, is_folder, not_a_folder, not_empty, failed };

struct FileOpenOptions {
  bool read = false, write = false, append = false;
  bool create = false;     // if the file does not exist
  bool truncate = false;   // if the file exists
  bool exclusive = false;  // fails if the file exists
};

struct Moment {
  std::int64_t seconds = 0;  // since 1970
  u64 nanoseconds = 0;       // within the second
};

struct FileFacts {
  bool folder = false;
  bool writable = false;   // programs may change files of its folder
  bool read_only = false;  // its owner may not write to it
  u64 bytes = 0;
  u32 links = 1;         // its names
  Moment read, changed;  // the last ones
  u64 device = 0;        // distinguishes disks of the host
  u64 index = 0;         // distinguishes files of a disk
};

// A change that a program made, for programs that watch folders.
struct FolderChange {
  enum class Action : u8 { added = 1, removed = 2, modified = 3, old_name = 4, new_name = 5 };
  // Kinds of changes, as in FILE_NOTIFY_CHANGE_….
  static constexpr u32 kFileName = 1, kFolderName = 2, kAttributes = 4, kSize = 8, kWritten = 0x10, kRead = 0x20;

  Action action = Action::modified;
  u32 about = 0;
  std::string name;  // "C:\work\a\b.txt"
};

class GuestFiles {
 public:
  GuestFiles() = default;
  ~GuestFiles();
  GuestFiles(const GuestFiles&) = delete;
  GuestFiles& operator=(const GuestFiles&) = delete;

  [[nodiscard]] bool allow(const std::string& folder, bool writes);  // false: there is no such folder
  // Limits the growth of all files together to this many bytes.
  void limit(u64 bytes) { room_ = bytes; }

  // Sets `number`, which the calls below take.
  [[nodiscard]] FileProblem open(std::string_view name, const FileOpenOptions& options, u32& number);
  [[nodiscard]] FileProblem facts(std::string_view name, FileFacts& out) const;
  [[nodiscard]] FileProblem facts(u32 number, FileFacts& out) const;
  // The names in a folder, sorted; without "." and "..", and without special files.
  [[nodiscard]] FileProblem list(std::string_view name, std::vector<std::string>& out) const;
  [[nodiscard]] FileProblem remove(std::string_view name);
  [[nodiscard]] FileProblem remove_folder(std::string_view name);
  [[nodiscard]] FileProblem make_folder(std::string_view name);
  // Sets the times of the last read and of the last change; nullopt leaves a time as it is.
  [[nodiscard]] FileProblem set_times(std::string_view name, std::optional<Moment> read, std::optional<Moment> changed);
  // Folders are never read-only.
  [[nodiscard]] FileProblem set_read_only(u32 number, bool read_only);
  [[nodiscard]] FileProblem rename(std::string_view from, std::string_view to, bool replace);
  // Adds a hard link to a file. The new name must not exist.
  [[nodiscard]] FileProblem link(std::string_view from, std::string_view to);

  // The changes since the last call.
  std::vector<FolderChange> take_changes() { return std::exchange(changes_, {}); }
  const std::string& identity() const { return identity_; }  // of the folder on the host

  [[nodiscard]] bool is_open(u32 number) const;
  std::optional<usize> read(u32 number, std::span<char> out);  // 0 at the end
  std::optional<usize> write(u32 number, std::span<const char> bytes);
  enum class From : u8 { start, here, end };
  std::optional<u64> seek(u32 number, std::int64_t offset, From from);
  [[nodiscard]] bool resize(u32 number, u64 bytes);
  // The file as memory, which remains when the file is closed. Returns null if the host refuses.
  [[nodiscard]] std::shared_ptr<nt::HostMemory> map(u32 number, u64 bytes, bool writes) const;
  void note_written(u32 number) { note_modified(number, FolderChange::kWritten); }  // for writes to its mapping
  bool close(u32 number);

 private:
  // Opens the folder that holds the last part. Returns -1 and sets *problem on failure. The caller closes it.
  int open_parent(const std::vector<std::string>& parts, FileProblem& problem) const;

  // Opens the folders that hold the last parts of the two names, and calls the host with them.
  template <class Change>
  FileProblem for_parents(const std::vector<std::string>& old_parts, const std::vector<std::string>& new_parts,
                          const Change& change) const;

  void note(FolderChange::Action action, u32 about, std::string_view name);
  void note_rename(std::string_view from, std::string_view to, bool is_folder);
  void note_modified(u32 number, u32 about) { note(FolderChange::Action::modified, about, names_[number]); }

  // Returns false, and changes nothing, if the files would grow too much. A negative number frees room.
  bool grow(std::int64_t bytes);

  int folder_ = -1;
  bool writes_ = false;
  std::optional<u64> room_;  // the bytes by which files may still grow
  std::string identity_;
  std::vector<int> files_;          // by number; -1: free
  std::vector<std::string> names_;  // of open files, by number
  std::vector<FolderChange> changes_;
};

}  // namespace wperf::sim
