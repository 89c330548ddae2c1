"use strict";
(() => {
  const specs = JSON.parse(document.getElementById("specs").textContent);
  const said = document.getElementById("said");
  const boxes = [...document.querySelectorAll(".choose input")];
  const scene = document.getElementById("scene");
  const views = [];

  // Colours are variables of the style sheet: light, dark and print need no second drawing.
  const axis = {
    labelColor: "var(--ink)", titleColor: "var(--ink)", domainColor: "var(--soft)",
    tickColor: "var(--soft)", gridColor: "var(--line)", labelFontSize: 12, titleFontSize: 13,
    titleFontWeight: "normal", labelOverlap: true,
  };
  const config = {
    background: "transparent", view: { stroke: null }, axis,
    // A family that can be measured: the room for labels is reckoned from it.
    font: "system-ui, sans-serif", axisQuantitative: { tickCount: 7, labelSeparation: 6 },
    title: { color: "var(--ink)", fontSize: 13, fontWeight: "normal" },
    legend: { labelColor: "var(--ink)", titleColor: "var(--ink)", labelFontSize: 12, labelLimit: 220 },
  };

  const chosen = () => boxes.filter((box) => box.checked).map((box) => box.value);

  function choose() {
    const labels = chosen();
    for (const view of views) {
      view.signal("chosen", labels);
      if (scene) view.signal("scene", Number(scene.value));
      view.runAsync();
    }
    for (const one of document.querySelectorAll("[data-label]")) {
      one.hidden = boxes.length > 0 && !labels.includes(one.dataset.label);
    }
    for (const one of document.querySelectorAll(".keys .case")) {
      one.textContent = `Case: ${scene.selectedOptions[0].text}`;
    }
  }

  async function draw(id) {
    const place = document.querySelector(`#${CSS.escape(id)} .view`);
    const options = { renderer: "svg", actions: false, config };
    const { view } = await vegaEmbed(place, specs[id], options);
    const svg = place.querySelector("svg");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", place.dataset.alt);
    views.push(view);
    const tools = document.querySelector(`#${CSS.escape(id)} .tools`);
    tools.querySelector(".reset").addEventListener("click", async () => {
      view.finalize();
      views.splice(views.indexOf(view), 1);
      place.replaceChildren();
      tools.replaceWith(tools.cloneNode(true));
      await draw(id);
      choose();
      document.querySelector(`#${CSS.escape(id)} .reset`).focus();
    });
    tools.querySelector(".csv").addEventListener("click", () => save(id));
    tools.hidden = false;
  }

  function save(id) {
    const tables = Object.values(specs[id].datasets);
    const rows = tables.reduce((one, other) => (other.length > one.length ? other : one));
    const keys = Object.keys(rows[0]);
    const cell = (value) => {
      const text = value === null || value === undefined ? "" : String(value);
      return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const lines = [keys, ...rows.map((row) => keys.map((key) => row[key]))];
    const text = lines.map((line) => line.map(cell).join(",")).join("\n") + "\n";
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = `${id}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  function sortBy(table, column) {
    const head = table.tHead.rows[0].cells;
    const up = head[column].getAttribute("aria-sort") !== "ascending";
    for (const cell of head) cell.removeAttribute("aria-sort");
    head[column].setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = (row) => row.cells[column].dataset.sort;
    const rows = [...table.tBodies[0].rows];
    rows.sort((first, second) => {
      const [a, b] = [key(first), key(second)];
      // What is undefined stays at the end.
      if (a === "" || b === "") return (a === "") - (b === "");
      const numeric = !isNaN(a) && !isNaN(b);
      const order = numeric ? Number(a) - Number(b) : a.localeCompare(b);
      return up ? order : -order;
    });
    table.tBodies[0].append(...rows);
    const by = head[column].textContent.trim();
    said.textContent = `Sorted by ${by}, ${up ? "ascending" : "descending"}`;
  }

  for (const table of document.querySelectorAll("table.sorts")) {
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      cell.querySelector("button").addEventListener("click", () => sortBy(table, column));
    });
  }
  for (const box of boxes) box.addEventListener("change", choose);
  if (scene) scene.addEventListener("change", choose);
  // A sheet is narrower than most windows: letters stay as large as those beside the figures.
  addEventListener("beforeprint", () => views.forEach((view) => view.signal("width", 660).run()));
  addEventListener("afterprint", () => dispatchEvent(new Event("resize")));

  Promise.all(Object.keys(specs).map(draw)).then(() => {
    choose();
    document.documentElement.dataset.drawn = "yes";
  });
})();
