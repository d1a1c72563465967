import { useEffect } from "preact/hooks";
import { visibleLine } from "../parts/safe-text.ts";
import { storeOf, useStore, type Store } from "../parts/store.ts";
import { changed, formatRoute, one, parseRoute, type Route } from "./route.ts";

const route: Store<Route> = storeOf(parseRoute(location.hash));
let pending: ReturnType<typeof setTimeout> | null = null;

addEventListener("hashchange", (event) => {
  // The current address may already contain a setting written after the link was followed.
  const { hash } = new URL((event as HashChangeEvent).newURL);
  if (formatRoute(route.get()) === hash) return;
  route.set(parseRoute(hash));
  if (location.hash !== hash) setQuery({});
});

export function useRoute(): Route {
  return useStore(route);
}

export function useQuery(name: string): string {
  return one(useRoute(), name);
}

export function beginAt(first: Route): void {
  if (location.hash === "") route.set(first);
}

export function goTo(next: Route): void {
  flush();
  location.hash = formatRoute(next);
  route.set(next);
}

/** Changes settings of the page. The address follows with a delay, because browsers limit its updates. */
export function setQuery(changes: Readonly<Record<string, string | readonly string[]>>): void {
  route.set(changed(route.get(), changes));
  if (pending !== null) clearTimeout(pending);
  pending = setTimeout(flush, 250);
}

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
    // Embedded pages may lack an address.
  }
}

export function useTitle(name: string): void {
  useEffect(() => {
    document.title = `${visibleLine(name, 80)} · Laconic`;
  }, [name]);
}
