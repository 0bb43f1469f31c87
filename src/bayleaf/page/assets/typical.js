// How typical the case is: how probable its values are compared with those of rows drawn from the model, and how well they go together.

import { fill, h, percent, signed } from "./dom.js";
import { drawRows } from "./estimate.js";
import { inSlices } from "./slices.js";

const DRAWS = 200;
const UNUSUAL = 0.05; // of rows drawn from the model
const CONFLICT = 1; // natural logarithms

/** Keep a line up to date that says how typical the evidence on the features is; of one network only. */
export function mountTypical(store, element) {
  const { model } = store;
  if (model.members || !store.canInfer) return;
  let token = 0, drawn = null;
  store.subscribe((what) => {
    if (what !== "evidence") return;
    token += 1;
    const mine = token, evidence = store.featureEvidence();
    const known = model.nodes.filter((node) => evidence[node.index] >= 0).map((node) => node.index);
    if (known.length < 2 || !store.marginals) {
      fill(element, "");
      return;
    }
    drawn ??= drawRows(model, DRAWS).rows;
    inSlices(typicality(store, evidence, known, drawn), () => token === mine, (found) => fill(element, inWords(found)));
  });
}

function inWords({ share, conflict }) {
  const odd = share < UNUSUAL || conflict >= CONFLICT;
  const rows = share === 0 ? "every case drawn from the model is more typical than this one" : `${percent(1 - share)} of cases drawn from the model are more typical than this one`;
  return [h("span", { class: odd ? "caution" : "", "data-share": share, "data-conflict": conflict }, odd ? "Caution, unusual: " : "How typical: ", rows, "."),
    conflict >= CONFLICT ? ` The values contradict one another: conflict ${signed(conflict)}.` : null];
}

/** The share of drawn rows whose values of the known features are no more probable; and log of (product of each alone / all together). */
function* typicality(store, evidence, known, drawn) {
  const tree = store.spareTree();
  tree.setAll(evidence);
  const mine = tree.logEvidence();
  const apart = known.reduce((sum, index) => sum + Math.log(store.prior[index][evidence[index]]), 0);
  const other = new Int32Array(evidence.length).fill(-1);
  let below = 0;
  for (const row of drawn) {
    for (const index of known) other[index] = row[index];
    tree.setAll(other);
    if (tree.logEvidence() <= mine + 1e-9) below += 1;
    yield;
  }
  return { share: below / drawn.length, conflict: apart - mine };
}
