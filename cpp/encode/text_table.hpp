// Texts numbered in the order in which they are met first.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "common/dispatch.hpp"

namespace bayleaf {

// A text as Arrow's views have it: its size and first four bytes, then its next eight bytes. Of a text longer
// than twelve bytes `tail` is a hash of all bytes, and `data` points to them; a short text is whole in head
// and tail.
struct TextKey {
    std::uint64_t head;
    std::uint64_t tail;
    const char* data;

    static constexpr std::uint32_t kShort = 12;

    std::uint32_t size() const { return static_cast<std::uint32_t>(head); }
    bool is_short() const { return size() <= kShort; }
    std::string text() const {
        if (!is_short()) return {data, size()};
        char bytes[kShort];
        const auto first = static_cast<std::uint32_t>(head >> 32);
        std::memcpy(bytes, &first, 4);
        std::memcpy(bytes + 4, &tail, 8);
        return {bytes, size()};
    }

    static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
        const std::uint64_t product = (a ^ (b * 0x9e3779b97f4a7c15U)) * 0xff51afd7ed558ccdU;
        return product ^ (product >> 32);
    }

    // The key of `size` bytes at `data`; twelve bytes can be read there if `roomy`.
    static TextKey of(const char* data, std::uint32_t size, bool roomy) {
        if (size > kShort) return of_long(data, size);
        return roomy ? of_short(data, size) : of_few(data, size);
    }

    // The key of the first `size` of twelve bytes, as in a view, where the others need not be zeros.
    static TextKey of_short(const char* bytes, std::uint32_t size) {
        if constexpr (std::endian::native != std::endian::little) return of_few(bytes, size);
        TextKey key = whole(bytes, size);
        // From a table: a question about the size would often be guessed wrongly.
        key.head &= kMasks.head[size];
        key.tail &= kMasks.tail[size];
        return key;
    }

  private:
    // The bits that belong to a short text of each size.
    struct Masks {
        std::array<std::uint64_t, kShort + 1> head{};
        std::array<std::uint64_t, kShort + 1> tail{};
        constexpr Masks() {
            for (std::uint32_t size = 0; size <= kShort; ++size) {
                head[size] = ~std::uint64_t{0} >> (size < 4 ? 32 - 8 * size : 0);
                tail[size] = size > 4 ? ~std::uint64_t{0} >> (96 - 8 * size) : 0;
            }
        }
    };
    static const Masks kMasks;  // complete only below

    static TextKey of_few(const char* data, std::uint32_t size) {
        char bytes[kShort] = {};
        if (size > 0) std::memcpy(bytes, data, size);
        return whole(bytes, size);
    }

    static TextKey whole(const char* bytes, std::uint32_t size) {
        std::uint32_t first;
        std::uint64_t tail;
        std::memcpy(&first, bytes, 4);
        std::memcpy(&tail, bytes + 4, 8);
        return {size | (std::uint64_t{first} << 32), tail, nullptr};
    }

    [[gnu::noinline]] static TextKey of_long(const char* data, std::uint32_t size) {
        std::uint32_t first;
        std::memcpy(&first, data, 4);
        std::uint64_t hash = size;
        std::uint64_t word;
        for (std::uint32_t i = 0; i + 8 < size; i += 8) {
            std::memcpy(&word, data + i, 8);
            hash = mix(hash, word);
        }
        std::memcpy(&word, data + size - 8, 8);  // the last bytes, some of them for the second time
        return {size | (std::uint64_t{first} << 32), mix(hash, word), data};
    }
};

inline constexpr TextKey::Masks TextKey::kMasks{};

class TextTable {
  public:
    TextTable() : slots_(std::size_t{1} << 8), shift_(64 - 8) {}

    // The number of a text, a new one for a new text. Its bytes must outlive the table.
    BAYLEAF_INLINE std::int32_t number(const TextKey& key) {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t at = place(key.head, key.tail);; at = (at + 1) & mask) {
            const Slot& slot = slots_[at];
            if (slot.number < 0) return insert(at, key);
            if (slot.head == key.head && slot.tail == key.tail &&
                (key.is_short() || same_bytes(slot.number, key)))
                return slot.number;
        }
    }

    const std::vector<TextKey>& texts() const { return texts_; }

  private:
    struct alignas(32) Slot {
        std::uint64_t head = 0;
        std::uint64_t tail = 0;
        std::int32_t number = -1;
    };

    std::size_t place(std::uint64_t head, std::uint64_t tail) const {
        // The highest bits of a sum of products depend on every bit of both.
        return static_cast<std::size_t>((head * 0x9e3779b97f4a7c15U + tail * 0xff51afd7ed558ccdU) >> shift_);
    }

    bool same_bytes(std::int32_t number, const TextKey& key) const {
        return std::memcmp(texts_[static_cast<std::size_t>(number)].data, key.data, key.size()) == 0;
    }

    [[gnu::noinline]] std::int32_t insert(std::size_t at, const TextKey& key) {
        const auto number = static_cast<std::int32_t>(texts_.size());
        texts_.push_back(key);
        slots_[at] = {key.head, key.tail, number};
        if (2 * texts_.size() > slots_.size()) grow();
        return number;
    }

    void grow() {
        std::vector<Slot> old(slots_.size() * 4);
        old.swap(slots_);
        shift_ -= 2;
        const std::size_t mask = slots_.size() - 1;
        for (const Slot& slot : old) {
            if (slot.number < 0) continue;
            std::size_t at = place(slot.head, slot.tail);
            while (slots_[at].number >= 0) at = (at + 1) & mask;
            slots_[at] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::vector<TextKey> texts_;
    unsigned shift_;
};

}  // namespace bayleaf
