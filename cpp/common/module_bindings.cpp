// Thin bindings: unwrap arrays, release the interpreter lock, call the kernel. Outputs are allocated in
// Python.
#include "common/bindings.hpp"

void bind_cuts(nb::module_& m);
void bind_encode(nb::module_& m);
void bind_count(nb::module_& m);
void bind_network(nb::module_& m);
void bind_scores(nb::module_& m);
void bind_exact(nb::module_& m);
void bind_tuning(nb::module_& m);
void bind_pool(nb::module_& m);

NB_MODULE(_core, m) {
    m.doc() = "Native kernels of bayleaf. They trust their input: call them through the package.";
    // A model that lives as long as the interpreter keeps native objects: nothing to warn of at the end.
    nb::set_leak_warnings(false);
    m.def(
        "thread_count", [](Threads threads) -> int { return threads; }, "n_jobs"_a.none(),
        "How many threads a kernel takes that is given `n_jobs`.");
    bind_cuts(m);
    bind_encode(m);
    bind_count(m);
    bind_network(m);
    bind_scores(m);
    bind_exact(m);
    bind_tuning(m);
    bind_pool(m);
}
