// SPDX-License-Identifier: BSD-3-Clause
// The drive that a program sees: C:\app with the program, C:\work with the folder of the user, C:\users and
// C:\ProgramData for its own files, and the system's DLLs in C:\windows\system32. Names are found regardless of case.
// Every access goes through GuestFiles, so no name leads out of these folders.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "sim/nt/guest_files.h"
#include "sim/nt/home_folder.h"
#include "sim/nt/status.h"

namespace wperf::sim::nt {

// The place that a name refers to, whether or not it exists.
struct Place {
  enum class Kind : u8 { disk, fixed_folder, null_device };
  Status status = kSuccess;  // the reason why the name refers to no place
  Kind kind = Kind::disk;
  GuestFiles* files = nullptr;  // for a place on disk
  std::string host_name;        // its name for `files`
  std::string path;             // "C:\work\a.txt"
  bool exists = false;
  bool names_folder = false;  // the name ends with a backslash
  FileFacts facts;
  std::vector<std::string> entries;  // of a fixed folder
};

class FileSystem {
 public:
  FileSystem() = default;

  // Folders on the host. Returns false if a folder does not exist.
  [[nodiscard]] bool set_program_folder(const std::string& folder);
  [[nodiscard]] bool set_system_folder(const std::string& folder);
  [[nodiscard]] bool set_work_folder(const std::string& folder, bool writes);
  [[nodiscard]] bool make_home();

  // Resolves a name in the form of system calls: "\??\C:\work\a.txt".
  Place find(std::string_view nt_name);
  // The bytes of a file; nullopt if it cannot be read.
  static std::optional<std::vector<std::byte>> contents(const Place& place);
  // Visits the folders that programs may change: the identity of each, and its changes since the last call.
  template <class Visit>
  void take_changes(const Visit& visit) {
    for (GuestFiles* const files : {&work_, &own_}) {
      const std::vector<FolderChange> changes = files->take_changes();
      if (!changes.empty()) visit(files->identity(), changes);
    }
  }
  // Returns the host path of a file like "C:\app\fib.exe", or an empty text if the file does not exist.
  std::string host_path(std::string_view path);

 private:
  Place find_in(GuestFiles& files, std::string root, const std::vector<std::string>& parts, usize first);

  std::unique_ptr<HomeFolder> home_;
  GuestFiles program_, system_, work_, own_;
  std::string program_folder_, system_folder_, work_folder_;
  bool has_work_ = false;
};

inline constexpr std::string_view kVolumeDevice = "\\Device\\HarddiskVolume1";  // the target of the link \??\C:
inline constexpr std::string_view kVolumeName = "\\??\\Volume{57504552-0000-0000-0000-100000000000}";
// The name of a file with its volume instead of its drive; `path` is like "C:\work\a.txt".
std::string volume_path(std::string_view path);
inline constexpr std::string_view kNtPrefix = "\\??\\";
inline constexpr std::string_view kProgramFolder = "C:\\app", kSystemFolder = "C:\\windows\\system32",
                                  kWorkFolder = "C:\\work";

Status status_of(FileProblem problem);

}  // namespace wperf::sim::nt
