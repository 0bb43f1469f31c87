// Thin bindings: unwrap arrays, release the interpreter lock, call the kernel. Outputs are allocated in
// Python.
#ifdef BAYLEAF_PLANTED
#include <limits>
#include <vector>
#endif

#include "common/bindings.hpp"

void bind_cuts(nb::module_& m);
void bind_encode(nb::module_& m);
void bind_count(nb::module_& m);
void bind_network(nb::module_& m);
void bind_scores(nb::module_& m);
void bind_exact(nb::module_& m);
void bind_tuning(nb::module_& m);
void bind_pool(nb::module_& m);

#ifdef BAYLEAF_PLANTED
// What a sanitizer must notice, or it would notice nothing else either: see packaging/watched.sh.
int planted_fault(int kind) {
    if (kind == 0) {
        const std::vector<int> three(3, 1);
        const volatile int* values = three.data();
        return values[3];  // beyond the end
    }
    volatile int largest = std::numeric_limits<int>::max();
    return largest + 1;
}
#endif

NB_MODULE(_core, m) {
    m.doc() = "Native kernels of bayleaf. They trust their input: call them through the package.";
    // A model that lives as long as the interpreter keeps native objects: nothing to warn of at the end.
    nb::set_leak_warnings(false);
    m.def(
        "thread_count", [](Threads threads) -> int { return threads; }, "n_jobs"_a.none(),
        "How many threads a kernel takes that is given `n_jobs`.");
#ifdef BAYLEAF_PLANTED
    m.def("planted_fault", &planted_fault, "kind"_a);
#endif
    bind_cuts(m);
    bind_encode(m);
    bind_count(m);
    bind_network(m);
    bind_scores(m);
    bind_exact(m);
    bind_tuning(m);
    bind_pool(m);
}
