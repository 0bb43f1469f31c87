#include "encode/arrow_stream.hpp"

#include <cerrno>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace bayleaf {

namespace {

// More rows than this are a lie; sums of two lengths do not overflow.
constexpr std::int64_t kMostRows = std::int64_t{1} << 48;

[[noreturn]] void refuse(const std::string& sentence) {
    throw std::invalid_argument("The Arrow data is broken: " + sentence + ".");
}

bool is_integer(char letter) { return std::strchr("cCsSiIlL", letter) != nullptr; }

char letter_of(std::string_view format) {
    if (format == "vu") return 'v';
    return format.size() == 1 ? format[0] : '\0';
}

// Dates ("tdD", "tdm"), moments ("tss:", ... with a time zone), times of day ("tts", ...) and durations
// ("tDs",
// ...) are whole numbers of one width. Those of calendars ("tiM", ...) are not.
char moment_letter(std::string_view format) {
    if (format.size() < 3 || format[0] != 't' || !std::strchr("dstD", format[1])) return '\0';
    return format == "tdD" || format == "tts" || format == "ttm" ? 'i' : 'l';
}

ArrowKind plain_kind(std::string_view format) {
    const char letter = letter_of(format);
    if (letter == '\0') {
        if (moment_letter(format) != '\0') return ArrowKind::moment;
        return !format.empty() && format[0] == 'd' ? ArrowKind::other : ArrowKind::refused;  // decimals
    }
    if (letter == 'n') return ArrowKind::nothing;
    if (letter == 'b') return ArrowKind::boolean;
    if (is_integer(letter)) return ArrowKind::integer;
    if (std::strchr("efg", letter)) return ArrowKind::real;
    if (std::strchr("uUv", letter)) return ArrowKind::text;
    return ArrowKind::refused;
}

ArrowField read_field(const ArrowSchema& schema) {
    if (schema.format == nullptr) refuse("a column has no type");
    ArrowField field{schema.name == nullptr ? "" : schema.name, schema.format, ArrowKind::refused, '\0',
                     '\0'};
    field.kind = plain_kind(field.format);
    field.letter = field.kind == ArrowKind::moment ? moment_letter(field.format) : letter_of(field.format);
    if (schema.dictionary != nullptr) {
        if (field.kind != ArrowKind::integer)
            refuse("column '" + field.name + "' has a dictionary without indices");
        if (schema.dictionary->format == nullptr)
            refuse("the dictionary of column '" + field.name + "' has no type");
        const std::string_view values = schema.dictionary->format;
        field.values = letter_of(values);
        const bool texts = plain_kind(values) == ArrowKind::text && schema.dictionary->dictionary == nullptr;
        field.kind = texts ? ArrowKind::dictionary : ArrowKind::refused;
    }
    return field;
}

struct Misaligned {};

struct Checker {
    const ArrowField& field;

    [[noreturn]] void refuse(const std::string& what) const {
        bayleaf::refuse("column '" + field.name + "' " + what);
    }

    // The lengths, the number of buffers and those that must be there.
    void layout(const ArrowArray& array, std::int64_t buffers, bool at_least) const {
        if (array.length < 0 || array.offset < 0 || array.length > kMostRows || array.offset > kMostRows)
            refuse("has an impossible length or offset (" + std::to_string(array.length) + ", " +
                   std::to_string(array.offset) + ")");
        if (at_least ? array.n_buffers < buffers : array.n_buffers != buffers)
            refuse("has " + std::to_string(array.n_buffers) + " buffers in place of " +
                   std::to_string(buffers));
        if (buffers == 0) return;
        if (array.buffers == nullptr) refuse("has no buffers");
        if (array.null_count > 0 && array.buffers[0] == nullptr)
            refuse("has missing values, but no mask of them");
    }

    void present(const ArrowChunk& chunk, int buffer) const {
        if (chunk.length > 0 && chunk.array->buffers[buffer] == nullptr)
            refuse("has " + std::to_string(chunk.length) + " rows and no values");
    }

    // The kernels read whole numbers, for which the machine may want addresses of their own kind.
    template <class Value>
    void aligned(const ArrowChunk& chunk) const {
        if (reinterpret_cast<std::uintptr_t>(chunk.array->buffers[1]) % alignof(Value) != 0)
            throw Misaligned{};
    }

    void aligned(const ArrowChunk& chunk, char letter) const {
        if (std::strchr("sSe", letter)) aligned<std::int16_t>(chunk);
        if (std::strchr("iIfu", letter)) aligned<std::int32_t>(chunk);
        if (std::strchr("lLgU", letter)) aligned<std::int64_t>(chunk);
    }

