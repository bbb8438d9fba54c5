"use strict";
const form = document.getElementById("filter");
const nothing = document.getElementById("nothing");
const KEYS = ["search", "paper", "verdict", "kind"];
// What is typed and what is printed meet in one plain spelling: `n^{-2/3}`, `n^(-2/3)` and a typeset power are the same.
const SIGNS = {
  "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon", "ζ": "zeta", "η": "eta",
  "θ": "theta", "κ": "kappa", "λ": "lambda", "μ": "mu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau",
  "φ": "phi", "ψ": "psi", "ω": "omega", "√": "sqrt", "≤": "<=", "≥": ">=", "‖": "||", "−": "-", "–": "-", "{": "(",
  "}": ")", "“": '"', "”": '"', "**": "^", "\\": "",
};
const ALIASES = [[/(^|[^a-z])jl([^a-z]|$)/, "johnson-lindenstrauss"]];
const plain = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase()
  .replace(/\*\*|[^\x00-\x7f]|[{}\\]/g, (sign) => SIGNS[sign] ?? sign)
  .replace(/\s+/g, " ").replace(/ ?([\^_/=<>()]) ?/g, "$1");
function spelling(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  if (node.nodeName.toLowerCase() === "math") return node.getAttribute("alttext") ?? node.textContent;
  return Array.from(node.childNodes, spelling).join("");
}
const papers = Object.fromEntries(Array.from(form.elements.paper.options, (one) => [one.value, one.text]));
const rows = Array.from(document.querySelectorAll(".row"), (row) => {
  const text = plain(`${papers[row.dataset.paper] ?? ""} ${row.id} ${spelling(row)}`);
  return { row, text: text + ALIASES.map(([sign, name]) => (sign.test(text) ? ` ${name}` : "")).join("") };
});
// Words apart, and "phrases in quotes" together.
function terms(typed) {
  const found = typed.replace(/[“”]/g, '"').matchAll(/"([^"]*)"?|(\S+)/g);
  return Array.from(found, (one) => plain(one[1] ?? one[2]).trim()).filter(Boolean);
}
function apply() {
  const wanted = Object.fromEntries(new FormData(form));
  const words = terms(wanted.search);
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
  const absent = words.filter((word) => !rows.some(({ text }) => text.includes(word)));
  nothing.hidden = shown > 0;
  nothing.textContent = shown ? "" : absent.length
    ? `Nothing matches: no entry has ${absent.map((word) => `“${word}”`).join(" or ")}.`
    : "Nothing matches all of this at once; “Show all” starts again.";
}
// The filter is kept in the address: ledger.html#paper=lasso&verdict=refuted leads here again.
function keep() {
  const asked = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  history.replaceState(null, "", `#${asked}`);
}
function preset() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (KEYS.some((key) => asked.has(key))) {
    for (const field of form.elements) if (field.name) field.value = asked.get(field.name) ?? "";
    apply();
    return;
  }
  // An address of an entry that the filter hides shows it.
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.closest("[hidden]")) {
    for (const field of form.elements) if (field.name) field.value = "";
    apply();
    target.scrollIntoView();
  }
}
form.addEventListener("input", () => { apply(); keep(); });
form.addEventListener("reset", () => setTimeout(() => { apply(); keep(); }));
form.addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("hashchange", preset);
form.hidden = false;
apply();
preset();
// Commands and the BibTeX of an entry are copied by a button, where the browser allows it.
function copied(button, text) {
  navigator.clipboard.writeText(text).then(
    () => { button.textContent = "Copied"; setTimeout(() => { button.textContent = button.dataset.word; }, 2000); },
    () => { button.textContent = "Not allowed here"; },
  );
}
function copying(word, label, text) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "copy", textContent: word, ariaLabel: label });
  button.dataset.word = word;
  button.addEventListener("click", () => copied(button, text()));
  return button;
}
function bibtex(row) {
  const title = row.querySelector("h3 .address").textContent, paper = papers[row.dataset.paper];
  const place = location.protocol === "file:" ? "" : `  url = {${location.href.split("#")[0]}#${row.id}},\n`;
  const about = paper && !title.startsWith(paper) ? `${paper}: ${title}` : title;
  return `@misc{dprepro-${row.id},\n  author = {{the dprepro developers}},\n  title = {${about}, measured},\n`
    + `  note = {dprepro ${document.body.dataset.version}, ledger, entry ${row.id}},\n${place}}\n`;
}
if (navigator.clipboard) {
  for (const code of document.querySelectorAll("code.command")) {
    code.after(" ", copying("Copy", `Copy the command ${code.textContent}`, () => code.textContent));
  }
  for (const { row } of rows) {
    const head = row.querySelector("h3 small");
    if (row.id && head) head.after(" ", copying("Cite", `Copy the BibTeX of ${row.id}`, () => bibtex(row)));
  }
}
