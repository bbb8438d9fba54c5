// The state of the page, which is what its address holds after #, and the points and curves that it shows.

const DATA = JSON.parse(document.getElementById("data").textContent);
const FIRST = {
  e: ["lasso_rate"], // experiments
  x: "n", q: "excess_risk", lx: 1, ly: 1, // axes, and whether they are logarithmic
  b: 1, c: 1, // whether bounds are shown, and times which constant
  fix: {}, flip: [], // parameters that are held, and curves that are not as they are at first
  open: 0, point: "", // whether the table is open, and the point that is told
  num: { n: "1e6", p: "100", epsilon: "1", delta: "1e-6", s: "5" }, // the calculator's
};
const BY_SERIES = "series"; // the horizontal axis that has a place for each series
const COLOURS = [
  "#0b4f8a", "#b3261e", "#0b5d2a", "#6b2f8f", "#8a5a00", "#00696b", "#5a5a5a", "#a3195b", "#3b5b00", "#4338a0",
];
const SHAPES = [["circle", "●"], ["square", "■"], ["triangle", "▲"], ["diamond2", "◆"]]; // where colours begin again
const by = (id) => document.getElementById(id);
const copy = (value) => JSON.parse(JSON.stringify(value));
let state = fromAddress();

function fromAddress() {
  const start = copy(FIRST);
  try {
    const given = JSON.parse(decodeURIComponent(location.hash.slice(1) || "{}"));
    if (given === null || typeof given !== "object" || Array.isArray(given)) return start;
    for (const [key, value] of Object.entries(given)) {
      if (!Object.hasOwn(start, key) || typeof value !== typeof start[key] || value === null) continue;
      if (Array.isArray(value) !== Array.isArray(start[key])) continue;
      start[key] = ["num", "fix"].includes(key) ? { ...start[key], ...value } : value;
    }
  } catch { /* an address that is none: the first view */ }
  start.e = [...new Set(start.e)].filter((name) => Object.hasOwn(DATA.experiments, name));
  if (!start.e.length) start.e = copy(FIRST.e);
  for (const name of Object.keys(FIRST.num)) start.num[name] = String(start.num[name]);
  if (!(start.c > 0)) start.c = 1;
  return start;
}

let later = 0; // browsers refuse addresses that change many times a second, as under a key that is held

function toAddress() {
  clearTimeout(later);
  later = setTimeout(writeAddress, 150);
}

function writeAddress() {
  clearTimeout(later);
  const given = ([key, value]) => JSON.stringify(value) !== JSON.stringify(FIRST[key]);
  const changed = Object.fromEntries(Object.entries(state).filter(given));
  history.replaceState(null, "", Object.keys(changed).length ? "#" + encodeURIComponent(JSON.stringify(changed)) : "#");
}

// ---- numbers and words

const numeric = (text) => text !== "" && text !== undefined && !Number.isNaN(toNumber(text));
const toNumber = (text) => Number(text === "inf" ? "Infinity" : text);
const sorted = (values) => [...values].sort((a, b) => (numeric(a) && numeric(b) ? toNumber(a) - toNumber(b) : String(a) < String(b) ? -1 : 1));

/** Five digits, with a power of ten where it would begin or end in zeros. */
function number(it) {
  if (it === null || it === undefined || Number.isNaN(it)) return "–";
  const short = Number(Number(it).toPrecision(5)), size = Math.abs(short);
  return (size >= 1e5 || (size > 0 && size < 1e-3) ? short.toExponential() : String(short)).replace("e+", "e");
}

const word = (kind, name) => DATA.words[kind][name] ?? name.replaceAll("_", " ");
const low = (point) => point.mean - point.half;
const high = (point) => point.mean + point.half;
const said = (at) => Object.entries(at).filter(([, value]) => value !== "").map(([axis, value]) => `${axis} = ${value}`).join(", ");
const place = (point) => said(point.at);
const command = (point) => `python -m dprepro +experiment=${point.name}`;

function interval(point) {
  if (point.half === null) return "no interval";
  return point.half === 0 ? "exact" : `99% interval ${number(low(point))} to ${number(high(point))}`;
}

// ---- points

const value = (column, i) => column.of[column.at ? column.at[i] : 0];
const rowsOf = new Map();

