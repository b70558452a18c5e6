// SPDX-License-Identifier: BSD-3-Clause
// The server that receives profiles: its address, its authorization, and sending a POST and interpreting the answer.
#pragma once
#include <string>
#include <string_view>

#include "app/push/upload.h"
#include "ground/diag/result.h"
#include "ground/os/http.h"
#include "model/request/push_request.h"

namespace wperf::push {

inline constexpr char kTokenVariable[] = "WPERF_PUSH_TOKEN";

struct Server {
  std::string url;  // without a final /; for ClickHouse the path is the database
  request::PushTarget target;
  std::string authorization;  // value of the header, which is never shown; empty: the header is not sent
  std::string tenant;
};

// Takes the token from --token-file or the environment. Sending it over plain http to another machine is an error
// unless the user allowed it.
diag::Result<Server> known_server(const request::Push& asked);

enum class Outcome : u8 {
  taken,
  later,     // temporary failure: no connection, or a server that is busy or broken
  refused,   // this profile will never be accepted
  elsewhere  // the address or the token is wrong, for all profiles
};
struct UploadResult {
  Outcome outcome = Outcome::taken;
  std::string text;  // the reason; for an accepted profile, a remark of the server
  u64 wait_ms = 0;   // the time that the server asked to wait; 0: none
};

// The labels of a profile: the labels from the user, and the labels that the server requires.
std::vector<request::PushLabel> labels_of(const request::Push& asked, const std::string& program);

// The beginning of a text from the server, with only printable characters.
std::string shown_text(std::string_view text);

// Limits for an answer of which only the beginning is needed.
os::HttpLimits small_answer();

struct ServerReply {
  UploadResult result;
  os::HttpAnswer answer;
};
// Sends one request.
ServerReply ask(const Server& server, const Upload& upload, const os::HttpLimits& limits);
// Sends a profile once.
UploadResult send(const Server& server, const Upload& upload);

}  // namespace wperf::push
