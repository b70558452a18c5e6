// SPDX-License-Identifier: BSD-3-Clause
// The functions of wperf.h. library.h wraps each call; Session does the work.
#include <algorithm>
#include <optional>
#include <string>

#include "app/capi/configurations.h"
#include "app/capi/library.h"
#include "ground/os/process.h"
#include "ground/text/unicode.h"
#include "include/wperf/wperf.h"
#include "wperf_version.h"

namespace wperf::capi {
namespace {

diag::Result<bool> set_count(int* count, std::optional<size_t> value, const char* first) {
  if (count == nullptr) return diag::usage_error("count is NULL");
  if (!value.has_value()) return diag::usage_error(std::string("nothing is listed yet: call ") + first + " first");
  *count = static_cast<int>(*value);
  return true;
}

template <typename Rows>
std::optional<size_t> size_of(const std::optional<Rows>& rows) {
  if (!rows.has_value()) return std::nullopt;
  return rows->size();
}

// "3.8.0"
VERSION_INFO library_version() {
  VERSION_INFO version{};
  u32* const parts[] = {&version.major, &version.minor, &version.patch};
  size_t part = 0;
  for (const char c : std::string_view(kVersion)) {
    if (c == '.') {
      ++part;
    } else if (part < std::size(parts) && c >= '0' && c <= '9') {
      *parts[part] = *parts[part] * 10 + static_cast<u32>(c - '0');
    }
  }
  const std::wstring git = text::wide_of(kGitVersion);
  std::copy_n(git.begin(), std::min(git.size(), std::size(version.gitver) - 1), version.gitver);
  return version;
}

}  // namespace
}  // namespace wperf::capi

using namespace wperf;
using namespace wperf::capi;

