// What is drawn, told and taken away, and the controls.

let dragged = null; // the bound under the pointer: its scale, values by height, value and constant where it was taken
let drawn = null; // the figure, its points, and the scale of the vertical axis

const STEPS = { ArrowUp: 1.05, ArrowRight: 1.05, ArrowDown: 1 / 1.05, ArrowLeft: 1 / 1.05, PageUp: 2, PageDown: 1 / 2 };
const positive = (it, log) => Number.isFinite(it) && (!log || it > 0);
const rounded = (it) => Number(it.toPrecision(3));

/** Where a logarithmic axis has its numbers: powers of ten, or 1, 2, 5 times them; in a narrow range at equal steps. */
function ticks(values, most) {
  const least = Math.min(...values), largest = Math.max(...values);
  if (!(least > 0 && Number.isFinite(largest))) return [];
  const from = Math.floor(Math.log10(least)), to = Math.ceil(Math.log10(largest));
  const inside = (factors) => Array.from({ length: to - from + 1 }, (_, i) => factors.map((factor) => Number(`${factor}e${from + i}`)))
    .flat().filter((it) => it >= least && it <= largest);
  const tens = inside([1]), fine = inside([1, 2, 5]);
  const chosen = tens.length > 3 ? tens : fine.length > 2 ? fine : even(least, largest);
  const each = Math.ceil(chosen.length / most);
  return chosen.filter((_, i) => i % each === 0);
}

