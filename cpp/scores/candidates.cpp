// Floor of a candidate: one pass over the codes of its family to count, and one over the rows to judge.
// Errors read one number per row (its margin) and one of the table, and the log-joint only where these leave
// a row open; log-losses read the row's weights, one multiplication per class.
#include "scores/candidates.hpp"

#include <limits>
#include <memory>

#include "scores/judging.hpp"

namespace bayleaf {
namespace {

// Rows that are judged between two looks at the limit.
constexpr std::size_t kRowsPerLook = 1024;

// Calls work() while the families of one node are out of the log-joint, and puts them back however that ends:
// terms lie on a grid, so that every bit is restored. Putting them back takes memory, so that it can fail; in
// a destructor, that would end the process.
template <class Code, class Work>
void without_families(const Sample<Code>& sample, const Families& families, const RowFacts& facts,
                      double* log_joint, int threads, Work&& work) {
    const RowOrder order = natural_order(sample);
    FamilyTerms<Code> terms;
    const auto put = [&](double sign) {
        for (std::size_t f = 0; f < families.size(); ++f)
            add_family(sample, terms, families, f, sign, order, facts, log_joint, threads);
    };
    put(-1.0);
    try {
        work();
    } catch (...) {
        put(1.0);
        throw;
    }
    put(1.0);
}

// What an exchange of one node's term needs to know of each row.
struct Margins {
    std::vector<double> margin;
    std::vector<std::uint16_t> rival;
};

Margins margins(const double* base, const RowFacts& facts, std::size_t rows, int threads) {
    Margins found{std::vector<double>(rows), std::vector<std::uint16_t>(rows)};
    parallel_blocks(rows, kRowsPerTask, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const double* row = base + i * facts.classes;
            double top = -std::numeric_limits<double>::infinity();
            std::size_t rival = facts.truth[i];
            for (std::size_t c = 0; c < facts.classes; ++c)
                if (c != facts.truth[i] && row[c] > top) top = row[rival = c];
            found.margin[i] = row[facts.truth[i]] - top;
            found.rival[i] = static_cast<std::uint16_t>(rival);
        }
    });
    return found;
}

struct RowWeights {
    std::unique_ptr<double[]> weights, heads;
};

RowWeights row_weights(const double* base, const RowFacts& facts, std::size_t rows, int threads) {
    RowWeights found{std::make_unique_for_overwrite<double[]>(rows * facts.classes),
                     std::make_unique_for_overwrite<double[]>(rows)};
    parallel_blocks(rows, kRowsPerTask, threads, [&](std::size_t begin, std::size_t end) {
        fill_row_weights(base, begin, end, facts, found.weights.get(), found.heads.get());
    });
    return found;
}

// Memory of one thread, kept from one candidate to the next.
template <class Code>
struct Workspace {
    FamilyTerms<Code> terms;
    std::vector<double> sums;
};

// Losses of candidates, each of which is judged part by part: `judge(view, rows)` is the loss of some rows.
template <class Code, class Judge>
void judge_candidates(const Sample<Code>& sample, const Families& candidates, const RowOrder& order,
                      Beside beside, std::size_t step, const std::int64_t* extra, Limit& limit,
                      std::int64_t* losses, int threads, Stop& stop, Judge&& judge) {
    const int workers = worthwhile(candidates.size() * sample.codes.rows * sample.classes(), threads);
    parallel_with<Workspace<Code>>(candidates.size(), workers, [&](Workspace<Code>& space, std::size_t k) {
        stop.check();
        FamilyTerms<Code>& terms = space.terms;
        std::int64_t total = extra[k];
        bool within = true;
        terms.open(sample, candidates.nodes[k], candidates.parents_of(k), order, beside);
        for (std::size_t part = 0; within && part < terms.parts(); ++part) {
            const RowList rows = terms.build(sample, order, part);
            within = add_limited(rows, step, limit, total,
                                 [&](const RowList& some) { return judge(space, terms.view(), some); });
        }
        losses[k] = settled(within, total, limit);
    });
    limit.drop_worse(losses, candidates.size());
}

// Changes of several families at once. A change of few families is judged block by block against the
// log-joint; the families of a large change are exchanged one after the other in a copy, of which there is
// only one.

// Changes of so many families at most are judged side by side, each by a thread of its own.
constexpr std::int64_t kFewFamilies = 2;

// What a network loses and gains: families [begin, end) of both.
struct Exchange {
    const Families& removed;
    const Families& added;
    std::size_t begin, end;

    std::size_t size() const { return 2 * (end - begin); }
    double sign(std::size_t k) const { return k % 2 ? 1.0 : -1.0; }
    template <class Code>
    void open(FamilyTerms<Code>& terms, const Sample<Code>& sample, const RowOrder& order,
              std::size_t k) const {
        const Families& side = k % 2 ? added : removed;
        terms.open(sample, side.nodes[begin + k / 2], side.parents_of(begin + k / 2), order,
                   Beside::kNothing);
    }
};

