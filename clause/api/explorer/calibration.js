// The reliability diagram before and after feedback: how often answers with a score were right.

import { make } from "./place.js";
import { calibration } from "./service.js";

const SIZE = 300;
const EDGE = 34;
const at = (id) => document.getElementById(id);
const percent = (share) => `${(100 * share).toFixed(1)} %`;

function draw(kind, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** Bars of the share that was right, over the diagonal where scores say exactly that. */
function diagram(title, { error, bins }) {
  const place = (share) => EDGE + share * (SIZE - EDGE - 8);
  const height = (share) => SIZE - place(share);
  const told = bins.filter((bin) => bin.count);
  const bars = told.map((bin) =>
    draw(
      "rect",
      {
        class: "share",
        x: place(bin.low) + 1,
        y: height(bin.right_share),
        width: place(bin.high) - place(bin.low) - 2,
        height: height(0) - height(bin.right_share),
      },
      draw("title", {}, `${bin.count} answers scored ${percent(bin.mean_score)} on average, ${percent(bin.right_share)} right`),
    ),
  );
  const points = told.map((bin) => draw("circle", { class: "said", cx: place(bin.mean_score), cy: height(bin.right_share), r: 3 }));
  const ticks = [0, 0.5, 1].flatMap((share) => [
    draw("text", { class: "tick", x: place(share), y: SIZE - 14, "text-anchor": "middle" }, String(share)),
    draw("text", { class: "tick", x: EDGE - 6, y: height(share) + 4, "text-anchor": "end" }, String(share)),
  ]);
  const words = `${title}: expected calibration error ${percent(error)}`;
  const picture = draw(
    "svg",
    { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img", "aria-label": words },
    draw("line", { class: "even", x1: place(0), y1: height(0), x2: place(1), y2: height(1) }),
    ...bars,
    ...points,
    ...ticks,
    draw("text", { class: "tick", x: place(0.5), y: SIZE - 2, "text-anchor": "middle" }, "score"),
  );
  const rows = told.map((bin) =>
    make(
      "tr",
      {},
      ...[`${bin.low}–${bin.high}`, bin.count, percent(bin.mean_score), percent(bin.right_share)].map((cell) =>
        make("td", {}, String(cell)),
      ),
    ),
  );
  const table = make(
    "table",
    {},
    make("thead", {}, make("tr", {}, ...["Scores", "Answers", "Mean score", "Right"].map((head) => make("th", { scope: "col" }, head)))),
    make("tbody", {}, ...rows),
  );
  return make(
    "section",
    {},
    make("h2", {}, title),
    make("p", {}, `Expected calibration error ${percent(error)}.`),
    picture,
    make("details", {}, make("summary", {}, "As a table"), table),
  );
}

async function look() {
  at("problem").textContent = "";
  const scopes = at("scopes")
    .value.split(",")
    .map((word) => word.trim())
    .filter(Boolean);
  try {
    const report = await calibration(scopes);
    const learnt = report.calibration;
    at("status").textContent = !report.feedback
      ? "No verdict is known here: scores are as shipped."
      : `${report.feedback} verdicts. ${learnt ? `In force: slope ${learnt.slope.toFixed(2)}, offset ${learnt.offset.toFixed(2)}.` : "They move nothing: scores are as shipped."}`;
    at("diagrams").replaceChildren(...(report.feedback ? [diagram("Before", report.before), diagram("After", report.after)] : []));
  } catch (error) {
    at("problem").textContent = error.message;
  }
}

at("look").addEventListener("submit", (event) => {
  event.preventDefault();
  look();
});
look();
