import { currentRoute, goTo, setQuery } from "./navigation.ts";
import { all } from "./route.ts";

/** Every key of the pages, and what it does: the help shows this list. */
export const keys: readonly (readonly [key: string, does: string])[] = [
  ["?", "Shows and closes this help"],
  ["/", "Goes to the search of the page"],
  ["g then r", "List of runs"],
  ["g then c", "Comparison of the ticked runs"],
  ["g then b", "Benches"],
  ["1 to 5", "Parts of a run, or of a comparison"],
  ["j, k", "Next and previous run, conversation or sample in a list; Enter goes to what it opens, x ticks a run"],
  ["← →", "On the charts: earlier and later steps"],
  ["+ − 0", "On the charts: closer, further, all steps"],
  ["↑ ↓", "In the list of conversations or samples: the next and the one before"],
  ["p", "Plays and pauses the graph, or replays a conversation"],
  ["Esc", "Leaves a field, a conversation, a sample, or this help"],
];

/** Listens for keys on the whole page. Keys pressed in fields are theirs, but for Esc. */
export function onKeys(onHelp: () => void): () => void {
  let isAfterG = false;
  const listener = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const isField = target.matches("input:not([type=checkbox]):not([type=range]), select, textarea");
    if (event.key === "Escape") return leave(target, isField);
    if (isField || document.querySelector("dialog[open]") !== null) {
      if (event.key === "?" && !isField) onHelp();
      return;
    }
    const wasAfterG = isAfterG;
    isAfterG = event.key === "g";
    const done = wasAfterG ? go(event.key) : act(event.key, target, onHelp);
    if (done) event.preventDefault();
  };
  addEventListener("keydown", listener);
  return () => removeEventListener("keydown", listener);
}

function go(key: string): boolean {
  const sel = all(currentRoute(), "sel");
  const path = { r: "runs", c: "compare", b: "benches" }[key];
  if (path === undefined) return false;
  goTo({ path: [path], query: sel.length > 0 && path !== "benches" ? { sel } : {} });
  return true;
}

function act(key: string, target: HTMLElement, onHelp: () => void): boolean {
  if (key === "?") onHelp();
  else if (key === "/") document.querySelector<HTMLElement>("[data-search]")?.focus();
  else if (key === "p") document.querySelector<HTMLElement>("[data-play]")?.click();
  else if (/^[1-5]$/u.test(key)) document.querySelectorAll<HTMLElement>(".tabs a")[Number(key) - 1]?.click();
  else if (key === "j" || key === "k") step(key === "j" ? 1 : -1);
  else if (key === "x") target.closest("tr")?.querySelector<HTMLElement>("input[type=checkbox]")?.click();
  else return false;
  return true;
}

function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const list = rows.length === 0 ? document.querySelector<HTMLElement>("[role=listbox]") : null;
  list?.focus();
  list?.dispatchEvent(new KeyboardEvent("keydown", { key: by > 0 ? "ArrowDown" : "ArrowUp" }));
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
}

function leave(target: HTMLElement, isField: boolean): void {
  if (isField) target.blur();
  else if (document.querySelector("[data-opened]") !== null) {
    const { path } = currentRoute();
    setQuery({ episode: "", with: "", sample: "", list: path[2] === "episodes" ? "1" : "" });
    document.querySelector<HTMLElement>("[role=listbox]")?.focus();
  }
}