/** Some five round numbers between two. */
function even(least, largest) {
  const power = 10 ** Math.floor(Math.log10((largest - least) / 4)), step = [5, 2, 1].map((it) => it * power).find((it) => it * 3 <= largest - least) ?? power;
  if (!(step > 0)) return [least];
  const first = Math.ceil(least / step), count = Math.floor(largest / step) - first + 1;
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

function draw() {
  const all = curves(), on = all.filter((curve) => curve.on), bySeries = state.x === BY_SERIES;
  const points = on.flatMap((curve) => curve.points)
    .filter((point) => (bySeries || positive(point.x, state.lx)) && positive(point.mean, state.ly));
  const line = (point) => point.bound * state.c;
  const bounded = state.b ? points.filter((point) => point.bound !== null && positive(line(point), state.ly)) : [];
  on.forEach((curve) => { curve.fit = state.b && !bySeries ? fitted(curve) : null; });
  const fits = on.filter((curve) => curve.fit).flatMap((curve) => curve.points.filter((point) => point.x > 0)
    .map((point) => ({ x: point.x, y: curve.fit.at(point.x), curve: curve.id })));
  const look = new Map(all.map((curve) => [curve.id, curve]));
  const bars = points.filter((point) => point.half && positive(low(point), state.ly));
  const width = Math.min(1180, Math.max(300, by("plot").clientWidth || 900)), few = width < 700;
  const stroke = (point) => look.get(point.curve).colour;
  const title = (point) => [
    `${point.name}: ${point.label}`, place(point), `${word("quantities", state.q)} ${number(point.mean)}`, interval(point),
    point.bound === null ? "" : `bound ${number(point.bound)}`, point.state, command(point),
  ].filter(Boolean).join("\n");
  const heights = [...points.map((point) => point.mean), ...bounded.map(line)];
  const named = bySeries && new Set(points.map((point) => point.x)).size <= (few ? 12 : 30), below = named ? 150 : 45;
  const x = bySeries
    ? { type: "point", label: "series", grid: true, ...(named ? { tickRotate: few ? -90 : -40 } : { axis: null }) }
    : { type: state.lx ? "log" : "linear", label: word("axes", state.x), grid: true, tickFormat: number, ...(few ? { ticks: 4 } : {}) };
  const y = { type: state.ly ? "log" : "linear", label: word("quantities", state.q), grid: true, tickFormat: number };
  if (state.lx && !bySeries) x.ticks = ticks(points.map((point) => point.x), few ? 4 : 9);
  if (state.ly) y.ticks = ticks(dragged ? dragged.scale.domain : heights, few ? 6 : 9);
  if (dragged) y.domain = dragged.scale.domain;
  const chosen = points.filter((point) => point.id === state.point);
  const figure = Plot.plot({
    width, height: Math.round(Math.min(560, Math.max(320, width * 0.5))) + below - 45,
    marginLeft: 70, marginRight: 30, marginTop: 25, marginBottom: below,
    style: { fontSize: "13px", color: "#1b1b1b", background: "#fff" }, x, y,
    marks: [
      Plot.line(bounded, { x: "x", y: line, z: "curve", stroke, strokeDasharray: "6,4", strokeWidth: 2, clip: !!dragged, className: "bound" }),
      Plot.line(fits, { x: "x", y: "y", z: "curve", stroke, strokeDasharray: "1,4", strokeWidth: 2, strokeLinecap: "round", className: "fit" }),
      Plot.line(points, { x: "x", y: "mean", z: "curve", stroke, strokeWidth: 1.5 }),
      Plot.ruleX(bars, { x: "x", y1: low, y2: high, stroke, strokeWidth: 2 }),
      Plot.dot(bySeries ? bounded : [], { x: "x", y: line, stroke, symbol: "plus", r: 5, className: "bound" }),
      Plot.dot(points, { x: "x", y: "mean", fill: stroke, r: 3.5, symbol: (point) => (point.state ? "times" : look.get(point.curve).symbol), stroke }),
      Plot.dot(chosen, { x: "x", y: "mean", r: 9, stroke: "#1b1b1b", strokeWidth: 2, className: "chosen" }),
      Plot.line(bounded, { x: "x", y: line, z: "curve", stroke, strokeOpacity: 0, strokeWidth: 22, className: "handle" }),
      Plot.tip(points, Plot.pointer({ x: "x", y: "mean", title, maxRadius: 30 })),
    ],
  });
  for (const [axis, at] of [["x", x.ticks], ["y", y.ticks]]) { // a logarithmic scale would keep back some numbers
    if (Array.isArray(at)) figure.querySelectorAll(`[aria-label="${axis}-axis tick label"] text`).forEach((text, i) => { text.textContent = number(at[i]); });
  }
  accessible(figure);
  const held = document.activeElement?.classList.contains("draggable");
  by("plot").replaceChildren(figure);
  if (held) by("plot").querySelector("[role=slider]")?.focus();
  drawn = { figure, points, scale: figure.scale("y"), across: figure.scale("x") };
  tellAll(points, bounded, fits);
  legend(all);
  table(points);
  tell(points.find((point) => point.id === state.point));
}

/** Marks have no names of their own; the bounds, which keep one constant, are one slider. */
function accessible(figure) {
  figure.querySelectorAll("[aria-label]").forEach((group) => group.removeAttribute("aria-label"));
  figure.querySelectorAll("text").forEach((text) => text.setAttribute("aria-hidden", "true"));
  const handles = [...figure.querySelectorAll(".handle path, path.handle")];
  handles.forEach((path) => path.classList.add("draggable"));
  if (!handles.length) return;
  const slider = { role: "slider", tabindex: 0, "aria-label": "constant c of the bound", "aria-orientation": "vertical", "aria-valuemin": 0, "aria-valuemax": Math.max(100, state.c), "aria-valuenow": state.c };
  for (const [key, text] of Object.entries(slider)) handles[0].setAttribute(key, text);
}

/** What one sees, in a line; what was measured, and the formulas. */
function tellAll(points, bounded, fits) {
  const parts = [`Points: ${word("quantities", state.q)}${points.some((point) => point.half) ? ", with 99% intervals" : ""}.`];
  if (!points.length) parts[0] = "No point has these: choose another axis, quantity or parameter, or switch a curve on.";
  if (bounded.length) parts.push("Dashed: c times the explicit bound.");
  if (fits.length) parts.push("Dotted: a power fitted to points without a bound.");
  by("seen").textContent = parts.join(" ");
  by("ratio").textContent = "";
  const ratios = bounded.filter((point) => point.bound > 0).map((point) => point.mean / point.bound);
  if (ratios.length) {
    const below = ratios.filter((ratio) => ratio <= state.c).length;
    const range = [Math.min(...ratios), Math.max(...ratios)].map((it) => number(Number(it.toPrecision(3))));
    by("ratio").textContent = `Measured over bound is ${range[0] === range[1] ? range[0] : range.join(" to ")}; with c = ${number(state.c)}, ${below} of ${ratios.length} points lie on or below the dashed line.`;
  }
  const empty = state.e.filter((name) => !points.some((point) => point.name === name));
  by("caption").replaceChildren(...state.e.map((name) => {
    const { statement, paper, claim, statements } = DATA.experiments[name];
    const none = points.length && empty.includes(name) ? " Nothing of it is shown here." : "";
    const formulas = element("ul", {}, ...statements.map((id) => {
      const it = DATA.statements[id], formula = element("span", { className: "formula" });
      formula.innerHTML = it.formula; // made by the build of this page
      return element("li", {}, element("a", { href: `ledger.html#${id}` }, it.said), ": ", formula);
    }));
    const many = statements.length > 3;
    return element("div", {}, element("a", { href: `experiments/${name}.html` }, name), ` (${paper}: ${claim}): ${statement}${none}`,
      many ? element("details", {}, element("summary", {}, `${statements.length} statements with their formulas`), formulas) : formulas);
  }));
  const cut = [...by("caption").querySelectorAll(".formula")].filter((it) => it.scrollWidth > it.clientWidth);
  cut.forEach((it) => Object.assign(it, { tabIndex: 0, role: "group", ariaLabel: "formula" })); // arrow keys scroll it
}

function legend(all) {
  by("curves").replaceChildren(...all.map((curve) => {
    const box = element("input", { type: "checkbox", checked: curve.on });
    box.addEventListener("change", () => {
      state.flip = state.flip.includes(curve.id) ? state.flip.filter((id) => id !== curve.id) : [...state.flip, curve.id];
      refresh(curve.id);
    });
    box.dataset.curve = curve.id;
    const swatch = element("span", { className: "swatch", ariaHidden: "true" }, `─${curve.sign}─`);
    swatch.style.color = curve.colour;
    const fit = curve.fit ? `; no bound: dotted, fitted to the points, ${state.x}^${number(rounded(curve.fit.slope))}` : "";
    return element("li", {}, element("label", {}, box, swatch, `${curve.label}${curve.where ? `, ${curve.where}` : ""} `, element("span", { className: "note" }, curve.role + fit)));
  }));
  by("every").hidden = all.every((curve) => curve.on);
  by("claims").hidden = all.every((curve) => curve.on === curve.first);
}

function table(points) {
  const names = ["experiment", "series", "parameters", word("quantities", state.q), "99% interval", "bound", "its command"];
  const head = element("tr", {}, ...names.map((text) => element("th", { scope: "col" }, text)));
  by("points").replaceChildren(element("thead", {}, head), element("tbody", {}, ...points.slice(0, 500).map((point) => {
    const button = element("button", { type: "button", ariaLabel: `show ${point.label}, ${place(point)}` }, "show");
    button.addEventListener("click", () => { choosePoint(point); by("point").scrollIntoView({ block: "nearest" }); });
    const cells = [point.name, point.label, place(point), number(point.mean), interval(point).replace("99% interval ", ""), number(point.bound)];
    return element("tr", {}, ...cells.map((text) => element("td", {}, text)), element("td", {}, button));
  })));
}

function choosePoint(point) {
  state.point = point ? point.id : "";
  refresh();
}

/** The point in a box of its own, with the command that repeats it; none where it is not drawn. */
function tell(point) {
  by("point").replaceChildren();
  if (!point) return;
  const rest = [point.role, point.replicates > 1 ? `mean of ${point.replicates} replicates` : "", point.state].filter(Boolean).join(", ");
  const bound = point.bound === null ? "" : `, bound ${number(point.bound)}, ratio ${number(point.mean / point.bound)}`;
  const button = element("button", { type: "button" }, "Copy the command");
  button.addEventListener("click", () => toClipboard(command(point)));
  by("point").replaceChildren(element("div", {},
    element("strong", {}, `${point.name}: ${point.label}`), ` (${rest}), ${place(point)}: ${word("quantities", point.quantity)} ${number(point.mean)}, ${interval(point)}${bound}. Repeat it: `,
    element("code", {}, command(point)), `This runs the experiment; the point has series = ${point.series}, quantity = ${point.quantity} in results/${point.name}/measurements.parquet, at the same parameters. `, button));
}

// ---- points by the keyboard, and dragging a bound: all bounds keep one constant

by("plot").addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.classList.contains("draggable")) {
    if (event.key in STEPS) state.c = rounded(state.c * STEPS[event.key]);
    else if (event.key === "Home") state.c = 1;
    else return;
    by("constant").value = state.c;
    refresh();
  } else {
    const { points } = drawn, now = points.findIndex((point) => point.id === state.point);
    const next = { ArrowRight: now + 1, ArrowLeft: now < 0 ? points.length - 1 : now - 1, Home: 0, End: points.length - 1 }[event.key];
    if (event.key === "Escape") choosePoint(null);
    else if (next === undefined) return;
    else if (points.length) choosePoint(points[(next + points.length) % points.length]);
  }
  event.preventDefault();
});

