// SPDX-License-Identifier: BSD-3-Clause
// One recording with Windows' own tracing: starts a session as planned, watches it, and ends it.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ground/diag/result.h"
#include "machine/etw/trace_api.h"
#include "machine/etw/trace_requests.h"

namespace wperf::etw {

// A source to sample, with its interval: in units of 100 ns for the timer, of events for all others.
struct WantedSource {
  std::string name;
  std::optional<u32> number;  // number of an existing source; nullopt: the core event `event` is added as a source
  u32 event = 0;
  u32 interval = 0;
};

struct SessionPlan {
  std::vector<WantedSource> sources;       // sample sources
  bool switches = false;                   // also records context switches and wake-ups
  bool watches = false;                    // records only context switches
  std::vector<WantedSource> counted = {};  // counters read at each context switch; their intervals are ignored
  bool stacks = true;
  u32 cores = 1;
  bool force = false;     // samples even if this is known to be dangerous on this machine
  std::string file = {};  // path of the trace
};

inline constexpr u32 kTimer = 0;
inline constexpr u32 kLeastTimerInterval = 1221, kUsualTimerInterval = 10'000, kMostTimerInterval = 1'000'000;
inline constexpr u32 kLeastInterval = 4096, kUsualInterval = 65'536;
// The size limit of a trace, because the session of a wperf that was killed keeps writing.
inline constexpr u32 kMostTraceMb = 16 * 1024;

// The number of 1 MB buffers for this many cores with this many events a second each, with stacks and two seconds of
// reserve.
u32 buffers_for(u32 cores, u64 samples_per_second, bool stacks);

class Session {
 public:
  static diag::Result<std::unique_ptr<Session>> start(TraceApi& api, const SessionPlan& plan);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The progress and the losses. An error if another process ended the session.
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
  bool runs_ = false, changes_ = false;  // changes_: this session changed system-wide settings
  std::vector<u32> numbers_, counted_;   // numbers of the plan's sources and of its counters
  u32 process_ = 0;                      // this process
  u32 most_mb_ = kMostTraceMb;
  std::vector<std::string> remarks_;
};

}  // namespace wperf::etw
