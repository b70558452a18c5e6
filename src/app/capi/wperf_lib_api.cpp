// SPDX-License-Identifier: BSD-3-Clause
// The functions of wperf-lib.h for which wperf.h has another layout. The others are in wperf_api.cpp.
#include <cstddef>

#include "app/capi/library.h"
#include "app/capi/wperf_lib_conversions.h"

namespace wperf::capi {
namespace {

// For functions that both headers declare, the layouts must be equal.
static_assert(sizeof(lib::VERSION_INFO) == sizeof(VERSION_INFO) &&
              offsetof(lib::VERSION_INFO, gitver) == offsetof(VERSION_INFO, gitver));
static_assert(sizeof(lib::SAMPLE_STATS) == sizeof(SAMPLE_STATS) &&
              offsetof(lib::SAMPLE_STATS, sample_dropped) == offsetof(SAMPLE_STATS, samples_dropped));

// Returns the next row of wperf.h in the other layout.
template <typename Row, typename Wanted>
diag::Result<bool> next_lib_row(std::optional<Rows<Row>>& rows, Wanted& wanted, const char* first) {
  Row row;
  WPERF_TRY(const bool there, next_row(rows, row, first));
  if (there) wanted = lib_row(row);
  return there;
}

}  // namespace
}  // namespace wperf::capi

using namespace wperf;
using namespace wperf::capi;

#if defined(_WIN32)
#define WPERF_LIB_EXPORT __declspec(dllexport)
#else
#define WPERF_LIB_EXPORT __attribute__((visibility("default")))
#endif

extern "C" {

// Always lists the events of the cores. Programs leave the field list_event_types uninitialised, so it is not read.
WPERF_LIB_EXPORT bool wperf_lib_list_events(lib::LIST_CONF*, lib::EVENT_INFO* info) {
  return with_session([&](Library&, Session& session) -> diag::Result<bool> {
    if (info != nullptr) return next_lib_row(session.events, *info, "wperf_list_events(conf, NULL)");
    return done_if(session.load_events({CORE_EVT}));
  });
}

WPERF_LIB_EXPORT bool wperf_lib_list_metrics(lib::LIST_CONF*, lib::METRIC_INFO* info) {
  return with_session([&](Library&, Session& session) -> diag::Result<bool> {
    if (info == nullptr) return done_if(session.load_metrics());
    METRIC_INFO row;
    if (!session.metrics.has_value()) {
      return diag::usage_error("there are no rows yet: call wperf_list_metrics(conf, NULL) first");
    }
    if (!session.metrics->rows.next(row)) return false;
    *info = lib_row(row);
    return true;
  });
}

WPERF_LIB_EXPORT bool wperf_lib_stat(lib::STAT_CONF* conf, lib::STAT_INFO* info) {
  return with_session([&](Library& self, Session& session) -> diag::Result<bool> {
    if (info != nullptr) return next_lib_row(session.counts, *info, "wperf_stat(conf, NULL)");
    if (conf == nullptr) return no_configuration();
    MessageConsole console = self.measuring_console();
    return done_if(session.count(lib_stat_request(*conf), self.verbose, console));
  });
}

WPERF_LIB_EXPORT bool wperf_lib_sample(lib::SAMPLE_CONF* conf, lib::SAMPLE_INFO* info) {
  return with_session([&](Library& self, Session& session) -> diag::Result<bool> {
    if (info != nullptr) return next_lib_row(session.samples, *info, "wperf_sample(conf, NULL)");
    if (conf == nullptr) return no_configuration();
    MessageConsole console = self.measuring_console();
    return done_if(session.sample(lib_sample_request(*conf), self.verbose, console));
  });
}

WPERF_LIB_EXPORT bool wperf_lib_sample_annotate(lib::SAMPLE_CONF*, lib::ANNOTATE_INFO* info) {
  return with_session([&](Library&, Session& session) -> diag::Result<bool> {
    constexpr const char* kFirst = "wperf_sample(conf, NULL) with conf.annotate";
    if (info == nullptr) return rewind(session.annotations, kFirst);
    return next_lib_row(session.annotations, *info, kFirst);
  });
}

WPERF_LIB_EXPORT bool wperf_lib_test(lib::TEST_CONF* conf, lib::TEST_INFO* info) {
  return with_session([&](Library&, Session& session) -> diag::Result<bool> {
    if (info != nullptr) return next_row(session.lib_tests, *info, "wperf_test(conf, NULL)");
    return done_if(session.test(lib_test_request(conf != nullptr ? *conf : lib::TEST_CONF{})));
  });
}

}  // extern "C"
