"use strict";
const form = document.getElementById("filter");
// Greek letters are found by their names too.
const names = { "ε": "epsilon", "δ": "delta", "λ": "lambda", "σ": "sigma", "θ": "theta", "ζ": "zeta", "√": "sqrt" };
const plain = (text) => text.toLowerCase().replace(/[εδλσθζ√]/g, (sign) => names[sign]);
const rows = Array.from(document.querySelectorAll(".row"), (row) => ({ row, text: plain(row.textContent) }));
function apply() {
  const wanted = Object.fromEntries(new FormData(form));
  const words = plain(wanted.search).split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const { row, text } of rows) {
    const fits = ["paper", "verdict", "kind"].every((key) => !wanted[key] || row.dataset[key] === wanted[key]);
    row.hidden = !(fits && words.every((word) => text.includes(word)));
    shown += !row.hidden;
  }
  for (const section of document.querySelectorAll("main > section")) {
    section.hidden = !section.querySelector(".row:not([hidden])");
  }
  form.querySelector("output").textContent = `${shown} of ${rows.length} entries`;
}
// A link such as ledger.html#paper=lasso&verdict=refuted presets the filter.
function preset() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (!["search", "paper", "verdict", "kind"].some((key) => asked.has(key))) return;
  for (const field of form.elements) if (field.name) field.value = asked.get(field.name) ?? "";
  apply();
}
form.addEventListener("input", apply);
form.addEventListener("reset", () => setTimeout(apply));
form.addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("hashchange", preset);
// A link to an entry that the filter hides shows it.
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  const target = link && document.getElementById(link.hash.slice(1));
  if (target && (target.hidden || target.closest("[hidden]"))) { form.reset(); apply(); }
});
form.hidden = false;
apply();
preset();
