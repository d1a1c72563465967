import { useEffect } from "preact/hooks";
import { visibleLine } from "../parts/safe-text.ts";

/** What the tab is called while the page is shown: tabs of several runs stay apart. */
export function useTitle(name: string): void {
  useEffect(() => {
    document.title = `${visibleLine(name, 80)} · Laconic`;
  }, [name]);
}
