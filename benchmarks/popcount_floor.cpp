// The limit of the pair kernel: how many 64-bit words one core can AND and count per second when everything
// sits in the first-level cache and nothing else is done. Two by two bit sets at a time, as the kernel does.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#if defined(__AVX512VPOPCNTDQ__)
#include <immintrin.h>
#endif

namespace {
constexpr std::size_t kWords = 256;

std::uint64_t intersect(const std::uint64_t* a, const std::uint64_t* b) {
    std::uint64_t total = 0;
#if defined(__AVX512VPOPCNTDQ__)
    __m512i sums[4] = {};
    for (std::size_t w = 0; w < kWords; w += 8) {
        for (int x = 0; x < 2; ++x) {
            for (int y = 0; y < 2; ++y) {
                const __m512i both = _mm512_and_si512(_mm512_loadu_si512(a + x * kWords + w),
                                                      _mm512_loadu_si512(b + y * kWords + w));
                sums[2 * x + y] = _mm512_add_epi64(sums[2 * x + y], _mm512_popcnt_epi64(both));
            }
        }
    }
    for (const __m512i sum : sums) total += _mm512_reduce_add_epi64(sum);
#else
    for (std::size_t w = 0; w < kWords; ++w)
        for (int x = 0; x < 2; ++x)
            for (int y = 0; y < 2; ++y) total += __builtin_popcountll(a[x * kWords + w] & b[y * kWords + w]);
#endif
    return total;
}
}  // namespace

int main() {
    std::vector<std::uint64_t> sets(8 * kWords);
    for (std::size_t i = 0; i < sets.size(); ++i) sets[i] = i * 0x9E3779B97F4A7C15ull;
    double best = 1e9;
    std::uint64_t sink = 0;
    for (int repeat = 0; repeat < 15; ++repeat) {
        const auto start = std::chrono::steady_clock::now();
        constexpr int kCalls = 20000;
        for (int k = 0; k < kCalls; ++k)
            sink += intersect(&sets[(k % 3) * kWords], &sets[(4 + k % 3) * kWords]);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        best = std::min(best, seconds.count() / (kCalls * 4.0 * kWords));
    }
    std::printf("%.6g %llu\n", 1.0 / best, static_cast<unsigned long long>(sink));
}
