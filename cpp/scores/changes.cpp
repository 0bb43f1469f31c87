// Changes of several families at once. A change of few families is judged block by block against the
// log-joint; the families of a large change are exchanged one after the other in a copy, of which there is
// only one.
#include "scores/candidates.hpp"
#include "scores/judging.hpp"

namespace bayleaf {
namespace {

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
struct Workspace {
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
bool build_whole(const Current<Code>& now, const Exchange& exchange, Workspace<Code>& space) {
    for (std::size_t k = 0; k < exchange.size(); ++k) {
        exchange.open(space.terms[k], now.sample, now.order, k);
        if (space.terms[k].parts() > 1) return false;
        space.terms[k].build(now.sample, now.order, 0);
    }
    return true;
}

template <class Code>
bool judge_small(const Current<Code>& now, const Exchange& exchange, const Limit& limit,
                 Workspace<Code>& space, std::int64_t& total) {
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
    parallel_with<Workspace<Code>>(changes, workers, [&](Workspace<Code>& space, std::size_t k) {
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

#define BAYLEAF_INSTANTIATE(Code)                                                                          \
    template void change_losses(const Sample<Code>&, const Loss&, const double*, const Families&,          \
                                const Families&, std::span<const std::int64_t>, const std::int64_t*, bool, \
                                std::int64_t, std::int64_t*, int, Stop&);
BAYLEAF_INSTANTIATE(std::uint8_t)
BAYLEAF_INSTANTIATE(std::uint16_t)

}  // namespace bayleaf
