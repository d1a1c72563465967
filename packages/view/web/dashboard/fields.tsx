import type { InputHTMLAttributes } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Select, type Option } from "../parts/elements.tsx";
import { setQuery, useQuery } from "./navigation.ts";

interface FieldProps {
  readonly label: string;
  readonly query: string;
}

/** Changes a setting, which returns to the first page. */
const put = (query: string, value: string): void => setQuery({ [query]: value, page: "" });

function Field({ label, query, kind, ...input }: FieldProps & InputHTMLAttributes & { kind?: string }) {
  return (
    <label class={kind}>
      <span>{label}</span>
      <input {...input} value={useQuery(query)} onInput={({ currentTarget }) => put(query, currentTarget.value)} />
    </label>
  );
}

export function SearchField(props: FieldProps & { placeholder?: string; kind?: string }) {
  return <Field class="input" type="search" {...props} />;
}

export function StepField(props: FieldProps) {
  return <Field class="input short" type="number" min="0" {...props} />;
}

interface ChoiceProps extends FieldProps {
  readonly any?: string;
  readonly options: readonly Option[];
  readonly value?: string;
}

export function Choice({ query, value = "", ...rest }: ChoiceProps) {
  return <Select {...rest} value={useQuery(query) || value} onChange={(next) => put(query, next)} />;
}

/** `on` in the address if checked. */
export function Check({ label, query, on = "1" }: FieldProps & { on?: string }) {
  return (
    <label class="line small check">
      <input
        type="checkbox"
        checked={useQuery(query) === on}
        onChange={({ currentTarget }) => put(query, currentTarget.checked ? on : "")}
      />
      <span>{label}</span>
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
