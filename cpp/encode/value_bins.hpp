// A column cut into small bins of neighbouring values, with the rows of each class below each of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "encode/mdlp.hpp"

namespace bayleaf {

// Equal values lie in one bin. A position of class c counts the rows of that class below.
struct ValueBins {
    std::size_t classes;
    std::vector<double> upper;  // the largest value of each bin
    std::vector<std::int64_t>
        before;  // positions of all classes at the lower border of each bin, and at the end

    std::size_t size() const { return upper.size(); }
    const std::int64_t* border(std::size_t bin) const { return before.data() + bin * classes; }
};

ValueBins bins_of(const ClassRuns& column);
ValueBins bins_of(const ValueCounts& column);  // one value in each

// Merges consecutive ascending runs, two by two; run r ends before items[ends[r]]. `spare` is overwritten.
template <class Item>
void merge_runs(std::vector<Item>& items, std::vector<Item>& spare, std::vector<std::size_t>& ends) {
    spare.resize(items.size());
    while (ends.size() > 1) {
        std::size_t begin = 0;
        std::size_t kept = 0;
        for (std::size_t r = 0; r < ends.size(); r += 2) {
            const std::size_t middle = ends[r];
            const std::size_t end = r + 1 < ends.size() ? ends[r + 1] : middle;
            std::merge(items.begin() + begin, items.begin() + middle, items.begin() + middle,
                       items.begin() + end, spare.begin() + begin);
            ends[kept++] = end;
            begin = end;
        }
        ends.resize(kept);
        std::swap(items, spare);
    }
}

}  // namespace bayleaf
