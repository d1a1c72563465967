import { escapeHtml } from "@laconic/core/text";

/** An element of a drawing, or text in it. */
export type Drawn = DrawnElement | string;

export interface DrawnElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Drawn[];
}

/** When frames of a film begin, and when it ends and begins anew; seconds. */
export interface FilmTimes {
  readonly starts: readonly number[];
  readonly end: number;
}

/**
 * The frames of a film as one drawing that SMIL animates: what stays stands once, numbers move, all else changes at once. The drawing itself is
 * the last frame, for whoever shows no animation.
 * @param frames - as many as `starts`; undefined where the element is not there
 */
export function animated(frames: readonly (DrawnElement | undefined)[], times: FilmTimes): DrawnElement {
  const shown = frames.filter((frame) => frame !== undefined);
  const last = shown.at(-1);
  if (last === undefined) throw new Error("an element of no frame");
  const filled = frames.map((frame) => frame ?? last);
  if (!isAnimatable(filled))
    return {
      name: "g",
      attributes: {},
      children: oneByOne(
        frames.map((frame) => (frame ? [frame] : [])),
        "g",
        times,
      ),
    };
  const children = mergedChildren(filled, times);
  const names = [...new Set(shown.flatMap(({ attributes }) => Object.keys(attributes)))];
  const changing = names.flatMap((name) =>
    animationOf(
      name,
      filled.map(({ attributes }) => attributes[name] ?? ""),
      times,
    ),
  );
  const isThere = frames.map((frame) => (frame === undefined ? "hidden" : "visible"));
  const hiding = shown.length === frames.length ? [] : animationOf("visibility", isThere, times);
  return {
    name: last.name,
    attributes: { ...last.attributes, ...(frames.at(-1) === undefined && { visibility: "hidden" }) },
    children: [...changing, ...hiding, ...children],
  };
}

/** A drawing as markup. */
export function markupOf(drawn: Drawn): string {
  if (typeof drawn === "string") return escapeHtml(drawn);
  const attributes = Object.entries(drawn.attributes).map(([name, value]) => ` ${name}="${escapeHtml(value)}"`);
  const inner = drawn.children.map((child) => markupOf(child)).join("");
  return `<${drawn.name}${attributes.join("")}${inner === "" ? "/>" : `>${inner}</${drawn.name}>`}`;
}

/** Children by their place; one that some frames lack is hidden there, and what fits no other frame's stands once for each time it is shown. */
function mergedChildren(frames: readonly DrawnElement[], times: FilmTimes): Drawn[] {
  const template = frames.map(({ children }) => children).reduce((a, b) => (b.length > a.length ? b : a));
  const placed = frames.map(({ children }) => placesIn(template, children));
  if (placed.some((each) => each === null)) {
    const name = /^t(?:ext|span)$/u.test(frames[0]?.name ?? "") ? "tspan" : "g";
    return oneByOne(
      frames.map((frame) => frame.children),
      name,
      times,
    );
  }
  return template.map((kind, place) => {
    const own = placed.map((each) => each?.[place]);
    return typeof kind === "string" ? kind : animated(own as (DrawnElement | undefined)[], times);
  });
}

/** Where the children stand among those of the template, which has all of them in the same order; null where it has not. */
function placesIn(template: readonly Drawn[], children: readonly Drawn[]): (Drawn | undefined)[] | null {
  let next = 0;
  const places = template.map((kind) => {
    const child = children[next];
    if (child === undefined || signatureOf(child) !== signatureOf(kind)) return undefined;
    next++;
    return child;
  });
  return next === children.length ? places : null;
}

/** Elements of one signature are the same thing at another time; texts are only where they are the same. */
function signatureOf(drawn: Drawn): string {
  return typeof drawn === "string" ? `"${drawn}` : `${drawn.name}.${drawn.attributes["class"] ?? ""}`;
}

/** Frames that share nothing: equal ones as a group that is there during them. */
function oneByOne(frames: readonly (readonly Drawn[])[], name: "g" | "tspan", times: FilmTimes): Drawn[] {
  const texts = frames.map((children) => children.map((child) => markupOf(child)).join(""));
  return [...new Set(texts)].map((text) => {
    const states = texts.map((each) => (each === text ? "inline" : "none"));
    return {
      name,
      attributes: states.at(-1) === "none" ? { display: "none" } : {},
      children: [...animationOf("display", states, times), ...(frames[texts.indexOf(text)] ?? [])],
    };
  });
}

const translation = /^translate\(([^()]+)\)$/u;

/** SMIL moves one kind of transformation at a time. */
function isAnimatable(frames: readonly DrawnElement[]): boolean {
  const transforms = new Set(frames.map(({ attributes }) => attributes["transform"] ?? ""));
  return transforms.size === 1 || [...transforms].every((each) => translation.test(each));
}

const number = /-?\d+(?:\.\d+)?(?:e-?\d+)?/gu;

function animationOf(name: string, values: readonly string[], { starts, end }: FilmTimes): DrawnElement[] {
  if (values.every((value) => value === values[0])) return [];
  const forms = new Set(values.map((value) => value.replace(number, "0")));
  const isMoving = forms.size === 1 && /\d/u.test(values[0] ?? "");
  // A value that its neighbours have too says nothing.
  const kept = values.flatMap((value, i) =>
    value === values[i - 1] && (!isMoving || value === values[i + 1]) ? [] : [i],
  );
  const shownAs = (value: string | undefined): string | undefined => translation.exec(value ?? "")?.[1] ?? value;
  const ended = isMoving ? [...kept.map((i) => values[i]), values.at(-1)] : kept.map((i) => values[i]);
  const at = [...kept.map((i) => starts[i] ?? 0), ...(isMoving ? [end] : [])];
  return [
    {
      name: name === "transform" ? "animateTransform" : "animate",
      attributes: {
        attributeName: name,
        ...(name === "transform" && { type: "translate" }),
        ...(!isMoving && { calcMode: "discrete" }),
        dur: `${end}s`,
        repeatCount: "indefinite",
        keyTimes: at.map((time) => Number((time / end).toFixed(4))).join(";"),
        values: ended.map(shownAs).join(";"),
      },
      children: [],
    },
  ];
}
