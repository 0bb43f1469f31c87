// The Arrow C data and C stream interfaces as published
// (https://arrow.apache.org/docs/format/CDataInterface.html), and owners that call each release exactly once.
#pragma once

#include <cstdint>
#include <utility>

namespace bayleaf {

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
    int (*get_next)(ArrowArrayStream*, ArrowArray*);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

// One of the three structs, released when its owner goes. A struct without a release callback holds nothing.
template <class Struct>
class Owned {
  public:
    Owned() = default;
    // Takes a struct over; whoever had it keeps a released one.
    explicit Owned(Struct* given) : value_(*given) { given->release = nullptr; }
    Owned(Owned&& other) noexcept : value_(std::exchange(other.value_, Struct{})) {}
    Owned& operator=(Owned&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() {
        if (value_.release != nullptr) value_.release(&value_);
    }

    bool holds() const { return value_.release != nullptr; }
    Struct* get() { return &value_; }
    const Struct& operator*() const { return value_; }
    const Struct* operator->() const { return &value_; }
    // Gives the struct away.
    Struct give() { return std::exchange(value_, Struct{}); }

  private:
    Struct value_{};
};

}  // namespace bayleaf
