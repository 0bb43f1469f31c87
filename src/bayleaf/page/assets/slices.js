// Long computations in slices, so that the page stays alive; before printing they are run to their end.

const SLICE_MS = 12;
const running = new Set();

/** Run a generator in slices as long as `alive()`; then call `done` with what it returns. */
export function inSlices(work, alive, done) {
  const job = { work, alive, done };
  running.add(job);
  const slice = () => {
    if (!running.has(job)) return;
    advance(job, performance.now() + SLICE_MS);
    if (running.has(job)) setTimeout(slice, 0);
  };
  requestAnimationFrame(() => setTimeout(slice, SLICE_MS)); // what is there already is painted first
}

/** Finish everything that is still running, now. */
export function finishAll() {
  while (running.size) for (const job of [...running]) advance(job, Infinity);
}

function advance(job, stop) {
  if (!job.alive()) {
    running.delete(job);
    return;
  }
  while (performance.now() < stop) {
    const step = job.work.next();
    if (step.done) {
      running.delete(job);
      job.done(step.value);
      return;
    }
  }
}
