import { storeOf, useStore, type Store } from "../parts/store.ts";
import { changed, formatRoute, parseRoute, type Route } from "./route.ts";

const route: Store<Route> = storeOf(parseRoute(location.hash));
let written: ReturnType<typeof setTimeout> | null = null;

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

/** Begins there, where the address says nothing. */
export function beginAt(first: Route): void {
  if (location.hash === "") route.set(first);
}

/** Goes there; the way back leads here. */
export function goTo(next: Route): void {
  flush();
  location.hash = formatRoute(next);
  route.set(next);
}

/** Changes settings of the place: at once in the picture, soon in the address, for browsers refuse to write it with every move of a slider. */
export function setQuery(changes: Readonly<Record<string, string | readonly string[]>>): void {
  route.set(changed(route.get(), changes));
  if (written !== null) clearTimeout(written);
  written = setTimeout(flush, 250);
}

/** Address of a place, for links. */
export function linkTo(path: readonly string[], query: Route["query"] = {}): string {
  return formatRoute({ path, query });
}

function flush(): void {
  if (written === null) return;
  clearTimeout(written);
  written = null;
  try {
    history.replaceState(null, "", formatRoute(route.get()));
  } catch {
    // A page within another one may have no address of its own.
  }
}
