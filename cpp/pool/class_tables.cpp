// Floor: per set and level one key of every row, two additions to take its fold out and in again, and one
// quotient per class.
#include "pool/class_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/parallel.hpp"

namespace bayleaf {

namespace {

// The first columns of a set: how many rows of each class every cell of them has.
struct Level {
    std::size_t states;                // of the last of these columns
    std::vector<std::uint32_t> cells;  // of the rows
    std::vector<double> counts;        // [cell, class]
};

class ClassTable {
  public:
    ClassTable(const GridRows& rows, std::span<const std::int64_t> columns, double borrowed)
        : rows_(rows), borrowed_(borrowed), counts_(rows.n_classes, 0.0), chances_(rows.n_classes) {
        for (const std::int64_t j : columns) add_level(static_cast<std::size_t>(j));
        for (std::size_t r = 0; r < rows.codes.rows; ++r) add_row(r, 1.0);
    }

    void fill_table(double* table) const {
        std::vector<double> below(rows_.n_classes), own;
        start(below.data());
        for (const Level& level : levels_) {
            own.resize(level.counts.size());
            for (std::size_t cell = 0; cell < own.size() / rows_.n_classes; ++cell) {
                double* chances = &own[cell * rows_.n_classes];
                std::copy_n(&below[cell / level.states * rows_.n_classes], rows_.n_classes, chances);
                descend(level, cell, chances);
            }
            below.swap(own);
        }
        std::transform(below.begin(), below.end(), table, logarithm);
    }

    // Scores of the rows of a fold, [row, class]; their counts are taken out meanwhile.
    void score_fold(std::span<const std::int64_t> fold, float* scores) {
        for (const std::int64_t r : fold) add_row(static_cast<std::size_t>(r), -1.0);
        for (const std::int64_t r : fold) {
            start(chances_.data());
            for (const Level& level : levels_)
                descend(level, level.cells[static_cast<std::size_t>(r)], chances_.data());
            float* own = scores + static_cast<std::size_t>(r) * rows_.n_classes;
            std::transform(chances_.begin(), chances_.end(), own,
                           [](double chance) { return static_cast<float>(logarithm(chance)); });
        }
        for (const std::int64_t r : fold) add_row(static_cast<std::size_t>(r), 1.0);
    }

  private:
    void add_level(std::size_t column) {
        const auto arity = static_cast<std::size_t>(rows_.arities[column]);
        const std::uint16_t* states = rows_.codes.column(column);
        Level level{arity, std::vector<std::uint32_t>(states, states + rows_.codes.rows), {}};
        std::size_t before = 1;
        if (!levels_.empty()) {
            const Level& last = levels_.back();
            before = last.counts.size() / rows_.n_classes;
            for (std::size_t r = 0; r < rows_.codes.rows; ++r)
                level.cells[r] += last.cells[r] * static_cast<std::uint32_t>(arity);
        }
        level.counts.assign(before * arity * rows_.n_classes, 0.0);
        levels_.push_back(std::move(level));
    }

    void add_row(std::size_t r, double sign) {
        const double weight = sign * (rows_.weights ? rows_.weights[r] : 1.0);
        const auto c = static_cast<std::size_t>(rows_.classes[r]);
        counts_[c] += weight;
        for (Level& level : levels_) level.counts[level.cells[r] * rows_.n_classes + c] += weight;
    }

    void start(double* chances) const {
        double total = 0.0;
        for (std::size_t c = 0; c < rows_.n_classes; ++c) {
            chances[c] = count(counts_[c]) + borrowed_;
            total += chances[c];
        }
        for (std::size_t c = 0; c < rows_.n_classes; ++c) chances[c] /= total;
    }

    // From the chances of the level below to those of a cell.
    void descend(const Level& level, std::size_t cell, double* chances) const {
        if (cell % level.states == level.states - 1) return;  // a missing value
        const double* counts = &level.counts[cell * rows_.n_classes];
        double total = borrowed_;
        for (std::size_t c = 0; c < rows_.n_classes; ++c) total += count(counts[c]);
        for (std::size_t c = 0; c < rows_.n_classes; ++c)
            chances[c] = (count(counts[c]) + borrowed_ * chances[c]) / total;
    }

    // Rows of enormous weight leave to other classes less, level by level, than a number can be.
    static double logarithm(double chance) {
        return std::log(std::max(chance, std::numeric_limits<double>::min()));
    }

    // Weights are fractions: what is left of a cell without its rows may miss zero.
    static double count(double rows) { return std::max(rows, 0.0); }

    const GridRows& rows_;
    double borrowed_;
    std::vector<double> counts_;  // [class]
    std::vector<double> chances_;
    std::vector<Level> levels_;
};

}  // namespace

void class_tables(const GridRows& rows, const FoldRows& folds, const GainSets& sets, double borrowed,
                  std::span<const std::int64_t> table_offsets, double* tables, float* scores, int threads) {
    parallel_for(sets.size(), threads, [&](std::size_t s) {
        ClassTable table(rows, sets.of(s), borrowed);
        table.fill_table(tables + table_offsets[s]);
        for (std::size_t f = 0; f < folds.folds(); ++f)
            table.score_fold(folds.rows(f), scores + s * folds.order.size() * rows.n_classes);
    });
}

}  // namespace bayleaf
