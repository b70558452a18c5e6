// SPDX-License-Identifier: BSD-3-Clause
// One profile as a server takes it: the body of a POST, the path below the server's address, and a description. Pure.
// docs/design/push.md has the interfaces.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "model/request/push_request.h"
#include "model/stacks/stack_profile.h"
#include "views/exports/exported_profile.h"

namespace wperf::push {

// Labels that every profile has: its subject, and its kind for servers like Prometheus.
inline constexpr std::string_view kServiceLabel = "service_name", kKindLabel = "__name__";

struct Parcel {
  std::string path;  // "/ingest?name=…", after the address of the server
  std::string content_type;
  std::string content_encoding;  // empty: none
  std::string body;
};

// A profile in the format of the target, with the facts for its envelope.
struct PackedProfile {
  std::string bytes;  // pprof, OTLP's message without compression, or the rows of clickhouse_rows.h
  std::vector<std::string> sample_types;
  u64 begin_unix_ns = 0, end_unix_ns = 0;
};

// Adds the labels that a server must have: service_name, from `program` if the user gave none, and __name__.
std::vector<request::PushLabel> complete_labels(std::vector<request::PushLabel> labels, const std::string& program);

// Several if one request would be too long. An error: a label that the interface has no spelling for.
diag::Result<std::vector<Parcel>> make_parcels(request::PushTarget target,
                                               const std::vector<request::PushLabel>& labels,
                                               const PackedProfile& profile);

// In the form of a random UUID (version 4). The same bytes give the same one.
std::string uuid_of(std::string_view bytes);
// For a part of a URL.
std::string percent_encoded(std::string_view text);

// A profile in the bytes that a kind of server takes.

// When it was, by the clock on the wall.
struct ProfileTime {
  u64 begin_unix_ns = 0, end_unix_ns = 0;
};

// `labels` are written into OTLP's message and ClickHouse's rows, which have a place for them.
PackedProfile packed_profile(exports::Source source, request::PushTarget target,
                             const std::vector<request::PushLabel>& labels, const ProfileTime& time);

// The subject of the profile if the user names none: the program with the most samples.
std::string program_of(const stacks::StackProfile& profile);

// The costs of the profiler itself, as events of the profile that it sends: a server shows them with the rest, by the
// same labels.
inline constexpr char kAgentCpu[] = "wperf_agent_cpu", kAgentMemory[] = "wperf_agent_memory";

struct AgentCost {
  u64 cpu_ns = 0;  // in the time of the profile
  u64 resident_bytes = 0;
  u32 pid = 0;
};

// Two events with one sample each, in a function of that name; other events do not change.
void add_agent_cost(const AgentCost& cost, stacks::StackProfile& profile);

}  // namespace wperf::push
