// The model as the page received it: nodes with states, parents and tables.

/** Read the data block of the page. */
export function readModel(text) {
  const data = JSON.parse(text);
  const numbers = decodeFloats(data.tables);
  let start = 0;
  data.nodes.forEach((node, index) => {
    node.index = index;
    node.arity = node.states.length;
    node.family = [...node.parents, index];
    node.children = [];
    const size = node.family.reduce((product, k) => product * data.nodes[k].states.length, 1);
    node.table = numbers.subarray(start, start + size);
    start += size;
  });
  for (const node of data.nodes) for (const p of node.parents) data.nodes[p].children.push(node.index);
  if (data.examples) data.examples.codes = decodeRows(data.examples.codes, data.nodes.length);
  return data;
}

function decodeBytes(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return bytes.buffer;
}

function decodeFloats(text) {
  return new Float64Array(decodeBytes(text));
}

function decodeRows(text, columns) {
  const codes = new Int16Array(decodeBytes(text));
  const rows = [];
  for (let start = 0; start < codes.length; start += columns) rows.push(codes.subarray(start, start + columns));
  return rows;
}

/** The state that a number falls into: a value equal to a cut belongs to the interval below it. */
export function stateOfNumber(node, value) {
  return node.cuts.filter((cut) => value > cut).length;
}

/** A node and one of its states in words: "colour = red", but "age ≤ 18". */
export function inWords(node, state, longest = 200) {
  const clipped = (text) => (text.length <= longest ? text : `${text.slice(0, longest - 1)}…`);
  return `${clipped(node.name)} ${node.cuts ? "" : "= "}${clipped(node.states[state])}`;
}

/** Parents, children and children's other parents of a node. */
export function markovBlanket(model, index) {
  const node = model.nodes[index];
  const members = new Set([...node.parents, ...node.children]);
  for (const child of node.children) for (const p of model.nodes[child].parents) members.add(p);
  members.delete(index);
  return members;
}
