import { h, type JSX, type RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Drawing } from "../../src/charts/drawing.ts";

export function Drawn({ drawing: { tag, attributes, children } }: { drawing: Drawing }): JSX.Element {
  return h(
    tag,
    attributes,
    children.map((child) => (typeof child === "string" ? child : <Drawn drawing={child} />)),
  );
}

/** Inner width in CSS pixels, updated on resize; 0 before layout. */
export function useWidth(): readonly [RefObject<HTMLDivElement | null>, number] {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    if (element.current !== null) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
