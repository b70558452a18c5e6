// SPDX-License-Identifier: BSD-3-Clause
// The state of Windows that outlives a process and is shared by all programs: trace sessions, sampling intervals, and
// added sample sources. Each wperf registers its changes, so that another wperf can undo them if it is killed.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "machine/etw/trace_api.h"
#include "machine/etw/trace_requests.h"

namespace wperf::etw {

// While this object exists, no other wperf changes system-wide settings.
class SystemChanges {
 public:
  explicit SystemChanges(TraceApi& api) : api_(api) { api_.begin_changes(); }
  ~SystemChanges() { api_.end_changes(); }
  SystemChanges(const SystemChanges&) = delete;
  SystemChanges& operator=(const SystemChanges&) = delete;

 private:
  TraceApi& api_;
};

// The names of a process's session and of a source that a wperf added for a core event. They show the owner.
std::u16string session_name(u32 process);
std::string source_name(u32 event);

// `before`: the interval that a source had. Does nothing if an interval is already registered, because the registered
// interval precedes the first change by wperf.
void register_interval(TraceApi& api, SourceInterval before);
void register_source(TraceApi& api, u32 number, const std::string& event_name);
// The owner of the only session that every program can use, and the path of its trace.
void register_kernel_logger(TraceApi& api, u32 process, const std::string& file);
void forget_kernel_logger(TraceApi& api);

struct CleanupResult {
  std::string sentence;
  bool is_good = true;  // false: Windows refused the request
};
// Sessions of wperf processes that have ended.
std::vector<std::string> leftovers(TraceApi& api);
// Ends these sessions.
std::vector<CleanupResult> end_leftovers(TraceApi& api);
// Restores the intervals that the first wperf found, and removes the added sources. Called by the last wperf that
// records; after a crash, by the next wperf. Does nothing while another wperf records.
void put_back(TraceApi& api, u32 own_process);
// Removes sources that a wperf added and did not remove. Does nothing while another wperf records, because they may
// belong to it.
std::vector<CleanupResult> remove_left_sources(TraceApi& api);

}  // namespace wperf::etw
