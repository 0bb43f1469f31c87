#include "scores/family_terms.hpp"

#include <algorithm>
#include <numeric>

namespace bayleaf {
namespace {

constexpr std::size_t kRowsPerPart = 4096;

// How many cells the tables of a part may have: a small part of the log-joint's.
template <class Code>
std::size_t capacity(const Sample<Code>& sample) {
    return std::max(sample.small_table, sample.codes.rows * sample.classes() / 32);
}

template <class Total>
bool any(const Total* counts, std::size_t n) {
    Total sum{0};
    for (std::size_t k = 0; k < n; ++k) sum += counts[k];
    return sum > Total{0};
}

template <class Code>
void mark_missing(const CodeMatrix<Code>& codes, std::span<const std::int64_t> columns,
                  std::vector<std::uint32_t>& positions) {
    for (const std::int64_t j : columns) {
        const Code* column = codes.column(j);
        for (std::size_t i = 0; i < positions.size(); ++i)
            if (column[i] == kMissing<Code>) positions[i] = kNowhere;
    }
}

}  // namespace

template <class Code>
void FamilyTerms<Code>::open(const Sample<Code>& sample, std::int64_t node,
                             std::span<const std::int64_t> parents, const RowOrder& order, Beside beside) {
    kind_ = beside;
    is_class_ = node == sample.target;
    neutral_ = !is_class_;
    std::vector<std::int64_t> columns;
    for (const std::int64_t p : parents) {
        if (p == sample.target)
            neutral_ = false;
        else
            columns.push_back(p);
    }
    if (!is_class_) columns.push_back(node);
    const std::size_t classes = sample.classes();
    const bool apart = sample.folds > 0;
    shape_ = {is_class_ ? classes : static_cast<std::size_t>(sample.arities[node]),
              classes,
              sample.tables(),
              (sample.tables() + (apart && sample.rest)) * classes,
              static_cast<double>(classes),
              apart};
    bool missing = neutral_;
    if (neutral_) {
        cells_.assign(sample.codes.rows, kNowhere);
        configurations_ = 0;
        dense_ = true;
        part_starts_ = {0, 0};
    } else {
        for (const std::int64_t j : columns) shape_.cells *= static_cast<double>(sample.arities[j]);
        divide(sample, locate(sample, columns, missing), order);
    }
    number_cells(sample, missing);
}

// cells_ = configuration of each row, in the returned range. Long products of arities are cut short by
// renumbering what occurs, so that the marks of what occurs take a few bytes per row.
template <class Code>
std::size_t FamilyTerms<Code>::locate(const Sample<Code>& sample, std::span<const std::int64_t> columns,
                                      bool& missing) {
    const std::size_t rows = sample.codes.rows;
    cells_.assign(rows, 0);
    std::size_t range = 1;
    for (std::size_t k = 0; k < columns.size(); ++k) {
        const auto arity = static_cast<std::size_t>(sample.arities[columns[k]]);
        if (range > rows && range * arity > 64 * rows) {
            if (missing) mark_missing(sample.codes, columns.first(k), cells_);
            range = std::max<std::size_t>(1, observed_.renumber(cells_, range));
        }
        missing |= extend_cells(sample.codes.column(columns[k]), rows, static_cast<std::uint32_t>(arity),
                                cells_.data()) == kMissing<Code>;
        range *= arity;
    }
    if (missing) mark_missing(sample.codes, columns, cells_);
    return range;
}

// Groups of configurations with the same parents, and parts of whole groups.
template <class Code>
void FamilyTerms<Code>::divide(const Sample<Code>& sample, std::size_t configurations,
                               const RowOrder& order) {
    const std::size_t most = capacity(sample);
    configurations_ = configurations;
    dense_ = configurations * shape_.stride <= most;
    if (!dense_) {
        configurations_ = observed_.renumber(cells_, configurations);
        group_starts_.clear();
        std::size_t number = 0, parent = configurations;
        observed_.each([&](std::size_t position) {
            const std::size_t own = is_class_ ? position : position / shape_.states;
            if (own != parent) group_starts_.push_back(static_cast<std::uint32_t>(number));
            parent = own;
            ++number;
        });
        group_starts_.push_back(static_cast<std::uint32_t>(number));
    }
    part_starts_ = {0};
    if (sample.folds == kRowsBefore) {
        while (part_starts_.back() < sample.codes.rows)
            part_starts_.push_back(std::min(sample.codes.rows, part_starts_.back() + kRowsPerPart));
        if (part_starts_.size() == 1) part_starts_.push_back(0);
        return;
    }
    if (configurations_ * shape_.stride > most)
        for (std::size_t g = 0; g + 1 < group_starts_.size(); ++g)
            if ((group_starts_[g + 1] - part_starts_.back()) * shape_.stride > most &&
                group_starts_[g] > part_starts_.back())
                part_starts_.push_back(group_starts_[g]);
    if (part_starts_.back() < configurations_ || parts() == 0) part_starts_.push_back(configurations_);
    if (parts() > 1) list_rows(order, sample);
}

// Rows part by part, in their order. Rows with a missing value go with the first part.
template <class Code>
void FamilyTerms<Code>::list_rows(const RowOrder& order, const Sample<Code>& sample) {
    const std::size_t rows = sample.codes.rows;
    std::vector<std::uint16_t> part_of(configurations_ + 1, 0);
    for (std::size_t p = 0; p < parts(); ++p)
        std::fill(&part_of[part_starts_[p]], &part_of[part_starts_[p + 1]], static_cast<std::uint16_t>(p));
    const auto part_of_row = [&](std::size_t row) {
        return cells_[row] == kNowhere ? std::uint16_t{0} : part_of[cells_[row]];
    };
    list_starts_.assign(parts() + 1, 0);
    list_judged_.assign(parts(), 0);
    for (std::size_t i = 0; i < rows; ++i) ++list_starts_[part_of_row(i) + 1];
    for (std::size_t p = 0; p < parts(); ++p) list_starts_[p + 1] += list_starts_[p];
    std::vector<std::size_t> next(list_starts_.begin(), list_starts_.end() - 1);
    listed_.resize(rows);
    for (std::size_t k = 0; k < rows; ++k) {
        const std::size_t row = order.rows.empty() ? k : order.rows[k];
        const std::size_t part = part_of_row(row);
        listed_[next[part]++] = static_cast<std::uint32_t>(row);
        list_judged_[part] += k < order.judged;
    }
}

// Row -> cell: an entry for rows with a missing value, then [configuration][table][class].
template <class Code>
void FamilyTerms<Code>::number_cells(const Sample<Code>& sample, bool missing) {
    const std::size_t rows = cells_.size();
    const Code* truth = sample.codes.column(sample.target);
    const auto classes = static_cast<std::uint32_t>(shape_.classes);
    const auto counted = static_cast<std::uint32_t>(shape_.stride) / classes;
    if (!missing && !sample.rest) {
        if (shape_.subtract) extend_cells(sample.fold, rows, counted, cells_.data());
        extend_cells(truth, rows, classes, cells_.data());
        for (std::size_t i = 0; i < rows; ++i) cells_[i] += classes;
        return;
    }
    for (std::size_t i = 0; i < rows; ++i) {
        const std::uint32_t table =
            shape_.subtract ? std::min<std::uint32_t>(sample.fold[i], counted - 1) : 0;
        const std::uint32_t entry = (cells_[i] * counted + table + 1) * classes;
        cells_[i] = (cells_[i] == kNowhere ? 0 : entry) + truth[i];
    }
}

template <class Code>
std::size_t FamilyTerms<Code>::group_end(std::size_t first) const {
    if (dense_) return is_class_ ? first + 1 : first + shape_.states;
    return *std::upper_bound(group_starts_.begin(), group_starts_.end(), first);
}

template <class Code>
RowList FamilyTerms<Code>::build(const Sample<Code>& sample, const RowOrder& order, std::size_t part) {
    if (sample.weights) return build_from(sample, order, part, weighted_counts_);
    return build_from(sample, order, part, whole_counts_);
}

template <class Code>
template <class Total>
RowList FamilyTerms<Code>::build_from(const Sample<Code>& sample, const RowOrder& order, std::size_t part,
                                      std::vector<Total>& counts) {
    if (sample.folds == kRowsBefore && !neutral_) return build_in_order(sample, part, counts);
    const std::size_t classes = shape_.classes, stride = shape_.stride;
    const std::size_t begin = part_starts_[part], end = part_starts_[part + 1];
    first_ = static_cast<std::uint32_t>(part == 0 ? 0 : classes + begin * stride);
    const std::size_t size = classes + end * stride - first_;
    counts.assign(size, Total{0});
    terms_.resize(size);
    beside_.resize(kind_ == Beside::kNothing ? 0 : size);
    if (part == 0) {
        std::fill_n(terms_.data(), classes, 0.0);
        fill_beside(0, classes);
    }
    if (!neutral_) count(sample, part, counts);
    Estimator<Total> estimator(sample.smoothing, shape_);
    auto group =
        dense_ ? group_starts_.end() : std::lower_bound(group_starts_.begin(), group_starts_.end(), begin);
    for (std::size_t c = begin, next; c < end; c = next) {
        next = dense_ ? group_end(c) : *++group;
        const std::size_t cell = classes + c * stride - first_;
        const Total* own = &counts[cell];
        states_.clear();  // those that have rows
        for (std::uint32_t s = 0; s < next - c; ++s)
            if (any(own + s * stride, stride)) states_.push_back(s);
        if (states_.empty()) continue;
        if (is_class_)
            estimator.target(own, &terms_[cell]);
        else
            estimator.feature(own, states_, &terms_[cell]);
        if (shape_.subtract)
            for (const std::uint32_t s : states_) fill_beside(cell + s * stride, stride);
        else  // short calls would cost more than the states without rows
            fill_beside(cell, (next - c) * stride);
    }
    return parts() == 1 ? order.list() : RowList{&listed_[list_starts_[part]], 0, list_judged_[part]};
}

// Tables that are small beside the rows are counted in lanes.
template <class Code>
template <class Total>
void FamilyTerms<Code>::count(const Sample<Code>& sample, std::size_t part, std::vector<Total>& counts) {
    if (parts() > 1) {
        for (std::size_t k = list_starts_[part]; k < list_starts_[part + 1]; ++k) {
            const std::size_t row = listed_[k];
            counts[cells_[row] - first_] +=
                sample.weights ? static_cast<Total>(sample.weights[row]) : Total{1};
        }
        return;
    }
    const std::size_t rows = cells_.size(), size = counts.size();
    if (sample.weights) {
        for (std::size_t i = 0; i < rows; ++i) counts[cells_[i]] += static_cast<Total>(sample.weights[i]);
        return;
    }
    const auto cell_of = [cells = cells_.data()](std::size_t i) { return cells[i]; };
    if (kLanes * size <= rows) {
        lanes_.assign(kLanes * size, 0);
        increment_lanes(rows, cell_of, size, lanes_.data());
        add_lanes(lanes_, size, counts.data());
        return;
    }
    for (std::size_t i = 0; i < rows; ++i) counts[cells_[i]] += Total{1};
}

template <class Code>
template <class Total>
RowList FamilyTerms<Code>::build_in_order(const Sample<Code>& sample, std::size_t part,
                                          std::vector<Total>& counts) {
    const std::size_t classes = shape_.classes, stride = shape_.stride;
    const std::size_t begin = part_starts_[part], end = part_starts_[part + 1];
    if (part == 0) counts.assign(classes + configurations_ * stride, Total{0});
    first_ = 0;
    terms_.assign((1 + end - begin) * classes, 0.0);
    beside_.resize(kind_ == Beside::kNothing ? 0 : terms_.size());
    Estimator<Total> estimator(sample.smoothing, shape_);
    std::vector<double> estimates;
    const Code* truth = sample.codes.column(sample.target);
    for (std::size_t i = begin; i < end; ++i) {
        const std::size_t cell = cells_[i];
        cells_[i] = truth[i];
        if (cell < classes) continue;  // a value is missing
        const std::size_t configuration = (cell - classes) / stride;
        const std::size_t states = is_class_ ? 1 : shape_.states;
        const std::size_t first =
            dense_ ? configuration / states * states
                   : *(std::upper_bound(group_starts_.begin(), group_starts_.end(), configuration) - 1);
        const std::size_t observed = group_end(first) - first;
        const Total* own = &counts[classes + first * stride];
        estimates.resize(observed * stride);
        states_.resize(observed);
        std::iota(states_.begin(), states_.end(), 0u);
        if (is_class_)
            estimator.target(own, estimates.data());
        else
            estimator.feature(own, states_, estimates.data());
        const std::size_t entry = (i - begin + 1) * classes;
        std::copy_n(&estimates[(configuration - first) * stride], classes, &terms_[entry]);
        cells_[i] = static_cast<std::uint32_t>(entry + truth[i]);
        counts[cell] += sample.weights ? static_cast<Total>(sample.weights[i]) : Total{1};
    }
    fill_beside(0, terms_.size());
    return {nullptr, begin, end - begin};
}

template <class Code>
void FamilyTerms<Code>::fill_beside(std::size_t cell, std::size_t cells) {
    if (kind_ == Beside::kLeads)
        fill_leads(&terms_[cell], cells / shape_.classes, shape_.classes, &beside_[cell]);
    else if (kind_ == Beside::kWeights)
        fill_weights(&terms_[cell], cells / shape_.classes, shape_.classes, &beside_[cell]);
}

template class FamilyTerms<std::uint8_t>;
template class FamilyTerms<std::uint16_t>;

}  // namespace bayleaf
