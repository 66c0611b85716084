// What spares people a reload or a selection. Everything works without it.
"use strict";
document.documentElement.classList.add("js");

// A page that answered a form with a secret must not be asked for again by a
// reload: the address is asked for anew instead.
if (document.querySelector(".secret")) history.replaceState(null, "", location.href);

// A page that the browser kept for its back button may belong to somebody who has
// signed out since.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// What could not be fetched is said, and taken back when it can be again; what was
// deleted does not come back.
const gone = document.getElementById("gone");
const trouble = (there) => { document.getElementById("trouble").hidden = !there; };
for (const name of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
  document.addEventListener(name, (event) => {
    const deleted = gone !== null && event.detail.xhr?.status === 404;
    if (deleted) gone.hidden = false;
    trouble(!deleted);
  });
}
document.addEventListener("htmx:afterOnLoad", (event) => { if (event.detail.successful) trouble(false); });

// Copy buttons.
const showCopyButtons = (root) => {
  for (const button of root.querySelectorAll("[data-copy]")) button.hidden = false;
};
showCopyButtons(document);
document.addEventListener("htmx:load", (event) => showCopyButtons(event.target));
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const label = button.querySelector("span");
  try {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    label.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(document.getElementById(button.dataset.copy));
    label.textContent = "Selected";
  }
  setTimeout(() => { label.textContent = "Copy"; }, 2000);
});

// What is fetched now and then must not take the focus away from somebody who is
// in the middle of it, and is not fetched for a window that nobody sees, nor when it is
// gone. The bundle
// of a run is: who has copied its command has the focus there, and is elsewhere.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (!["now", "steps", "made"].includes(event.target.id)) return;
  if (document.hidden || !gone.hidden || event.target.id !== "made" && event.target.contains(document.activeElement)) event.preventDefault();
});

// Countdowns.
const span = (seconds) => {
  const say = (n, unit) => `${n} ${unit}${n === 1 ? "" : "s"}`;
  if (seconds < 59.5) return say(Math.max(Math.round(seconds), 1), "second");
  if (seconds < 3570) return say(Math.round(seconds / 60), "minute");
  if (seconds < 171000) return say(Math.round(seconds / 3600), "hour");
  return say(Math.round(seconds / 86400), "day");
};
setInterval(() => {
  for (const time of document.querySelectorAll("time[data-until], time[data-wait]")) {
    const seconds = (new Date(time.dateTime) - Date.now()) / 1000;
    const wait = "wait" in time.dataset;
    const text = seconds <= 0 ? (wait ? "a moment" : "due now") : span(seconds) + (wait ? "" : " left");
    if (time.textContent !== text) time.textContent = text;
  }
}, 1000);

// Times of the clock are the reader's own, with UTC on hover.
const localTimes = (root) => {
  for (const time of root.querySelectorAll("time[data-local]")) {
    if (time.title) continue;
    time.title = time.textContent;
    time.textContent = new Date(time.dateTime).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  }
};
localTimes(document);
document.addEventListener("htmx:load", (event) => localTimes(event.target));

// Finding with the keyboard: ⌘K or Ctrl-K from everywhere, arrows, Enter.
const palette = document.getElementById("palette");
if (palette) {
  const field = palette.querySelector("input");
  const open = (event) => {
    event.preventDefault();
    if (palette.open) return;
    palette.showModal();
    field.select();
    field.dispatchEvent(new Event("open"));
  };
  document.addEventListener("keydown", (event) => {
    if ((event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") open(event);
  });
  document.querySelector("[data-find]").addEventListener("click", open);
  palette.addEventListener("click", (event) => { if (event.target === palette) palette.close(); });
  document.addEventListener("keydown", (event) => { // also when new results took the place of what had the focus
    if (!palette.open) return;
    const links = [...palette.querySelectorAll("#palette-found a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "ArrowDown") (links[at + 1] ?? links[0])?.focus();
    else if (event.key === "ArrowUp") (at > 0 ? links[at - 1] : field).focus();
    else if (event.key === "Enter" && event.target === field && links.length) links[0].click();
    else return;
    event.preventDefault();
  });
}
