// SPDX-License-Identifier: BSD-3-Clause
// The contents of a recording with names, made once by analysis/recording and only read afterwards. Stacks are paths in
// a tree of places, whose roots are the outermost callers. Rows, call trees and texts are made from this.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ints.h"
#include "model/stacks/code_listing.h"
#include "model/stacks/growing_array.h"
#include "model/stacks/python_samples.h"
#include "model/stacks/recording_about.h"
#include "model/stacks/time_slices.h"
#include "model/stacks/trace_facts.h"

namespace wperf::stacks {

struct StackModule {
  std::string name;         // "libc.so.6", "[kernel]", "[JIT] pid 7"
  std::string path;         // as the process saw it; may be empty
  std::string reason;       // why functions have no names; empty if they have names
  bool is_nowhere = false;  // represents addresses outside of all mappings
  bool is_python = false;   // the source file of Python functions
  // The path begins in the root folder of a container; outside of it, the path may be another file.
  bool is_of_other_root = false;
  std::string pdb_path = {};  // for a Windows module; otherwise empty
  u64 image_base = 0;         // for a Windows module: the lowest linked address
  std::string not_used = {};  // the file of split debug information that was found but not used, and why; otherwise
                              // empty
  std::string build_id = {};  // in hexadecimal digits; for a Windows module the GUID and age of its PDB; empty if not
                              // recorded
};

// Appended to the name of an inlined function.
inline constexpr std::string_view kInlinedMark = " (inlined)";

struct StackFunction {
  std::string name;  // if it has no name, "libx.so+0x1a20", or "[unknown]" if the file is not on this machine
  u32 module = 0;
  bool is_known = false;
  bool is_kernel = false;
  bool is_inlined = false;  // inlined into another function: it has only a name, no symbol
  u64 begin = 0;            // address in the linked file; 0 if not known
  bool is_address = false;  // the name is only its address: "function at 0x1a20"

  bool has_name() const { return is_known && !is_address; }
};

// A function, or one of its lines if lines were requested.
struct StackPlace {
  u32 function = 0;
  u32 line = kNothing;  // index into lines
};

// An inlined function, or the function that others were inlined into.
struct CodeFrame {
  u32 function = 0, file = 0;  // indices into texts
  u32 line = 0;                // 0: not known
  bool is_inlined = false;
};

// Where code was sampled, for views that show code. Addresses are linked addresses.
struct CodeSite {
  u32 function = kNothing;  // the function with a symbol
  u64 address = 0;
  u64 begin = 0, end = 0;                // the range of the function; equal if not known
  u32 first_frame = 0, frame_count = 0;  // range in code_frames: the innermost inlined function first, the function
                                         // itself last
  u64 line_begin = 0, line_end = 0;      // the range of its line's code; equal if not known or not requested
};

struct StackNode {
  u32 parent = kNothing;  // its index is always smaller; kNothing for a root
  u32 place = kNothing;   // kNothing for a root
};

struct StackTask {
  u32 pid = 0, tid = 0;
  u32 name = 0;  // index into names
  // The name that the process's program began with; kNothing if not known. Its threads may have other names.
  u32 process_name = kNothing;
};

struct StackSample {
  u32 event = 0, task = 0, core = 0;
  u32 node = 0;
  u64 count = 0, period = 0;
};

// The event of a profile that covers all the time of threads, running and waiting, in nanoseconds.
inline constexpr std::string_view kAllTime = "time (ns)";

inline constexpr std::string_view kWaits = "waits";  // StackEvent::things, if samples are waits

// The end of an event's name if its sampling interval is unknown. Then each sample counts 1.
inline constexpr char kWithoutInterval[] = " (interval not recorded)";

struct StackEvent {
  std::string name;
  u64 samples = 0, period = 0;
  u32 type = 0;      // as in perf's attributes
  u64 code = 0;      // the number of the event
  u64 interval = 0;  // 0: the event was sampled at a rate
  // If samples are not weighted as recorded: the names of the unit and of the total.
  std::string things = {}, whole = {};
  std::vector<u64> parallel_ns = {};  // --latency: how long one thread ran, how long two threads ran at once, and so on
};

// Missing data, by cause.
struct StackLosses {
  u64 damaged_places = 0, damaged_bytes = 0;  // places in the file where no record could be read
  u64 damaged_records_about = 0;              // an estimate of the records that would fit into these places
  u64 lost_records = 0;                       // from LOST records: the ring was full
  u64 lost_samples = 0;                       // from LOST_SAMPLES records, without samples that LOST records also count
  u64 throttled = 0;                          // times the kernel stopped an event for a while
  u64 damaged_records = 0, unknown_records = 0, of_unknown_event = 0;
  u64 merged_changes = 0;
  // Reported by wperf's driver: intervals without a sample, samples of other programs, and registers that another
  // program wiped.
  u64 held_back = 0, filtered = 0, register_losses = 0;
  // Stacks that were unwound from copies and are incomplete.
  u64 stacks_cut = 0, stacks_without_table = 0, stacks_damaged = 0, stacks_of_32_bits = 0;
  u64 stacks_by_pointers = 0;    // unwound by frame pointers, to save time
  bool stacks_of_whole = false;  // counted by the recorder, for all samples, not only for those that are shown
  u64 stacks_continued = 0;      // continued by frame pointers after the end of the copy
  u64 stacks_undelivered = 0;    // the kernel postponed their user part, and the record with that part is missing
  std::vector<std::pair<u32, u64>> unknown_types;

  // The number of samples that are known to be missing.
  u64 missing() const { return lost_records + lost_samples + held_back; }
};

struct StackProfile {
  std::string file;
  std::vector<StackEvent> events;
  std::vector<std::string> names;  // names of threads
  std::vector<StackTask> tasks;
  CoreKinds core_kinds;  // if they were requested
  std::vector<StackModule> modules;
  std::vector<StackFunction> functions;
  std::vector<std::string> lines;  // "file.c:12"
  std::vector<StackPlace> places;
  std::vector<StackNode> nodes;
  GrowingArray<StackSample> samples;
  TimeSlices slices;
  GrowingArray<SliceCount> slice_counts;  // of all samples, if time slices were requested
  // If code was requested, there is a node for each address; otherwise these three are empty.
  std::vector<CodeSite> sites;
  std::vector<CodeFrame> code_frames;
  std::vector<std::string> texts;
  std::vector<u32> site_of_node;     // kNothing: the node has no site
  std::vector<u64> address_of_node;  // as recorded
  std::vector<FunctionCode> code;    // code of hot functions, by event, the hottest first; empty if not requested
  std::vector<std::string> changed_sources;  // files of lines in `code` that were changed after the recording
  StackLosses losses;
  PythonSamples python;             // for the whole recording
  std::optional<TraceFacts> trace;  // for a recording made from a trace of Windows
  bool has_callers = false;         // stacks of more than one frame were recorded and read
  double elapsed_seconds = 0;
  u64 from_ns = 0, to_ns = ~u64{0};  // the chosen time, as recorded; otherwise all times
  std::string note;                  // a remark about the run; may be empty

  // kNothing for a root.
  u32 function_of(u32 node) const {
    const u32 place = nodes[node].place;
    return place == kNothing ? kNothing : places[place].function;
  }
};

}  // namespace wperf::stacks
