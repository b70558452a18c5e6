// SPDX-License-Identifier: BSD-3-Clause
// The head of a request by HTTP/1.x, from untrusted bytes. Pure.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace wperf::os {

struct RequestHead {
  std::string method, path;  // the path without ? and the rest
  std::string host;          // as the client calls this machine, without its port; empty: it does not say
};

enum class HeadState { more, whole, wrong };

inline constexpr size_t kLongestHead = 8192;

// `more`: the head is not complete yet. A head that is too long, or missing, is wrong.
HeadState read_request_head(std::string_view bytes, RequestHead& head);

// A number, as in "127.0.0.1" and "[::1]", or localhost. A web page whose own name was made to
// resolve to this machine sends that name instead.
bool is_own_host(std::string_view host);

// An answer with everything that a client must know; the connection ends after it.
std::string http_answer(int status, std::string_view content_type, std::string_view body, bool with_body);

}  // namespace wperf::os
