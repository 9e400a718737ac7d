"use strict";
// Sorting, filtering, and the pages of runs. Texts are put in as text, never as HTML.
(function () {
  const all = (where, what) => Array.from(where.querySelectorAll(what));
  const value = (cell) => (cell.dataset.v === undefined ? cell.textContent.trim() : cell.dataset.v);
  const compare = (a, b) => {
    if (a === "" || b === "") return (a === "") - (b === ""); // what is not there comes last, either way
    const [x, y] = [Number(a), Number(b)];
    return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b, "zh") : x - y;
  };
  for (const head of all(document, "table.sortable th")) {
    const button = head.querySelector("button");
    if (!button) continue;
    button.addEventListener("click", () => {
      const body = head.closest("table").tBodies[0];
      const place = head.cellIndex;
      const up = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") !== "ascending" : head.dataset.first !== "down";
      const rows = Array.from(body.rows);
      rows.sort((a, b) => {
        const [x, y] = [value(a.cells[place]), value(b.cells[place])];
        return x === "" || y === "" ? compare(x, y) : (up ? 1 : -1) * compare(x, y);
      });
      all(head.closest("tr"), "th").forEach((one) => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      body.append(...rows);
    });
  }

  const words = document.getElementById("filter");
  const access = document.getElementById("access");
  const narrow = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const one of all(document, "[data-find]")) {
      const text = one.dataset.find.toLowerCase();
      one.toggleAttribute("hidden", !(wanted.every((w) => text.includes(w)) && (!access || !access.value || one.dataset.access === access.value)));
    }
  };
  words.addEventListener("input", narrow);
  if (access) access.addEventListener("change", narrow);

  const { runs, about, names, reasons } = JSON.parse(document.getElementById("data").textContent);
  const page = document.getElementById("run");
  const board = document.getElementById("board");
  const query = document.getElementById("run-filter");
  const stars = document.getElementById("run-stars");
  const body = page.querySelector("tbody");
  const LIMIT = 300;
  const HEADS = ["题目 Question", "回答 Reply", "参考答案 Reference answer", "裁判原文 Judge's words"];
  let lines = [];
  const put = (row, text, name) => {
    const cell = row.insertCell();
    cell.textContent = text;
    if (name) cell.className = name;
    return cell;
  };
  const result = (one) => (typeof one === "number" ? "★".repeat(one) + "☆".repeat(3 - one) : reasons[one] || one);
  const block = (cell, head, text) => {
    if (!text) return;
    const title = document.createElement("h3");
    title.textContent = head;
    const shown = document.createElement("div");
    shown.className = "text";
    shown.dir = "auto";
    shown.textContent = text;
    cell.append(title, shown);
  };
  const show = () => {
    const wanted = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = lines.filter((line) => {
      if (stars.value === "none" ? typeof line[3] === "number" : stars.value !== "" && line[3] !== Number(stars.value)) return false;
      const text = [line[0], line[1], names[line[1]], line[2], result(line[3]), ...line.slice(6)].join(" ").toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
    body.replaceChildren();
    for (const line of found.slice(0, LIMIT)) {
      const row = body.insertRow();
      put(row, line[0], "id");
      put(row, names[line[1]] || line[1]);
      put(row, line[2]);
      put(row, result(line[3]), typeof line[3] === "number" ? "stars" : "warn");
      put(row, line[4] === null ? "" : line[4].toFixed(1), "number");
      put(row, line[5] === null ? "" : String(line[5]), "number");
      if (line.slice(6).some(Boolean)) {
        const cell = body.insertRow().insertCell();
        cell.colSpan = 6;
        HEADS.forEach((title, place) => block(cell, title, line[6 + place]));
      }
    }
    document.getElementById("run-count").textContent =
      found.length + " / " + lines.length + (found.length > LIMIT ? "（前 " + LIMIT + " 题 first " + LIMIT + " shown）" : "");
  };
  const route = () => {
    const run = location.hash.startsWith("#run=") ? decodeURIComponent(location.hash.slice(5)) : "";
    const there = Object.hasOwn(runs, run);
    page.hidden = !there;
    board.hidden = there;
    if (!there) return;
    lines = runs[run];
    page.querySelector("h2").textContent = run;
    document.getElementById("run-about").textContent = about[run][0];
    document.getElementById("run-missing").textContent = about[run][1];
    query.value = stars.value = "";
    show();
    scrollTo(0, 0);
  };
  query.addEventListener("input", show);
  stars.addEventListener("change", show);
  addEventListener("hashchange", route);
  route();
})();
