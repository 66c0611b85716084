// The live view of a generation: what the server told until the page was made
// stands in the page; this goes on from there. Text is only ever set as text.
"use strict";
(() => {
  const shownText = 200 * 1024; // of one file
  const outcome = document.getElementById("outcome");
  const sizes = (root) => {
    for (const size of root.querySelectorAll("[data-size]")) {
      const n = Number(size.dataset.size);
      size.textContent = n < 1024 ? `${n} B` : `${(n / 1024).toFixed(1)} KiB`;
    }
  };
  sizes(document);
  if (!outcome.dataset.stream) return;

  const list = document.getElementById("file-list");
  const decisions = document.getElementById("decision-list");
  const files = new Map();
  for (const box of list.children) files.set(box.dataset.file, box);
  let last = Number(outcome.dataset.last);
  let source;
  let wait = 1000;

  const words = { generate_file: "generating", repair_file: "repairing", plan: "planning", validate: "validating", finalize: "finalising" };

  const begin = () => { // what was said before is void
    list.replaceChildren();
    decisions.replaceChildren();
    files.clear();
    document.getElementById("memory-part").hidden = true;
  };

  const on = {
    token(e) {
      let box = files.get(e.file);
      if (!box) {
        box = document.getElementById("file-shape").content.firstElementChild.cloneNode(true);
        box.dataset.file = e.file;
        box.dataset.attempt = e.attempt;
        box.querySelector("summary code").textContent = e.file;
        files.set(e.file, box);
        list.append(box);
        document.getElementById("file-count").textContent = files.size;
        document.getElementById("no-files").hidden = true;
      }
      const code = box.querySelector("pre code");
      if (e.attempt > Number(box.dataset.attempt)) {
        box.dataset.attempt = e.attempt;
        delete box.dataset.cut;
        code.textContent = "";
      }
      if (e.attempt < Number(box.dataset.attempt)) return;
      if (code.textContent.length > shownText) box.dataset.cut = "";
      if (!("cut" in box.dataset)) code.append(e.delta);
      box.querySelector(".size").dataset.size = e.offset + new TextEncoder().encode(e.delta).length;
    },
    state_update(e) {
      let row = [...decisions.children].find((r) => r.dataset.key === e.key);
      if (!row) {
        row = document.getElementById("decision-shape").content.firstElementChild.cloneNode(true);
        row.dataset.key = e.key;
        row.querySelector("dt").textContent = e.key;
        decisions.append(row);
      }
      row.querySelector("strong").textContent = e.value;
      const reason = row.querySelector(".faint");
      if (reason) reason.textContent = e.reason || "";
      document.getElementById("no-decisions").hidden = true;
    },
    memory_update(e) {
      document.getElementById("memory").textContent = e.content;
      document.getElementById("memory-part").hidden = e.content === "";
    },
    tool_status(e) {
      if (e.run_attempt > 1) begin();
      const badge = outcome.querySelector(".badge");
      if (badge.classList.contains("queued")) {
        badge.className = "badge running";
        badge.textContent = "running";
      }
      document.getElementById("action").textContent = (words[e.action] || e.action) + (e.file ? `: ${e.file}` : "");
    },
    cost_summary() {},
    bundle_ready: finish,
    error: finish,
  };

  function finish() {
    source.close();
    // The record tells how it ended: the part of the page that shows it is asked for anew.
    htmx.ajax("GET", location.href, { target: "#outcome", select: "#outcome", swap: "outerHTML" });
  }

  const open = () => {
    source = new EventSource(`${outcome.dataset.stream}?lastEventId=${last}`);
    for (const name of Object.keys(on)) {
      source.addEventListener(name, (event) => {
        if (event.data === undefined) return; // the browser's own error event has the same name
        const seq = Number(event.lastEventId);
        if (seq <= last) return;
        last = seq;
        wait = 1000;
        on[name](JSON.parse(event.data));
        sizes(list);
      });
    }
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return; // it comes back by itself
      setTimeout(open, wait);
      wait = Math.min(wait * 2, 30000);
    };
  };
  open();
})();
