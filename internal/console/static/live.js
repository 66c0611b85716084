// The live view of a generation: what the server told until the page was made
// stands in the page; this goes on from there. Text is only ever set as text.
"use strict";
(() => {
  const shownText = 200 * 1024; // of one file
  const part = (id) => document.getElementById(id);
  if (!part("outcome").dataset.stream) return;
  const address = part("outcome").dataset.stream;

  const list = part("file-list");
  const decisions = part("decision-list");
  const files = new Map();
  const hold = (box) => {
    const code = box.querySelector("pre code");
    const file = { box, code, attempt: Number(box.dataset.attempt), shown: code.textContent.length, cut: "cut" in box.dataset };
    files.set(box.dataset.file, file);
    return file;
  };
  for (const box of list.children) hold(box);
  let last = Number(part("outcome").dataset.last);
  let source;
  let wait = 1000;
  let writing; // the file that is open because it is being written
  let silence;

  const words = { generate_file: "generating", repair_file: "repairing", plan: "planning", validate: "validating", finalize: "finalising" };
  const size = (n) => n < 1024 ? `${n} B` : n < 1048576 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / 1048576).toFixed(1)} MiB`;
  const encoder = new TextEncoder();

  const begin = () => { // what was said before is void
    list.replaceChildren();
    decisions.replaceChildren();
    files.clear();
    writing = undefined;
    part("file-count").textContent = 0;
    part("no-files").hidden = false;
    part("no-decisions").hidden = false;
    part("memory-part").hidden = true;
  };

  // The file that is being written is open, and the one before it closed, as long
  // as somebody wants to follow.
  const follow = (file) => {
    if (!part("follow").checked) return;
    if (writing !== file) {
      if (writing) writing.box.open = false;
      writing = file;
      file.box.open = true;
    }
    const pre = file.code.parentElement;
    pre.scrollTop = pre.scrollHeight;
  };

  if (list.lastElementChild) follow(files.get(list.lastElementChild.dataset.file));

  const on = {
    token(e) {
      let file = files.get(e.file);
      if (!file) {
        const box = part("file-shape").content.firstElementChild.cloneNode(true);
        box.dataset.file = e.file;
        box.dataset.attempt = e.attempt;
        box.querySelector("summary code").textContent = e.file;
        file = hold(box);
        list.append(box);
        part("file-count").textContent = files.size;
        part("no-files").hidden = true;
      }
      if (e.attempt < file.attempt) return;
      if (e.attempt > file.attempt) {
        file.attempt = e.attempt;
        file.cut = false;
        file.shown = 0;
        file.code.textContent = "";
      }
      file.cut ||= file.shown > shownText;
      if (!file.cut) {
        file.code.append(e.delta);
        file.shown += e.delta.length;
      }
      file.box.querySelector(".size").textContent = size(e.offset + encoder.encode(e.delta).length);
      follow(file);
    },
    state_update(e) {
      let row = [...decisions.children].find((r) => r.dataset.key === e.key);
      if (!row) {
        row = part("decision-shape").content.firstElementChild.cloneNode(true);
        row.dataset.key = e.key;
        row.querySelector("dt").textContent = e.key;
        decisions.append(row);
      }
      row.querySelector("strong").textContent = e.value;
      const reason = row.querySelector(".faint");
      if (reason) reason.textContent = e.reason || "";
      part("no-decisions").hidden = true;
    },
    memory_update(e) {
      part("memory").textContent = e.content;
      part("memory-part").hidden = e.content === "";
    },
    tool_status(e) {
      if (e.run_attempt > 1) begin();
      const badge = part("outcome").querySelector(".badge");
      if (badge.classList.contains("queued")) {
        badge.className = "badge running";
        badge.textContent = "running";
      }
      part("action").textContent = (words[e.action] || e.action) + (e.file || e.check ? `: ${e.file || e.check}` : "");
    },
    cost_summary(e) {
      part("action").textContent = `${e.input_tokens + e.output_tokens} tokens, $${e.estimated_cost_usd.toFixed(4)}`;
    },
    bundle_ready: () => finish(),
    error: () => finish(),
  };

  const rest = (ms) => new Promise((done) => { setTimeout(done, ms); });

  // A run that was deleted does not come back, whatever is tried.
  const isGone = async () => {
    try {
      const answer = await fetch(location.pathname, { method: "HEAD", redirect: "manual" });
      if (answer.status === 404) part("gone").hidden = false;
      return answer.status === 404;
    } catch {
      return false; // the server does not answer, which says nothing
    }
  };

  // The record tells how it ended: the part of the page that shows it is asked
  // for anew, until it comes.
  async function finish() {
    source.close();
    for (let pause = 1000; ; pause = Math.min(pause * 2, 30000)) {
      await htmx.ajax("GET", location.href, { target: "#outcome", select: "#outcome", swap: "outerHTML" }).catch(() => {});
      if (!part("outcome").dataset.stream || await isGone()) break;
      await rest(pause);
    }
    part("follow").parentElement.hidden = true;
  }

  const heard = () => {
    clearTimeout(silence);
    silence = undefined;
    part("lost").hidden = true;
  };

  const open = () => {
    source = new EventSource(`${address}?lastEventId=${last}`);
    source.onopen = heard;
    source.addEventListener("signed_out", () => {
      source.close();
      heard();
      part("signed-out").hidden = false;
    });
    for (const name of Object.keys(on)) {
      source.addEventListener(name, (event) => {
        if (event.data === undefined) return; // the browser's own error event has the same name
        const seq = Number(event.lastEventId);
        if (seq <= last) return;
        last = seq;
        wait = 1000;
        on[name](JSON.parse(event.data));
      });
    }
    source.onerror = async (event) => {
      if (event.data !== undefined || part("outcome").dataset.stream === undefined) return;
      silence ??= setTimeout(() => { part("lost").hidden = false; }, 3000);
      if (source.readyState !== EventSource.CLOSED) return; // it comes back by itself
      if (await isGone()) {
        heard();
        return;
      }
      await rest(wait);
      wait = Math.min(wait * 2, 30000);
      open();
    };
  };
  open();
})();
