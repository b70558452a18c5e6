// SPDX-License-Identifier: BSD-3-Clause
// Sample profiles in the forms that compilers and binary optimizers read. Writers only: counts in, bytes out. The
// counts are sorted and each key is there once, so equal counts give equal bytes.
#pragma once
#include <array>
#include <compare>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::compiler_profiles {

// Addresses are as linked.
struct AddressCount {
  u64 address = 0, count = 0;
  bool operator==(const AddressCount&) const = default;
};

struct BranchCount {
  u64 from = 0, to = 0;
  u64 count = 0, mispredicted = 0;
  bool operator==(const BranchCount&) const = default;
};

// Instructions that ran one after the other, from `begin` to the one at `last`.
struct RangeCount {
  u64 begin = 0, last = 0, count = 0;
  bool operator==(const RangeCount&) const = default;
};

struct AddressCounts {
  std::vector<AddressCount> samples;
  std::vector<RangeCount> ranges;
  std::vector<BranchCount> branches;
};

// The unsymbolized profile of llvm-profgen, for `--unsymbolized-profile F --use-offset=0`. If there are ranges, they
// replace the samples: the two have different scales. A sample is a range of one instruction.
std::string llvm_unsymbolized(const AddressCounts& counts);

// A sample profile of LLVM as text: counts by line of each function.
struct SourceLocation {
  u32 line = 0;           // from the declaration of its function on
  u32 discriminator = 0;  // a block of this line
  auto operator<=>(const SourceLocation&) const = default;
};
struct FunctionProfile {
  u64 total = 0, head = 0;  // of all its instructions; how often it was entered
  struct Body {
    u64 count = 0;
    std::map<std::string, u64> targets;  // functions that were called there
    bool operator==(const Body&) const = default;
  };
  std::map<SourceLocation, Body> body;
  std::map<SourceLocation, std::map<std::string, FunctionProfile>> inlined;  // by the place of the call
  bool operator==(const FunctionProfile&) const = default;
};
// By the names that the linker knows.
using FunctionProfiles = std::map<std::string, FunctionProfile>;
std::vector<const FunctionProfiles::value_type*> largest_first(const FunctionProfiles& functions);
std::string llvm_text(const FunctionProfiles& functions);
// The same in LLVM's extensible binary format, which compilers read faster.
std::string llvm_binary(const FunctionProfiles& functions);

// The pre-aggregated form of perf2bolt (`--pa`): branches and ranges.
std::string bolt_branches(const AddressCounts& counts);

struct FunctionSample {
  std::string_view symbol;  // as BOLT calls it: a local symbol ends in /1
  u64 offset = 0, count = 0;
};
// Samples without branches, for `llvm-bolt -data`. A blank in a name is escaped.
std::string bolt_samples(std::string_view event, std::span<const FunctionSample> samples);

// Types of records in a .spt file.
enum class SptEvent : u8 {
  cycles = 0x01,
  instructions = 0x02,
  branches = 0x03,
  instruction_misses = 0x04,
  data_misses = 0x05,
  timer = 0x41,
};

struct SptCount {
  SptEvent event = SptEvent::timer;
  u32 rva = 0;
  u64 count = 0;
};

struct SptModule {
  std::string name;
  std::array<u8, 16> guid{};  // as the image's RSDS record has it
  u32 age = 0;
  std::vector<SptCount> samples;
};

// A sample profile trace of version 1, for Microsoft's SPDConvert. An error if there are more modules or longer names
// than its tables can hold.
inline constexpr usize kMostSptModules = 0xffff;
diag::Result<std::string> spt(std::span<const SptModule> modules);

}  // namespace wperf::compiler_profiles
