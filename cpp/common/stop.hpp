// Long work that the caller may want to end early.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace bayleaf {

// Thrown in the calling thread when work was given up; what it was to write is then worthless.
struct Stopped {};

// Workers ask `requested()` before every task.
class Stop {
  public:
    // The thread that made the object passes the question on to `asked`, at most twenty times a second; the
    // others only look at the answer.
    explicit Stop(bool (*asked)()) : asked_(asked) {}
    // The answer is a number that the caller may change at any time: not zero asks to stop.
    explicit Stop(std::int64_t* answer) : answer_(answer) {}
    Stop(const Stop&) = delete;
    Stop& operator=(const Stop&) = delete;

    bool requested() {
        const std::atomic_ref answer(*answer_);
        if (answer.load(std::memory_order_relaxed)) return true;
        if (asked_ == nullptr || std::this_thread::get_id() != owner_) return false;
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return false;
        next_ = now + std::chrono::milliseconds(50);
        if (!asked_()) return false;
        answer = 1;
        return true;
    }

    void check() {
        if (requested()) throw Stopped{};
    }

  private:
    std::int64_t own_answer_ = 0;
    std::int64_t* answer_ = &own_answer_;
    bool (*asked_)() = nullptr;
    std::thread::id owner_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
};

}  // namespace bayleaf
