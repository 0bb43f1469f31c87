// Which rows, and in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayleaf {

// Rows as listed, or consecutive ones from `first` where there is no list.
struct RowList {
    const std::uint32_t* rows;
    std::size_t first;
    std::size_t size;

    std::size_t operator[](std::size_t k) const { return rows ? rows[k] : first + k; }
    RowList slice(std::size_t begin, std::size_t end) const {
        return {rows ? rows + begin : nullptr, first + begin, end - begin};
    }
};

// All rows of a sample, those that are judged first. No list: as they come, all judged.
struct RowOrder {
    std::vector<std::uint32_t> rows;
    std::size_t judged;

    RowList list() const { return {rows.empty() ? nullptr : rows.data(), 0, judged}; }
};

}  // namespace bayleaf
