import { seriesColour } from "@laconic/core/design";
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { visibleLine } from "./safe-text.ts";
import { SafeLine } from "./text.tsx";

/** A button that submits no form, unless its type says so. */
export function Button({ kind = "", ...rest }: ButtonHTMLAttributes & { kind?: string }) {
  return <button type="button" {...rest} class={`button ${kind}`} />;
}

/** A part of a page with a title. */
export function Panel({
  title,
  kind = "",
  children,
}: {
  title: ComponentChildren;
  kind?: string;
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class={`panel ${kind}`} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** A word with a sign, in a colour that has a meaning. */
export function Badge({ sign, tone, children }: { sign: string; tone: string; children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{sign}</span> {children}
    </span>
  );
}

const lineStyles = ["solid", "dashed", "dotted", "double"];

/** Sign of a series in legends: a piece of its line, or a dot. */
export function Key({ index, kind = "" }: { index: number; kind?: string }) {
  const borderTopStyle = lineStyles[Math.floor(index / 8) % lineStyles.length];
  return <i class={`key ${kind}`} style={{ "--hue": `var(--c${seriesColour(index)})`, borderTopStyle }} />;
}

/** A value that is its own name, or a value and its name. */
export type Option = string | readonly [value: string, name: string];

interface SelectProps {
  readonly label: string;
  readonly value: string;
  /** Name of the empty value, if it can be chosen. */
  readonly any?: string;
  readonly options: readonly Option[];
  readonly onChange: (value: string) => void;
}

export function Select({ label, value, any, options, onChange, ...rest }: SelectProps) {
  const named = options.map((option) => (typeof option === "string" ? ([option, option] as const) : option));
  return (
    <label>
      <span>{label}</span>
      <select {...rest} class="select" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {any !== undefined && <option value="">{any}</option>}
        {named.map(([option, name]) => (
          <option key={option} value={option}>
            {visibleLine(name, 80)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A column of a table: title, cell of a row, class of its cells (`name` for the head of a row), and key for sorting. */
export type Column<Row> = readonly [
  title: string,
  cell: (row: Row, index: number) => ComponentChildren,
  kind?: string,
  sort?: string,
];

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly kind?: string;
  readonly rowClass?: (row: Row) => string;
  /** Column by which the rows are sorted, and what a press on a title does. */
  readonly sort?: { readonly by: string; readonly isDown: boolean; readonly toggle: (by: string) => void };
}

/** A table that scrolls in itself; on narrow screens each row is a list of its cells. */
export function Table<Row>({ label, columns, rows, kind = "", rowClass = () => "", sort }: TableProps<Row>) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={visibleLine(label)}>
      <table class={`stacked ${kind}`}>
        <thead>
          <tr>
            {columns.map(([title, , cellKind, by], i) => {
              const order = by === undefined || by !== sort?.by ? "none" : sort.isDown ? "descending" : "ascending";
              return by === undefined || !sort ? (
                <th key={i} scope="col">
                  <span class={cellKind === "tick" ? "visually-hidden" : ""}>
                    <SafeLine text={title} max={80} />
                  </span>
                </th>
              ) : (
                <th key={i} scope="col" aria-sort={order}>
                  <button type="button" class="plain" onClick={() => sort.toggle(by)}>
                    {title} <span aria-hidden="true">{{ none: "", descending: "↓", ascending: "↑" }[order]}</span>
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i} class={rowClass(row)}>
              {columns.map(([title, cell, cellKind = ""], k) =>
                cellKind.startsWith("name") ? (
                  <th key={k} scope="row" class={cellKind}>
                    {cell(row, i)}
                  </th>
                ) : (
                  <td key={k} class={cellKind} data-label={visibleLine(title, 80)}>
                    {cell(row, i)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
