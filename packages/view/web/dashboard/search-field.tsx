import { setQuery, useRoute } from "./navigation.ts";
import { one } from "./route.ts";

interface SearchFieldProps {
  readonly label: string;
  /** What of the address holds its words. */
  readonly query: string;
  readonly placeholder?: string;
  readonly wide?: boolean;
}

/** A field whose words stand in the address. */
export function SearchField({ label, query, placeholder, wide = false }: SearchFieldProps) {
  const route = useRoute();
  return (
    <label {...(wide && { class: "wide" })}>
      <span>{label}</span>
      <input
        class="input"
        type="search"
        {...(placeholder !== undefined && { placeholder })}
        value={one(route, query)}
        onInput={(event) => setQuery({ [query]: event.currentTarget.value, page: "" })}
      />
    </label>
  );
}
