// SPDX-License-Identifier: BSD-3-Clause
// One profile as a server takes it: the body of a POST, where it goes below the server's address, and what it is. Pure.
// docs/design/push.md has the interfaces. Made by app/push/profile_packing.h, kept by the spool, sent by
// app/push/server.h.
#pragma once
#include <string>
#include <vector>

#include "base/ints.h"
#include "model/request/push_request.h"

namespace wperf::push {

struct Parcel {
  std::string path;  // "/ingest?name=…", behind the address of the server
  std::string content_type;
  std::string content_encoding;  // empty: none
  std::string body;
};

// A profile in the format of the target, and what an envelope says of it.
struct PackedProfile {
  std::string bytes;  // pprof, or OTLP's message without compression
  std::vector<std::string> sample_types;
  u64 begin_unix_ns = 0, end_unix_ns = 0;
};

// The labels with those that a server must have: service_name, from `program` where nobody gave one, and __name__.
std::vector<request::PushLabel> complete_labels(std::vector<request::PushLabel> labels, const std::string& program);

// An error: a label that the interface has no spelling for.
diag::Result<Parcel> make_parcel(request::PushTarget target, const std::vector<request::PushLabel>& labels,
                                 const PackedProfile& profile);

}  // namespace wperf::push
