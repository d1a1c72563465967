import { expect, test } from "vitest";
import { animated, markupOf, type Drawn, type DrawnElement } from "../bench/src/pages/film/animated-svg.ts";

const element = (name: string, attributes: Record<string, string>, ...children: Drawn[]): DrawnElement => ({
  name,
  attributes,
  children,
});

/** A drawing in which everything changes that may: places, forms, texts, classes, what there is. */
function frame(at: number): DrawnElement {
  const isEnd = at === 3;
  return element(
    "svg",
    {},
    element("circle", { cx: String(10 * at), cy: "5" }),
    element("path", { d: `M0,0${"L1,1".repeat(at)}` }),
    ...(isEnd ? [] : [element("g", { class: "end" }, element("text", {}, "end"))]),
    element("g", { transform: `translate(${at} 2)` }, element("text", { class: "count" }, at === 2 ? "<1" : `${at}`)),
    element("path", { transform: `translate(${at} 1) rotate(${at})` }),
    element("g", { class: "line" }, element("path", { class: at < 2 ? "edge" : "edge unused" })),
    element(
      "text",
      {},
      element("tspan", { class: "a" }, "Step "),
      ...(at > 1 ? [element("tspan", { class: "b" }, "late")] : []),
    ),
  );
}

const times = { starts: [0, 1, 2, 4], end: 8 };

/** As a browser shows it at a time: a second reading of SMIL, of what the film uses of it. */
function shownAt(drawn: Drawn, seconds: number): Drawn[] {
  if (typeof drawn === "string") return [drawn];
  const attributes: Record<string, string> = { ...drawn.attributes };
  const rest = drawn.children.filter((child) => {
    if (typeof child === "string" || !child.name.startsWith("animate")) return true;
    const { attributeName = "", values = "", keyTimes = "", type, dur } = child.attributes;
    expect(dur).toBe("8s");
    const keys = keyTimes.split(";").map((key) => 8 * Number(key));
    const value = values.split(";")[keys.findLastIndex((key) => key <= seconds + 1e-6)] ?? "";
    attributes[attributeName] = type === undefined ? value : `${type}(${value})`;
    return false;
  });
  if (attributes["display"] === "none" || attributes["visibility"] === "hidden") return [];
  delete attributes["display"];
  delete attributes["visibility"];
  const children = rest.flatMap((child) => shownAt(child, seconds));
  const isAdded =
    /^(?:g|tspan)$/u.test(drawn.name) &&
    drawn.attributes["class"] === undefined &&
    attributes["transform"] === undefined;
  return isAdded ? children : [{ name: drawn.name, attributes, children }];
}

test("a film as a drawing shows each frame at its time, and the last one where nothing moves", () => {
  const frames = [0, 1, 2, 3].map((at) => frame(at));
  const film = animated(frames, times);
  for (const [i, start] of times.starts.entries())
    expect(shownAt(film, start).map((each) => markupOf(each))).toEqual([markupOf(frames[i] as DrawnElement)]);
  expect(markupOf(film).match(/<circle|>end</gu)).toEqual(["<circle", ">end<"]);
  const still = (drawn: Drawn): Drawn =>
    typeof drawn === "string"
      ? drawn
      : {
          ...drawn,
          children: drawn.children
            .filter((child) => typeof child === "string" || !child.name.startsWith("animate"))
            .map((child) => still(child)),
        };
  expect(markupOf(still(film)).match(/display="none"/gu)?.length).toBeGreaterThan(2);
  expect(shownAt(still(film), 0).map((each) => markupOf(each))).toEqual([markupOf(frame(3))]);
});

test("numbers move from frame to frame, and what stays stands once", () => {
  const circles = [0, 0, 10, 10].map((cx) => element("circle", { cx: String(cx), r: "2" }));
  expect(markupOf(animated(circles, times))).toBe(
    `<circle cx="10" r="2"><animate attributeName="cx" dur="8s" repeatCount="indefinite" keyTimes="0;0.125;0.25;0.5;1" values="0;0;10;10;10"/></circle>`,
  );
  const same = element("g", {}, element("text", {}, "a < b"));
  expect(markupOf(animated([same, same, same, same], times))).toBe("<g><text>a &lt; b</text></g>");
});