// Memory of one thread, kept from one change to the next.
template <class Code>
struct ChangeWorkspace {
    FamilyTerms<Code> terms[2 * kFewFamilies];
    std::vector<double> sums;
};

// What all changes are judged against.
template <class Code>
struct Current {
    const Sample<Code>& sample;
    const Loss& loss;
    const double* log_joint;
    const RowFacts& facts;
    const RowOrder& order;
};

// Opens and builds the families of a small change; false if a table must be made in parts.
template <class Code>
bool build_whole(const Current<Code>& now, const Exchange& exchange, ChangeWorkspace<Code>& space) {
    for (std::size_t k = 0; k < exchange.size(); ++k) {
        exchange.open(space.terms[k], now.sample, now.order, k);
        if (space.terms[k].parts() > 1) return false;
        space.terms[k].build(now.sample, now.order, 0);
    }
    return true;
}

template <class Code>
bool judge_small(const Current<Code>& now, const Exchange& exchange, const Limit& limit,
                 ChangeWorkspace<Code>& space, std::int64_t& total) {
    space.sums.resize(kLossBlock * now.facts.classes);
    return add_limited(now.order.list(), kLossBlock, limit, total, [&](const RowList& rows) {
        copy_rows(now.log_joint, rows, now.facts.classes, space.sums.data());
        for (std::size_t k = 0; k < exchange.size(); ++k)
            if (!space.terms[k].neutral())
                add_terms(space.terms[k].view(), exchange.sign(k), rows, now.facts, space.sums.data());
        return block_loss(now.loss, space.sums.data(), rows, now.facts);
    });
}

// The copy of the log-joint for large changes, and a family per thread.
template <class Code>
class Copy {
  public:
    Copy(const Current<Code>& now, int threads)
        : now_(now), threads_(threads), terms_(static_cast<std::size_t>(std::max(threads, 1))) {}

    bool judge(const Exchange& exchange, const Limit& limit, std::int64_t& total, Stop& stop) {
        log_joint_.assign(now_.log_joint, now_.log_joint + now_.sample.codes.rows * now_.facts.classes);
        for (std::size_t done = 0; done < exchange.size(); done += terms_.size()) {
            stop.check();
            const std::size_t batch = std::min(terms_.size(), exchange.size() - done);
            parallel_for(batch, threads_, [&](std::size_t b) {
                exchange.open(terms_[b], now_.sample, now_.order, done + b);
                if (terms_[b].parts() == 1) terms_[b].build(now_.sample, now_.order, 0);
            });
            const RowList all = now_.order.list();
            parallel_blocks(all.size, kRowsPerTask, threads_, [&](std::size_t begin, std::size_t end) {
                for (std::size_t b = 0; b < batch; ++b)
                    if (terms_[b].parts() == 1 && !terms_[b].neutral())
                        exchange_terms(terms_[b].view(), exchange.sign(done + b), all.slice(begin, end),
                                       now_.facts, log_joint_.data());
            });
            for (std::size_t b = 0; b < batch; ++b) add_parts(terms_[b], exchange.sign(done + b));
        }
        return add_losses(now_.loss, log_joint_.data(), now_.order.list(), now_.facts, limit, sums_, total);
    }

  private:
    void add_parts(FamilyTerms<Code>& terms, double sign) {
        if (terms.parts() == 1) return;
        for (std::size_t part = 0; part < terms.parts(); ++part) {
            const RowList rows = terms.build(now_.sample, now_.order, part);
            exchange_terms(terms.view(), sign, rows, now_.facts, log_joint_.data());
        }
    }

    const Current<Code>& now_;
    int threads_;
    std::vector<FamilyTerms<Code>> terms_;
    std::vector<double> log_joint_, sums_;
};

}  // namespace

template <class Code>
void add_families(const Sample<Code>& sample, const Families& families, double sign, double* log_joint,
                  int threads) {
    const std::vector<std::uint16_t> truth = true_classes(sample);
    const RowFacts facts = row_facts(sample, truth);
    const RowOrder order = natural_order(sample);
    const int workers = worthwhile(sample.codes.rows * facts.classes, threads);
    FamilyTerms<Code> terms;
    for (std::size_t f = 0; f < families.size(); ++f)
        add_family(sample, terms, families, f, sign, order, facts, log_joint, workers);
}

template <class Code>
std::int64_t total_loss(const Sample<Code>& sample, const Loss& loss, const double* log_joint, int threads) {
    const std::vector<std::uint16_t> truth = true_classes(sample);
    const RowFacts facts = row_facts(sample, truth);
    const RowOrder order = natural_order(sample);
    const Limit limit(false, 0);
    std::atomic<std::int64_t> total{0};
    const int workers = worthwhile(order.judged * facts.classes, threads);
    parallel_blocks(order.judged, kRowsPerTask, workers, [&](std::size_t begin, std::size_t end) {
        std::vector<double> sums;
        std::int64_t part = 0;
        add_losses(loss, log_joint, order.list().slice(begin, end), facts, limit, sums, part);
        total += part;
    });
    return total;
}

