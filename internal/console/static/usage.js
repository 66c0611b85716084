// Draws the figures of the usage page; the table beside them says the same.
"use strict";
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const names = { runs: "asked for", failed: "failed", input: "in", output: "out", cost: "US dollars", downloads: "acknowledged" };
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const drawn = [];

  const draw = () => {
    while (drawn.length) drawn.pop().destroy();
    for (const figure of document.querySelectorAll(".plots figure")) figure.hidden = false; // all, before any is measured
    for (const place of document.querySelectorAll("[data-plot]")) {
      const columns = place.dataset.plot.split(" ");
      const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") }, font: "12px system-ui" };
      drawn.push(new uPlot({
        width: place.clientWidth, height: 180,
        cursor: { drag: { x: false, y: false } },
        scales: { y: { range: (_, min, max) => [0, Math.max(max * 1.1, columns[0] === "cost" ? 0.01 : 4)] } },
        axes: [{ ...axis, values: (_, ticks) => ticks.map((t) => new Date(t * 1000).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" })), space: 60 }, { ...axis, size: 60 }],
        series: [{ label: "day", value: (_, t) => t == null ? "–" : new Date(t * 1000).toISOString().slice(0, 10) }].concat(columns.map((name, i) => ({
          label: names[name], stroke: colour(i ? "--plot-b" : "--plot-a"), width: 2, dash: i ? [6, 4] : undefined,
          fill: i ? undefined : colour("--plot-a") + "22", points: { size: 5 },
        }))),
      }, [figures.days, ...columns.map((name) => figures[name])], place));
    }
  };
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  let waiting;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(draw, 150); });
})();
