// SPDX-License-Identifier: BSD-3-Clause
// The counts that a profile for compilers needs: for each binary, how often each address was sampled, and the branches
// and ranges that the hardware recorded. Several recordings are added up; build ids identify binaries.
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

// The number of samples of an event is proportional to one of these. The best kind for a profile comes first.
enum class EventKind : u8 { instructions, cycles, timer, branches, instruction_misses, data_misses, other };
EventKind kind_of_event(std::string_view name);

// Suffix of the names of linker stubs, which are not functions of the program.
inline constexpr std::string_view kStubEnd = "@plt";

struct CountedEvent {
  std::string name;
  EventKind kind = EventKind::other;
  u64 samples = 0;
};

struct CountedFunction {
  std::string name;
  u64 end = 0;             // one past the last byte; equal to its beginning if not known
  std::string elf_symbol;  // empty if no symbol begins there
  // for a local symbol: its number among local symbols with that name (LocalSymbols); 0 if it is global
  u32 local_number = 0;
};

struct BranchTotals {
  u64 count = 0, mispredicted = 0;
};

using BranchCounts = std::map<std::pair<u64, u64>, BranchTotals>;  // from and to
// keyed by the target of a branch from outside the binary
using EntryCounts = std::map<u64, u64>;

struct Binary {
  std::string name, path;
  std::string build_id;                     // hexadecimal; for Windows GUID and age; empty if not recorded
  std::string reason;                       // why some samples have no address
  const modules::CodeFile* file = nullptr;  // points into ProfileCounts::files; null if it was not kept
  bool is_windows = false;
  u64 image_base = 0;
  // All addresses are linked ones.
  std::map<u32, std::unordered_map<u64, u64>> samples;  // by event: address → count
  // By event and address: the samples, weighted by their periods. Contains only events whose periods vary.
  std::map<u32, std::unordered_map<u64, double>> weighted;
  std::map<std::string, u64> boundless;      // samples of functions with unknown bounds, by name
  std::map<u64, CountedFunction> functions;  // keyed by beginning
  BranchCounts branches;                     // from branch stacks
  BranchCounts operation_branches;           // from SPE; proportional to operations
  EntryCounts entries, operation_entries;
  std::map<std::pair<u64, u64>, u64> ranges;  // first and last instruction → count
  std::map<std::pair<u64, u64>, u64> calls;   // address in a function and its return address → count
  u64 without_address = 0;                    // samples in a file that is not on this machine
};

// Samples that belong to no binary, and unused parts of branch stacks.
struct Drops {
  u64 kernel = 0;
  u64 jit_code = 0;               // in code made at run time
  u64 nowhere = 0;                // outside of all mappings
  u64 call_stacks = 0;            // branch stacks that only have calls
  u64 branches_elsewhere = 0;     // from or to the kernel, or code without a file
  u64 branches_without_file = 0;  // in files that are missing on this machine or from another build
  u64 ranges_elsewhere = 0;       // between two binaries, or from or to the kernel or code without a file
  u64 ranges_backwards = 0;
  u64 ranges_across_functions = 0;
};

struct ProfileCounts {
  std::vector<CountedEvent> events;
  std::vector<Binary> binaries;
  Drops drops;
  u64 samples = 0;
  u64 other_operations = 0;                 // SPE records of operations other than branches
  u64 branch_stacks = 0;                    // with at least one branch
  u64 samples_without_stacks = 0;           // samples in recordings without branch stacks
  std::vector<std::string> losses;          // losses of the recordings, one sentence each
  std::vector<std::string> programs;        // programs of the recordings, by the recorded names; each once
  std::vector<recording::CodeFiles> files;  // code files of the recordings, kept as long as they are needed

  u32 event_of(std::string_view name, EventKind kind);
  Binary& binary_of(const stacks::StackModule& module, const modules::CodeFile* file);
  std::vector<Binary>::iterator find_binary(const stacks::StackModule& module);
  // Takes over the recording's files.
  void keep_files(recording::RecordedSamples& recorded);
};

// `recorded` must be read with ReadOptions::code. Events from `first_operation` on are kinds of SPE operations. SPE
// samples one operation out of many, so all kinds together are one event that is proportional to instructions.
inline constexpr std::string_view kOperations = "SPE operations";
void add_samples(const recording::RecordedSamples& recorded, usize first_operation, ProfileCounts& counts);

// The events to use for a profile: all events of the best kind. If that is `other`, only the event with the most
// samples.
std::vector<u32> chosen_events(const ProfileCounts& counts);
// instructions: each executed instruction is sampled equally often. branches: only branches are sampled. time: an
// instruction is sampled in proportion to the time that it takes.
enum class Population : u8 { instructions, branches, time };
Population population_of(const ProfileCounts& counts, const std::vector<u32>& events);
// The number of samples of these events with an address in the binary.
u64 samples_in(const Binary& binary, const std::vector<u32>& events);
// The number of branches between addresses of the binary, from branch stacks.
u64 branches_in(const Binary& binary);
// If there are no ranges, uses the branches from SPE.
compiler_profiles::AddressCounts counts_of(const Binary& binary, const std::vector<u32>& events);
// Returns `counts`, the result of counts_of(), with samples weighted by their periods if these differ within a
// recording. The weights of an event's samples in a recording add up to the number of these samples.
compiler_profiles::AddressCounts weighted_by_periods(compiler_profiles::AddressCounts counts, const Binary& binary,
                                                     const std::vector<u32>& events);

// The function that contains the address; null if not known.
const CountedFunction* function_at(const Binary& binary, u64 address, u64& begin);

}  // namespace wperf::pgo
