// SPDX-License-Identifier: BSD-3-Clause
// Events defined by the user (-E, contract 3.5), and events registered by numbers (3.1).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/event_class.h"
#include "ground/diag/result.h"

namespace wperf::pmu {

struct ExtraEvent {
  EventClass event_class;
  std::string name;  // in lower case, without a prefix
  u16 code;
};

class ExtraEvents {
 public:
  // "name:hex,name:hex". Names may have a class prefix; the first name for a number counts.
  diag::Result<void> parse(std::string_view text);
  // Registers r<hex>, unless the number already has a name.
  void add_raw(EventClass event_class, u16 code);
  const ExtraEvent* find(EventClass event_class, std::string_view exact_name) const;
  const ExtraEvent* find(EventClass event_class, u16 code) const;
  const std::vector<ExtraEvent>& all() const { return events_; }

 private:
  std::vector<ExtraEvent> events_;
};

}  // namespace wperf::pmu
