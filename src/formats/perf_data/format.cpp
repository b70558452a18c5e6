// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/format.h"

#include <array>

namespace wperf::perf_data {
namespace {

constexpr std::array<std::string_view, kKernelTypes + 1> kKernelNames = {"",
                                                                         "MMAP",
                                                                         "LOST",
                                                                         "COMM",
                                                                         "EXIT",
                                                                         "THROTTLE",
                                                                         "UNTHROTTLE",
                                                                         "FORK",
                                                                         "READ",
                                                                         "SAMPLE",
                                                                         "MMAP2",
                                                                         "AUX",
                                                                         "ITRACE_START",
                                                                         "LOST_SAMPLES",
                                                                         "SWITCH",
                                                                         "SWITCH_CPU_WIDE",
                                                                         "NAMESPACES",
                                                                         "KSYMBOL",
                                                                         "BPF_EVENT",
                                                                         "CGROUP",
                                                                         "TEXT_POKE",
                                                                         "AUX_OUTPUT_HW_ID",
                                                                         "CALLCHAIN_DEFERRED"};
constexpr std::array<std::string_view, 20> kUserNames = {
    "HEADER_ATTR",   "HEADER_EVENT_TYPE", "HEADER_TRACING_DATA", "HEADER_BUILD_ID", "FINISHED_ROUND", "ID_INDEX",
    "AUXTRACE_INFO", "AUXTRACE",          "AUXTRACE_ERROR",      "THREAD_MAP",      "CPU_MAP",        "STAT_CONFIG",
    "STAT",          "STAT_ROUND",        "EVENT_UPDATE",        "TIME_CONV",       "HEADER_FEATURE", "COMPRESSED",
    "FINISHED_INIT", "COMPRESSED2"};
static_assert(kFirstUserType + kUserNames.size() == kRecordTypes);

}  // namespace

std::string_view record_name(u32 type) {
  if (type < kKernelNames.size()) return kKernelNames[type];
  if (type >= kFirstUserType && type < kRecordTypes) return kUserNames[type - kFirstUserType];
  return {};
}

}  // namespace wperf::perf_data
