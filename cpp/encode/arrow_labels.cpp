// Floor: one read of the views, offsets or indices, one write of the codes.
#include "encode/arrow_labels.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "encode/text_table.hpp"

namespace bayleaf {

namespace {

constexpr std::int32_t kAbsent = -1;
constexpr std::int32_t kUnmet = -2;
constexpr std::uint32_t kMostIndices = 1U << 26;  // of which there is a table

// Texts between offsets.
template <class Offset>
struct OffsetTexts {
    const Offset* offsets;
    const char* data;
    std::int64_t end;  // bytes that are there for certain

    explicit OffsetTexts(const ArrowChunk& chunk)
        : offsets(chunk.values<Offset>()),
          data(static_cast<const char*>(chunk.array->buffers[2])),
          end(chunk.length > 0 ? static_cast<std::int64_t>(offsets[chunk.offset + chunk.length]) : 0) {}

    TextKey operator()(std::int64_t i) const {
        const std::int64_t begin = offsets[i];
        const auto size = static_cast<std::uint32_t>(offsets[i + 1] - begin);
        return TextKey::of(data + begin, size, begin + std::int64_t{TextKey::kShort} <= end);
    }
};

// Texts by views: short ones lie in the view itself.
struct ViewTexts {
    const char* views;
    const void** heaps;

    explicit ViewTexts(const ArrowChunk& chunk)
        : views(chunk.values<char>()), heaps(chunk.array->buffers + 2) {}

    TextKey operator()(std::int64_t i) const {
        const char* view = views + 16 * i;
        std::uint32_t size;
        std::memcpy(&size, view, 4);
        if (size <= TextKey::kShort) return TextKey::of_short(view + 4, size);
        std::uint32_t place[2];
        std::memcpy(place, view + 8, 8);
        return TextKey::of(static_cast<const char*>(heaps[place[0]]) + place[1], size, true);
    }
};

// Calls then(keys) with the reader of a chunk's texts.
template <class Then>
void with_texts(const ArrowChunk& chunk, char letter, Then&& then) {
    if (letter == 'u')
        then(OffsetTexts<std::int32_t>(chunk));
    else if (letter == 'U')
        then(OffsetTexts<std::int64_t>(chunk));
    else
        then(ViewTexts(chunk));
}

// Appends the codes of a chunk, whose row i has number(i) where it is known.
template <class Number>
void append(NarrowCodes& codes, const ArrowChunk& chunk, Number&& number) {
    const auto rows = static_cast<std::size_t>(chunk.length);
    const std::int64_t first = chunk.offset;
    const std::uint8_t* valid = chunk.validity();
    if (valid == nullptr) {
        codes.append(rows, [&](std::size_t i) { return number(first + static_cast<std::int64_t>(i)); });
        return;
    }
    codes.append(rows, [&](std::size_t i) {
        const std::int64_t row = first + static_cast<std::int64_t>(i);
        return bit(valid, row) ? number(row) : kAbsent;
    });
}

// The codes of a dictionary's values, each found when it is met first.
class Dictionary {
  public:
    Dictionary(TextTable& texts, char letter) : texts_(texts), letter_(letter) {}

    void open(const ArrowArray* values) {
        if (open_ != nullptr && values->buffers[1] == open_->buffers[1] && values->length == open_->length &&
            values->offset == open_->offset && values->buffers[0] == open_->buffers[0] &&
            values->buffers[2] == open_->buffers[2] && letter_ != 'v')
            return;  // batches of one table share their dictionary
        open_ = values;
        numbers_.assign(static_cast<std::size_t>(values->length), kUnmet);
    }

    template <class Index>
    std::int32_t operator()(Index index) {
        const std::int32_t number = numbers_[static_cast<std::size_t>(index)];
        return number == kUnmet ? meet(static_cast<std::size_t>(index)) : number;
    }

  private:
    [[gnu::noinline]] std::int32_t meet(std::size_t index) {
        const ArrowChunk chunk{open_, open_->offset, open_->length};
        const std::int64_t i = open_->offset + static_cast<std::int64_t>(index);
        std::int32_t number = kAbsent;
        if (chunk.validity() == nullptr || bit(chunk.validity(), i))
            with_texts(chunk, letter_, [&](const auto& keys) { number = texts_.number(keys(i)); });
        return numbers_[index] = number;
    }

