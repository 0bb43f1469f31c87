// Long work that the caller may want to end early.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace bayleaf {

// Thrown in the calling thread when work was given up; what it was to write is then worthless.
struct Stopped {};

// Workers ask `requested()` before every task. The thread that made the object passes the question on to
// `asked`, at most twenty times a second; the others only look at the answer.
class Stop {
  public:
    explicit Stop(bool (*asked)() = nullptr) : asked_(asked), owner_(std::this_thread::get_id()) {}

    bool requested() {
        if (answer_.load(std::memory_order_relaxed)) return true;
        if (asked_ == nullptr || std::this_thread::get_id() != owner_) return false;
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return false;
        next_ = now + std::chrono::milliseconds(50);
        if (asked_()) answer_ = true;
        return answer_;
    }

    void check() {
        if (requested()) throw Stopped{};
    }

  private:
    bool (*asked_)();
    std::thread::id owner_;
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
    std::atomic<bool> answer_{false};
};

}  // namespace bayleaf
