// SPDX-License-Identifier: BSD-3-Clause
// wperf-lib-timeline CORE N I METRIC PE_FILE PARAM: counts METRIC on CORE N times, with pauses of I seconds, while
// PE_FILE runs with PARAM. Prints what the library tells, the name of the CSV file included.
#include <wperf/wperf.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

std::wstring wide(const char* word) {
  const std::size_t length = std::mbstowcs(nullptr, word, 0);
  if (length == static_cast<std::size_t>(-1)) return {};
  std::wstring text(length, L'\0');
  std::mbstowcs(text.data(), word, length);
  return text;
}

void print_line(const char* line, void*) {
  std::printf("%s\n", line);
}

int run(char** words) {
  const auto core = static_cast<uint32_t>(std::strtoul(words[1], nullptr, 10));
  const std::wstring metric = wide(words[4]), program = wide(words[5]), parameter = wide(words[6]);
  STAT_CONF conf{};
  conf.cores = &core;
  conf.num_cores = 1;
  conf.metrics = metric.c_str();
  conf.duration_ms = 1000;
  conf.program = program.c_str();
  conf.arguments = parameter.c_str();
  conf.timeline = true;
  conf.num_counts = std::strtoull(words[2], nullptr, 10);
  conf.interval_ms = static_cast<uint64_t>(std::strtod(words[3], nullptr) * 1000);
  conf.csv_file = L"wperf_core_{core}_{timestamp}.{class}.csv";
  if (!wperf_stat(&conf, nullptr)) return 1;
  STAT_INFO row{};
  while (wperf_stat(&conf, &row)) {
    std::printf("wperf_stat: count=%llu, core=%u, counter_value=%llu, event=%ls, note=%ls\n",
                static_cast<unsigned long long>(row.count_idx), row.core_idx,
                static_cast<unsigned long long>(row.counter_value), row.event_name, row.event_note);
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  std::setlocale(LC_ALL, "");
  if (count != 7) {
    std::fprintf(stderr, "usage: wperf-lib-timeline CORE N I METRIC PE_FILE PARAM\n");
    return 2;
  }
  wperf_set_message_function(print_line, nullptr);
  wperf_set_verbose(true);
  const int status = wperf_init() ? run(words) : 1;
  if (status != 0) std::fprintf(stderr, "wperf-lib-timeline: %s\n", wperf_last_error());
  wperf_close();
  return status;
}
