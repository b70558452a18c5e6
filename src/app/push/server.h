// SPDX-License-Identifier: BSD-3-Clause
// The server that receives the profiles: its address, the authorization, and one POST with the meaning of its answer.
#pragma once
#include <string>
#include <string_view>

#include "app/push/parcel.h"
#include "ground/diag/result.h"
#include "ground/os/http.h"
#include "model/request/push_request.h"

namespace wperf::push {

inline constexpr char kTokenVariable[] = "WPERF_PUSH_TOKEN";

struct Server {
  std::string url;  // without a / at its end; for ClickHouse its path is the database
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

// Labels of a profile: those of the user, and those that the kind of server must have.
std::vector<request::PushLabel> labels_of(const request::Push& asked, const std::string& program);

// The beginning of a server's text, only printable characters.
std::string shown_text(std::string_view text);

// Limits of an answer of which only the beginning is of interest.
os::HttpLimits small_answer();

struct Asked {
  Verdict verdict;
  os::HttpAnswer answer;
};
// One request.
Asked ask(const Server& server, const Parcel& parcel, const os::HttpLimits& limits);
// A profile, once.
Verdict send(const Server& server, const Parcel& parcel);

}  // namespace wperf::push
