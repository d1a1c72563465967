import type { ColumnsHeader } from "../protocol.ts";
import type { MetricColumns } from "./metric-columns.ts";

/** Rows of a run's metrics as `ColumnsHeader` describes them. */
export function columnBody(columns: MetricColumns, names: readonly string[] | null, from: number): Uint8Array {
  const rows = Math.max(0, columns.rows - from);
  const others = (names ?? columns.names()).filter((name) => name !== "step");
  const header: ColumnsHeader = { names: ["step", ...others], from, rows };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const start = 8 * Math.ceil((4 + text.length) / 8);
  const body = new Uint8Array(start + 8 * rows * header.names.length);
  const view = new DataView(body.buffer);
  view.setUint32(0, text.length, true);
  body.set(text, 4);
  const steps = columns.steps();
  header.names.forEach((name, column) => {
    for (let row = 0; row < rows; row++) {
      const value = name === "step" ? (steps[from + row] as number) : columns.at(name, from + row);
      view.setFloat64(start + 8 * (column * rows + row), value, true);
    }
  });
  return body;
}
