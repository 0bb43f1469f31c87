// Threads over independent tasks, and long work that the caller may want to end early. What a task computes
// never depends on which thread runs it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bayleaf {

// A thread that is waited for where it goes out of scope: std::jthread, which not every standard library has.
class Worker {
  public:
    template <class Work>
    explicit Worker(Work& work) : thread_(std::ref(work)) {}
    Worker(Worker&&) noexcept = default;
    Worker& operator=(Worker&&) = delete;
    ~Worker() {
        if (thread_.joinable()) thread_.join();
    }

  private:
    std::thread thread_;
};

// Calls task(i) for i in [0, tasks). The first exception is rethrown in the calling thread.
template <class Task>
void parallel_for(std::size_t tasks, int threads, Task&& task) {
    const std::size_t workers = std::min<std::size_t>(tasks, static_cast<std::size_t>(std::max(threads, 1)));
    if (workers <= 1) {
        for (std::size_t i = 0; i < tasks; ++i) task(i);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex guard;
    auto work = [&] {
        try {
            for (std::size_t i = next++; i < tasks; i = next++) task(i);
        } catch (...) {
            const std::lock_guard lock(guard);
            if (!failure) failure = std::current_exception();
            next = tasks;
        }
    };
    {
        std::vector<Worker> pool;
        for (std::size_t w = 1; w < workers; ++w) pool.emplace_back(work);
        work();
    }
    if (failure) std::rethrow_exception(failure);
}

// Calls task(space, i) for i in [0, tasks); each thread has a `Space` of its own, for buffers that are kept
// from one task to the next.
template <class Space, class Task>
void parallel_with(std::size_t tasks, int threads, Task&& task) {
    const std::size_t workers = std::min<std::size_t>(tasks, static_cast<std::size_t>(std::max(threads, 1)));
    std::atomic<std::size_t> next{0};
    parallel_for(workers, threads, [&](std::size_t) {
        Space space;
        for (std::size_t i = next++; i < tasks; i = next++) task(space, i);
    });
}

// Calls task(begin, end) for consecutive blocks of `size` items. Block borders do not depend on the threads.
template <class Task>
void parallel_blocks(std::size_t items, std::size_t size, int threads, Task&& task) {
    const std::size_t blocks = (items + size - 1) / size;
    parallel_for(blocks, threads, [&](std::size_t b) { task(b * size, std::min(items, (b + 1) * size)); });
}

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
        // Built into the compilers: std::atomic_ref is missing in some standard libraries.
        if (__atomic_load_n(answer_, __ATOMIC_RELAXED) != 0) return true;
        if (asked_ == nullptr || std::this_thread::get_id() != owner_) return false;
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return false;
        next_ = now + std::chrono::milliseconds(50);
        if (!asked_()) return false;
        __atomic_store_n(answer_, std::int64_t{1}, __ATOMIC_SEQ_CST);
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
