// The form of a spec follows what is typed, by htmx. This spares people who type fast
// an answer that is older than their text, and keeps the text when they are signed out.
"use strict";
(() => {
  const form = document.getElementById("spec-form");
  if (!form) return;
  // What was edited after a request was sent is not overwritten by its answer: the edit
  // sends a request of its own. A button's answer is always shown.
  let edits = 0;
  const sent = new WeakMap();
  form.addEventListener("input", () => { edits++; });
  form.addEventListener("click", (event) => { if (event.target.closest("button")) edits++; }, true);
  form.addEventListener("htmx:beforeRequest", (event) => { sent.set(event.detail.xhr, edits); });
  form.addEventListener("htmx:beforeSwap", (event) => {
    const button = event.detail.requestConfig.elt.name === "do";
    if (!button && sent.get(event.detail.xhr) !== edits) event.detail.shouldSwap = false;
  });
  form.addEventListener("htmx:beforeOnLoad", (event) => {
    const lost = event.detail.xhr.getResponseHeader("HX-Redirect") !== null;
    document.getElementById("spec-lost").hidden = !lost;
    if (lost) event.preventDefault();
  });
  const mark = () => {
    const text = document.getElementById("spec-text");
    const mistake = document.getElementById("spec-mistake");
    if (mistake && mistake.dataset.line !== "0") text.setAttribute("aria-invalid", "true");
    else text.removeAttribute("aria-invalid");
    text.setAttribute("aria-describedby", mistake ? "spec-mistake" : "spec-note");
  };
  // A page that refused the text is shown at the mistake, with the cursor in its line.
  const mistake = document.querySelector("#spec-mistake[role=alert]");
  if (mistake) {
    const text = document.getElementById("spec-text");
    const line = Number(mistake.dataset.line);
    const end = text.value.split("\n").slice(0, line).join("\n").length;
    if (line) text.setSelectionRange(end, end);
    (line ? text : mistake).focus();
    mistake.scrollIntoView({ block: "nearest" });
  }
  // A new row is typed over, unless somebody has begun to type.
  const select = () => {
    const now = document.activeElement;
    if (now.matches?.("#spec-rows input[autofocus]:not([type=checkbox])") && now.value === now.defaultValue) now.select();
  };
  form.addEventListener("htmx:afterSettle", (event) => {
    mark();
    if (event.detail.requestConfig?.elt.name === "do") select();
  });
  // Enter in a row presses none of its buttons.
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("#spec-rows input")) event.preventDefault();
  });
})();