    TextTable& texts_;
    char letter_;
    const ArrowArray* open_ = nullptr;
    std::vector<std::int32_t> numbers_;
};

template <class Index>
void append_indices(NarrowCodes& codes, const ArrowChunk& chunk, Dictionary& dictionary) {
    const Index* indices = chunk.values<Index>();
    append(codes, chunk, [&](std::int64_t row) { return dictionary(indices[row]); });
}

void append_dictionary(NarrowCodes& codes, const ArrowChunk& chunk, char letter, Dictionary& dictionary) {
    dictionary.open(chunk.array->dictionary);
    switch (letter) {
        case 'c':
            return append_indices<std::int8_t>(codes, chunk, dictionary);
        case 'C':
            return append_indices<std::uint8_t>(codes, chunk, dictionary);
        case 's':
            return append_indices<std::int16_t>(codes, chunk, dictionary);
        case 'S':
            return append_indices<std::uint16_t>(codes, chunk, dictionary);
        case 'i':
            return append_indices<std::int32_t>(codes, chunk, dictionary);
        case 'I':
            return append_indices<std::uint32_t>(codes, chunk, dictionary);
        default:
            return append_indices<std::int64_t>(codes, chunk, dictionary);
    }
}

Labels read_truths(const std::vector<ArrowChunk>& chunks, std::size_t rows) {
    Labels labels{{}, NarrowCodes(rows)};
    std::array<std::int32_t, 2> numbers{kUnmet, kUnmet};
    for (const ArrowChunk& chunk : chunks) {
        const auto* bits = chunk.values<std::uint8_t>();
        append(labels.codes, chunk, [&](std::int64_t row) {
            const bool truth = bit(bits, row);
            if (numbers[truth] == kUnmet) {
                numbers[truth] = static_cast<std::int32_t>(labels.levels.size());
                labels.levels.emplace_back(truth ? "1" : "0");
            }
            return numbers[truth];
        });
    }
    return labels;
}

}  // namespace

Labels read_labels(const ArrowTable& table, std::size_t column) {
    const ArrowField& field = table.fields()[column];
    const auto chunks = table.chunks(column);
    if (field.kind == ArrowKind::boolean) return read_truths(chunks, table.rows());
    Labels labels{{}, NarrowCodes(table.rows())};
    TextTable texts;
    Dictionary dictionary(texts, field.values);
    for (const ArrowChunk& chunk : chunks) {
        if (field.kind == ArrowKind::dictionary) {
            append_dictionary(labels.codes, chunk, field.letter, dictionary);
        } else {
            with_texts(chunk, field.letter, [&](const auto& keys) {
                append(labels.codes, chunk, [&](std::int64_t row) { return texts.number(keys(row)); });
            });
        }
    }
    for (const TextKey& key : texts.texts()) labels.levels.push_back(key.text());
    return labels;
}

MetLabels read_fixed(const char* data, std::size_t rows, std::size_t width, std::int64_t stride) {
    MetLabels labels{{}, NarrowCodes(rows)};
    TextTable texts;
    labels.codes.append(rows, [&](std::size_t i) {
        const char* text = data + static_cast<std::int64_t>(i) * stride;
        const std::int32_t number =
            texts.number(TextKey::of(text, static_cast<std::uint32_t>(width), width >= TextKey::kShort));
        if (static_cast<std::size_t>(number) == labels.met.size())
            labels.met.push_back(static_cast<std::int64_t>(i));
        return number;
    });
    return labels;
}

namespace {

template <class Index>
MetLabels read_indices_of(const std::vector<ArrowChunk>& chunks, std::size_t rows) {
    Index largest = 0;
    for (const ArrowChunk& chunk : chunks) {
        const std::uint8_t* valid = chunk.validity();
        for (std::int64_t i = chunk.offset; i < chunk.offset + chunk.length; ++i)
            if (valid == nullptr || bit(valid, i)) largest = std::max(largest, chunk.values<Index>()[i]);
    }
    if (largest > kMostIndices) throw std::invalid_argument("The column has too many categories.");
    MetLabels labels{{}, NarrowCodes(rows)};
    std::vector<std::int32_t> numbers(std::size_t{largest} + 1, kUnmet);
    std::int64_t before = 0;
    for (const ArrowChunk& chunk : chunks) {
        const Index* indices = chunk.values<Index>();
        append(labels.codes, chunk, [&](std::int64_t row) {
            std::int32_t& number = numbers[indices[row]];
            if (number == kUnmet) {
                number = static_cast<std::int32_t>(labels.met.size());
                labels.met.push_back(before + row - chunk.offset);
            }
            return number;
        });
        before += chunk.length;
    }
    return labels;
}

}  // namespace

MetLabels read_indices(const ArrowTable& table, std::size_t column) {
    const auto chunks = table.chunks(column);
    switch (table.fields()[column].letter) {
        case 'C':
            return read_indices_of<std::uint8_t>(chunks, table.rows());
        case 'S':
            return read_indices_of<std::uint16_t>(chunks, table.rows());
        case 'I':
            return read_indices_of<std::uint32_t>(chunks, table.rows());
        default:
            throw std::invalid_argument("The column holds no indices.");
    }
}

template <class Index>
MetLabels read_codes(const Index* codes, std::size_t rows, std::size_t categories) {
    MetLabels labels{{}, NarrowCodes(rows)};
    std::vector<std::int32_t> numbers(categories, kUnmet);
    labels.codes.append(rows, [&](std::size_t i) {
        const auto category = static_cast<std::uint64_t>(codes[i]);
        if (category >= categories) return kAbsent;
        std::int32_t& number = numbers[category];
        if (number == kUnmet) {
            number = static_cast<std::int32_t>(labels.met.size());
            labels.met.push_back(static_cast<std::int64_t>(category));
        }
        return number;
    });
    return labels;
}

template MetLabels read_codes(const std::int8_t*, std::size_t, std::size_t);
template MetLabels read_codes(const std::int16_t*, std::size_t, std::size_t);
template MetLabels read_codes(const std::int32_t*, std::size_t, std::size_t);
template MetLabels read_codes(const std::int64_t*, std::size_t, std::size_t);

}  // namespace bayleaf
