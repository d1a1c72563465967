import { seriesColour } from "@laconic/core/design";
import type { ButtonHTMLAttributes, ComponentChildren, RenderableProps } from "preact";
import { useId } from "preact/hooks";
import { visibleLine } from "./safe-text.ts";
import { SafeLine } from "./text.tsx";

/** Button that submits no form by default. */
export function Button({ kind = "", ...rest }: ButtonHTMLAttributes & { kind?: string }) {
  return <button type="button" {...rest} class={`button ${kind}`} />;
}

type PanelProps = RenderableProps<{ title: ComponentChildren; kind?: string }>;

export function Panel({ title, kind = "", children }: PanelProps) {
  const id = useId();
  return (
    <section class={`panel ${kind}`} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

export type Look = readonly [sign: string, tone: string];

export function Badge({ look: [sign, tone], children }: { look: Look; children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{sign}</span> {children}
    </span>
  );
}

const lineStyles = ["solid", "dashed", "dotted", "double"];

export function Key({ index, kind = "" }: { index: number; kind?: string }) {
  const borderTopStyle = lineStyles[Math.floor(index / 8) % lineStyles.length];
  return <i class={`key ${kind}`} style={{ "--hue": `var(--c${seriesColour(index)})`, borderTopStyle }} />;
}

export type Option = string | readonly [value: string, name: string];

interface SelectProps {
  readonly label: ComponentChildren;
  readonly value: string;
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

/** Title, cell, cell class (`name` for row heads), sort key. */
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
  readonly titles?: ReadonlyMap<number, ComponentChildren>;
  readonly sort?: { readonly by: string; readonly isDown: boolean; readonly toggle: (by: string) => void };
}

/** Narrow screens show each row as a list. */
export function Table<Row>({ label, columns, rows, kind = "", rowClass = () => "", titles, sort }: TableProps<Row>) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={visibleLine(label)}>
      <table class={`stacked ${kind}`}>
        <thead>
          <tr>
            {columns.map(([title, , cellKind, by], i) => {
              const isSorted = sort && by !== undefined;
              const order = by !== sort?.by ? "none" : sort?.isDown ? "descending" : "ascending";
              return (
                <th key={i} scope="col" aria-sort={isSorted ? order : undefined}>
                  {isSorted ? (
                    <button type="button" class="plain" onClick={() => sort.toggle(by)}>
                      {title} <span aria-hidden="true">{{ none: "", descending: "↓", ascending: "↑" }[order]}</span>
                    </button>
                  ) : (
                    <span class={cellKind === "tick" ? "visually-hidden" : ""}>
                      <SafeLine text={title} max={80} />
                    </span>
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {rows.flatMap((row, i) => [
            titles?.has(i) && (
              <tr key={`title ${i}`} class="group-title">
                <th colSpan={columns.length} scope="rowgroup">
                  {titles.get(i)}
                </th>
              </tr>
            ),
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
            </tr>,
          ])}
        </tbody>
      </table>
    </div>
  );
}
