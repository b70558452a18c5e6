// SPDX-License-Identifier: BSD-3-Clause
#include "views/html/wait_columns.h"

#include <string>

namespace wperf::html {

void WaitColumns::add(const waits::WaitMoments& moments, u64 origin, const std::function<u32(u32 node)>& node_of) {
  u64 before = origin;
  for (const waits::WaitMoment& one : moments.waits) {
    begins_.add_signed(one.begin - before);
    before = one.begin;
    lengths_.add(one.length);
    latencies_.add(one.latency);
    tasks_.add(one.task);
    nodes_.add(node_of(one.node));
    places_.add(one.place);
    locks_.add(one.lock == waits::WaitMoment::kNone ? 0 : u64{one.lock} + 1);
    enders_.add(one.ender == waits::WaitMoment::kNone ? 0 : u64{one.ender} + 1);
    ender_places_.add(one.ender_place);
  }
}

void WaitColumns::write(const waits::WaitMoments& moments, text::JsonWriter& json) {
  json.begin_object("waits");
  json.begin_array("people");
  for (const std::string& one : moments.people) json.string(one);
  json.end_array();
  json.begin_array("locks");
  for (const std::string& one : moments.locks) json.string(one);
  json.end_array();
  json.begin_array("places");
  for (const waits::NamedPlace& one : moments.places) {
    json.begin_array();
    json.string(one.function);
    json.string(one.module);
    json.string(name_of(one.wait));
    json.integer(one.group);
    json.string(one.caller);
    json.string(one.caller_module);
    json.end_array();
  }
  json.end_array();
  json.end_object();
}

std::vector<const Column*> WaitColumns::columns() const {
  return {&begins_, &lengths_, &latencies_, &tasks_, &nodes_, &places_, &enders_, &ender_places_, &locks_};
}

}  // namespace wperf::html