/** Every point of an experiment as an object, made once. */
function rows(name) {
  if (!rowsOf.has(name)) {
    const { columns, axes, labels, roles } = DATA.experiments[name];
    rowsOf.set(name, columns.mean.map((mean, i) => {
      const series = value(columns.series, i), which = columns.series.of.indexOf(series);
      return {
        name, series, label: labels[which], role: roles[which], mean,
        quantity: value(columns.quantity, i), state: value(columns.state, i),
        error: columns.standard_error[i], half: columns.half[i], bound: columns.bound[i], replicates: columns.replicates[i],
        at: Object.fromEntries(axes.map((axis) => [axis, value(columns[axis], i)])),
      };
    }));
  }
  return rowsOf.get(name);
}

const everything = () => state.e.flatMap(rows);
const measured = () => everything().filter((point) => point.quantity === state.q);

/** Parameters with more than one value among the points, and their values. */
function varied(points) {
  const found = new Map();
  for (const point of points) for (const [axis, at] of Object.entries(point.at)) {
    if (at === "" || at === undefined) continue;
    if (!found.has(axis)) found.set(axis, new Set());
    found.get(axis).add(at);
  }
  return new Map([...found].filter(([, values]) => values.size > 1));
}

/** Parameters along which some series has more than one point, the others being equal; n first. */
function swept(points) {
  const all = [...varied(points).keys()];
  const along = all.filter((axis) => {
    const seen = new Map();
    return points.some((point) => {
      if (!numeric(point.at[axis])) return false;
      const key = JSON.stringify([point.name, point.series, ...all.map((other) => (other === axis ? "" : point.at[other]))]);
      if (!seen.has(key)) seen.set(key, point.at[axis]);
      return seen.get(key) !== point.at[axis];
    });
  });
  return along.sort((a, b) => (b === "n") - (a === "n"));
}

/** Curves: the points of one series at one value of every other parameter, along the horizontal axis. */
function curves() {
  const points = measured(), bySeries = state.x === BY_SERIES;
  const others = [...varied(points).keys()].filter((axis) => axis !== state.x);
  const found = new Map();
  for (const point of points) {
    if (point.mean === null || !(bySeries || numeric(point.at[state.x]))) continue;
    const given = others.filter((axis) => point.at[axis]);
    if (given.some((axis) => state.fix[axis] !== undefined && point.at[axis] !== state.fix[axis])) continue;
    const where = given.map((axis) => `${axis}=${point.at[axis]}`).join(", ");
    const id = `${point.name}/${point.series}/${where}`, label = `${state.e.length > 1 ? `${point.name}: ` : ""}${point.label}`;
    if (!found.has(id)) found.set(id, { id, where, name: point.name, label, role: point.role, points: [] });
    const x = bySeries ? label : toNumber(point.at[state.x]);
    found.get(id).points.push({ ...point, x, curve: id, id: `${id}@${bySeries ? "" : point.at[state.x]}` });
  }
  const whole = [...found.values()];
  if (!bySeries) whole.forEach((curve) => curve.points.sort((a, b) => a.x - b.x));
  // parameters that an experiment varies one at a time leave points by themselves
  const along = whole.filter((curve) => new Set(curve.points.map((point) => point.x)).size > 1);
  const kept = along.length ? along : whole;
  kept.sort((a, b) => (b.role === "claim") - (a.role === "claim"));
  const claims = kept.some((curve) => curve.role === "claim");
  kept.forEach((curve, i) => {
    curve.first = curve.role === "claim" || !claims;
    curve.colour = COLOURS[i % COLOURS.length];
    [curve.symbol, curve.sign] = SHAPES[Math.floor(i / COLOURS.length) % SHAPES.length];
    curve.on = state.flip.includes(curve.id) ? !curve.first : curve.first;
  });
  return kept;
}

/** The power law through a curve without a bound, by least squares on logarithms; none of fewer than three points. */
function fitted(curve) {
  const used = curve.points.filter((point) => !point.state && point.x > 0 && point.mean > 0);
  if (used.length < 3 || curve.points.some((point) => point.bound !== null)) return null;
  const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const x = used.map((point) => Math.log(point.x)), y = used.map((point) => Math.log(point.mean));
  const middle = mean(x), height = mean(y), spread = mean(x.map((one) => (one - middle) ** 2));
  if (!(spread > 0)) return null;
  const slope = mean(x.map((one, i) => (one - middle) * (y[i] - height))) / spread;
  return { slope, at: (one) => Math.exp(height + slope * (Math.log(one) - middle)) };
}
