// How the picture looks: the colours of the style sheet, light and dark, in the words of Cytoscape.js.

export const COLOURS = 8; // --r0 .. --r7 in the style sheet

export const colours = () => {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(`--${name}`).trim();
};

/** The style of a picture with these types of relationships. */
export function styleOf(relations) {
  const colour = colours();
  const text = {
    color: colour("ink"),
    "text-outline-color": colour("panel"),
    "text-outline-width": 3,
    "font-family": "system-ui, sans-serif",
  };
  return [
    {
      selector: "node",
      style: {
        ...text,
        label: "data(name)",
        width: 16,
        height: 16,
        "font-size": 13,
        "background-color": colour("soft"),
        "text-halign": "right",
        "text-valign": "center",
        "text-margin-x": 5,
        "text-wrap": "ellipsis",
        "text-max-width": 155,
        opacity: 0.15,
      },
    },
    { selector: "node.left", style: { "text-halign": "left", "text-margin-x": -5 } },
    { selector: "node.there", style: { opacity: 1 } },
    { selector: "node.seed", style: { "background-color": colour("accent") } },
    { selector: "node.answer", style: { "background-color": colour("warm"), "font-weight": "bold" } },
    { selector: "node.visited", style: { "border-width": 2, "border-color": colour("line") } },
    { selector: "node.here", style: { "border-width": 3, "border-color": colour("ink") } },
    { selector: "node.grown", style: { shape: "diamond" } },
    { selector: "node.pointed", style: { "underlay-color": colour("accent"), "underlay-opacity": 0.4, "underlay-padding": 7 } },
    {
      selector: "edge",
      style: {
        ...text,
        width: 1.5,
        "curve-style": "bezier",
        "target-arrow-shape": "triangle",
        "arrow-scale": 0.8,
        opacity: 0.08,
        "font-size": 11,
        "text-rotation": "autorotate",
        "text-outline-width": 3,
      },
    },
    ...relations.map((relation, place) => ({
      selector: `edge[kind = ${place}]`,
      style: {
        "line-color": colour(`r${place % COLOURS}`),
        "target-arrow-color": colour(`r${place % COLOURS}`),
        color: colour(`r${place % COLOURS}`),
      },
    })),
    { selector: "edge.there", style: { opacity: 0.7 } },
    { selector: "edge.there[word]", style: { label: "data(word)" } },
    { selector: "edge.picked", style: { width: 3, opacity: 1 } },
    { selector: "edge.touched", style: { width: 4.5, opacity: 1 } },
    {
      selector: "edge.pointed",
      style: { label: "data(relation)", "line-color": colour("ink"), "target-arrow-color": colour("ink"), opacity: 1 },
    },
    { selector: ".off", style: { display: "none" } },
  ];
}
