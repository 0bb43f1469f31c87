// Columns of labels as numbers: codes in the order of first appearance, and what each of them stands for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "encode/arrow_stream.hpp"

namespace bayleaf {

// Codes of rows, -1 for missing, in signed integers of the fewest bytes that hold them so far: 1, 2 or 4.
class NarrowCodes {
  public:
    explicit NarrowCodes(std::size_t rows) : rows_(rows), bytes_(new char[rows]) {}

    // Appends number(i) for i in [0, rows); asked twice for the same i, `number` says the same.
    template <class Number>
    void append(std::size_t rows, Number&& number) {
        for (std::size_t i = 0; i < rows;) {
            if (width_ == 1)
                i = run<std::int8_t>(i, rows, number);
            else if (width_ == 2)
                i = run<std::int16_t>(i, rows, number);
            else
                i = run<std::int32_t>(i, rows, number);
        }
        done_ += rows;
    }

    int width() const { return width_; }
    std::size_t rows() const { return rows_; }
    std::unique_ptr<char[]> take() { return std::move(bytes_); }

  private:
    template <class Code, class Number>
    std::size_t run(std::size_t i, std::size_t rows, Number& number) {
        auto* codes = reinterpret_cast<Code*>(bytes_.get()) + done_;
        for (; i < rows; ++i) {
            const std::int32_t code = number(i);
            if (code > static_cast<std::int32_t>(std::numeric_limits<Code>::max())) {
                widen<Code>(done_ + i);
                return i;
            }
            codes[i] = static_cast<Code>(code);
        }
        return i;
    }

    template <class Code>
    void widen(std::size_t known) {
        width_ *= 2;
        std::unique_ptr<char[]> wider(new char[rows_ * static_cast<std::size_t>(width_)]);
        const auto* from = reinterpret_cast<const Code*>(bytes_.get());
        if (width_ == 2)
            std::copy(from, from + known, reinterpret_cast<std::int16_t*>(wider.get()));
        else
            std::copy(from, from + known, reinterpret_cast<std::int32_t*>(wider.get()));
        bytes_ = std::move(wider);
    }

    std::size_t rows_;
    std::size_t done_ = 0;
    int width_ = 1;
    std::unique_ptr<char[]> bytes_;
};

struct Labels {
    std::vector<std::string> levels;  // of truth values: "0" and "1"
    NarrowCodes codes;
};

// Of a column of texts, of a dictionary of texts, or of truth values.
Labels read_labels(const ArrowTable& table, std::size_t column);

// Labels that are known by a number of their own, in the order in which they are met.
struct MetLabels {
    std::vector<std::int64_t> met;
    NarrowCodes codes;
};

// Of texts of one width in bytes, `stride` bytes apart; known by the row in which they are met first.
MetLabels read_fixed(const char* data, std::size_t rows, std::size_t width, std::int64_t stride);

// Of a column of uint8, uint16 or uint32 that stand for categories; known by the row in which they are met
// first.
MetLabels read_indices(const ArrowTable& table, std::size_t column);

// Of codes of `categories`, anything else for missing.
template <class Index>
MetLabels read_codes(const Index* codes, std::size_t rows, std::size_t categories);

}  // namespace bayleaf
