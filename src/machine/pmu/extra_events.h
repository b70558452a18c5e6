// SPDX-License-Identifier: BSD-3-Clause
// User-supplied events (-E, contract 3.5) and the events that raw numbers register (3.1).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/event_class.h"
#include "ground/diag/result.h"

namespace wperf::pmu {

struct ExtraEvent {
  EventClass event_class;
  std::string name;  // lower case, without prefix
  u16 code;
};

class ExtraEvents {
 public:
  // "name:hex,name:hex"; names may carry a class prefix; the first name for a number wins.
  diag::Result<void> parse(std::string_view text);
  // Registers r<hex> unless that number is already registered.
  void add_raw(EventClass event_class, u16 code);
  const ExtraEvent* find(EventClass event_class, std::string_view exact_name) const;
  const ExtraEvent* find(EventClass event_class, u16 code) const;
  const std::vector<ExtraEvent>& all() const { return events_; }

 private:
  std::vector<ExtraEvent> events_;
};

}  // namespace wperf::pmu