template <class Code>
void parent_set_losses(const Sample<Code>& sample, const Loss& loss, double* log_joint,
                       const Families& current, const Families& candidates, const std::int64_t* extra,
                       bool only_best, std::int64_t bound, std::int64_t* losses, int threads, Stop& stop) {
    const std::size_t rows = sample.codes.rows, classes = sample.classes();
    const std::vector<std::uint16_t> truth = true_classes(sample);
    const RowFacts facts = row_facts(sample, truth);
    const RowOrder order = only_best ? hard_rows_first(sample, log_joint, truth) : natural_order(sample);
    const int few = worthwhile(rows * classes, threads);  // for a single pass over the log-joint
    Limit limit(only_best, bound);
    const auto judge = [&](Beside beside, std::size_t step, auto&& loss_of) {
        judge_candidates(sample, candidates, order, beside, step, extra, limit, losses, threads, stop,
                         loss_of);
    };
    without_families(sample, current, facts, log_joint, few, [&] {
        if (loss.kind == LossKind::kError && classes > 1) {
            const Margins known = margins(log_joint, facts, rows, few);
            const ErrorFacts errors{log_joint, known.margin.data(), known.rival.data(), loss.units, facts};
            return judge(Beside::kLeads, kRowsPerLook, [&](auto&, const TermView& view, const RowList& some) {
                return exchanged_errors(errors, view, some);
            });
        }
        if (loss.kind == LossKind::kLogLoss) {
            const RowWeights known = row_weights(log_joint, facts, rows, few);
            const std::vector<double> scales(kLossBlock, loss.scale);
            const LogLossFacts weights{log_joint, known.weights.get(), known.heads.get(), scales.data(),
                                       facts};
            return judge(Beside::kWeights, kLossBlock, [&](auto&, const TermView& view, const RowList& some) {
                return exchanged_log_loss(weights, loss, view, some);
            });
        }
        judge(Beside::kNothing, kLossBlock,
              [&](Workspace<Code>& space, const TermView& view, const RowList& some) {
                  space.sums.resize(kLossBlock * classes);
                  copy_rows(log_joint, some, classes, space.sums.data());
                  add_terms(view, 1.0, some, facts, space.sums.data());
                  return block_loss(loss, space.sums.data(), some, facts);
              });
    });
}

template <class Code>
void change_losses(const Sample<Code>& sample, const Loss& loss, const double* log_joint,
                   const Families& removed, const Families& added, std::span<const std::int64_t> starts,
                   const std::int64_t* extra, bool only_best, std::int64_t bound, std::int64_t* losses,
                   int threads, Stop& stop) {
    const std::size_t changes = starts.size() - 1;
    const std::vector<std::uint16_t> truth = true_classes(sample);
    const RowFacts facts = row_facts(sample, truth);
    const RowOrder order = only_best ? hard_rows_first(sample, log_joint, truth) : natural_order(sample);
    const Current<Code> now{sample, loss, log_joint, facts, order};
    Limit limit(only_best, bound);
    const auto exchange_of = [&](std::size_t k) {
        return Exchange{removed, added, static_cast<std::size_t>(starts[k]),
                        static_cast<std::size_t>(starts[k + 1])};
    };
    std::vector<std::uint8_t> large(changes, 0);
    const int workers = worthwhile(added.size() * sample.codes.rows * sample.classes(), threads);
    parallel_with<ChangeWorkspace<Code>>(changes, workers, [&](ChangeWorkspace<Code>& space, std::size_t k) {
        stop.check();
        const Exchange exchange = exchange_of(k);
        large[k] = exchange.size() > 2 * kFewFamilies || !build_whole(now, exchange, space);
        if (large[k]) return;
        std::int64_t total = extra[k];
        const bool within = judge_small(now, exchange, limit, space, total);
        losses[k] = settled(within, total, limit);
    });
    Copy<Code> copy(now, worthwhile(2 * sample.codes.rows * sample.classes(), threads));
    for (std::size_t k = 0; k < changes; ++k) {
        if (!large[k]) continue;
        std::int64_t total = extra[k];
        const bool within = copy.judge(exchange_of(k), limit, total, stop);
        losses[k] = settled(within, total, limit);
    }
    limit.drop_worse(losses, changes);
}

#define BAYLEAF_INSTANTIATE(Code)                                                                            \
    template void add_families(const Sample<Code>&, const Families&, double, double*, int);                  \
    template std::int64_t total_loss(const Sample<Code>&, const Loss&, const double*, int);                  \
    template void parent_set_losses(const Sample<Code>&, const Loss&, double*, const Families&,              \
                                    const Families&, const std::int64_t*, bool, std::int64_t, std::int64_t*, \
                                    int, Stop&);                                                             \
    template void change_losses(const Sample<Code>&, const Loss&, const double*, const Families&,            \
                                const Families&, std::span<const std::int64_t>, const std::int64_t*, bool,   \
                                std::int64_t, std::int64_t*, int, Stop&);
BAYLEAF_INSTANTIATE(std::uint8_t)
BAYLEAF_INSTANTIATE(std::uint16_t)

}  // namespace bayleaf
