// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/wait_moments.h"

#include <map>
#include <utility>

namespace wperf::waits {
namespace {

class MomentMaker {
 public:
  MomentMaker(const waits::Accounting& accounting, const recording::RecordedSwitches& switches, WaitNames& names,
              const WaitLocks& locks, const WaitSelection& selection)
      : accounting_(accounting),
        names_(names),
        locks_(locks),
        chosen_(chosen_threads(accounting, switches, selection)),
        has_wakeups_(switches.has_wakeups),
        has_locks_(switches.has_arguments) {}

  waits::WaitMoments make() {
    number_people();
    if (has_locks_) name_locks();
    for (u32 i = 0; i < accounting_.waits.size(); ++i) {
      const waits::Wait& wait = accounting_.waits[i];
      if (!chosen_[wait.thread] || !wait.is_known) continue;
      waits::WaitMoment one{.begin = wait.begin,
                            .length = wait.length(),
                            .latency = wait.latency(),
                            .wait = i,
                            .place = number_of(names_.place_of(wait))};
      if (has_locks_) one.lock = number_of_lock(wait);
      if (has_wakeups_) {
        one.ender = people_.at(names_.ender_of(wait));
        one.ender_place = number_of(names_.place_of_ender(wait));
      }
      out_.waits.push_back(one);
    }
    return std::move(out_);
  }

 private:
  // The last entry stands for waits without a recorded lock.
  void name_locks() {
    for (u32 i = 0; i < locks_.all().size(); ++i) out_.locks.push_back(locks_.text_of(i));
    out_.locks.push_back(locks_.text_of(WaitLocks::kUnknown));
  }
  u32 number_of_lock(const waits::Wait& wait) const {
    const u32 lock = locks_.lock_of(wait);
    if (lock == WaitLocks::kNone) return waits::WaitMoment::kNone;
    return lock == WaitLocks::kUnknown ? static_cast<u32>(locks_.all().size()) : lock;
  }

  void number_people() {
    for (const waits::Wait& wait : accounting_.waits) {
      if (chosen_[wait.thread] && wait.is_known && has_wakeups_) people_.try_emplace(names_.ender_of(wait));
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
  WaitNames& names_;
  const WaitLocks& locks_;
  const std::vector<bool> chosen_;
  const bool has_wakeups_, has_locks_;
  std::map<u32, u32> people_;  // by thread, so that ties are always decided in the same way
  std::map<std::pair<u32, waits::WaitClass>, u32> places_;
  waits::WaitMoments out_;
};

}  // namespace

waits::WaitMoments make_wait_moments(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                                     WaitNames& names, const WaitLocks& locks, const WaitSelection& selection) {
  return MomentMaker(accounting, switches, names, locks, selection).make();
}

}  // namespace wperf::waits
