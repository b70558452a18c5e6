// SPDX-License-Identifier: BSD-3-Clause
// The build ids of mapped files. The kernel could write them into its records of mappings, but then all programs that
// record would get such records, and older versions of perf cannot read them.
#pragma once
#include <ctime>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/perf_data/perf_file.h"
#include "formats/perf_data/perf_file_layout.h"

namespace wperf::linux_kernel {

// The first bytes of a file, at most `most`; empty if it cannot be read.
std::string beginning_of(const std::string& path, usize most);

class FileBuildIds {
 public:
  FileBuildIds();

  // The root folder of a process; empty if it is the root of this process. In a container the same name may be another
  // file.
  std::string root_of(u32 process) const;
  // The bytes of the build id; empty if not known.
  std::string_view of_file(const std::string& root, std::string_view path);
  // Finds build ids for files in a recording whose mappings have none. Files that may have been replaced since are left
  // out.
  std::vector<perf_data::WrittenBuildId> of_recording(const perf_data::PerfFile& file);

 private:
  // A process's view of the file system; empty if it may not be read.
  struct View {
    explicit View(const std::string& process_folder);
    std::filesystem::path space, root;
  };
  bool is_the_same(const std::string& name, u64 inode, bool is_known_to_be_its) const;

  View own_{"/proc/self"};
  timespec started_{};
  std::map<std::string, std::string> known_;  // keyed by path
};

}  // namespace wperf::linux_kernel
