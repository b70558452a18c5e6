// SPDX-License-Identifier: BSD-3-Clause
// Uses libcurl, which knows the system's certificates and the proxies of the environment.
#include <curl/curl.h>

#include <algorithm>
#include <memory>

#include "ground/os/http.h"
#include "ground/os/process.h"
#include "ground/os/shared_library.h"

namespace wperf::os {
namespace {

struct Curl {
  decltype(&curl_global_init) start;
  decltype(&curl_easy_init) init;
  decltype(&(curl_easy_setopt)) set_option;
  decltype(&curl_easy_perform) perform;
  decltype(&(curl_easy_getinfo)) get_info;
  decltype(&curl_easy_cleanup) cleanup;
  decltype(&curl_easy_strerror) error_text;
  decltype(&curl_slist_append) append;
  decltype(&curl_slist_free_all) free_list;
};

template <typename Function>
bool bind(const SharedLibrary& library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(library.find(name));
  return function != nullptr;
}

bool bind_all(const SharedLibrary& library, Curl& curl) {
  return bind(library, "curl_global_init", curl.start) && bind(library, "curl_easy_init", curl.init) &&
         bind(library, "curl_easy_setopt", curl.set_option) && bind(library, "curl_easy_perform", curl.perform) &&
         bind(library, "curl_easy_getinfo", curl.get_info) && bind(library, "curl_easy_cleanup", curl.cleanup) &&
         bind(library, "curl_easy_strerror", curl.error_text) && bind(library, "curl_slist_append", curl.append) &&
         bind(library, "curl_slist_free_all", curl.free_list);
}

diag::Result<Curl> load_curl() {
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
    auto library = SharedLibrary::load(name);
    if (!library.has_value()) continue;
    Curl curl{};
    if (!bind_all(library.value(), curl)) continue;
    if (curl.start(CURL_GLOBAL_DEFAULT) != CURLE_OK) break;
    return curl;
  }
  return diag::Error{.text = "connecting to servers needs libcurl, which is not installed", .hint = "install libcurl4"};
}

struct Transfer {
  HttpAnswer answer;
  const HttpLimits& limits;
  bool is_over = false;  // the body is longer than allowed
};

size_t receive(char* data, size_t, size_t size, void* to) {
  auto& transfer = *static_cast<Transfer*>(to);
  std::vector<std::byte>& body = transfer.answer.body;
  const size_t taken = std::min(size, transfer.limits.bytes - body.size());
  transfer.is_over = taken < size;
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  body.insert(body.end(), bytes, bytes + taken);
  if (transfer.limits.progress) transfer.limits.progress(body.size());
  return taken;  // if it is less than `size`, curl ends the transfer
}

size_t receive_header(char* data, size_t, size_t size, void* to) {
  add_header_line({data, size}, static_cast<Transfer*>(to)->answer.headers);
  return size;
}

bool is_secure(std::string_view url) {
  constexpr std::string_view kHttps = "https:";
  const auto is_letter = [](char a, char b) { return a == static_cast<char>(b | 0x20); };
  return url.size() > kHttps.size() && std::equal(kHttps.begin(), kHttps.end(), url.begin(), is_letter);
}

// Forbids redirects from https to http, which others on the network could read and change. libcurl before 7.85 has only
// the older options, and a library with neither would follow any redirect. Returns false if the library has neither.
bool restrict_protocols(const Curl& curl, CURL* handle, bool is_secure) {
  constexpr auto kProtocols = static_cast<CURLoption>(181), kRedirectProtocols = static_cast<CURLoption>(182);
  constexpr long kHttp = 1, kHttps = 2;
  const char* const next = is_secure ? "https" : "http,https";
  if (curl.set_option(handle, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
      curl.set_option(handle, CURLOPT_REDIR_PROTOCOLS_STR, next) == CURLE_OK) {
    return true;
  }
  return curl.set_option(handle, kProtocols, kHttp | kHttps) == CURLE_OK &&
         curl.set_option(handle, kRedirectProtocols, is_secure ? kHttps : kHttp | kHttps) == CURLE_OK;
}

void set_limits(const Curl& curl, CURL* handle, Transfer& transfer) {
  curl.set_option(handle, CURLOPT_NOSIGNAL, 1L);
  curl.set_option(handle, CURLOPT_CONNECTTIMEOUT_MS, transfer.limits.connect_ms);
  curl.set_option(handle, CURLOPT_TIMEOUT_MS, transfer.limits.whole_ms);
  curl.set_option(handle, CURLOPT_WRITEFUNCTION, receive);
  curl.set_option(handle, CURLOPT_WRITEDATA, &transfer);
  curl.set_option(handle, CURLOPT_HEADERFUNCTION, receive_header);
  curl.set_option(handle, CURLOPT_HEADERDATA, &transfer);
}

// Servers of a fleet often have certificates of a private authority, named in the variables of curl's and OpenSSL's
// programs.
void trust_own_authority(const Curl& curl, CURL* handle) {
  for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    const std::string file = os::environment(name).value_or("");
    if (file.empty()) continue;
    curl.set_option(handle, CURLOPT_CAINFO, file.c_str());
    return;
  }
}

}  // namespace