    template <class Offset>
    void offsets(const ArrowChunk& chunk) const {
        if (chunk.length == 0) return;
        present(chunk, 1);
        const Offset* offsets = chunk.values<Offset>() + chunk.offset;
        bool ordered = offsets[0] >= 0;
        Offset longest = 0;
        for (std::int64_t i = 0; i < chunk.length; ++i) {
            ordered &= offsets[i] <= offsets[i + 1];
            // Unsigned, since the difference of nonsense may overflow.
            using Unsigned = std::make_unsigned_t<Offset>;
            const auto size = static_cast<Offset>(static_cast<Unsigned>(offsets[i + 1]) -
                                                  static_cast<Unsigned>(offsets[i]));
            longest = longest > size ? longest : size;
        }
        if (!ordered) refuse("has text offsets that are negative or go backwards");
        if (longest > std::numeric_limits<std::int32_t>::max()) refuse("has a text longer than 2 GiB");
        if (offsets[chunk.length] > offsets[0]) present(chunk, 2);
    }

    void views(const ArrowChunk& chunk) const {
        if (chunk.length == 0) return;
        present(chunk, 1);
        const std::int64_t heaps = chunk.array->n_buffers - 3;
        const auto* sizes =
            static_cast<const std::int64_t*>(chunk.array->buffers[chunk.array->n_buffers - 1]);
        if (heaps > 0 && sizes == nullptr) refuse("does not tell the sizes of its text buffers");
        const std::uint8_t* valid = chunk.validity();
        const auto* views = chunk.values<char>();
        for (std::int64_t i = chunk.offset; i < chunk.offset + chunk.length; ++i) {
            std::int32_t view[4];  // size, first four bytes, buffer, offset in the buffer
            std::memcpy(view, views + 16 * i, 16);
            if ((view[0] >= 0 && view[0] <= 12) || (valid != nullptr && !bit(valid, i))) continue;
            const bool inside = view[0] >= 0 && view[2] >= 0 && view[2] < heaps && view[3] >= 0 &&
                                chunk.array->buffers[2 + view[2]] != nullptr &&
                                std::int64_t{view[3]} + view[0] <= sizes[view[2]];
            if (!inside) refuse("has a text that lies outside its buffers");
        }
    }

    template <class Index>
    void indices(const ArrowChunk& chunk, std::int64_t texts) const {
        const Index* indices = chunk.values<Index>();
        const std::uint8_t* valid = chunk.validity();
        bool inside = true;
        for (std::int64_t i = chunk.offset; i < chunk.offset + chunk.length; ++i) {
            // A negative index is a huge unsigned one.
            const bool known = static_cast<std::uint64_t>(indices[i]) < static_cast<std::uint64_t>(texts);
            inside &= known || (valid != nullptr && !bit(valid, i));
        }
        if (!inside) refuse("has an index outside its dictionary of " + std::to_string(texts) + " values");
    }

    void texts(const ArrowChunk& chunk, char letter) const {
        aligned(chunk, letter);
        if (letter == 'u') offsets<std::int32_t>(chunk);
        if (letter == 'U') offsets<std::int64_t>(chunk);
        if (letter == 'v') views(chunk);
    }

    void dictionary(const ArrowChunk& chunk) const {
        const ArrowArray* values = chunk.array->dictionary;
        if (values == nullptr) refuse("has no dictionary");
        layout(*values, 3, field.values == 'v');
        texts({values, values->offset, values->length}, field.values);
        const std::int64_t n = values->length;
        switch (field.letter) {
            case 'c':
                return indices<std::int8_t>(chunk, n);
            case 'C':
                return indices<std::uint8_t>(chunk, n);
            case 's':
                return indices<std::int16_t>(chunk, n);
            case 'S':
                return indices<std::uint16_t>(chunk, n);
            case 'i':
                return indices<std::int32_t>(chunk, n);
            case 'I':
                return indices<std::uint32_t>(chunk, n);
            default:
                return indices<std::int64_t>(chunk, n);
        }
    }

    void check(const ArrowChunk& chunk) const {
        switch (field.kind) {
            case ArrowKind::nothing:
                return layout(*chunk.array, 0, true);
            case ArrowKind::text:
                layout(*chunk.array, 3, field.letter == 'v');
                return texts(chunk, field.letter);
            case ArrowKind::refused:
                return;  // nobody reads it
            default:
                layout(*chunk.array, 2, false);
                present(chunk, 1);
                if (field.kind != ArrowKind::other) aligned(chunk, field.letter);
                if (field.kind == ArrowKind::dictionary) dictionary(chunk);
        }
    }
};

ArrowChunk chunk_of(const ArrowArray& batch, std::size_t column, bool table) {
    if (!table) return {&batch, batch.offset, batch.length};
    const ArrowArray* child = batch.children[column];
    return {child, batch.offset + child->offset, batch.length};
}

void check_children(const ArrowArray& batch, const std::vector<ArrowField>& fields) {
    if (batch.length < 0 || batch.offset < 0 || batch.length > kMostRows || batch.offset > kMostRows)
        refuse("a batch has an impossible length or offset");
    if (batch.n_children != static_cast<std::int64_t>(fields.size()))
        refuse("a batch has " + std::to_string(batch.n_children) + " columns in place of " +
               std::to_string(fields.size()));
    if (batch.null_count != 0 && batch.n_buffers > 0 && batch.buffers != nullptr &&
        batch.buffers[0] != nullptr) {
        const auto* valid = static_cast<const std::uint8_t*>(batch.buffers[0]);
        for (std::int64_t i = batch.offset; i < batch.offset + batch.length; ++i)
            if (!bit(valid, i)) refuse("whole rows of a batch are missing");
    }
    for (std::size_t j = 0; j < fields.size(); ++j) {
        const ArrowArray* child = batch.children == nullptr ? nullptr : batch.children[j];
        if (child == nullptr) refuse("a batch lacks column '" + fields[j].name + "'");
        if (child->length - batch.offset < batch.length)
            refuse("column '" + fields[j].name + "' has fewer rows than its batch");
    }
}

std::string last_error(ArrowArrayStream* stream) {
    const char* text = stream->get_last_error == nullptr ? nullptr : stream->get_last_error(stream);
    return text == nullptr || *text == '\0' ? "" : std::string(": ") + text;
}

}  // namespace

