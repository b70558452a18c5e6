// SPDX-License-Identifier: BSD-3-Clause
// The server that receives the profiles: its address, the authorization, and one POST with the meaning of its answer.
#pragma once
#include <string>

#include "app/push/parcel.h"
#include "ground/diag/result.h"
#include "model/request/push_request.h"

namespace wperf::push {

inline constexpr char kTokenVariable[] = "WPERF_PUSH_TOKEN";

struct Server {
  std::string url;  // without a / at its end
  request::PushTarget target;
  std::string authorization;  // the header's value; never shown. Empty: none
  std::string tenant;
};

// Takes the token from --token-file, or from the environment. Sending it over plain http to another machine is an error
// unless the user asked for it.
diag::Result<Server> known_server(const request::Push& asked);

enum class Outcome : u8 {
  taken,
  later,     // trouble that passes: no connection, a server that is busy or broken
  refused,   // this profile will never be accepted
  elsewhere  // the address or the token is wrong, for every profile
};
struct Verdict {
  Outcome outcome = Outcome::taken;
  std::string text;  // the reason; for an accepted profile, a remark of the server
  u64 wait_ms = 0;   // the pause that the server asked for; 0: none
};

// Once.
Verdict send(const Server& server, const Parcel& parcel);

}  // namespace wperf::push
