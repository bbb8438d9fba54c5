// Opens pages one after the other in a frame; for each: does it fit its window, what text is hard to read, which code
// scrolls, which links are told from their sentence by colour alone, what has no button to copy it and no text for it?
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const colour = (text) => {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = text;
  canvas.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, alpha / 255];
};
const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3]));
const light = (rgb) => {
  const [red, green, blue] = rgb.map((one) => (one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const ground = (element, view) => {
  const layers = [];
  for (let one = element; one; one = one.parentElement) {
    const found = colour(view.getComputedStyle(one).backgroundColor);
    if (found[3] > 0) layers.push(found);
    if (found[3] === 1) break;
  }
  return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255]);
};
const held = (element, view) => {
  for (let one = element.parentElement; one; one = one.parentElement) {
    if (view.getComputedStyle(one).overflowX !== "visible" && one.tagName !== "BODY" && one.tagName !== "HTML") return true;
  }
  return false;
};
const examine = (frame) => {
  const view = frame.contentWindow, page = frame.contentDocument, width = view.innerWidth;
  const root = page.querySelector(".md-content") || page.body;
  const wide = [...root.querySelectorAll("*")].filter(
    (one) => one.getBoundingClientRect().right > width + 1 && !held(one, view),
  );
  const faint = new Set();
  const texts = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement, style = view.getComputedStyle(element);
    if (!texts.currentNode.data.trim() || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (!element.getClientRects().length) continue;
    const under = ground(element, view), ink = over(colour(style.color), under);
    const [dark, bright] = [light(ink), light(under)].sort((one, two) => one - two);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = (bright + 0.05) / (dark + 0.05);
    if (ratio < (large ? 3 : 4.5)) faint.add(`${element.tagName}.${element.className}: ${ratio.toFixed(2)}`);
  }
  const cut = [...page.querySelectorAll("pre, pre > code")].filter((one) => one.scrollWidth > one.clientWidth + 1);
  const bare = [...page.querySelectorAll("p a[href], li a[href], td a[href]")].filter((one) => {
    const beside = [...one.parentElement.childNodes].some((other) => other.nodeType === 3 && /\w/.test(other.data));
    const style = view.getComputedStyle(one), marked = style.textDecorationLine !== "none" || style.borderStyle !== "none";
    return beside && one.textContent.trim() && one.checkVisibility() && !marked && !one.matches("nav a, .headerlink");
  });
  return {
    width,
    scroll: page.scrollingElement.scrollWidth,
    wide: wide.slice(0, 3).map((one) => `${one.tagName}.${one.className}`),
    faint: [...faint].slice(0, 5),
    cut: cut.slice(0, 3).map((one) => one.textContent.slice(0, 40)),
    bare: bare.slice(0, 3).map((one) => one.textContent),
    uncopied: page.querySelectorAll(".md-content pre > code").length - page.querySelectorAll(".md-code__button").length,
    nameless: [...page.images].filter((one) => !one.alt).map((one) => one.src),
    words: page.body.innerText.length,
  };
};
onload = async () => {
  const frame = document.querySelector("iframe"), found = {};
  for (const page of PAGES) {
    await new Promise((done) => { frame.onload = done; frame.src = page; });
    await new Promise((done) => setTimeout(done, 50));
    found[page] = examine(frame);
  }
  document.querySelector("pre").textContent = JSON.stringify(found);
};
