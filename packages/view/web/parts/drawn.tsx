import { h, type JSX } from "preact";
import type { Drawing } from "../../src/charts/drawing.ts";

/** A drawing of `src/charts` as elements of the page. */
export function Drawn({ drawing: { tag, attributes, children } }: { readonly drawing: Drawing }): JSX.Element {
  return h(
    tag,
    attributes,
    children.map((child) => (typeof child === "string" ? child : <Drawn drawing={child} />)),
  );
}
