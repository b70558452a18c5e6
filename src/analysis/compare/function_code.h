// SPDX-License-Identifier: BSD-3-Clause
// Facts about functions in the files of a build, used if names do not show which functions of two builds are the same.
// The caller opens the files.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "model/stacks/stack_profile.h"

namespace wperf::compare {

struct SourceLine {
  std::string file;  // as debug information has it
  u32 line = 0;
};

// A module of one build. Functions are known by their beginnings.
class BuildFile {
 public:
  virtual ~BuildFile() = default;
  // A hash of its contents, the same at any address. 0 if it is too short; nullopt if its code is not available.
  virtual std::optional<u64> code_hash(u64 begin) const = 0;
  // Where the function begins in its source. nullopt if the file does not say, or was opened without lines.
  virtual std::optional<SourceLine> source_of(u64 begin) const = 0;
  // All names of all functions, as they are shown.
  virtual void for_each_name(const std::function<void(u64 begin, std::string_view name)>& visit) const = 0;
};

// Null if the file is not on this machine.
using OpenBuildFile = std::function<std::unique_ptr<BuildFile>(const stacks::StackModule&)>;

}  // namespace wperf::compare