std::vector<ArrowField> read_fields(const ArrowSchema& schema, bool table) {
    if (!table) return {read_field(schema)};
    if (schema.format == nullptr || std::strcmp(schema.format, "+s") != 0)
        throw std::invalid_argument("The Arrow stream holds one column, where a table is needed.");
    std::vector<ArrowField> fields;
    for (std::int64_t j = 0; j < schema.n_children; ++j) {
        if (schema.children == nullptr || schema.children[j] == nullptr) refuse("the schema lacks a column");
        fields.push_back(read_field(*schema.children[j]));
    }
    return fields;
}

void check_batch(const ArrowArray& batch, std::vector<ArrowField>& fields, bool table) {
    if (table) check_children(batch, fields);
    for (std::size_t j = 0; j < fields.size(); ++j) {
        try {
            Checker{fields[j]}.check(chunk_of(batch, j, table));
        } catch (const Misaligned&) {
            fields[j].kind = ArrowKind::refused;
        }
    }
}

Owned<ArrowSchema> read_schema(ArrowArrayStream* stream) {
    if (stream->release == nullptr || stream->get_schema == nullptr || stream->get_next == nullptr)
        throw std::invalid_argument("The Arrow stream was read before, or is none.");
    Owned<ArrowSchema> schema;
    if (stream->get_schema(stream, schema.get()) != 0)
        throw std::invalid_argument("The Arrow stream has no schema" + last_error(stream) + ".");
    if (!schema.holds()) refuse("the schema was released before it was read");
    return schema;
}

Owned<ArrowArray> read_batch(ArrowArrayStream* stream) {
    ArrowArray batch{};
    if (stream->get_next(stream, &batch) != 0)
        throw std::invalid_argument("The Arrow stream ended early" + last_error(stream) + ".");
    return Owned<ArrowArray>(&batch);
}

ArrowTable::ArrowTable(Owned<ArrowArrayStream> stream, bool table) : table_(table) {
    fields_ = read_fields(*read_schema(stream.get()), table);
    for (auto batch = read_batch(stream.get()); batch.holds(); batch = read_batch(stream.get())) {
        check_batch(*batch, fields_, table);
        rows_ += static_cast<std::size_t>(batch->length);
        batches_.push_back(std::move(batch));
    }
}

std::vector<ArrowChunk> ArrowTable::chunks(std::size_t column) const {
    std::vector<ArrowChunk> chunks;
    for (const auto& batch : batches_)
        if (batch->length > 0) chunks.push_back(chunk_of(*batch, column, table_));
    return chunks;
}

namespace {

// What the callbacks of a checked stream know.
struct CheckedSource {
    Owned<ArrowArrayStream> stream;
    std::vector<ArrowField> fields;
    std::string error;

    static CheckedSource& of(ArrowArrayStream* stream) {
        return *static_cast<CheckedSource*>(stream->private_data);
    }

    template <class Read>
    int attempt(Read&& read) {
        try {
            read();
            return 0;
        } catch (const std::exception& failure) {
            error = failure.what();
            return EINVAL;
        }
    }
};

int checked_schema(ArrowArrayStream* stream, ArrowSchema* out) {
    auto& source = CheckedSource::of(stream);
    return source.attempt([&] { *out = read_schema(source.stream.get()).give(); });
}

int checked_next(ArrowArrayStream* stream, ArrowArray* out) {
    auto& source = CheckedSource::of(stream);
    return source.attempt([&] {
        auto batch = read_batch(source.stream.get());
        if (batch.holds()) check_batch(*batch, source.fields, true);
        for (const ArrowField& field : source.fields)
            if (field.kind == ArrowKind::refused)
                refuse("column '" + field.name + "' lies at an odd address");
        *out = batch.give();
    });
}

const char* checked_error(ArrowArrayStream* stream) { return CheckedSource::of(stream).error.c_str(); }

void checked_release(ArrowArrayStream* stream) {
    delete &CheckedSource::of(stream);
    stream->release = nullptr;
}

}  // namespace

ArrowArrayStream checked_stream(Owned<ArrowArrayStream> stream, std::vector<ArrowField> fields) {
    auto source = std::make_unique<CheckedSource>(CheckedSource{std::move(stream), std::move(fields), {}});
    return {checked_schema, checked_next, checked_error, checked_release, source.release()};
}

}  // namespace bayleaf
