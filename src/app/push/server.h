// SPDX-License-Identifier: BSD-3-Clause
// The server that profiles go to: its address, what proves who we are, and one POST with what its answer means. Called
// by app/push/delivery.h.
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

// The token is that of --token-file, or of the environment. One that would go over plain http to another machine is an
// error unless it was asked for.
diag::Result<Server> known_server(const request::Push& asked);

enum class Outcome : u8 {
  taken,
  later,     // trouble that passes: no connection, a server that is busy or broken
  refused,   // what is sent will never be taken
  elsewhere  // the address or the token is wrong, for all that is sent
};
struct Verdict {
  Outcome outcome = Outcome::taken;
  std::string text;  // why; of what was taken: what the server has to say all the same
  u64 wait_ms = 0;   // that the server asked for; 0: it did not
};

// Once.
Verdict send(const Server& server, const Parcel& parcel);

}  // namespace wperf::push
