// Talking to the studio's server: it answers with JSON, and refusals are one sentence.

import { byId, fill, h } from "/page/dom.js";

/** Ask the server; throws an error whose message is the server's sentence. */
export async function ask(method, path, body = undefined) {
  const raw = body instanceof Blob;
  const headers = body === undefined ? {} : { "Content-Type": raw ? "application/octet-stream" : "application/json" };
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: body === undefined ? undefined : raw ? body : JSON.stringify(body) });
  } catch {
    throw new Error("The studio does not answer: is 'bayleaf studio' still running?");
  }
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.detail ?? `The studio answered with status ${answer.status}.`);
  return said;
}

/** Run what may be refused; the sentence is shown until it is read. */
export async function attempt(act) {
  byId("alarm").hidden = true;
  try {
    return await act();
  } catch (error) {
    alarm(error.message);
    return null;
  }
}

export function alarm(text) {
  const close = h("button", { class: "icon", type: "button", "aria-label": "Close", onclick: () => { byId("alarm").hidden = true; } }, "×");
  fill(byId("alarm"), h("span", {}, text), close);
  byId("alarm").hidden = false;
}

/** A place to drop a file on, or to choose one. */
export function dropPlace(text, take, small = false) {
  const input = h("input", { type: "file", hidden: true, onchange: () => { if (input.files.length) take(input.files[0]); } });
  const place = h("div", { class: small ? "drop small" : "drop" }, h("p", {}, text),
    h("button", { class: "plain", type: "button", onclick: () => input.click() }, "Choose a file"), input);
  place.addEventListener("dragover", (event) => { event.preventDefault(); place.classList.add("over"); });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    event.stopPropagation();
    place.classList.remove("over");
    if (event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
  });
  return place;
}
