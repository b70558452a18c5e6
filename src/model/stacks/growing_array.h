// SPDX-License-Identifier: BSD-3-Clause
// An array of plain values that only grows. If the system can move pages without copying them, growing a large array
// copies nothing and, unlike std::vector, never holds the old and the new array at once.
#pragma once
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "base/ints.h"

namespace wperf::stacks {

// Prefetches memory that is needed soon. It must be inlined, like every function that only prefetches: GCC assumes that
// such functions have no effect and drops the calls.
[[gnu::always_inline]] inline void bring_near(const void* memory) {
  __builtin_prefetch(memory);
}

template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  GrowingArray() = default;
  GrowingArray(std::initializer_list<T> values) {
    for (const T& value : values) push_back(value);
  }
  GrowingArray(const GrowingArray& other) {
    for (const T& value : other) push_back(value);
  }
  GrowingArray(GrowingArray&& other) noexcept { swap(other); }
  GrowingArray& operator=(GrowingArray other) noexcept {
    swap(other);
    return *this;
  }
  ~GrowingArray() = default;

  void push_back(const T& value) {
    const T copy = value;  // `value` may be an element of this array
    if (size_ == capacity_) grow();
    std::construct_at(first_.get() + size_, copy);
    ++size_;
  }
  usize size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](usize index) { return first_.get()[index]; }
  const T& operator[](usize index) const { return first_.get()[index]; }
  T* begin() { return first_.get(); }
  T* end() { return first_.get() + size_; }
  const T* begin() const { return first_.get(); }
  const T* end() const { return first_.get() + size_; }
  std::span<const T> all() const { return {first_.get(), size_}; }

 private:
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  void swap(GrowingArray& other) noexcept {
    first_.swap(other.first_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  void grow() {
    constexpr usize kFirst = 64;
    const usize capacity = capacity_ == 0 ? kFirst : capacity_ * 2;
    void* const moved = std::realloc(first_.get(), capacity * sizeof(T));
    if (moved == nullptr) throw std::bad_alloc();
    static_cast<void>(first_.release());
    first_.reset(static_cast<T*>(moved));
    capacity_ = capacity;
  }

  std::unique_ptr<T, Free> first_;
  usize size_ = 0, capacity_ = 0;
};

}  // namespace wperf::stacks
