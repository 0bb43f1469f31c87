#include "exact/leaf.hpp"

#include <algorithm>
#include <iterator>

namespace bayleaf {

Leaf::Leaf(std::span<const std::int64_t> arities)
    : layout_(arities),
      medium_(std::size(kMedium), Lanes<std::uint8_t>(layout_)),
      large_(layout_),
      terms_(std::size_t{1} << arities.size()) {}

void Leaf::begin(std::span<const CellFunction* const> functions) {
    functions_.assign(functions.begin(), functions.end());
    std::fill(terms_.begin(), terms_.end(), 0.0);
}

void Leaf::add(std::span<const WeightedRow> rows, const std::uint16_t* cell) {
    std::uint64_t total = 0;
    for (const WeightedRow& row : rows) total += row.weight;
    const auto fits = std::lower_bound(std::begin(kMedium), std::end(kMedium), total);
    if (fits != std::end(kMedium) && functions_[0]->limit() > *std::rbegin(kMedium)) {
        Lanes<std::uint8_t>& lanes = medium_[static_cast<std::size_t>(fits - std::begin(kMedium))];
        lanes.add(rows, cell, total);
        if (lanes.full()) lanes.flush(functions_, terms_);
    } else {
        large_.add(rows, cell, total);
        if (large_.full()) large_.flush(functions_, terms_);
    }
}

const std::vector<double>& Leaf::finish() {
    for (auto& lanes : medium_) {
        if (!lanes.empty()) lanes.flush(functions_, terms_);
    }
    if (!large_.empty()) large_.flush(functions_, terms_);
    return terms_;
}

}  // namespace bayleaf
