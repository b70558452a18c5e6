// SPDX-License-Identifier: BSD-3-Clause
// The counts that a profile for compilers needs: per binary, how often each address was sampled, and which branches and
// ranges the hardware recorded. Several recordings are added up; a binary is known by its build id.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/recording/recorded_samples.h"
#include "base/ints.h"
#include "formats/compiler_profiles/compiler_profiles.h"

namespace wperf::pgo {

// Samples of an event are in proportion to one of these. The best for a profile comes first.
enum class EventKind : u8 { instructions, cycles, timer, branches, instruction_misses, data_misses, other };
EventKind kind_of_event(std::string_view name);

struct CountedEvent {
  std::string name;
  EventKind kind = EventKind::other;
  u64 samples = 0;
};

struct CountedFunction {
  std::string name;
  u64 end = 0;             // one past the last byte; its beginning if not known
  std::string elf_symbol;  // empty: none begins there
  bool is_local = false;   // the symbol, so that others may have its name
};

struct BranchTotals {
  u64 count = 0, mispredicted = 0;
};

using BranchCounts = std::map<std::pair<u64, u64>, BranchTotals>;  // from and to

struct Binary {
  std::string name, path;
  std::string build_id;                     // as hexadecimal digits, for Windows GUID and age; empty if not recorded
  std::string reason;                       // why some samples have no address
  const modules::CodeFile* file = nullptr;  // in ProfileCounts::files; null if that was not kept
  bool is_windows = false;
  u64 image_base = 0;
  // All addresses are as linked.
  std::map<u32, std::unordered_map<u64, u64>> samples;  // by event: address → count
  std::map<std::string, u64> boundless;                 // samples of functions whose bounds are unknown, by name
  std::map<u64, CountedFunction> functions;             // by beginning
  BranchCounts branches;                                // of branch stacks
  BranchCounts operation_branches;                      // of SPE, in proportion to its operations
  std::map<std::pair<u64, u64>, u64> ranges;            // first and last instruction → count
  u64 without_address = 0;                              // samples; the file is not here
};

// Samples that belong to no binary, and the parts of branch stacks that were not used.
struct Drops {
  u64 kernel = 0;
  u64 made_code = 0;           // made at run time
  u64 nowhere = 0;             // in no mapping
  u64 call_stacks = 0;         // branch stacks that hold calls only
  u64 branches_elsewhere = 0;  // from or to the kernel, or code without a file
  u64 ranges_elsewhere = 0;    // between two binaries, or as above
  u64 ranges_backwards = 0;
  u64 ranges_across_functions = 0;
};

struct ProfileCounts {
  std::vector<CountedEvent> events;
  std::vector<Binary> binaries;
  Drops drops;
  u64 samples = 0;
  u64 branch_stacks = 0;                    // with at least one branch
  u64 samples_without_stacks = 0;           // in recordings that have no branch stacks
  std::vector<std::string> losses;          // of the recordings, a sentence each
  std::vector<std::string> programs;        // of the recordings, as they name them; each once
  std::vector<recording::CodeFiles> files;  // of the recordings, as long as their binaries are of interest

  u32 event_of(std::string_view name, EventKind kind);
  Binary& binary_of(const stacks::StackModule& module, const modules::CodeFile* file);
  std::vector<Binary>::iterator find_binary(const stacks::StackModule& module);
  // Takes the files of the recording, for the binaries.
  void keep_files(recording::RecordedSamples& recorded);
};

// `recorded` was read with ReadOptions::code. Its events from `first_operation` on are kinds of operations that SPE
// recorded, which picks one operation out of many: together they are one event in proportion to instructions.
inline constexpr std::string_view kOperations = "SPE operations";
void add_samples(const recording::RecordedSamples& recorded, usize first_operation, ProfileCounts& counts);

// The events that a profile with one kind of counts uses: all of the best kind. If that is `other`, the event with most
// samples.
std::vector<u32> chosen_events(const ProfileCounts& counts);
// Samples of these events that have an address in the binary.
u64 samples_in(const Binary& binary, const std::vector<u32>& events);
// If there are no ranges, the branches are those of SPE.
compiler_profiles::AddressCounts counts_of(const Binary& binary, const std::vector<u32>& events);

// The function that contains the address; null if it is not known.
const CountedFunction* function_at(const Binary& binary, u64 address, u64& begin);

}  // namespace wperf::pgo
