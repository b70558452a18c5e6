// SPDX-License-Identifier: BSD-3-Clause
// The files that outputs are made in before they get their names. Whoever is ended from outside, by Ctrl-C say, takes
// them away, so that no part of an output stays. Called by new_file, from any thread, and by main.
#pragma once
#include <string_view>

namespace wperf::os {

// One such file, as long as this lives. So many are remembered at once; more are not, and stay.
inline constexpr int kMostUnfinishedFiles = 16;
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  explicit UnfinishedFile(std::string_view path);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  ~UnfinishedFile() { forget(); }

  void forget();  // it came to its place, or is gone

 private:
  static constexpr int kNone = -1;
  int number_ = kNone;
};

// Safe in a signal handler.
void remove_unfinished_files();
// From now on, what ends this process from outside does that first, where nobody cares for it: catch_interrupt() and
// who ignores a signal have their way. For programs; a library has no say in this.
void remove_unfinished_when_ended();

}  // namespace wperf::os
