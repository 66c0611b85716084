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

// What could not be fetched is said, and taken back when it can be again.
const trouble = (there) => { document.getElementById("trouble").hidden = !there; };
for (const name of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
  document.addEventListener(name, () => trouble(true));
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
// in the middle of it.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.id === "now" && event.target.contains(document.activeElement)) event.preventDefault();
});

// Countdowns.
const span = (seconds) => {
  const say = (n, unit) => `${n} ${unit}${n === 1 ? "" : "s"} left`;
  if (seconds <= 0) return "due now";
  if (seconds < 60) return say(Math.floor(seconds), "second");
  if (seconds < 3600) return say(Math.floor(seconds / 60), "minute");
  if (seconds < 172800) return say(Math.floor(seconds / 3600), "hour");
  return say(Math.floor(seconds / 86400), "day");
};
setInterval(() => {
  for (const time of document.querySelectorAll("time[data-until]")) {
    const text = span((new Date(time.dateTime) - Date.now()) / 1000);
    if (time.textContent !== text) time.textContent = text;
  }
}, 1000);
