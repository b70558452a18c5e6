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
#include "machine/perf_events/synthesized_records.h"

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
  // The build id of a file that the process has mapped, even if the file was deleted. Other users' mappings are
  // readable only for root.
  std::string_view of_mapping(u32 process, const perf_events::ListedMapping& mapping);
  // Build ids of files that are mapped in a recording without a build id.
  struct OfRecording {
    std::vector<perf_data::WrittenBuildId> build_ids;      // of files that their paths identify
    std::vector<perf_data::MappedFileFacts> mapped_files;  // replaced files, and files that share a path
  };
  OfRecording of_recording(const perf_data::PerfFile& file);

 private:
  // A process's view of the file system; empty if it may not be read.
  struct View {
    explicit View(const std::string& process_folder);
    std::filesystem::path space, root;
  };
  struct Wanted {
    u64 inode = 0, inode_generation = 0, first_ns = 0;
    bool is_in_its_view = false;  // the name is valid in the view of a process that mapped the file
  };
  enum class Present : u8 { same, another, unknown };
  Present present_at(const std::string& name, const Wanted& wanted) const;
  Present present_in(std::string& root, std::string_view path, const Wanted& wanted) const;

  View own_{"/proc/self"};
  timespec started_{};
  std::string_view in_file(const std::string& name);

  std::map<std::string, std::string> known_;  // keyed by path
};

}  // namespace wperf::linux_kernel
