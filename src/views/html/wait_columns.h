// SPDX-License-Identifier: BSD-3-Clause
// The page's data about waits: one by one, with their threads, places and locks.
#pragma once
#include <functional>
#include <vector>

#include "analysis/waits/wait_report.h"
#include "ground/text/json_writer.h"
#include "views/html/moment_columns.h"

namespace wperf::html {

class WaitColumns {
 public:
  // `node_of`: converts a node of the profile to the number in the page. Times are relative to `origin`.
  void add(const waits::WaitMoments& moments, u64 origin, const std::function<u32(u32 node)>& node_of);
  static void write(const waits::WaitMoments& moments, text::JsonWriter& json);
  std::vector<const Column*> columns() const;

 private:
  Column begins_{"wait begin"}, lengths_{"wait length"}, latencies_{"wait latency"}, tasks_{"wait task"},
      nodes_{"wait node"}, places_{"wait place"}, enders_{"wait ender"}, ender_places_{"wait ender place"},
      locks_{"wait lock"};
};

}  // namespace wperf::html