// before the plot's own listener, which keeps the event to itself near a point
by("plot").addEventListener("pointerdown", (event) => {
  if (event.button !== 0 || !event.target.classList?.contains("draggable")) return;
  const scale = drawn.scale, box = drawn.figure.getBoundingClientRect();
  const at = (clientY) => scale.invert(((clientY - box.top) * drawn.figure.viewBox.baseVal.height) / box.height);
  dragged = { scale, at, from: at(event.clientY), start: event.clientY, constant: state.c }; // the axis rests meanwhile
  event.preventDefault();
  event.stopPropagation();
}, true);
by("plot").addEventListener("mousedown", (event) => { if (dragged) event.preventDefault(); }); // no text is selected
addEventListener("pointermove", (event) => {
  if (!dragged || !(dragged.from > 0) || (!dragged.moved && Math.abs(event.clientY - dragged.start) < 3)) return;
  dragged.moved = true;
  const constant = rounded((dragged.constant * dragged.at(event.clientY)) / dragged.from);
  if (!(constant > 0)) return;
  state.c = constant;
  by("constant").value = constant;
  draw();
});
let released = 0; // when a line was, as a click follows
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, (event) => {
  if (!dragged) return;
  const { moved } = dragged;
  dragged = null;
  if (moved) released = event.timeStamp;
  else chooseNear(event);
  refresh();
});
// a finger on a line drags it, and not the page
by("plot").addEventListener("touchstart", (event) => { if (event.target.classList?.contains("draggable")) event.preventDefault(); }, { passive: false });
by("plot").addEventListener("click", (event) => { if (event.timeStamp - released > 100) chooseNear(event); });

