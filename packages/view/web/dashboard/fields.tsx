import { useEffect, useRef } from "preact/hooks";
import { Select, type Option } from "../parts/elements.tsx";
import { setQuery, useQuery } from "./navigation.ts";

interface FieldProps {
  readonly label: string;
  readonly query: string;
}

type SearchProps = FieldProps & { readonly placeholder?: string; readonly kind?: string };

export function SearchField({ label, query, placeholder = "", kind = "" }: SearchProps) {
  return (
    <label class={kind}>
      <span>{label}</span>
      <input
        class="input"
        type="search"
        placeholder={placeholder}
        value={useQuery(query)}
        onInput={(event) => setQuery({ [query]: event.currentTarget.value, page: "" })}
      />
    </label>
  );
}

interface ChoiceProps extends FieldProps {
  readonly any?: string;
  readonly options: readonly Option[];
  readonly value?: string;
}

export function Choice({ query, value = "", ...rest }: ChoiceProps) {
  const change = (next: string): void => setQuery({ [query]: next, page: "" });
  return <Select {...rest} value={useQuery(query) || value} onChange={change} />;
}

/** `on` in the address if checked. */
export function Check({ label, query, on = "1" }: FieldProps & { on?: string }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={useQuery(query) === on}
        onChange={(event) => setQuery({ [query]: event.currentTarget.checked ? on : "", page: "" })}
      />
      <span>{label}</span>
    </label>
  );
}

/** Limit of the shown steps. */
export function StepField({ label, query }: FieldProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        class="input short"
        type="number"
        min="0"
        value={useQuery(query)}
        onChange={(event) => setQuery({ [query]: event.currentTarget.value, page: "" })}
      />
    </label>
  );
}

interface TabsProps {
  readonly tabs: readonly (readonly [key: string, name: string])[];
  readonly current: string;
  readonly to: (key: string) => string;
  readonly label: string;
}

export function Tabs({ tabs, current, to, label }: TabsProps) {
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    // Phone screens are narrower than the tabs.
    const here = bar.current?.querySelector<HTMLElement>("[aria-current]");
    if (here && bar.current) bar.current.scrollLeft = here.offsetLeft - bar.current.offsetLeft - 40;
  }, [current]);
  return (
    <nav class="tabs" aria-label={label} ref={bar}>
      {tabs.map(([key, name]) => (
        <a key={key} href={to(key)} aria-current={key === current ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
