// SPDX-License-Identifier: BSD-3-Clause
#include "commands/wait_moments.h"

#include <map>
#include <utility>

namespace wperf::commands {
namespace {

class MomentMaker {
 public:
  MomentMaker(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
              const recording::RecordedSamples& recorded, const WaitSelection& selection)
      : accounting_(accounting),
        names_(switches, recorded),
        chosen_(chosen_threads(accounting, switches, selection)),
        has_wakeups_(switches.has_wakeups) {}

  waits::WaitMoments make() {
    number_people();
    for (u32 i = 0; i < accounting_.waits.size(); ++i) {
      const waits::Wait& wait = accounting_.waits[i];
      if (!chosen_[wait.thread] || !wait.is_known) continue;
      waits::WaitMoment one{.begin = wait.begin,
                            .length = wait.length(),
                            .latency = wait.latency(),
                            .wait = i,
                            .place = number_of(names_.place_of(wait))};
      if (has_end(wait)) {
        one.ender = people_.at(WaitNames::ender_of(wait));
        one.ender_place = number_of(names_.place_of_ender(wait));
      }
      out_.waits.push_back(one);
    }
    return std::move(out_);
  }

 private:
  bool has_end(const waits::Wait& wait) const { return wait.has_end && has_wakeups_; }

  void number_people() {
    for (const waits::Wait& wait : accounting_.waits) {
      if (chosen_[wait.thread] && wait.is_known && has_end(wait)) people_.try_emplace(WaitNames::ender_of(wait));
    }
    for (auto& [thread, number] : people_) {
      number = static_cast<u32>(out_.people.size());
      out_.people.push_back(names_.text_of(thread));
    }
  }

  u32 number_of(const WaitPlace& place) {
    const auto [known, is_new] = places_.try_emplace({place.group, place.wait}, static_cast<u32>(out_.places.size()));
    if (is_new)
      out_.places.push_back({.function = std::string(place.function),
                             .module = std::string(place.module),
                             .wait = place.wait,
                             .caller = std::string(place.caller),
                             .caller_module = std::string(place.caller_module),
                             .group = place.group});
    return known->second;
  }

  const waits::Accounting& accounting_;
  WaitNames names_;
  const std::vector<bool> chosen_;
  const bool has_wakeups_;
  std::map<u32, u32> people_;  // by thread: so that of equals the same one is named as everywhere
  std::map<std::pair<u32, waits::WaitClass>, u32> places_;
  waits::WaitMoments out_;
};

}  // namespace

waits::WaitMoments make_wait_moments(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                                     const recording::RecordedSamples& recorded, const WaitSelection& selection) {
  return MomentMaker(accounting, switches, recorded, selection).make();
}

}  // namespace wperf::commands
