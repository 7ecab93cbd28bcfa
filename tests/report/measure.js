// What the tests measure in a page. Colours are composed over what lies behind them.

const parse = (colour) => {
  const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
  return { r, g, b, a };
};
const over = (top, below) => ({
  r: top.r * top.a + below.r * (1 - top.a),
  g: top.g * top.a + below.g * (1 - top.a),
  b: top.b * top.a + below.b * (1 - top.a),
  a: 1,
});
const luminance = ({ r, g, b }) => {
  const [x, y, z] = [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const ratio = (one, other) => {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
const ground = (element) => {
  const layers = [];
  for (let e = element; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
  return layers.reverse().reduce((below, top) => over(top, below), parse("rgb(255, 255, 255)"));
};
const variable = (name) => {
  const probe = document.body.appendChild(document.createElement("span"));
  probe.style.color = `var(${name})`;
  const colour = parse(getComputedStyle(probe).color);
  probe.remove();
  return colour;
};
const ownText = (element) =>
  [...element.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE).map((n) => n.textContent.trim()).join(" ").trim();
const readable = () => [...document.body.querySelectorAll("*")].filter((e) => ownText(e) && e.checkVisibility() && !e.closest("title, desc"));
const unseen = (e) => getComputedStyle(e).clipPath !== "none" || (e.parentElement && unseen(e.parentElement));
const scrolls = (e) => /auto|scroll/.test(getComputedStyle(e).overflowX) || (e.parentElement && scrolls(e.parentElement));

function contrasts() {
  return readable().map((e) => {
    const inFigure = e.tagName === "text";
    // a stage of the solver may be tinted behind a figure's letters
    const grounds = inFigure ? [ground(e.closest("figure, main")), over({ ...variable("--faint"), a: 0.45 }, ground(e.closest("figure, main")))] : [ground(e)];
    const ink = parse(inFigure ? getComputedStyle(e).fill : getComputedStyle(e).color);
    return { text: ownText(e).slice(0, 40), ratio: Math.min(...grounds.map((g) => ratio(over(ink, g), g))) };
  });
}
function markContrasts() {
  const card = ground(document.querySelector("section"));
  const names = ["--blue", "--vermilion", "--green", "--orange", "--purple", "--sky", "--axis"];
  return Object.fromEntries(names.map((name) => [name, ratio(variable(name), card)]));
}
function luminances(selectors) {
  return selectors.map((s) => luminance(ground(document.querySelector(s))));
}
function beyondTheScreen() {
  return [...document.body.querySelectorAll("*")]
    .filter((e) => e.checkVisibility() && !unseen(e) && !scrolls(e) && !e.closest("defs"))
    .filter((e) => {
      const box = e.getBoundingClientRect();
      return box.width > 0 && (box.right > innerWidth + 0.5 || box.left < -0.5);
    })
    .map((e) => `${e.tagName} ${e.textContent.slice(0, 40)}`);
}
function cutOff() {
  return [...document.body.querySelectorAll("*")]
    .filter((e) => e.checkVisibility() && !unseen(e) && /hidden|clip/.test(getComputedStyle(e).overflowX) && e.tagName !== "svg" && !e.closest("svg"))
    .filter((e) => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight)
    .map((e) => `${e.tagName} ${e.textContent.slice(0, 40)}`);
}
function outsideTheirFigure() {
  return [...document.querySelectorAll("svg text")]
    .filter((text) => {
      const [box, frame] = [text.getBoundingClientRect(), text.closest("svg").getBoundingClientRect()];
      return box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
    })
    .map((text) => text.textContent);
}
function overlappingLetters() {
  const found = [];
  for (const figure of document.querySelectorAll("svg")) {
    const boxes = [...figure.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
    boxes.forEach(([one, a], k) => {
      for (const [other, b] of boxes.slice(k + 1)) {
        const [width, height] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
        // a line's box is higher than its letters
        if (width > 0 && height > 0.35 * Math.min(a.height, b.height)) found.push(`${one} / ${other}`);
      }
    });
  }
  return found;
}
function smallest(selector) {
  const sizes = readable().filter((e) => e.matches(selector)).map((e) => {
    const frame = e.closest("svg");
    const scale = frame ? frame.getBoundingClientRect().width / frame.viewBox.baseVal.width : 1;
    return parseFloat(getComputedStyle(e).fontSize) * scale;
  });
  return Math.min(...sizes);
}
