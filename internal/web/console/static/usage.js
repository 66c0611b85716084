// Draws the figures of the usage page; the table below them says the same.
"use strict";
(() => {
  const table = document.getElementById("figures-table");
  if (!table) return; // nothing happened
  table.open = false;
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const names = { runs: "asked for", failed: "failed", input: "in", output: "out", cost: "estimated", downloads: "acknowledged" };
  // A canvas knows no light-dark(): what a name comes to is read from an element.
  const probe = document.body.appendChild(document.createElement("span"));
  probe.hidden = true;
  const colour = (name, alpha = 1) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`);
  };
  // As the table and the rest of the page write them; days are those of UTC.
  const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
  const day = (t) => `${new Date(t * 1000).getUTCDate()} ${months[new Date(t * 1000).getUTCMonth()]}`;
  const count = (v) => String(Math.round(v)).replace(/\B(?=(?:\d{3})+$)/g, "\u202f");
  const dollars = (v) => `$${v.toFixed(v === 0 || v >= 1 ? 2 : 4)}`;
  const axisDollars = (v) => `$${v >= 10 ? count(v) : v.toFixed(2)}`;
  const drawn = [];

  // Days are bars, one inside the other where one counts part of the other; two
  // quantities of their own are lines, one of them dashed.
  const series = (name, i, lines) => ({
    label: names[name],
    stroke: colour(i ? "--plot-b" : "--plot-a"),
    fill: lines ? (i ? undefined : colour("--plot-a", 0.13)) : colour(i ? "--plot-b" : "--plot-a", i ? 1 : 0.53),
    width: lines ? 2 : 0,
    dash: lines && i ? [6, 4] : undefined,
    paths: lines ? undefined : uPlot.paths.bars({ size: [i ? 0.3 : 0.7, 28] }),
    points: { show: false },
    value: (_, v) => v == null ? "" : (name === "cost" ? dollars : count)(v),
  });

  const draw = () => {
    while (drawn.length) drawn.pop().destroy();
    for (const figure of document.querySelectorAll(".plots figure")) figure.hidden = false; // all, before any is measured
    const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") }, font: "12px system-ui" };
    for (const place of document.querySelectorAll("[data-plot]")) {
      const columns = place.dataset.plot.split(" ");
      const lines = columns[0] === "input";
      drawn.push(new uPlot({
        width: place.clientWidth, height: 190,
        tzDate: (t) => uPlot.tzDate(new Date(t * 1000), "UTC"),
        cursor: { drag: { x: false, y: false }, points: { show: lines } },
        scales: { x: { range: (_, min, max) => lines ? [min, max] : [min - 43200, max + 43200] }, y: { range: (_, min, max) => [0, Math.max(max * 1.1, columns[0] === "cost" ? 0.01 : 4)] } },
        axes: [
          { ...axis, grid: { show: false }, values: (_, ticks) => ticks.map(day), space: 60 },
          { ...axis, size: 60, values: (_, ticks) => ticks.map(columns[0] === "cost" ? axisDollars : count), incrs: columns[0] === "cost" ? [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 1e4, 1e5] : [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 1e8, 1e9] },
        ],
        series: [{ label: "", value: (_, t) => t == null ? "" : `${day(t)} ${new Date(t * 1000).getUTCFullYear()}` }]
          .concat(columns.map((name, i) => series(name, i, lines))),
      }, [figures.days, ...columns.map((name) => figures[name])], place));
    }
  };
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  let waiting;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(draw, 150); });
})();