/** The nearest point, also through the line that can be dragged. */
function chooseNear(event) {
  const { figure, points, scale, across } = drawn, box = figure.getBoundingClientRect(), zoom = box.width / figure.viewBox.baseVal.width;
  const far = (point) => Math.hypot(across.apply(point.x) * zoom - (event.clientX - box.left), scale.apply(point.mean) * zoom - (event.clientY - box.top));
  const [nearest] = [...points].sort((a, b) => far(a) - far(b));
  if (nearest && far(nearest) < 30) choosePoint(nearest);
}

// ---- controls

function element(tag, set = {}, ...inside) {
  const made = Object.assign(document.createElement(tag), set);
  made.append(...inside);
  return made;
}

function options(select, values, chosen, words = (it) => it) {
  select.replaceChildren(...values.map((it) => element("option", { value: it, selected: it === chosen }, words(it))));
}

function controls() {
  const papers = new Map();
  for (const [name, { paper, claim }] of Object.entries(DATA.experiments)) {
    if (state.e.includes(name)) continue;
    if (!papers.has(paper)) papers.set(paper, element("optgroup", { label: paper }));
    papers.get(paper).append(element("option", { value: name }, `${name}: ${claim}`));
  }
  by("add").replaceChildren(element("option", { value: "" }, "choose an experiment"), ...papers.values());
  by("chosen").replaceChildren(...state.e.map((name) => {
    const remove = element("button", { type: "button", ariaLabel: `Remove ${name}` }, "×");
    remove.addEventListener("click", () => { state.e = state.e.filter((other) => other !== name); if (!state.e.length) state.e = copy(FIRST.e); choose(); by("add").focus(); });
    return element("li", {}, element("a", { href: `experiments/${name}.html` }, name), remove);
  }));
  const quantities = [...new Set(everything().map((point) => point.quantity))];
  if (!quantities.includes(state.q)) state.q = quantities.includes("excess_risk") ? "excess_risk" : quantities[0];
  options(by("quantity"), quantities, state.q, (it) => word("quantities", it));
  const points = measured(), horizontal = [...swept(points), BY_SERIES];
  if (!horizontal.includes(state.x)) [state.x] = horizontal;
  options(by("x"), horizontal, state.x, (it) => word("axes", it));
  by("fixed").replaceChildren(...[...varied(points)].filter(([axis]) => axis !== state.x).map(([axis, values]) => {
    if (state.fix[axis] !== undefined && !values.has(state.fix[axis])) delete state.fix[axis];
    const select = element("select", {});
    options(select, ["", ...sorted(values)], state.fix[axis] ?? "", (it) => it || "each");
    select.addEventListener("change", () => { if (select.value) state.fix[axis] = select.value; else delete state.fix[axis]; refresh(); });
    return element("label", {}, `${word("axes", axis)} `, select, " ");
  }));
  by("fixed_box").hidden = !by("fixed").children.length;
  by("log_x").checked = !!state.lx;
  by("log_x").disabled = state.x === BY_SERIES;
  by("log_y").checked = !!state.ly;
  by("bounds").checked = !!state.b;
  by("constant").value = state.c;
  by("table").open = !!state.open;
}

