// The calculator: each theorem's rate, where its constant puts the risk, and the lower bound's rate, at numbers of the reader's.

const RULES = {
  n: [(it) => it >= 2, "a number, 2 at least"],
  p: [(it) => it >= 1, "a number, 1 at least"],
  epsilon: [(it) => it > 0, "a number above 0"],
  delta: [(it) => it >= 0 && it < 1, "a number from 0 to below 1"],
  s: [(it) => it >= 1, "a number, 1 at least"],
};
const NUMBERS = Object.keys(RULES);
const compiled = new Map();

function evaluate(text, numbers) {
  if (!compiled.has(text)) compiled.set(text, new Function(...NUMBERS, "log", "sqrt", "min", `"use strict"; return ${text};`));
  return compiled.get(text)(...NUMBERS.map((name) => numbers[name]), Math.log, Math.sqrt, Math.min);
}

function fill() {
  for (const name of NUMBERS) by(`c_${name}`).value = state.num[name];
}

const formula = (text) => text.replaceAll("**", "^").replaceAll(" * ", " ");

/** Link and expression of a bound, and its rate; none without numbers, and of one with log(1/delta) none at delta = 0. */
function cells(side, numbers) {
  if (!side) return [element("td", {}, "–"), element("td", { className: "number" }, "–")];
  const pure = numbers?.delta === 0 && /\bdelta\b/.test(side.rate);
  const rate = numbers && !pure ? evaluate(side.rate, numbers) : null;
  const shown = element("td", { className: "number" }, pure ? "needs delta > 0" : number(rate));
  if (rate !== null) shown.dataset.value = rate;
  const said = element("td", {}, element("a", { href: side.page }, side.said), element("div", { className: "note" }, formula(side.rate)));
  return [said, shown];
}

function calculate() {
  const given = Object.fromEntries(NUMBERS.map((name) => [name, state.num[name].trim() === "" ? NaN : Number(state.num[name])]));
  const wrong = NUMBERS.filter((name) => !(Number.isFinite(given[name]) && RULES[name][0](given[name])));
  by("refused").textContent = wrong.map((name) => `${name} must be ${RULES[name][1]}, got ${state.num[name] || "nothing"}`).join("; ");
  for (const name of NUMBERS) by(`c_${name}`).setAttribute("aria-invalid", wrong.includes(name));
  const numbers = wrong.length ? null : given;
  const heads = [...by("rates").querySelectorAll("thead th")].map((head) => head.textContent);
  by("rates").querySelector("tbody").replaceChildren(...DATA.rates.map((line) => {
    const upper = cells(line.upper, numbers), { constant, at } = line.upper;
    const rate = upper[1].dataset.value, risk = constant.map((it) => number(rate === undefined ? null : rate * it));
    const range = element("td", { className: "number" }, rate === undefined ? "–" : risk.join(" to "),
      element("div", { className: "note" }, `constant ${constant.map((it) => number(rounded(it))).join(" to ")}, at ${at}`));
    const row = element("tr", {}, element("th", { scope: "row" }, line.problem), ...upper, range, ...cells(line.lower, numbers));
    [...row.cells].forEach((cell, i) => { cell.dataset.head = heads[i]; }); // a narrow page has no head
    return row;
  }));
}

for (const name of NUMBERS) by(`c_${name}`).addEventListener("input", () => { state.num[name] = by(`c_${name}`).value.trim(); calculate(); toAddress(); });
by("numbers").addEventListener("submit", (event) => event.preventDefault());

choose();
fill();
calculate();
