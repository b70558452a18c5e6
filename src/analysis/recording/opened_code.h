// SPDX-License-Identifier: BSD-3-Clause
// Files of code that stay open from one report to the next, for reports every second: opening and checking them is most
// of the cost of naming. Used from one thread.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "code/modules/code_file.h"
#include "formats/perf_data/process_history.h"

namespace wperf::recording {

class OpenedCode {
 public:
  // Null: it was not opened yet, or has changed since.
  std::shared_ptr<const modules::CodeFile> find(const perf_data::MappedCode& code);
  std::shared_ptr<const modules::CodeFile> keep(const perf_data::MappedCode& code, modules::CodeFile file);

 private:
  using Key = std::pair<std::string, std::string>;  // path and build id
  struct Opened {
    u64 size = 0, changed_unix_ns = 0;  // of the file at this path; 0: there was none
    std::shared_ptr<const modules::CodeFile> file;
  };
  static Key key_of(const perf_data::MappedCode& code);
  static Opened state_of(const std::string& path);

  std::map<Key, Opened> files_;
};

}  // namespace wperf::recording