/** Draw again; the curve whose box had the focus has it again. */
function refresh(focus = "") {
  draw();
  toAddress();
  if (focus) document.querySelector(`[data-curve="${CSS.escape(focus)}"]`)?.focus();
}

function choose() {
  controls();
  refresh();
}

// a button adds, as arrow keys change the list before one has chosen
by("put").addEventListener("click", () => { if (by("add").value) { state.e = [...state.e, by("add").value]; choose(); by("add").focus(); } });
by("table").addEventListener("toggle", () => { state.open = by("table").open ? 1 : 0; toAddress(); });
by("x").addEventListener("change", () => { state.x = by("x").value; choose(); });
by("quantity").addEventListener("change", () => { state.q = by("quantity").value; choose(); });
for (const [id, key] of [["log_x", "lx"], ["log_y", "ly"], ["bounds", "b"]]) by(id).addEventListener("change", () => { state[key] = by(id).checked ? 1 : 0; refresh(); });
by("constant").addEventListener("input", () => { const given = Number(by("constant").value); if (given > 0) { state.c = given; refresh(); } });
by("controls").addEventListener("submit", (event) => event.preventDefault());
by("every").addEventListener("click", () => { state.flip = curves().filter((curve) => !curve.first).map((curve) => curve.id); refresh(); });
by("claims").addEventListener("click", () => { state.flip = []; refresh(); });
by("reset").addEventListener("click", () => { state = copy(FIRST); choose(); fill(); calculate(); });
addEventListener("hashchange", () => { clearTimeout(later); state = fromAddress(); choose(); fill(); calculate(); });
addEventListener("resize", () => draw());

// ---- what a reader takes away

function save(text, kind, name) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: kind })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    by("told").textContent = "Copied.";
  } catch {
    by("told").textContent = `The browser does not allow it; copy it from here: ${text}`;
  }
}

const quoted = (text) => (/[",\n]/.test(text) ? `"${String(text).replaceAll('"', '""')}"` : text);
function csv() {
  const names = [...new Set(drawn.points.flatMap((point) => Object.keys(point.at)))];
  const lines = drawn.points.map((point) => [point.name, point.series, point.role, ...names.map((axis) => point.at[axis] ?? ""), point.quantity, point.mean, point.error ?? "", point.replicates ?? "", point.bound ?? "", point.state].map(quoted).join(","));
  return [["experiment", "series", "role", ...names, "quantity", "mean", "standard_error", "replicates", "bound", "state"].join(","), ...lines].join("\n") + "\n";
}
by("csv").addEventListener("click", () => save(csv(), "text/csv", "dprepro.csv"));
by("svg").addEventListener("click", () => {
  const svg = (drawn.figure.tagName.toLowerCase() === "svg" ? drawn.figure : drawn.figure.querySelector("svg")).cloneNode(true);
  svg.querySelectorAll(".handle, .chosen").forEach((group) => group.remove());
  svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  save(new XMLSerializer().serializeToString(svg), "image/svg+xml", "dprepro.svg");
});
by("link").addEventListener("click", () => { writeAddress(); toClipboard(location.href); });
