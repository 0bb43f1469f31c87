// Floor: one pass over the codes of each family's columns, one over what is written.
#include "tuning/family_cells.hpp"

#include <algorithm>

#include "common/parallel.hpp"

namespace bayleaf {

template <class Code>
void family_cells(const CodeMatrix<Code>& codes, const Families& families, std::size_t most_parents,
                  std::int32_t* out, int threads) {
    parallel_for(families.size(), threads, [&](std::size_t f) {
        const std::int64_t *columns = families.columns.data() + families.offsets[f],
                           *end = families.columns.data() + families.offsets[f + 1];
        end = std::min(end, columns + 1 + most_parents);
        std::int32_t* cells = out + f * codes.rows;
        const Code* node = codes.column(static_cast<std::size_t>(columns[0]));
        for (std::size_t i = 0; i < codes.rows; ++i) {
            if (node[i] == kMissing<Code>) {
                cells[i] = -1;
                continue;
            }
            std::int64_t first = families.first[f], place = node[i], size = families.arities[columns[0]];
            for (const std::int64_t* parent = columns + 1; parent < end; ++parent) {
                const Code code = codes.column(static_cast<std::size_t>(*parent))[i];
                if (code == kMissing<Code>) break;
                place += size * code;
                first += size;
                size *= families.arities[*parent];
            }
            cells[i] = static_cast<std::int32_t>(first + place);
        }
    });
}

void scores_of_cells(const std::int32_t* cells, std::span<const std::int64_t> members,
                     std::span<const std::int64_t> places, const double* tables, std::size_t classes,
                     std::size_t all_rows, float* out, int threads) {
    parallel_for(members.size(), threads, [&](std::size_t f) {
        float* member = out + static_cast<std::size_t>(members[f]) * all_rows * classes;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const std::int32_t cell = cells[f * places.size() + i];
            float* row = member + static_cast<std::size_t>(places[i]) * classes;
            for (std::size_t c = 0; c < classes; ++c)
                row[c] = cell < 0 ? 0.0F
                                  : static_cast<float>(tables[static_cast<std::size_t>(cell) * classes + c]);
        }
    });
}

template void family_cells(const CodeMatrix<std::uint8_t>&, const Families&, std::size_t, std::int32_t*, int);
template void family_cells(const CodeMatrix<std::uint16_t>&, const Families&, std::size_t, std::int32_t*,
                           int);

}  // namespace bayleaf
