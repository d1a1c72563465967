import { setQuery } from "../navigation.ts";
import { Empty } from "../parts.tsx";
import { one, type Route } from "../route.ts";

/** The server's query as the address has it: its own fields, without the page. */
export function searchOf(route: Route, fields: readonly string[]): string {
  const search = new URLSearchParams();
  for (const field of fields) {
    const value = one(route, field);
    if (value !== "") search.set(field, value);
  }
  return search.toString();
}

/** A search that finds nothing, and the way back to everything. */
export function NothingFits({ title, fields }: { readonly title: string; readonly fields: readonly string[] }) {
  const clear = (): void => setQuery(Object.fromEntries([...fields, "page"].map((field) => [field, ""])));
  return (
    <Empty title={title}>
      <p>
        <button type="button" class="button" onClick={clear}>
          Show all
        </button>
      </p>
    </Empty>
  );
}