extern "C" {

bool wperf_set_device(const char* device) {
  return guarded([&](Library& self) -> diag::Result<bool> {
    if (self.session != nullptr) return diag::usage_error("a machine is open: call wperf_close() first");
    self.device.reset();
    if (device != nullptr) self.device = device;
    return true;
  });
}

bool wperf_init(void) {
  return guarded([](Library& self) -> diag::Result<bool> {
    if (self.session != nullptr) return diag::usage_error("wperf_init() was called already");
    const std::string device = self.device.has_value() ? *self.device : os::environment("WPERF_DEVICE").value_or("");
    MessageConsole console = self.measuring_console();
    WPERF_TRY(self.session, Session::open(device, console));
    self.owner = os::process_number();
    return true;
  });
}

bool wperf_close(void) {
  return guarded([](Library& self) -> diag::Result<bool> {
    self.session.reset();
    return true;
  });
}

const char* wperf_last_error(void) {
  return last_error();
}

bool wperf_set_message_function(WPERF_MESSAGE function, void* context) {
  return guarded([&](Library& self) -> diag::Result<bool> {
    self.sink = {function, context};
    return true;
  });
}

bool wperf_set_verbose(bool enable) {
  return guarded([&](Library& self) -> diag::Result<bool> {
    self.verbose = enable;
    return true;
  });
}

void wperf_stop(void) {
  request_stop();
}

bool wperf_driver_version(VERSION_INFO* version) {
  return with_session([&](Library&, Session& session) -> diag::Result<bool> {
    if (version == nullptr) return diag::usage_error("version is NULL");
    WPERF_TRY(*version, session.driver_version());
    return true;
  });
}

bool wperf_version(VERSION_INFO* version) {
  clear_last_error();
  if (version == nullptr) {
    set_last_error("version is NULL");
    return false;
  }
  try {
    *version = library_version();
    return true;
  } catch (const std::exception& exception) {
    set_last_error_of_bug(exception.what());
    return false;
  }
}

bool wperf_num_cores(int* count) {
  return with_session([&](Library&, Session& session) { return set_count(count, session.core_count(), ""); });
}

bool wperf_list_events(const LIST_CONF* conf, EVENT_INFO* info) {
  return with_session([&](Library&, Session& session) -> diag::Result<bool> {
    if (info != nullptr) return next_row(session.events, *info, "wperf_list_events(conf, NULL)");
    if (conf == nullptr) return no_configuration();
    return done_if(session.load_events(*conf));
  });
}

bool wperf_list_num_events(const LIST_CONF*, int* count) {
  return with_session([&](Library&, Session& session) {
    return set_count(count, size_of(session.events), "wperf_list_events(conf, NULL)");
  });
}

bool wperf_list_metrics(const LIST_CONF*, METRIC_INFO* info) {
  return with_session([&](Library&, Session& session) -> diag::Result<bool> {
    if (info == nullptr) return done_if(session.load_metrics());
    if (!session.metrics.has_value()) {
      return diag::usage_error("there are no rows yet: call wperf_list_metrics(conf, NULL) first");
    }
    return session.metrics->rows.next(*info);
  });
}

bool wperf_list_num_metrics(const LIST_CONF*, int* count) {
  return with_session([&](Library&, Session& session) {
    std::optional<size_t> metrics;
    if (session.metrics.has_value()) metrics = session.metrics->metrics;
    return set_count(count, metrics, "wperf_list_metrics(conf, NULL)");
  });
}

bool wperf_list_num_metrics_events(const LIST_CONF*, int* count) {
  return with_session([&](Library&, Session& session) {
    std::optional<size_t> rows;
    if (session.metrics.has_value()) rows = session.metrics->rows.size();
    return set_count(count, rows, "wperf_list_metrics(conf, NULL)");
  });
}

bool wperf_stat(const STAT_CONF* conf, STAT_INFO* info) {
  return with_session([&](Library& self, Session& session) -> diag::Result<bool> {
    if (info != nullptr) return next_row(session.counts, *info, "wperf_stat(conf, NULL)");
    if (conf == nullptr) return no_configuration();
    MessageConsole console = self.measuring_console();
    return done_if(session.count(stat_request(*conf), self.verbose, console));
  });
}

bool wperf_stat_begin(const STAT_CONF* conf, uint32_t process) {
  return with_session([&](Library& self, Session& session) -> diag::Result<bool> {
    if (conf == nullptr) return no_configuration();
    MessageConsole console = self.measuring_console();
    return done_if(session.begin_count(section_request(*conf, process), console));
  });
}

bool wperf_stat_end(void) {
  return with_session([](Library&, Session& session) { return done_if(session.end_count()); });
}

bool wperf_stat_metrics(const STAT_CONF*, STAT_METRIC_INFO* info) {
  return with_session([&](Library&, Session& session) -> diag::Result<bool> {
    if (info == nullptr) return rewind(session.count_metrics, "wperf_stat(conf, NULL)");
    return next_row(session.count_metrics, *info, "wperf_stat(conf, NULL)");
  });
}

bool wperf_sample(const SAMPLE_CONF* conf, SAMPLE_INFO* info) {
  return with_session([&](Library& self, Session& session) -> diag::Result<bool> {
    if (info != nullptr) return next_row(session.samples, *info, "wperf_sample(conf, NULL)");
    if (conf == nullptr) return no_configuration();
    MessageConsole console = self.measuring_console();
    return done_if(session.sample(sample_request(*conf), self.verbose, console));
  });
}

bool wperf_sample_annotate(const SAMPLE_CONF*, ANNOTATE_INFO* info) {
  return with_session([&](Library&, Session& session) -> diag::Result<bool> {
    constexpr const char* kFirst = "wperf_sample(conf, NULL) with conf.annotate";
    if (info == nullptr) return rewind(session.annotations, kFirst);
    return next_row(session.annotations, *info, kFirst);
  });
}

bool wperf_sample_stats(const SAMPLE_CONF*, SAMPLE_STATS* stats) {
  return with_session([&](Library&, Session& session) -> diag::Result<bool> {
    if (stats == nullptr) return diag::usage_error("stats is NULL");
    if (!session.sample_stats.has_value()) {
      return diag::usage_error("nothing was sampled yet: call wperf_sample(conf, NULL) first");
    }
    *stats = *session.sample_stats;
    return true;
  });
}

bool wperf_test(const TEST_CONF* conf, TEST_INFO* info) {
  return with_session([&](Library&, Session& session) -> diag::Result<bool> {
    if (info != nullptr) return next_row(session.tests, *info, "wperf_test(conf, NULL)");
    return done_if(session.test(test_request(conf != nullptr ? *conf : TEST_CONF{})));
  });
}

}  // extern "C"
