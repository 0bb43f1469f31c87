// Columns that arrive through an Arrow C stream: read, and checked as far as the interface allows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "encode/arrow_interface.hpp"

namespace bayleaf {

enum class ArrowKind { nothing, boolean, integer, real, moment, text, dictionary, other, refused };

// What a column holds. `letter` is the format of plain values (of the indices, in a dictionary; of the whole
// numbers by which dates and times are counted), where text views are 'v'; `values` that of a dictionary's
// texts.
struct ArrowField {
    std::string name;
    std::string format;
    ArrowKind kind;
    char letter;
    char values;
};

// Consecutive rows of one column: `length` values of `array`, from `offset` on (the array's own offset
// included).
struct ArrowChunk {
    const ArrowArray* array;
    std::int64_t offset;
    std::int64_t length;

    // The validity bitmap, or null where every value is known.
    const std::uint8_t* validity() const {
        return array->n_buffers > 0 && array->null_count != 0
                   ? static_cast<const std::uint8_t*>(array->buffers[0])
                   : nullptr;
    }
    template <class Value>
    const Value* values() const {
        return static_cast<const Value*>(array->buffers[1]);
    }
};

inline bool bit(const std::uint8_t* bits, std::int64_t i) { return (bits[i >> 3] >> (i & 7)) & 1; }

// Of the columns of a table, or of one series. Whatever is wrong is an std::invalid_argument of one sentence.
std::vector<ArrowField> read_fields(const ArrowSchema& schema, bool table);

// Refuses a batch that does not keep to its schema: lengths, buffers, offsets, views, indices of
// dictionaries.
void check_batch(const ArrowArray& batch, const std::vector<ArrowField>& fields, bool table);

// The schema and the batches of a stream. Both refuse a stream that is broken or reports an error.
Owned<ArrowSchema> read_schema(ArrowArrayStream* stream);
Owned<ArrowArray> read_batch(ArrowArrayStream* stream);  // holds nothing at the end

// All of a stream, checked. The arrays live as long as this object.
class ArrowTable {
  public:
    ArrowTable(Owned<ArrowArrayStream> stream, bool table);
    ArrowTable(const ArrowTable&) = delete;
    ArrowTable& operator=(const ArrowTable&) = delete;

    const std::vector<ArrowField>& fields() const { return fields_; }
    std::size_t rows() const { return rows_; }
    std::vector<ArrowChunk> chunks(std::size_t column) const;

  private:
    bool table_;
    std::vector<ArrowField> fields_;
    std::vector<Owned<ArrowArray>> batches_;
    std::size_t rows_ = 0;
};

// A stream that checks every batch of another before it passes the batch on.
ArrowArrayStream checked_stream(Owned<ArrowArrayStream> stream, std::vector<ArrowField> fields);

}  // namespace bayleaf
