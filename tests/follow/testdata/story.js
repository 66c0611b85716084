// A viewer's memory of one run: it takes events in order and rebuilds the files,
// as the contract of the stream tells viewers to. The page in the browser and
// the program in Node both use it.
export class Story {
  files = {}; // path -> text
  last = 0; // number of the last event
  end = null; // the terminal event
  resumed = 0; // connections after the first
  #attempts = {};
  #bytes = {};

  // add takes an event: its id as text, its name, its data as text.
  add(id, name, data) {
    if (this.end) throw new Error(`event ${id} comes after the terminal one`);
    if (Number(id) !== this.last + 1) throw new Error(`event ${id} follows on ${this.last}`);
    this.last = Number(id);
    const payload = JSON.parse(data);
    if (payload.v !== 1) throw new Error(`event ${id} has no version: ${data}`);
    if (name === "token") this.#token(payload);
    if (name === "tool_status" && payload.action === "plan" && payload.run_attempt > 1) this.#forget();
    if (name === "bundle_ready" || name === "error") this.end = { name, payload };
  }

  #token({ file, attempt, offset, delta }) {
    if (!(file in this.files) || attempt > this.#attempts[file]) {
      this.files[file] = "";
      this.#bytes[file] = 0;
      this.#attempts[file] = attempt;
    }
    if (attempt < this.#attempts[file]) throw new Error(`attempt ${attempt} at ${file} comes late`);
    if (offset !== this.#bytes[file]) throw new Error(`${file} goes on at byte ${offset} and has ${this.#bytes[file]}`);
    this.files[file] += delta;
    this.#bytes[file] += new TextEncoder().encode(delta).length;
  }

  #forget() {
    this.files = {};
    this.#attempts = {};
    this.#bytes = {};
  }

  result() {
    return { files: this.files, events: this.last, resumed: this.resumed, end: this.end };
  }
}

// names are all events that a run can tell.
export const names = ["token", "state_update", "memory_update", "tool_status", "cost_summary", "bundle_ready", "error"];
