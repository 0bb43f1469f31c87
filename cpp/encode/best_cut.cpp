#include "encode/best_cut.hpp"

#include <numeric>

namespace bayleaf {

namespace {

// Two cuts whose entropies differ by less than this share of N log2 N are a tie, and the lower one wins:
// rounding, which depends on the order of classes and rows, must not decide.
constexpr double kTie = 1e-12;

constexpr std::size_t kTabulated = std::size_t{1} << 16;  // half a megabyte: stays in the cache

}  // namespace

const std::vector<double>& n_log_n_table() {
    static const std::vector<double> table = [] {
        std::vector<double> values(kTabulated, 0.0);
        for (std::size_t n = 1; n < kTabulated; ++n)
            values[n] = static_cast<double>(n) * std::log2(static_cast<double>(n));
        return values;
    }();
    return table;
}

template <class Amounts>
void CutFinder<Amounts>::prepare() {
    const std::size_t classes = part_->total.size();
    for (Border* border : {&from_, &to_}) {
        border->at.resize(classes);
        border->lower.resize(classes);
        border->terms.resize(classes);
    }
    double own = 0;
    for (const Amount total : part_->total) own += amounts_.n_log_n(total);
    const double whole = amounts_.n_log_n(part_->size);
    const auto rows = static_cast<double>(part_->size);
    bits_ = whole - own;
    // The entropies of the two sides, which the rule also asks for, are at least nothing.
    least_gain_ = bits_of_places(rows) + bits_of_classes(part_->classes) - part_->classes * bits_ / rows;
    tolerance_ = kTie * std::max(whole, 1.0);
    smallest_ = kInfinite;
    lowest_bound_ = -kInfinite;
}

template <class Amounts>
void CutFinder<Amounts>::place(std::size_t bin, Border& border) const {
    const std::int64_t* before = bins_.border(bin);
    border.sum_of_terms = 0;
    border.below = 0;
    border.rows = 0;
    for (std::size_t c = 0; c < border.at.size(); ++c) {
        const std::int64_t at = std::clamp(before[c], part_->low[c], part_->high[c]);
        const Amount lower = amounts_.between(c, part_->low[c], at);
        const double term = amounts_.n_log_n(lower) + amounts_.n_log_n(part_->total[c] - lower);
        border.at[c] = at;
        border.lower[c] = lower;
        border.terms[c] = term;
        border.sum_of_terms += term;
        border.below += lower;
        border.rows += at;
    }
}

template <class Amounts>
double CutFinder<Amounts>::bound(const Border& from, const Border& to) const {
    // Any point of touch will do; the middle is good.
    const auto rows = static_cast<double>(part_->size);
    const double touch =
        std::clamp(static_cast<double>(from.below + to.below) / 2, 1e-9 * rows, (1 - 1e-9) * rows);
    const double log_below = std::log2(touch);
    const double log_above = std::log2(rows - touch);
    const double slope = log_below - log_above;
    double sum = rows * log_above;  // the tangent at n = 0
    for (std::size_t c = 0; c < from.at.size(); ++c)
        sum += std::min(slope * static_cast<double>(from.lower[c]) - from.terms[c],
                        slope * static_cast<double>(to.lower[c]) - to.terms[c]);
    return sum;
}

template <class Amounts>
void CutFinder<Amounts>::bound_between(std::size_t first, std::size_t end, std::size_t step,
                                       std::size_t& number, std::vector<Candidate>& found) {
    const std::int64_t all = std::accumulate(part_->high.begin(), part_->high.end(), std::int64_t{0});
    place(first, from_);
    for (std::size_t bin = first; bin < end; bin += step) {
        const std::size_t next = std::min(bin + step, end);
        place(next, to_);
        if (to_.rows == from_.rows) continue;
        if (to_.rows < all) smallest_ = std::min(smallest_, remaining(to_));
        found.push_back({bin, next, number++, bound(from_, to_)});
        std::swap(from_, to_);
    }
}

template <class Amounts>
void CutFinder<Amounts>::bound_blocks() {
    blocks_.clear();
    std::size_t number = 0;
    if (part_->last_bin - part_->first_bin < 4 * kBlock) {
        blocks_.push_back({part_->first_bin, part_->last_bin + 1, number, -kInfinite});
        return;
    }
    bound_between(part_->first_bin, part_->last_bin + 1, kBlock, number, blocks_);
    keep_open(blocks_);
}

template <class Amounts>
void CutFinder<Amounts>::bound_bins() {
    open_.clear();
    std::size_t number = 0;
    std::size_t next_block = 0;
    for (const Candidate& block : blocks_) {
        if (block.number != next_block) ++number;  // rows in between are left out
        next_block = block.number + 1;
        bound_between(block.first, block.end, 1, number, open_);
    }
    keep_open(open_);
}

template <class Amounts>
void CutFinder<Amounts>::keep_open(std::vector<Candidate>& found) {
    const double limit = smallest_ + 2 * tolerance_;
    std::erase_if(found, [limit](const Candidate& candidate) { return candidate.bound > limit; });
    lowest_bound_ = kInfinite;
    for (const Candidate& candidate : found) lowest_bound_ = std::min(lowest_bound_, candidate.bound);
}

template <class Amounts>
bool CutFinder<Amounts>::hopeless() const {
    const double most_gain = bits_ - std::min(smallest_, lowest_bound_);
    return most_gain + std::max(1e-6, 2 * tolerance_) < least_gain_;
}

// What is found in the bin with the lowest bound closes others.
template <class Amounts>
void CutFinder<Amounts>::search_most_promising() {
    if (open_.size() < 3) return;
    const auto first = std::min_element(open_.begin(), open_.end(),
                                        [](const auto& a, const auto& b) { return a.bound < b.bound; });
    minima_.clear();
    has_previous_ = false;
    search_bin(first->first);
    if (minima_.empty()) return;
    smallest_ = std::min(smallest_, minima_.back().remaining);
    keep_open(open_);
}

template <class Amounts>
std::optional<Cut> CutFinder<Amounts>::search_bins() {
    search_most_promising();
    minima_.clear();
    has_previous_ = false;
    std::size_t next = 0;
    for (const Candidate& bin : open_) {
        // A border to rows that were left out cannot be the best cut: it would have kept them.
        if (bin.number != next) has_previous_ = false;
        next = bin.number + 1;
        search_bin(bin.first);
    }
    if (minima_.empty()) return std::nullopt;
    const Minimum& best = minima_.front();
    Cut cut{best.below, best.above, best.bin, {}};
    place(best.bin, from_);
    place(best.bin + 1, to_);
    for (std::size_t c = 0; c < from_.at.size(); ++c) {
        std::int64_t at = from_.at[c];
        if (values_ != nullptr) {
            const double* run = values_ + amounts_.starts[c];
            at = std::lower_bound(run + at, run + to_.at[c], best.above) - run;
        }
        cut.positions.push_back(at);
    }
    return cut;
}

template <class Amounts>
void CutFinder<Amounts>::search_bin(std::size_t bin) {
    place(bin, from_);
    place(bin + 1, to_);
    if (!holds_one_value(bin, from_, to_)) {
        search_rows(bin);
        return;
    }
    std::int64_t label = kMixed;
    int present = 0;
    for (std::size_t c = 0; c < from_.at.size(); ++c) {
        if (to_.at[c] == from_.at[c]) continue;
        label = ++present == 1 ? static_cast<std::int64_t>(c) : kMixed;
    }
    meet(bins_.upper[bin], label, bin, from_.below, from_.sum_of_terms);
}

template <class Amounts>
bool CutFinder<Amounts>::holds_one_value(std::size_t bin, const Border& from, const Border& to) const {
    if (values_ == nullptr) return true;
    for (std::size_t c = 0; c < from.at.size(); ++c)
        if (to.at[c] > from.at[c] && values_[amounts_.starts[c] + from.at[c]] != bins_.upper[bin])
            return false;
    return true;
}

// Goes through the rows between from_ and to_, and moves from_ along.
template <class Amounts>
void CutFinder<Amounts>::search_rows(std::size_t bin) {
    rows_.clear();
    ends_.clear();
    for (std::size_t c = 0; c < from_.at.size(); ++c) {
        const double* run = values_ + amounts_.starts[c];
        for (std::int64_t i = from_.at[c]; i < to_.at[c]; ++i)
            rows_.push_back({run[i], static_cast<std::uint32_t>(c)});
        if (to_.at[c] > from_.at[c]) ends_.push_back(rows_.size());
    }
    merge_runs(rows_, spare_rows_, ends_);
    for (std::size_t first = 0, end = 0; first < rows_.size(); first = end) {
        const double value = rows_[first].value;
        std::int64_t label = rows_[first].label;
        for (end = first; end < rows_.size() && rows_[end].value == value; ++end)
            if (rows_[end].label != label) label = kMixed;
        meet(value, label, bin, from_.below, from_.sum_of_terms);
        for (std::size_t i = first; i < end; ++i) {
            const std::uint32_t c = rows_[i].label;
            const Amount lower = amounts_.between(c, part_->low[c], ++from_.at[c]);
            const double term = amounts_.n_log_n(lower) + amounts_.n_log_n(part_->total[c] - lower);
            from_.sum_of_terms += term - from_.terms[c];
            from_.below += lower - from_.lower[c];
            from_.terms[c] = term;
            from_.lower[c] = lower;
        }
    }
}

// Looks at the cut below the next value. Between two values whose rows are all of one class, the same, lies
// no best cut.
template <class Amounts>
void CutFinder<Amounts>::meet(double value, std::int64_t label, std::size_t bin, Amount below,
                              double sum_of_terms) {
    const bool inside_class = label != kMixed && label == previous_label_;
    if (has_previous_ && !inside_class) {
        const double remaining =
            amounts_.n_log_n(below) + amounts_.n_log_n(part_->size - below) - sum_of_terms;
        // The first within the tolerance of the least is wanted: one that is not less than an earlier one
        // never is.
        if (minima_.empty() || remaining < minima_.back().remaining) {
            minima_.push_back({remaining, previous_, value, bin});
            while (minima_.front().remaining > remaining + tolerance_) minima_.pop_front();
        }
    }
    has_previous_ = true;
    previous_ = value;
    previous_label_ = label;
}

template class CutFinder<RowAmounts>;
template class CutFinder<WeightAmounts>;

}  // namespace bayleaf
