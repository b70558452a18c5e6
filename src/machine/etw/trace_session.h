// SPDX-License-Identifier: BSD-3-Clause
// One recording by Windows' own tracing. Makes the calls, explains errors and their remedies, and restores the state of
// Windows.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ground/diag/result.h"
#include "machine/etw/trace_api.h"
#include "machine/etw/trace_requests.h"

namespace wperf::etw {

// A sampled source, and its interval: 100 ns for the timer, events for all others.
struct WantedSource {
  std::string name;
  std::optional<u32> number;  // of an existing source; if nullopt, `event` of the cores is added as one
  u32 event = 0;
  u32 interval = 0;
};

struct SessionPlan {
  std::vector<WantedSource> sources;       // sources of samples
  bool switches = false;                   // also context switches and wake-ups
  bool watches = false;                    // only context switches
  std::vector<WantedSource> counted = {};  // read at each switch of a core; their intervals are ignored
  bool stacks = true;
  u32 cores = 1;
  bool force = false;     // even where sampling is known to be dangerous
  std::string file = {};  // the path of the trace
};

inline constexpr u32 kTimer = 0;
inline constexpr u32 kLeastTimerInterval = 1221, kUsualTimerInterval = 10'000, kMostTimerInterval = 1'000'000;
inline constexpr u32 kLeastInterval = 4096, kUsualInterval = 65'536;
// The size limit of a trace: if wperf is killed, its session keeps writing.
inline constexpr u32 kMostTraceMb = 16 * 1024;

// The sources of Windows, including added ones.
diag::Result<std::vector<ProfileSource>> list_sources(TraceApi& api);

// How many sources can be counted at once; 0 if this Windows does not say.
u32 most_counters(TraceApi& api);

// Sessions of a wperf that does not run any more.
std::vector<std::string> leftovers(TraceApi& api);
struct Mended {
  std::string sentence;
  bool is_good = true;  // false: Windows refuses
};
// Ends them.
std::vector<Mended> end_leftovers(TraceApi& api);
// Sampling intervals apply to the whole system, and so do added sources. The last wperf that records restores the state
// that the first one found, and the next one restores leftovers. Does nothing while another wperf records.
void put_back(TraceApi& api, u32 own_process);
// Removes sources that such a wperf added; does nothing while another one records, because they may belong to it.
std::vector<Mended> remove_left_sources(TraceApi& api);

// The number of buffers of 1 MB each: for so many cores with that many events a second each, with stacks, two seconds
// of slack.
u32 buffers_for(u32 cores, u64 samples_per_second, bool stacks);

class Session {
 public:
  static diag::Result<std::unique_ptr<Session>> start(TraceApi& api, const SessionPlan& plan);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Its progress and its losses. An error if another process ended it.
  diag::Result<SessionState> state();
  diag::Result<SessionState> stop();
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  Session(TraceApi& api, const SessionPlan& plan);
  diag::Result<void> open();
  diag::Result<void> start_trace();
  WindowsError start_kernel_logger(SessionProperties properties);
  bool watches_switches() const { return plan_.switches || plan_.watches || !counted_.empty(); }
  diag::Result<void> choose_sources();
  diag::Result<std::vector<u32>> numbers_of(const std::vector<WantedSource>& sources);
  diag::Result<u32> add_source(const WantedSource& source);
  diag::Result<void> set_intervals();
  diag::Result<void> configure();
  bool is_at_limit(u64 bytes) const;
  diag::Error limit_reached() const;

  TraceApi& api_;
  SessionPlan plan_;
  std::u16string name_;
  u64 handle_ = 0;
  bool runs_ = false, changes_ = false;  // changes_: settings of the whole system
  std::vector<u32> numbers_, counted_;   // numbers of the plan's sources
  u32 process_ = 0;                      // this one
  u32 most_mb_ = kMostTraceMb;
  std::vector<std::string> remarks_;
};

}  // namespace wperf::etw
