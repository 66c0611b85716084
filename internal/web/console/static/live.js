// The workbench of a generation. What was told until the page was made stands in
// the page; this goes on from there. Text is only ever set as text.
//
// Events are only noted when they come, and shown once in a frame, so that no
// number of them keeps the page from answering. The page holds one file's text.
"use strict";
(() => {
  const shownText = 200 * 1024; // of one file
  const keptText = 16 << 20; // of all files, in memory
  const blockLines = 100; // of the code, laid out together; the style sheet knows the number
  const silent = 12000; // the server beats every five seconds
  const part = (id) => document.getElementById(id);
  const live = () => part("outcome").dataset.stream !== undefined;
  const stages = ["queued", "plan", "write", "validate", "finalize"];
  const stageOf = { plan: "plan", generate_file: "write", repair_file: "write", validate: "validate", finalize: "finalize" };
  const words = { generate_file: "writing", repair_file: "repairing", plan: "planning", validate: "checking", finalize: "packing" };
  const verdict = (e) => e.status === "unchecked" ? (e.detail ?? "").replaceAll("skipped", "not tried") : e.status.replaceAll("_", " ");
  const size = (n) => n < 1024 ? `${n} B` : n < 1048576 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / 1048576).toFixed(1)} MiB`;
  const encoder = new TextEncoder();

  // The tree: one link for a file, one line for a folder, in the order of paths.
  const tree = part("tree");
  // The page tells no path that follows from the rows above.
  const above = [""]; // of each depth, the folder
  const rows = [...tree.children].map((row) => {
    const depth = Number(row.className.slice(1));
    const path = row.dataset.path ??= above[depth] + row.textContent;
    if (row.matches("span")) above[depth + 1] = path;
    return { path, row };
  });
  const files = new Map();
  const place = (path) => { // where a path stands, or belongs
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle].path < path) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const insert = (path, row) => {
    const at = place(path);
    tree.insertBefore(row, rows[at]?.row ?? null);
    rows.splice(at, 0, { path, row });
  };
  const indent = (path) => `d${Math.min(path.split("/").length - 1 - path.endsWith("/"), 8)}`;
  const add = (path) => {
    for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) {
      const folder = path.slice(0, end + 1);
      if (rows[place(folder)]?.path === folder) continue;
      const row = document.createElement("span");
      row.dataset.path = folder;
      row.className = indent(folder);
      row.textContent = folder.slice(folder.lastIndexOf("/", end - 1) + 1);
      insert(folder, row);
    }
    const row = document.createElement("a");
    row.dataset.path = path;
    row.className = indent(path);
    row.href = `?file=${encodeURIComponent(path)}`;
    row.textContent = path.slice(path.lastIndexOf("/") + 1);
    insert(path, row);
    return row;
  };
  for (const { path, row } of rows) {
    // What was written before this page was made is asked for when it is wanted.
    if (row.matches("a")) files.set(path, { path, row, attempt: Number(row.dataset.attempt ?? 1), size: 0, text: "", whole: false });
  }

  // The code of one file, in blocks that are laid out one by one.
  const pre = part("text");
  let shown; // the file
  let paint = () => {};
  let dirty = false;
  const append = (text) => {
    for (const line of text.split(/(?<=\n)/)) {
      let block = pre.lastElementChild;
      if (!block || Number(block.dataset.lines) >= blockLines) {
        if (block) paint(block.firstChild);
        block = document.createElement("code");
        block.dataset.lines = 0;
        block.append("");
        pre.append(block);
      }
      block.firstChild.appendData(line);
      if (line.endsWith("\n")) block.dataset.lines = Number(block.dataset.lines) + 1;
    }
    dirty = true;
  };
  const show = (file) => {
    shown?.row.removeAttribute("aria-current");
    shown = file;
    file.row.setAttribute("aria-current", "true");
    file.row.scrollIntoView({ block: "nearest" });
    highlight.clear();
    paint = highlight.of(file.path);
    pre.replaceChildren();
    part("code-name").textContent = file.path;
    part("code-size").textContent = file.size ? size(file.size) : "";
    part("code-cut").hidden = !file.cut;
    pre.classList.toggle("prose", /\.(?:md|txt)$/i.test(file.path));
    append(file.text);
    if (pre.lastElementChild) paint(pre.lastElementChild.firstChild); // nothing else may come
  };
  const fetchText = async (file) => {
    const answer = await fetch(file.row.href, { headers: { "X-Requested-With": "fetch" } }).catch(() => undefined);
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    file.text = page.getElementById("text").textContent;
    file.size = Number(page.getElementById("code-size").dataset.size);
    file.cut = !page.getElementById("code-cut").hidden;
    file.whole = true;
    if (shown === file) show(file);
  };

  // Follow means follow: the file that is being written is shown, at its end. A
  // click elsewhere lets go, the button returns.
  let following = live();
  let writing;
  const setFollow = (on) => {
    following = on;
    part("follow").hidden = on || !live();
    if (on && writing) show(writing);
    dirty = true;
  };
  tree.addEventListener("click", (event) => {
    const row = event.target.closest("a");
    if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const file = files.get(row.dataset.path);
    setFollow(false);
    show(file);
    if (!file.whole) fetchText(file);
  });
  part("follow").addEventListener("click", () => setFollow(true));
  pre.addEventListener("wheel", (event) => { if (following && event.deltaY < 0) setFollow(false); }, { passive: true });
  pre.addEventListener("keydown", (event) => { if (following && /^(?:Arrow|Page|Home)/.test(event.key)) setFollow(false); });

  // What was in the page becomes blocks.
  {
    const file = files.get(part("code-name").textContent);
    if (file) {
      file.text = pre.textContent;
      file.size = Number(part("code-size").dataset.size);
      file.cut = !part("code-cut").hidden;
      file.whole = !file.cut;
      if (live()) writing = file;
      show(file);
    }
  }

  let last = Number(part("outcome").dataset.last);
  let kept = 0;
  const title = document.title.split(" · ").pop();
  const say = (what) => { document.title = `Generation ${what} · ${title}`; };
  let at = [...part("stages").children].findIndex((item) => item.matches(".now"));
  const stage = (name) => {
    const now = at = stages.indexOf(name);
    for (const [i, item] of [...part("stages").children].entries()) {
      item.className = i < now ? "done" : i === now ? "now" : "";
      if (i === now) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    }
  };
  const begin = () => { // what was said before is void
    tree.replaceChildren();
    rows.length = 0;
    files.clear();
    highlight.clear();
    pre.replaceChildren();
    shown = writing = undefined;
    kept = 0;
    for (const id of ["decision-list", "left-out-list", "check-list"]) part(id).replaceChildren();
    part("verdict").textContent = "";
    part("code-name").textContent = "";
    part("code-size").textContent = "";
    part("memory").textContent = "";
  };
  // entry is a line of a list by its key, made where it is missing.
  const entry = (list, key, by = "key") => {
    let row = [...list.children].find((r) => r.dataset[by] === key);
    if (!row) {
      row = part("entry-shape").content.firstElementChild.cloneNode(true);
      row.dataset[by] = key;
      if (by === "key") row.querySelector("dt").textContent = key;
      list.append(row);
    }
    return row;
  };
  // Checks that were not made for one reason are one line: the reason is the news.
  const notTried = (check, reason) => {
    [...part("check-list").children].find((r) => r.dataset.key === check)?.remove();
    const row = entry(part("check-list"), reason, "untried");
    const names = row.querySelector("dt");
    const known = names.textContent ? names.textContent.split(", ") : [];
    if (!known.includes(check)) names.textContent = [...known, check].join(", ");
    row.querySelector("strong").textContent = "not tried";
    row.querySelector(".faint").textContent = reason;
  };

  const on = {
    token(e) {
      let file = files.get(e.file);
      if (!file) {
        file = { path: e.file, row: add(e.file), attempt: e.attempt, size: 0, text: "", whole: true };
        files.set(e.file, file);
      }
      if (e.attempt < file.attempt) return;
      if (e.attempt > file.attempt || e.offset === 0) {
        kept -= file.text.length;
        Object.assign(file, { attempt: e.attempt, text: "", cut: false, whole: true });
        if (shown === file) show(file);
      }
      file.size = e.offset + (/^[\x00-\x7f]*$/.test(e.delta) ? e.delta.length : encoder.encode(e.delta).length);
      if (file.text.length + e.delta.length > shownText) file.cut = true;
      if (file.whole && !file.cut && kept < keptText) {
        file.text += e.delta;
        kept += e.delta.length;
        if (shown === file) append(e.delta);
      } else {
        file.whole = false;
      }
      writing = file;
      dirty = true;
      if (at >= stages.indexOf("write")) return; // an engine that says nothing but what it writes
      stage("write");
      part("action").textContent = `${words.generate_file} ${e.file}`;
      say(part("action").textContent);
    },
    state_update(e) {
      if (e.key === "left_out") {
        part("left-out-list").replaceChildren(...e.value.split("; ").filter(Boolean).map((what) => {
          const item = document.createElement("li");
          item.textContent = what;
          return item;
        }));
        return;
      }
      const row = entry(part("decision-list"), e.key);
      row.querySelector("strong").textContent = e.value;
      row.querySelector(".faint").textContent = e.reason || "";
    },
    memory_update(e) { part("memory").textContent = e.content; },
    tool_status(e) {
      if (e.run_attempt > 1) begin();
      const badge = part("outcome").querySelector(".badge");
      if (badge.classList.contains("queued")) {
        badge.className = "badge running";
        badge.textContent = "running";
      }
      stage(stageOf[e.action] ?? "write");
      const what = `${words[e.action] || e.action}${e.file || e.check || e.detail ? ` ${e.file || e.check || e.detail}` : ""}`;
      part("action").textContent = what;
      say(what);
      if (e.action === "validate" && !e.check) part("verdict").textContent = e.status === "started" ? "" : verdict(e);
      if (!e.check) return;
      if (e.status === "skipped") {
        notTried(e.check, e.detail ?? "");
        return;
      }
      const row = entry(part("check-list"), e.check);
      row.className = e.status;
      row.querySelector("strong").textContent = e.status === "started" ? "…" : verdict(e);
      row.querySelector(".faint").textContent = [e.seconds ? `${e.seconds.toFixed(1)} s` : "", e.version ?? "", e.detail ?? ""].filter(Boolean).join(" · ");
    },
    bundle_ready: () => finish(),
    error: () => finish(),
  };

  // What is being written is marked, in the tree and at its end.
  let marked;
  const mark = () => {
    const now = live() ? writing : undefined;
    if (now !== marked) {
      marked?.row.classList.remove("writing");
      now?.row.classList.add("writing");
      marked = now;
    }
    pre.classList.toggle("writing", now !== undefined && shown === now);
  };

  // Once in a frame, what has changed is shown.
  const queue = [];
  const frame = () => {
    const until = performance.now() + 12;
    let taken = 0;
    for (; taken < queue.length && performance.now() < until; taken++) on[queue[taken].name](queue[taken].data);
    queue.splice(0, taken);
    dirty ||= taken > 0;
    if (dirty) {
      dirty = false;
      if (following && writing && shown !== writing) show(writing);
      if (shown) {
        part("code-size").textContent = size(shown.size);
        part("code-cut").hidden = !shown.cut;
      }
      if (pre.lastElementChild) paint(pre.lastElementChild.firstChild);
      mark();
      if (following) pre.scrollTop = pre.scrollHeight;
      part("file-count").textContent = files.size;
      for (const box of document.querySelectorAll("[data-of]")) box.hidden = part(box.dataset.of).childNodes.length === 0;
      dirty = false;
    }
    if (queue.length > 0) soon();
    else scheduled = false;
  };
  let scheduled = false;
  // A window that is not seen has no frames.
  const soon = () => { document.hidden ? setTimeout(frame, 50) : requestAnimationFrame(frame); };
  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    soon();
  };
  dirty = true;
  schedule();
  if (!live()) return;
  // A window of another size has its end elsewhere, before anybody sees it.
  new ResizeObserver(() => { if (following) pre.scrollTop = pre.scrollHeight; }).observe(pre);
  setFollow(true);

  const tick = () => {
    const since = part("elapsed")?.dataset.since;
    if (!since) return;
    const s = Math.max(0, Math.floor((Date.now() - new Date(since)) / 1000));
    part("elapsed").textContent = s < 60 ? `${s} s` : `${Math.floor(s / 60)} min ${s % 60} s`;
  };
  tick();
  const ticking = setInterval(tick, 1000);

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
    ended = true;
    clearTimeout(watchdog);
    source.close();
    for (let pause = 1000; ; pause = Math.min(pause * 2, 30000)) {
      await htmx.ajax("GET", location.href, { target: "#outcome", select: "#outcome", swap: "outerHTML" }).catch(() => {});
      if (!live() || await isGone()) break;
      await rest(pause);
    }
    clearInterval(ticking);
    const state = part("outcome").dataset.state ?? "";
    say(state);
    const icon = part("outcome").dataset.icon;
    if (icon) document.querySelector("link[rel=icon]").href = icon;
    part("follow").hidden = true;
    part("code").hidden = files.size === 0;
    part("no-files").hidden = files.size > 0;
    const followed = following ? shown : undefined;
    following = false;
    mark();
    // Who has followed until here sees what a reload would show.
    const first = followed && files.get(part("outcome").dataset.file);
    if (first && !first.whole) await fetchText(first);
    if (first?.whole && shown === followed) {
      show(first);
      pre.scrollTop = 0;
    } else {
      shown?.row.scrollIntoView({ block: "nearest" }); // what came above has made the tree lower
    }
  }

  // A connection can be silent without being closed: no word for too long is said,
  // with when the last one came, and a new one is opened.
  let source;
  let ended = false;
  let wait = 1000;
  let watchdog;
  let lastHeard = new Date();
  const heard = () => {
    lastHeard = new Date();
    part("lost").hidden = true;
    clearTimeout(watchdog);
    if (!ended) watchdog = setTimeout(lost, silent, true);
  };
  const lost = (reopen) => {
    part("lost-since").dateTime = lastHeard.toISOString();
    part("lost-since").textContent = lastHeard.toLocaleTimeString();
    part("lost").hidden = false;
    if (!reopen) return;
    source.close();
    open();
  };

  const open = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(lost, silent, true);
    source = new EventSource(`${part("outcome").dataset.stream}?lastEventId=${last}`);
    source.onopen = heard;
    source.addEventListener("beat", (event) => {
      heard();
      part("spent").textContent = JSON.parse(event.data).spent ?? part("spent").textContent;
    });
    source.addEventListener("signed_out", () => {
      ended = true;
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
        heard();
        queue.push({ name, data: JSON.parse(event.data) });
        schedule();
      });
    }
    source.onerror = async (event) => {
      if (event.data !== undefined || ended || !live()) return;
      const mine = source;
      setTimeout(() => { if (!ended && new Date() - lastHeard > 2900) lost(false); }, 3000);
      if (source.readyState !== EventSource.CLOSED) return; // it comes back by itself
      clearTimeout(watchdog);
      if (await isGone()) {
        ended = true;
        part("lost").hidden = true;
        return;
      }
      await rest(wait);
      wait = Math.min(wait * 2, 30000);
      if (source === mine && !ended) open();
    };
  };
  open();
})();
