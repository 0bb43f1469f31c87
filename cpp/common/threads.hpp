// How many threads a kernel may use.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace bayleaf {

// More threads than this never help, and a slip of the keyboard must not ask the system for a billion.
inline constexpr int kMostThreads = 256;

// The cores that this process may use.
inline int usable_cores() {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Resolves `n_jobs` as `thread_count` of bayleaf._util.params does: nothing means OMP_NUM_THREADS where that
// is set (joblib sets it in its workers) or every core; negative numbers count from the number of cores. 0
// stays 0.
inline int thread_count(std::optional<int> n_jobs) {
    if (n_jobs) {
        if (*n_jobs >= 0) return std::min(*n_jobs, kMostThreads);
        return std::max(1, usable_cores() + 1 + *n_jobs);
    }
    const char* variable = std::getenv("OMP_NUM_THREADS");
    const std::string_view limit = variable ? variable : "";
    const bool is_number =
        !limit.empty() && std::ranges::all_of(limit, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!is_number) return usable_cores();
    return limit.size() > 9 ? kMostThreads : std::clamp(std::atoi(variable), 1, kMostThreads);
}

}  // namespace bayleaf
