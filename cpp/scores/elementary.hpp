// Exponentials and logarithms that compilers turn into vector code.
#pragma once

#include <bit>
#include <cstdint>

#include "common/dispatch.hpp"

namespace bayleaf {

// Adding this number leaves a whole number in the last bits of a double, for sizes up to kLargestRounded.
inline constexpr double kToInteger = 0x1.8p52, kLargestRounded = 0x1p50;

// exp(x) for x <= 0 without branches, so that loops become vector code; the same bits on every machine,
// where products and sums are not fused. log(2) is split so that n times its first part is exact.
BAYLEAF_INLINE double exp_of_negative(double x) {
    x = x < -700.0 ? -700.0 : x;
    const double shifted = x * 1.4426950408889634 + kToInteger;
    const double n = shifted - kToInteger;
    const double r = (x - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
    double p = 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    const auto exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
    return p * std::bit_cast<double>(exponent);
}

// log(x) for normal x > 0, likewise; the polynomial is that of FDLIBM (Sun Microsystems, 1993).
BAYLEAF_INLINE double log_of(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    // Split so that the mantissa lies in [sqrt(1/2), sqrt(2)).
    const std::uint64_t shifted = bits - 0x3fe6a09e667f3bcdULL;
    const auto exponent = static_cast<std::int64_t>(shifted) >> 52;
    const double m = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52));
    const double f = (m - 1.0) / (m + 1.0), s = f * f;
    double p = 1.479819860511658591e-01;
    p = p * s + 1.531383769920937332e-01;
    p = p * s + 1.818357216161805012e-01;
    p = p * s + 2.222219843214978396e-01;
    p = p * s + 2.857142874366239149e-01;
    p = p * s + 3.999999999940941908e-01;
    p = p * s + 6.666666666666735130e-01;
    return static_cast<double>(exponent) * 0.6931471805599453 + (2.0 * f + f * (p * s));
}

}  // namespace bayleaf
