import { useEffect } from "preact/hooks";
import { visibleLine } from "../parts/safe-text.ts";
import { storeOf, useStore, type Store } from "../parts/store.ts";
import { changed, formatRoute, one, parseRoute, type Route } from "./route.ts";

const route: Store<Route> = storeOf(parseRoute(location.hash));
let pending: ReturnType<typeof setTimeout> | null = null;

addEventListener("hashchange", (event) => {
  // Not the address of now: a setting may have been written into it since a link was followed.
  const { hash } = new URL((event as HashChangeEvent).newURL);
  if (formatRoute(route.get()) === hash) return;
  route.set(parseRoute(hash));
  if (location.hash !== hash) setQuery({});
});

export function useRoute(): Route {
  return useStore(route);
}

/** A setting of the place, which the address holds. */
export function useQuery(name: string): string {
  return one(useRoute(), name);
}

/** Starts at a route if the address names none. */
export function beginAt(first: Route): void {
  if (location.hash === "") route.set(first);
}

/** Goes to a route; the browser's way back leads here. */
export function goTo(next: Route): void {
  flush();
  location.hash = formatRoute(next);
  route.set(next);
}

/** Changes settings of the place: at once on the page, soon in the address, because browsers limit how often it is written. */
export function setQuery(changes: Readonly<Record<string, string | readonly string[]>>): void {
  route.set(changed(route.get(), changes));
  if (pending !== null) clearTimeout(pending);
  pending = setTimeout(flush, 250);
}

/** Address of a place, for links. */
export function linkTo(path: readonly string[], query: Route["query"] = {}): string {
  return formatRoute({ path, query });
}

function flush(): void {
  if (pending === null) return;
  clearTimeout(pending);
  pending = null;
  try {
    history.replaceState(null, "", formatRoute(route.get()));
  } catch {
    // A page within another one may have no address.
  }
}

/** Title of the browser's tab while the page is shown. */
export function useTitle(name: string): void {
  useEffect(() => {
    document.title = `${visibleLine(name, 80)} · Laconic`;
  }, [name]);
}
