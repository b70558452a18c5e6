// SPDX-License-Identifier: BSD-3-Clause
// What the files of a build say of its functions: asked for where names alone leave open which functions of two builds
// are the same. Called by matching; commands opens the files.
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

// A module of one build. Functions are known by where they begin.
class BuildFile {
 public:
  virtual ~BuildFile() = default;
  // What it is made of, the same wherever it lies. 0: too short to tell. Nothing: its code is not here.
  virtual std::optional<u64> code_hash(u64 begin) const = 0;
  // Where the function begins in its source. Nothing: the file does not tell, or was opened without lines.
  virtual std::optional<SourceLine> source_of(u64 begin) const = 0;
  // All names of all functions, as they are shown.
  virtual void for_each_name(const std::function<void(u64 begin, std::string_view name)>& visit) const = 0;
};

// Null: the file is not here.
using OpenBuildFile = std::function<std::unique_ptr<BuildFile>(const stacks::StackModule&)>;

}  // namespace wperf::compare
