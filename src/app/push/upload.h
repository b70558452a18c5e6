// SPDX-License-Identifier: BSD-3-Clause
// A profile in the form that a server takes: the body of a POST, the path after the server's address, and a
// description. Pure. docs/design/push.md has the interfaces.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "model/request/push_request.h"
#include "model/stacks/stack_profile.h"
#include "views/exports/exported_profile.h"

namespace wperf::push {

// Labels of every profile: the name of its program or service, and its kind for servers like Prometheus.
inline constexpr std::string_view kServiceLabel = "service_name", kKindLabel = "__name__";

struct Upload {
  std::string path;  // "/ingest?name=…", appended to the server's address
  std::string content_type;
  std::string content_encoding;  // empty if it is not compressed
  std::string body;
};

// A profile in the target's format, with the facts for the request.
struct PackedProfile {
  std::string bytes;  // pprof, an uncompressed OTLP message, or the rows of clickhouse_rows.h
  std::vector<std::string> sample_types;
  u64 begin_unix_ns = 0, end_unix_ns = 0;
};

// Adds the labels that a server requires: service_name, taken from `program` if the user gave none, and __name__.
std::vector<request::PushLabel> complete_labels(std::vector<request::PushLabel> labels, const std::string& program);

// Returns several uploads if one request would be too large, or an error if this interface cannot express a label.
diag::Result<std::vector<Upload>> make_uploads(request::PushTarget target,
                                               const std::vector<request::PushLabel>& labels,
                                               const PackedProfile& profile);

// Makes an id in the form of a random UUID (version 4). Equal bytes give equal ids.
std::string uuid_of(std::string_view bytes);
// Encodes the text as a part of a URL.
std::string percent_encoded(std::string_view text);

// Writes a profile in the format of a kind of server.

// The wall-clock time of a profile.
struct ProfileTime {
  u64 begin_unix_ns = 0, end_unix_ns = 0;
};

// `labels` are included in OTLP's message and in ClickHouse's rows, which have fields for them.
PackedProfile packed_profile(exports::Source source, request::PushTarget target,
                             const std::vector<request::PushLabel>& labels, const ProfileTime& time);

// The default subject of the profile: the program with the most samples.
std::string program_of(const stacks::StackProfile& profile);

// The cost of the profiler itself, as events of the profile that it sends. A server shows these like other events, with
// the same labels.
inline constexpr char kAgentCpu[] = "wperf_agent_cpu", kAgentMemory[] = "wperf_agent_memory";

struct AgentCost {
  u64 cpu_ns = 0;  // during the profile
  u64 resident_bytes = 0;
  u32 pid = 0;
};

// Adds two events with one sample each, in a function with the same name as the event. Other events are not changed.
void add_agent_cost(const AgentCost& cost, stacks::StackProfile& profile);

}  // namespace wperf::push
