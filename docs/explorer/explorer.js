"use strict";
// State is what the address holds after #: which experiments, axes, fixed parameters, hidden curves, constant,
// the open table, the point that is shown, numbers.
(() => {
  const DATA = JSON.parse(document.getElementById("data").textContent);
  const FIRST = { e: ["lasso_rate"], x: "n", q: "excess_risk", lx: 1, ly: 1, b: 1, c: 1, fix: {}, flip: [], open: 0, point: "", num: { n: "1e6", p: "100", epsilon: "1", delta: "1e-6", s: "5" } };
  const COLOURS = ["#0b4f8a", "#b3261e", "#0b5d2a", "#6b2f8f", "#8a5a00", "#00696b", "#5a5a5a", "#a3195b", "#3b5b00", "#4338a0"];
  const SHAPES = [["circle", "●"], ["square", "■"], ["triangle", "▲"], ["diamond2", "◆"]]; // where the colours begin again
  const Z = 2.5758293035489; // a 99% interval of a normal mean
  const by = (id) => document.getElementById(id);
  const copy = (value) => JSON.parse(JSON.stringify(value));
  let state = fromAddress();

  // ---- the address

  function fromAddress() {
    const start = copy(FIRST);
    try {
      const given = JSON.parse(decodeURIComponent(location.hash.slice(1) || "{}"));
      if (given === null || typeof given !== "object" || Array.isArray(given)) return start;
      for (const [key, value] of Object.entries(given)) {
        if (!(key in start) || typeof value !== typeof start[key] || value === null) continue;
        if (Array.isArray(value) !== Array.isArray(start[key])) continue;
        start[key] = ["num", "fix"].includes(key) ? { ...start[key], ...value } : value;
      }
    } catch { /* an address that is none: the first view */ }
    start.e = start.e.filter((name) => Object.hasOwn(DATA.experiments, name));
    if (!start.e.length) start.e = copy(FIRST.e);
    return start;
  }

  function toAddress() {
    const changed = Object.fromEntries(Object.entries(state).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(FIRST[key])));
    const text = Object.keys(changed).length ? "#" + encodeURIComponent(JSON.stringify(changed)) : "#";
    history.replaceState(null, "", text);
  }

  // ---- the points

  const value = (column, i) => column.of[column.at ? column.at[i] : 0];
  const rowsOf = new Map();

  /** Every point of an experiment as an object, made once. */
  function rows(name) {
    if (!rowsOf.has(name)) {
      const { columns, axes, labels, roles } = DATA.experiments[name];
      const series = columns.series.of;
      rowsOf.set(name, columns.mean.map((mean, i) => {
        const own = value(columns.series, i);
        const row = { name, series: own, label: labels[series.indexOf(own)], role: roles[series.indexOf(own)], quantity: value(columns.quantity, i), state: value(columns.state, i), mean, error: columns.standard_error[i], bound: columns.bound[i], replicates: columns.replicates[i], at: {} };
        for (const axis of axes) row.at[axis] = value(columns[axis], i);
        return row;
      }));
    }
    return rowsOf.get(name);
  }

  const everything = () => state.e.flatMap(rows);
  const numeric = (text) => text !== "" && text !== undefined && !Number.isNaN(Number(text === "inf" ? "Infinity" : text));
  const sorted = (values) => [...values].sort((a, b) => (numeric(a) && numeric(b) ? Number(a) - Number(b) : String(a) < String(b) ? -1 : 1));

  /** Parameters with more than one value among the points, and their values. */
  function axes(points) {
    const found = new Map();
    for (const point of points) for (const [axis, at] of Object.entries(point.at)) {
      if (at === "") continue;
      if (!found.has(axis)) found.set(axis, new Set());
      found.get(axis).add(at);
    }
    return new Map([...found].filter(([, values]) => values.size > 1));
  }

  /** Curves: the points of one series at one value of every other parameter, along the horizontal axis. */
  function curves() {
    const points = everything().filter((point) => point.quantity === state.q);
    const others = [...axes(points).keys()].filter((axis) => axis !== state.x);
    const found = new Map();
    for (const point of points) {
      if (!numeric(point.at[state.x]) || point.mean === null) continue;
      if (others.some((axis) => state.fix[axis] !== undefined && point.at[axis] !== "" && point.at[axis] !== undefined && point.at[axis] !== state.fix[axis])) continue;
      const where = others.filter((axis) => point.at[axis]).map((axis) => `${axis}=${point.at[axis]}`).join(", ");
      const id = `${point.name}/${point.series}/${where}`;
      if (!found.has(id)) found.set(id, { id, where, name: point.name, label: point.label, role: point.role, points: [] });
      found.get(id).points.push({ ...point, x: Number(point.at[state.x]), curve: id, id: `${id}@${point.at[state.x]}` });
    }
    const whole = [...found.values()];
    whole.forEach((curve) => curve.points.sort((a, b) => a.x - b.x));
    const along = whole.some((curve) => new Set(curve.points.map((point) => point.x)).size > 1);
    // parameters that an experiment varies one at a time leave points by themselves
    const kept = along ? whole.filter((curve) => new Set(curve.points.map((point) => point.x)).size > 1) : whole;
    kept.sort((a, b) => (b.role === "claim") - (a.role === "claim"));
    kept.forEach((curve, i) => {
      const shown = curve.role === "claim" || !kept.some((other) => other.role === "claim");
      curve.colour = COLOURS[i % COLOURS.length];
      [curve.symbol, curve.sign] = SHAPES[Math.floor(i / COLOURS.length) % SHAPES.length];
      curve.on = state.flip.includes(curve.id) ? !shown : shown;
    });
    return kept;
  }

  const positive = (number, log) => Number.isFinite(number) && (!log || number > 0);
  const low = (point) => point.mean - Z * (point.error ?? 0);
  const high = (point) => point.mean + Z * (point.error ?? 0);
  /** Five digits, with a power of ten where it would begin or end in zeros. */
  function number(it) {
    if (it === null || it === undefined || Number.isNaN(it)) return "–";
    const short = Number(Number(it).toPrecision(5)), size = Math.abs(short);
    return (size >= 1e6 || (size > 0 && size < 1e-3) ? short.toExponential() : String(short)).replace("e+", "e");
  }
  const command = (point) => `python -m dprepro +experiment=${point.name}`;
  const place = (point) => Object.entries(point.at).filter(([, at]) => at !== "").map(([axis, at]) => `${axis}=${at}`).join(", ");
  const interval = (point) => (point.error === null ? `${point.replicates ?? 1} replicate, no interval` : `99% interval ${number(low(point))} to ${number(high(point))}`);

  /** The power law through a curve without a bound, by least squares on logarithms; none of fewer than three points. */
  function fitted(curve) {
    const used = curve.points.filter((point) => !point.state && point.x > 0 && point.mean > 0);
    if (used.length < 3 || curve.points.some((point) => point.bound !== null)) return null;
    const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const x = used.map((point) => Math.log(point.x)), y = used.map((point) => Math.log(point.mean));
    const middle = mean(x), height = mean(y), spread = mean(x.map((value) => (value - middle) ** 2));
    if (!(spread > 0)) return null;
    const slope = mean(x.map((value, i) => (value - middle) * (y[i] - height))) / spread;
    return { slope, at: (value) => Math.exp(height + slope * (Math.log(value) - middle)) };
  }

  // ---- what is drawn

  let dragged = null; // the bound under the pointer: its scale, values by height, value and constant where it was taken
  let drawn = null; // the figure, its curves, and the scale of the vertical axis

  function draw() {
    const all = curves();
    const on = all.filter((curve) => curve.on);
    const points = on.flatMap((curve) => curve.points).filter((point) => positive(point.x, state.lx) && positive(point.mean, state.ly));
    const bounded = state.b ? points.filter((point) => positive(point.bound * state.c, state.ly) && point.bound !== null) : [];
    on.forEach((curve) => { curve.fit = state.b ? fitted(curve) : null; });
    const fits = on.filter((curve) => curve.fit).flatMap((curve) => curve.points.filter((point) => point.x > 0)
      .map((point) => ({ x: point.x, y: curve.fit.at(point.x), curve: curve.id })));
    const look = new Map(all.map((curve) => [curve.id, curve]));
    const bars = points.filter((point) => point.error && positive(low(point), state.ly));
    const width = Math.min(1100, Math.max(320, by("plot").clientWidth || 900));
    const stroke = (point) => look.get(point.curve).colour;
    const title = (point) => `${point.name}: ${point.label}\n${place(point)}\n${state.q} ${number(point.mean)}\n${interval(point)}${point.bound === null ? "" : `\nbound ${number(point.bound)}`}${point.state ? `\n${point.state}` : ""}\n${command(point)}`;
    const figure = Plot.plot({
      width, height: Math.round(Math.min(560, Math.max(320, width * 0.55))), marginLeft: 70, marginBottom: 45, marginTop: 25, style: { fontSize: "13px", color: "#1b1b1b", background: "#fff" },
      x: { type: state.lx ? "log" : "linear", label: state.x, grid: true, ...(state.lx ? { ticks: width < 700 ? 3 : 6, tickFormat: "~e" } : {}) },
      y: { type: state.ly ? "log" : "linear", label: state.q.replaceAll("_", " "), grid: true, ...(dragged ? { domain: dragged.scale.domain } : {}), ...(state.ly ? { ticks: 6, tickFormat: "~e" } : {}) },
      marks: [
        Plot.line(bounded, { x: "x", y: (point) => point.bound * state.c, z: "curve", stroke, strokeDasharray: "6,4", strokeWidth: 2, clip: !!dragged, className: "bound" }),
        Plot.line(fits, { x: "x", y: "y", z: "curve", stroke, strokeDasharray: "1,4", strokeWidth: 2, strokeLinecap: "round", className: "fit" }),
        Plot.line(points, { x: "x", y: "mean", z: "curve", stroke, strokeWidth: 1.5 }),
        Plot.ruleX(bars, { x: "x", y1: low, y2: high, stroke }),
        Plot.dot(points, { x: "x", y: "mean", fill: stroke, r: 3.5, symbol: (point) => (point.state ? "times" : look.get(point.curve).symbol), stroke }),
        Plot.line(bounded, { x: "x", y: (point) => point.bound * state.c, z: "curve", stroke: "#fff", strokeOpacity: 0, strokeWidth: 18, className: "handle" }),
        Plot.tip(points, Plot.pointer({ x: "x", y: "mean", title, maxRadius: 30 })),
      ],
    });
    by("plot").replaceChildren(figure);
    drawn = { figure, points, scale: figure.scale("y"), bounded };
    figure.addEventListener("click", () => figure.value && choosePoint(figure.value));
    figure.querySelectorAll(".handle path, path.handle").forEach((path) => path.classList.add("draggable"));
    by("caption").textContent = points.length
      ? state.e.map((name) => `${name}: ${DATA.experiments[name].statement} (${DATA.experiments[name].paper})`).join(" ")
      : "No point has these: choose another axis, quantity or parameter, or switch a curve on.";
    legend(all);
    table(points);
    tell(points.find((point) => point.id === state.point));
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
      return element("li", {}, element("label", {}, box, swatch, `${state.e.length > 1 ? `${curve.name}: ` : ""}${curve.label}${curve.where ? `, ${curve.where}` : ""} `, element("span", { className: "note" }, curve.role + (curve.fit ? `; no bound: dotted, fitted to the points, ${state.x}^${number(Number(curve.fit.slope.toPrecision(3)))}` : ""))));
    }));
  }

  function table(points) {
    const head = element("tr", {}, ...["experiment", "series", "parameters", state.q, "99% interval", "bound", ""].map((text) => element("th", { scope: "col" }, text)));
    by("points").replaceChildren(element("thead", {}, head), element("tbody", {}, ...points.slice(0, 500).map((point) => {
      const button = element("button", { type: "button" }, "show");
      button.addEventListener("click", () => choosePoint(point));
      const cells = [point.name, point.label, place(point), number(point.mean), point.error === null ? "–" : `${number(low(point))} to ${number(high(point))}`, number(point.bound)];
      return element("tr", {}, ...cells.map((text) => element("td", {}, text)), element("td", {}, button));
    })));
  }

  function choosePoint(point) {
    state.point = point.id;
    tell(point);
    toAddress();
  }

  /** The point in a box of its own, with the command that repeats it; none where it is not drawn. */
  function tell(point) {
    by("point").hidden = !point;
    by("point").replaceChildren();
    if (!point) return;
    const rest = [point.role, point.state].filter(Boolean).join(", ");
    by("point").replaceChildren(
      element("strong", {}, `${point.name}: ${point.label}`), ` (${rest}), ${place(point)}: ${point.quantity} ${number(point.mean)}, ${interval(point)}`,
      point.bound === null ? "" : `, bound ${number(point.bound)}, ratio ${number(point.mean / point.bound)}`, ". Repeat it:", element("code", {}, command(point)));
  }

  // ---- dragging a bound: all bounds keep one constant

  // before the plot's own listener, which keeps the event to itself near a point
  by("plot").addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.target.classList?.contains("draggable")) return;
    const scale = drawn.scale, box = drawn.figure.getBoundingClientRect();
    const at = (clientY) => scale.invert(((clientY - box.top) * drawn.figure.viewBox.baseVal.height) / box.height);
    dragged = { scale, at, from: at(event.clientY), constant: state.c }; // the axis rests meanwhile
    event.preventDefault();
    event.stopPropagation();
  }, true);
  by("plot").addEventListener("mousedown", (event) => { if (dragged) event.preventDefault(); }); // no text is selected
  addEventListener("pointermove", (event) => {
    if (!dragged || !(dragged.from > 0)) return;
    state.c = Math.max(0, (dragged.constant * dragged.at(event.clientY)) / dragged.from);
    state.c = Number(state.c.toPrecision(3));
    by("constant").value = state.c;
    draw();
  });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => {
    if (!dragged) return;
    dragged = null;
    refresh();
  });

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
    const names = Object.keys(DATA.experiments);
    options(by("add"), ["", ...names.filter((name) => !state.e.includes(name))], "", (name) => (name ? `${name} – ${DATA.experiments[name].paper}` : "choose an experiment"));
    by("chosen").replaceChildren(...state.e.map((name) => {
      const remove = element("button", { type: "button", ariaLabel: `Remove ${name}` }, "×");
      remove.addEventListener("click", () => { state.e = state.e.filter((other) => other !== name); if (!state.e.length) state.e = copy(FIRST.e); choose(); by("add").focus(); });
      return element("li", {}, element("a", { href: `experiments/${name}.html` }, name), remove);
    }));
    const quantities = [...new Set(everything().map((point) => point.quantity))];
    if (!quantities.includes(state.q)) state.q = quantities.includes("excess_risk") ? "excess_risk" : quantities[0];
    options(by("quantity"), quantities, state.q, (it) => it.replaceAll("_", " "));
    const points = everything().filter((point) => point.quantity === state.q);
    const varied = axes(points);
    const horizontal = [...varied].filter(([, values]) => [...values].filter(numeric).length > 1).map(([axis]) => axis);
    if (!horizontal.includes(state.x)) state.x = horizontal.includes("n") ? "n" : horizontal[0] ?? "n";
    options(by("x"), horizontal.length ? horizontal : [state.x], state.x);
    by("fixed").replaceChildren(...[...varied].filter(([axis]) => axis !== state.x).map(([axis, values]) => {
      if (state.fix[axis] !== undefined && !values.has(state.fix[axis])) delete state.fix[axis];
      const select = element("select", {});
      options(select, ["", ...sorted(values)], state.fix[axis] ?? "", (it) => it || "each");
      select.addEventListener("change", () => { if (select.value) state.fix[axis] = select.value; else delete state.fix[axis]; refresh(); });
      return element("label", {}, `${axis} `, select, " ");
    }));
    by("fixed_box").hidden = varied.size < 2;
    by("log_x").checked = !!state.lx;
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
  by("reset").addEventListener("click", () => { state = copy(FIRST); choose(); calculate(); });
  addEventListener("hashchange", () => { state = fromAddress(); choose(); fill(); calculate(); });
  addEventListener("resize", () => draw());

  // ---- what a reader takes away

  function save(text, kind, name) {
    const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: kind })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
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
    svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    save(new XMLSerializer().serializeToString(svg), "image/svg+xml", "dprepro.svg");
  });
  by("link").addEventListener("click", async () => {
    toAddress();
    try {
      await navigator.clipboard.writeText(location.href);
      by("told").textContent = "Copied.";
    } catch {
      by("told").textContent = "The browser does not allow it: copy the address of the page.";
    }
  });

  // ---- the calculator

  const NUMBERS = ["n", "p", "epsilon", "delta", "s"];
  const RULES = { n: [(it) => it >= 2, "n is at least 2"], p: [(it) => it >= 1, "p is at least 1"], epsilon: [(it) => it > 0, "epsilon is above 0"], delta: [(it) => it > 0 && it < 1, "delta is between 0 and 1"], s: [(it) => it >= 1, "s is at least 1"] };
  const compiled = new Map();

  function evaluate(text, numbers) {
    if (!compiled.has(text)) compiled.set(text, new Function(...NUMBERS, "log", "sqrt", "min", `"use strict"; return ${text};`));
    return compiled.get(text)(...NUMBERS.map((name) => numbers[name]), Math.log, Math.sqrt, Math.min);
  }

  function fill() {
    for (const name of NUMBERS) by(`c_${name}`).value = state.num[name];
  }

  function calculate() {
    const numbers = Object.fromEntries(NUMBERS.map((name) => [name, Number(state.num[name])]));
    const wrong = NUMBERS.filter((name) => !(Number.isFinite(numbers[name]) && RULES[name][0](numbers[name])));
    by("refused").textContent = wrong.map((name) => `${RULES[name][1]}, got ${state.num[name] || "nothing"}`).join("; ");
    const body = by("rates").querySelector("tbody");
    const heads = [...by("rates").querySelectorAll("thead th")].map((head) => head.textContent);
    const named = (row) => { [...row.cells].forEach((cell, i) => { cell.dataset.head = heads[i]; }); return row; }; // a narrow page has no head
    body.replaceChildren(...(wrong.length ? [] : DATA.rates.map((line) => {
      const side = (it) => {
        if (!it) return [element("td", {}, "–"), element("td", { className: "number" }, "–")];
        const cell = element("td", {}, element("a", { href: it.page }, it.said), " ", element("span", { className: "note" }));
        const rate = evaluate(it.rate, numbers);
        const shown = element("td", { className: "number", title: it.rate }, number(rate));
        shown.dataset.value = rate;
        return [cell, shown];
      };
      const rate = evaluate(line.upper.rate, numbers);
      const range = line.upper.constant ? element("td", { className: "number", title: `constants ${line.upper.constant.map(number).join(" to ")}, at ${line.upper.at}` }, `${number(rate * line.upper.constant[0])} and ${number(rate * line.upper.constant[1])}`) : element("td", { className: "number" }, "–");
      return named(element("tr", {}, element("th", { scope: "row" }, line.problem), ...side(line.upper), range, ...side(line.lower)));
    })));
  }
  for (const name of NUMBERS) by(`c_${name}`).addEventListener("input", () => { state.num[name] = by(`c_${name}`).value.trim(); calculate(); toAddress(); });
  by("numbers").addEventListener("submit", (event) => event.preventDefault());

  choose();
  fill();
  calculate();
})();
