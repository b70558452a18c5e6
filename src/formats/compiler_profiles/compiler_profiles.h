// SPDX-License-Identifier: BSD-3-Clause
// Sample profiles in the forms that compilers and binary optimizers read. Only writes them, from counts. The counts are
// sorted and each key occurs once, so equal counts give equal bytes.
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

// Addresses are linked addresses.
struct AddressCount {
  u64 address = 0, count = 0;
  bool operator==(const AddressCount&) const = default;
};

struct BranchCount {
  u64 from = 0, to = 0;
  u64 count = 0, mispredicted = 0;
  bool operator==(const BranchCount&) const = default;
};

// Instructions that ran in sequence, from the instruction at `begin` to the instruction at `last`.
struct RangeCount {
  u64 begin = 0, last = 0, count = 0;
  bool operator==(const RangeCount&) const = default;
};

struct AddressCounts {
  std::vector<AddressCount> samples;
  std::vector<RangeCount> ranges;
  std::vector<BranchCount> branches;
  std::vector<AddressCount> entries = {};  // how often execution came to an address other than by `branches`
};

// The unsymbolized profile of llvm-profgen, for `--unsymbolized-profile F --use-offset=0`. Samples are written as
// ranges of one instruction, but only if there are no recorded ranges, because the two have different scales. Entries
// are branches from address 1, which is llvm-profgen's name for code outside of the binary.
std::string llvm_unsymbolized(const AddressCounts& counts);

// LLVM's sample profile as text: counts for each line of each function.
struct SourceLocation {
  u32 line = 0;           // counted from the declaration of its function
  u32 discriminator = 0;  // distinguishes the blocks of a line
  auto operator<=>(const SourceLocation&) const = default;
};
struct FunctionProfile {
  u64 total = 0, head = 0;  // the count of all instructions of the function; how often it was entered
  struct Body {
    u64 count = 0;
    std::map<std::string, u64> targets;  // functions called from this line, with their counts
    bool operator==(const Body&) const = default;
  };
  std::map<SourceLocation, Body> body;
  std::map<SourceLocation, std::map<std::string, FunctionProfile, std::less<>>>
      inlined;  // keyed by the place of the call
  bool operator==(const FunctionProfile&) const = default;
};
// Keyed by linkage name.
using FunctionProfiles = std::map<std::string, FunctionProfile, std::less<>>;
std::vector<const FunctionProfiles::value_type*> largest_first(const FunctionProfiles& functions);
std::string llvm_text(const FunctionProfiles& functions);
// The same profile in LLVM's extensible binary format, which compilers read faster.
std::string llvm_binary(const FunctionProfiles& functions);

// The pre-aggregated form of perf2bolt (`--pa`): branches and ranges.
std::string bolt_branches(const AddressCounts& counts);

struct FunctionSample {
  std::string_view symbol;  // as BOLT names it: a local symbol ends in /1
  u64 offset = 0, count = 0;
};
// Samples without branches, for `llvm-bolt -data`. Blanks in names are escaped.
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

// A branch that was taken, or an address in a function and the address to which it returns.
struct SptPair {
  u32 from = 0, to = 0;  // RVAs
  u64 count = 0;
};

struct SptModule {
  std::string name;
  std::array<u8, 16> guid{};  // as in the image's RSDS record
  u32 age = 0;
  std::vector<SptCount> samples = {};
  std::vector<SptPair> branches = {}, calls = {};
};

// A sample profile trace of version 1, for Microsoft's SPDConvert. Returns an error if there are too many modules or
// too long names for its tables.
inline constexpr usize kMostSptModules = 0xffff;
diag::Result<std::string> spt(std::span<const SptModule> modules);

}  // namespace wperf::compiler_profiles
