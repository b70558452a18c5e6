// SPDX-License-Identifier: BSD-3-Clause
#include <curl/curl.h>

#include <memory>

#include "os/download.h"
#include "os/shared_library.h"

namespace wperf::os {
namespace {

constexpr long kNotFound = 404;
constexpr long kGone = 410;
constexpr long kFirstError = 400;

struct Curl {
  decltype(&curl_global_init) start;
  decltype(&curl_easy_init) init;
  decltype(&(curl_easy_setopt)) set_option;
  decltype(&curl_easy_perform) perform;
  decltype(&(curl_easy_getinfo)) get_info;
  decltype(&curl_easy_cleanup) cleanup;
  decltype(&curl_easy_strerror) error_text;
};

template <typename Function>
bool bind(const SharedLibrary& library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(library.find(name));
  return function != nullptr;
}

diag::Result<Curl> load_curl() {
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
    auto library = SharedLibrary::load(name);
    if (!library.has_value()) continue;
    Curl curl{};
    if (bind(library.value(), "curl_global_init", curl.start) && bind(library.value(), "curl_easy_init", curl.init) &&
        bind(library.value(), "curl_easy_setopt", curl.set_option) &&
        bind(library.value(), "curl_easy_perform", curl.perform) &&
        bind(library.value(), "curl_easy_getinfo", curl.get_info) &&
        bind(library.value(), "curl_easy_cleanup", curl.cleanup) &&
        bind(library.value(), "curl_easy_strerror", curl.error_text)) {
      if (curl.start(CURL_GLOBAL_DEFAULT) != CURLE_OK) break;
      return curl;
    }
  }
  return diag::Error{.text = "symbol servers need libcurl, which is not installed", .hint = "install libcurl4"};
}

struct Received {
  std::vector<std::byte> bytes;
  size_t limit;
};

size_t receive(char* data, size_t, size_t size, void* to) {
  auto& received = *static_cast<Received*>(to);
  if (size > received.limit - received.bytes.size()) return 0;  // curl gives up then
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  received.bytes.insert(received.bytes.end(), bytes, bytes + size);
  return size;
}

}  // namespace

diag::Result<std::optional<std::vector<std::byte>>> download(const std::string& url, const DownloadLimits& limits) {
  static const diag::Result<Curl> loaded = load_curl();  // on the first use, and once
  if (!loaded.has_value()) return loaded.error();
  const Curl& curl = loaded.value();
  const std::unique_ptr<CURL, decltype(curl.cleanup)> transfer(curl.init(), curl.cleanup);
  if (transfer == nullptr) return diag::Error{.text = "libcurl does not start", .hint = {}};
  Received received{.bytes = {}, .limit = limits.bytes};
  CURL* const handle = transfer.get();
  curl.set_option(handle, CURLOPT_URL, url.c_str());
  curl.set_option(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl.set_option(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl.set_option(handle, CURLOPT_FOLLOWLOCATION, 1L);
  curl.set_option(handle, CURLOPT_MAXREDIRS, 5L);
  curl.set_option(handle, CURLOPT_NOSIGNAL, 1L);
  curl.set_option(handle, CURLOPT_CONNECTTIMEOUT_MS, limits.connect_ms);
  curl.set_option(handle, CURLOPT_TIMEOUT_MS, limits.whole_ms);
  curl.set_option(handle, CURLOPT_USERAGENT, "Microsoft-Symbol-Server/10.0 wperf");
  curl.set_option(handle, CURLOPT_WRITEFUNCTION, receive);
  curl.set_option(handle, CURLOPT_WRITEDATA, &received);
  const CURLcode result = curl.perform(handle);
  if (result != CURLE_OK)
    return diag::Error{.text = std::string(curl.error_text(result)) + " (" + url + ")", .hint = {}};
  long status = 0;
  curl.get_info(handle, CURLINFO_RESPONSE_CODE, &status);
  if (status == kNotFound || status == kGone) return std::optional<std::vector<std::byte>>();
  if (status >= kFirstError) {
    return diag::Error{.text = "the server answers " + std::to_string(status) + " (" + url + ")", .hint = {}};
  }
  return std::optional(std::move(received.bytes));
}

}  // namespace wperf::os
