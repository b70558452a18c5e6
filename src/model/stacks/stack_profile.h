// SPDX-License-Identifier: BSD-3-Clause
// Samples with names: the contents of a recording, made once by analysis/recording and only read afterwards. Stacks are
// paths in a tree of places that begins at the outermost caller. The rows, call trees and texts are made of this.
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
  std::string name;           // "libc.so.6", "[kernel]", "[JIT] pid 7"
  std::string path;           // as the process saw it; may be empty
  std::string reason;         // why functions have no names; empty if they have
  bool is_nowhere = false;    // addresses outside of all mappings
  std::string pdb_path = {};  // for a Windows module; otherwise empty
  u64 image_base = 0;         // for a Windows module: the first of the addresses as linked
  std::string not_used = {};  // which file of split debug information was found but not used, and why; otherwise empty
  std::string build_id = {};  // as hexadecimal digits, for a Windows module GUID and age of its PDB; empty if not
                              // recorded
};

// At the end of an inlined function's name.
inline constexpr std::string_view kInlinedMark = " (inlined)";

struct StackFunction {
  std::string name;  // without a name "libx.so+0x1a20", or "[unknown]" if the file is not on this machine
  u32 module = 0;
  bool is_known = false;
  bool is_kernel = false;
  bool is_inlined = false;  // into another function: only the name, without a symbol
  u64 begin = 0;            // in the file of its module, as linked; 0 if not known
};

// A function, or a line of it if lines were requested.
struct StackPlace {
  u32 function = 0;
  u32 line = kNothing;  // index into lines
};

// An inlined function, or the function that contains it.
struct CodeFrame {
  u32 function = 0, file = 0;  // indices into texts
  u32 line = 0;                // 0: not known
  bool is_inlined = false;
};

// Where code was sampled, in its file: for views that show code. Addresses are as linked.
struct CodeSite {
  u32 function = kNothing;  // the frame with a symbol
  u64 address = 0;
  u64 begin = 0, end = 0;                // of the function; equal if not known
  u32 first_frame = 0, frame_count = 0;  // in code_frames: the innermost first, the function last
  u64 line_begin = 0, line_end = 0;      // the code of its line; equal if not known, or if not requested
};

struct StackNode {
  u32 parent = kNothing;  // always before it; kNothing for a root
  u32 place = kNothing;   // kNothing: a root
};

struct StackTask {
  u32 pid = 0, tid = 0;
  u32 name = 0;  // index into names
  // The name of the process's first thread, if this is another one; kNothing if not known.
  u32 process_name = kNothing;
};

struct StackSample {
  u32 event = 0, task = 0, core = 0;
  u32 node = 0;
  u64 count = 0, period = 0;
};

// The event of a profile of all of the threads' time: its samples are nanoseconds, too.
inline constexpr std::string_view kAllTime = "time (ns)";

inline constexpr std::string_view kWaits = "waits";  // StackEvent::things, if samples are that

struct StackEvent {
  std::string name;
  u64 samples = 0, period = 0;
  u32 type = 0;      // as perf's attributes have it
  u64 code = 0;      // the number of the event
  u64 interval = 0;  // 0: it followed a rate
  // If samples have other weights than the recorded ones: the names of the unit and of the whole.
  std::string things = {}, whole = {};
  std::vector<u64> parallel_ns = {};  // --latency: how long one thread ran, how long two at once, …
};

// Missing data, by cause.
struct StackLosses {
  u64 damaged_places = 0, damaged_bytes = 0;  // places in the file at which no record could be read
  u64 damaged_records_about = 0;              // an estimate: the number of records that would fit there
  u64 lost_records = 0;                       // LOST: the ring was full
  u64 lost_samples = 0;                       // LOST_SAMPLES that no LOST record mentioned
  u64 throttled = 0;                          // times the kernel stopped an event for a while
  u64 damaged_records = 0, unknown_records = 0, of_unknown_event = 0;
  u64 merged_changes = 0;
  // Reported by wperf's driver: intervals without a sample, samples of others, and registers that another program
  // wiped.
  u64 held_back = 0, filtered = 0, register_losses = 0;
  // Stacks that were unwound from copies and end early.
  u64 stacks_cut = 0, stacks_without_table = 0, stacks_damaged = 0, stacks_of_32_bits = 0;
  u64 stacks_by_pointers = 0;    // for lack of time
  bool stacks_of_whole = false;  // the recorder counted them, and not all of its samples are shown
  u64 stacks_continued = 0;      // by frame pointers, after the end of the copy
  u64 stacks_undelivered = 0;    // the kernel delayed their user part, and the record with it is missing
  std::vector<std::pair<u32, u64>> unknown_types;

  // Samples that are not there, as far as they were counted.
  u64 missing() const { return lost_records + lost_samples + held_back; }
};

struct StackProfile {
  std::string file;
  std::vector<StackEvent> events;
  std::vector<std::string> names;  // of threads
  std::vector<StackTask> tasks;
  CoreKinds core_kinds;  // if they were requested
  std::vector<StackModule> modules;
  std::vector<StackFunction> functions;
  std::vector<std::string> lines;  // "file.c:12"
  std::vector<StackPlace> places;
  std::vector<StackNode> nodes;
  GrowingArray<StackSample> samples;
  TimeSlices slices;
  GrowingArray<SliceCount> slice_counts;  // of all samples, if slices were requested
  // If code was requested, there is a node for each address; otherwise these are empty.
  std::vector<CodeSite> sites;
  std::vector<CodeFrame> code_frames;
  std::vector<std::string> texts;
  std::vector<u32> site_of_node;     // kNothing: none
  std::vector<u64> address_of_node;  // as recorded
  std::vector<FunctionCode> code;    // of hot functions, by event, the hottest first; empty if not requested
  StackLosses losses;
  PythonSamples python;             // of the whole recording
  std::optional<TraceFacts> trace;  // for a recording made from a trace of Windows
  bool has_callers = false;         // stacks of more than one frame were recorded and read
  double elapsed_seconds = 0;
  std::string note;  // about the run; may be empty
};

}  // namespace wperf::stacks
