// SPDX-License-Identifier: BSD-3-Clause
// One profile as a server takes it: the body of a POST, the path below the server's address, and a description. Pure.
// docs/design/push.md has the interfaces.
#pragma once
#include <string>
#include <vector>

#include "base/ints.h"
#include "model/request/push_request.h"

namespace wperf::push {

struct Parcel {
  std::string path;  // "/ingest?name=…", after the address of the server
  std::string content_type;
  std::string content_encoding;  // empty: none
  std::string body;
};

// A profile in the format of the target, with the facts for its envelope.
struct PackedProfile {
  std::string bytes;  // pprof, or OTLP's message without compression
  std::vector<std::string> sample_types;
  u64 begin_unix_ns = 0, end_unix_ns = 0;
};

// Adds the labels that a server must have: service_name, from `program` if the user gave none, and __name__.
std::vector<request::PushLabel> complete_labels(std::vector<request::PushLabel> labels, const std::string& program);

// An error: a label that the interface has no spelling for.
diag::Result<Parcel> make_parcel(request::PushTarget target, const std::vector<request::PushLabel>& labels,
                                 const PackedProfile& profile);

}  // namespace wperf::push
