// Follows a run with the npm package eventsource and prints what it saw as JSON.
// The address and the key come as one JSON object on standard input.
import { readFileSync } from "node:fs";
import { EventSource } from "eventsource";
import { Story, names } from "./story.js";

const { stream, key } = JSON.parse(readFileSync(0, "utf8"));
const story = new Story();
let opened = 0;

const source = new EventSource(stream, {
  fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, Authorization: `Bearer ${key}` } }),
});

function finish(failure) {
  source.close();
  if (failure) {
    console.error(failure);
    process.exitCode = 1;
    return;
  }
  process.stdout.write(JSON.stringify(story.result()));
}

source.addEventListener("open", () => {
  story.resumed = opened++;
});
for (const name of names) {
  source.addEventListener(name, (event) => {
    if (event.data === undefined) {
      // The package's own error: cut off, which it mends itself, or given up.
      if (source.readyState === source.CLOSED && !story.end) finish(new Error(`gave up: ${event.code} ${event.message}`));
      return;
    }
    try {
      story.add(event.lastEventId, name, event.data);
    } catch (wrong) {
      finish(wrong);
      return;
    }
    if (story.end) finish();
  });
}
