// SPDX-License-Identifier: BSD-3-Clause
// The temporary folder on the host with the files of a program and of its children. It is empty at the program's start,
// and is removed with this object.
#pragma once
#include <memory>
#include <string>
#include <utility>

#include "base/ints.h"

namespace wperf::sim::nt {

class HomeFolder {
 public:
  static constexpr u64 kMostBytes = 4ull << 30;

  // Also removes the folders of processes that were killed. Null if the folder cannot be made.
  static std::unique_ptr<HomeFolder> make();
  ~HomeFolder();
  HomeFolder(const HomeFolder&) = delete;
  HomeFolder& operator=(const HomeFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  HomeFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_;  // the opened folder
};

}  // namespace wperf::sim::nt
