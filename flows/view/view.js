"use strict";
(() => {
  const mark = (name, on) => {
    for (const node of document.querySelectorAll(`[data-b="${CSS.escape(name)}"]`)) node.classList.toggle("on", on);
  };
  const named = (event) => event.target.closest("[data-b]")?.dataset.b;
  let current = "";
  document.addEventListener("mouseover", (event) => {
    const name = named(event) ?? "";
    if (name === current) return;
    if (current) mark(current, false);
    if (name) mark(name, true);
    current = name;
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.jump");
    if (!link) return;
    const goal = document.getElementById(link.getAttribute("href").slice(1));
    if (!goal) return;
    event.preventDefault();
    goal.scrollIntoView({ block: "center", inline: "nearest", behavior: "smooth" });
    goal.classList.remove("flash");
    requestAnimationFrame(() => goal.classList.add("flash"));
  });
})();