diag::Result<HttpAnswer> ask_server(const HttpRequest& request, const HttpLimits& limits) {
  static const diag::Result<Curl> loaded = load_curl();  // loaded once, on first use
  if (!loaded.has_value()) return loaded.error();
  const Curl& curl = loaded.value();
  const std::unique_ptr<CURL, decltype(curl.cleanup)> owned(curl.init(), curl.cleanup);
  if (owned == nullptr) return diag::Error{.text = "cannot initialize libcurl", .hint = {}};
  CURL* const handle = owned.get();
  Transfer transfer{.answer = {}, .limits = limits};
  curl.set_option(handle, CURLOPT_URL, request.url.c_str());
  if (!restrict_protocols(curl, handle, is_secure(request.url)))
    return diag::Error{.text = "this libcurl cannot be restricted to http and https",
                       .hint = "install a newer libcurl4"};
  if (is_this_machine(host_of(request.url))) curl.set_option(handle, CURLOPT_NOPROXY, "*");
  set_limits(curl, handle, transfer);
  trust_own_authority(curl, handle);
  curl_slist* lines = nullptr;
  // For a long body, curl would otherwise wait a second for the server's permission.
  if (request.body.has_value()) lines = curl.append(lines, "Expect:");
  for (const HttpHeader& header : request.headers) {
    lines = curl.append(lines, (header.name + ": " + header.value).c_str());
  }
  const std::unique_ptr<curl_slist, decltype(curl.free_list)> list(lines, curl.free_list);
  curl.set_option(handle, CURLOPT_HTTPHEADER, lines);
  if (request.body.has_value()) {
    curl.set_option(handle, CURLOPT_POST, 1L);
    curl.set_option(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body->size()));
    curl.set_option(handle, CURLOPT_POSTFIELDS, reinterpret_cast<const char*>(request.body->data()));
  } else {
    curl.set_option(handle, CURLOPT_FOLLOWLOCATION, 1L);
    curl.set_option(handle, CURLOPT_MAXREDIRS, 5L);
  }
  const CURLcode result = curl.perform(handle);
  if (result == CURLE_PEER_FAILED_VERIFICATION) {
    return diag::Error{.text = "this machine does not trust the server's certificate (" + request.url + ")",
                       .hint = "for a private certificate authority, set SSL_CERT_FILE"};
  }
  if (transfer.is_over && !limits.cuts)
    return diag::Error{.text = "the file is too large (" + request.url + ")", .hint = {}};
  if (result != CURLE_OK && !transfer.is_over)
    return diag::Error{.text = std::string(curl.error_text(result)) + " (" + request.url + ")", .hint = {}};
  curl.get_info(handle, CURLINFO_RESPONSE_CODE, &transfer.answer.status);
  return std::move(transfer.answer);
}

}  // namespace wperf::os
