// SPDX-License-Identifier: BSD-3-Clause
// Samples of many processes, each with its own memory that changes as they run, moved into one address space: every
// file gets one place ("home"), so that an address there says file and offset whoever ran it. Walks samples and
// happenings in the order of their times. Pure; called by kernel_sample_profile.
#pragma once
#include <string>
#include <vector>

#include "base/ints.h"
#include "raw/samples.h"

namespace wperf::pipeline {

struct HomeFile {
  std::string path;  // as the process saw it
  std::vector<std::byte> build_id;
  u64 home = 0;  // of byte 0 of the file
  u64 size = 0;  // as far as it was mapped
  u32 first_process = 0;
};

struct ProgramName {
  u32 process = 0;
  std::string name;
};

struct ProgramSpaces {
  std::vector<HomeFile> files;     // in the order in which they were first mapped
  std::vector<ProgramName> names;  // by process; the last one it had
};

// Added to addresses in nothing that was mapped, so that they meet no file's home.
inline constexpr u64 kNowhere = u64{1} << 62;

// Moves the addresses of user samples home, or nowhere.
ProgramSpaces move_home(raw::SampleCapture& capture);

}  // namespace wperf::pipeline
