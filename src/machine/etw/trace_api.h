// SPDX-License-Identifier: BSD-3-Clause
// Windows' tracing calls, with arguments as bytes and numbers. The implementation is Windows (trace_api_win.cpp) or an
// equally strict fake (sim/tracing), which gets exactly the bytes that Windows would get. Must be called by one thread.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/etl/event.h"

namespace wperf::etw {

using etl::Guid;
using WindowsError = u32;  // 0: success

enum : WindowsError {
  kNoError = 0,
  kAccessDenied = 5,
  kBadLength = 24,
  kDiskFull = 112,
  kInvalidParameter = 87,
  kAlreadyExists = 183,
  kMoreData = 234,
  kPrivilegeNotHeld = 1314,
  kNotAllAssigned = 1300,
  kNoSystemResources = 1450,
  kInstanceNotFound = 4201,
  kBusy = 170,
  kNotSupported = 50,
};

enum class ControlCode : u32 { query = 0, stop = 1, update = 2, flush = 3 };

// Classes of TraceSetInformation and TraceQueryInformation.
enum class TraceClass : u32 {
  stack_events = 3,
  enable_flags = 4,
  sampling_interval = 5,
  sampling_sources = 6,
  source_list = 7,
  counter_events = 8,
  counters = 9,
  most_counters = 22,
};

class TraceApi {
 public:
  virtual ~TraceApi() = default;

  struct HostFacts {
    u32 build = 0;               // build number of Windows
    bool elevated = false;       // this process has the rights of an administrator
    bool hypervisor = false;     // it is a virtual machine
    std::vector<u64> core_midr;  // one for each core; 0 if it is not an Arm core
  };
  virtual HostFacts machine() = 0;
  // SeSystemProfilePrivilege.
  virtual WindowsError enable_privilege() = 0;

  // StartTrace, ControlTrace: `properties` is EVENT_TRACE_PROPERTIES followed by its names.
  virtual WindowsError start(u64& session, const std::u16string& name, std::span<std::byte> properties) = 0;
  virtual WindowsError control(u64 session, const std::u16string& name, std::span<std::byte> properties,
                               ControlCode code) = 0;
  // TraceSetInformation and TraceQueryInformation; session 0 means the whole system.
  virtual WindowsError set(u64 session, TraceClass what, std::span<const std::byte> information) = 0;
  virtual WindowsError query(u64 session, TraceClass what, std::span<std::byte> information, u32& returned) = 0;
  // NtSetSystemInformation(SystemPerformanceTraceInformation); returns an NTSTATUS, 0 for success.
  virtual u32 set_performance(std::span<std::byte> information) = 0;
  // QueryAllTraces: the names of the sessions.
  virtual std::vector<std::u16string> sessions() = 0;
  virtual u32 own_process() = 0;
  // Moves this thread to each core in turn, so that every core has switched once.
  virtual void visit_cores() = 0;
  virtual bool process_runs(u32 process) = 0;
  // Values that outlive this process and are kept until Windows restarts. Only administrators can change them.
  virtual std::optional<std::string> kept(const std::string& name) = 0;
  virtual std::vector<std::string> kept_names() = 0;
  virtual void keep(const std::string& name, const std::string& text) = 0;
  virtual void forget(const std::string& name) = 0;
  // Between these two calls no other wperf changes system-wide settings.
  virtual void begin_changes() = 0;
  virtual void end_changes() = 0;
  virtual u64 free_bytes(const std::string& file) = 0;  // on the disk of the file; 0 if unknown
  virtual u64 file_bytes(const std::string& file) = 0;
  // Drives: \Device\HarddiskVolume3 → C:
  struct Volume {
    std::string device, drive;
  };
  virtual std::vector<Volume> volumes() = 0;
};

}  // namespace wperf::etw
