import { isCall, partsOf, type Expression } from "./expression.ts";

/** Entries by row of `["Matrix", ["Row", 1, 2], ["Row", 3, 4]]`. */
export type Rows = readonly (readonly Expression[])[];

/** A determinant of 4 rows has 24 products. */
const maxRows = 8;
const maxParts = 400;
const maxDeterminant = 4;

/** Null for others and for unequal rows. */
export function rowsOf(expression: Expression): Rows | null {
  if (!isCall(expression) || expression[0] !== "Matrix") return null;
  const rows = expression.slice(1).map((row) => (row as readonly Expression[]).slice(1));
  return rows.length <= maxRows && rows.every((row) => row.length === rows[0]?.length && row.length <= maxRows)
    ? rows
    : null;
}

/** Sum, product, power or determinant; null if sizes differ. */
export function ofMatrices(head: string, args: readonly Expression[]): Expression | null {
  if (args.every((arg) => rowsOf(arg) === null)) return null;
  const calculated = calculatedRows(head, args);
  if (calculated && head !== "Det")
    return calculated.flat().every((entry) => partsOf(entry).length <= maxParts)
      ? ["Matrix", ...calculated.map((row): Expression => ["Row", ...row])]
      : null;
  return calculated?.[0]?.[0] ?? null;
}

function calculatedRows(head: string, args: readonly Expression[]): Rows | null {
  const matrices = args.map(rowsOf);
  const [first = null, second = null] = matrices;
  switch (head) {
    case "Add":
      return matrices.reduce((a, b) => a && b && sum(a, b));
    case "Negate":
      return first && mapped(first, (entry) => ["Negate", entry]);
    case "Multiply": {
      const numbers = args.filter((_, i) => matrices[i] === null);
      const product = productOf(matrices.filter((matrix) => matrix !== null));
      return product && mapped(product, (entry) => ["Multiply", ...numbers, entry]);
    }
    case "Power": {
      if (first && ["T", "top", "intercal"].includes(args[1] as string)) return transposed(first);
      const exponent = Number(args[1]);
      const isPower = first !== null && Number.isInteger(exponent) && exponent > 0 && exponent <= maxRows;
      return isPower ? productOf(Array.from({ length: exponent }, () => first)) : null;
    }
    case "Divide":
      return first && second === null ? mapped(first, (entry) => ["Divide", entry, args[1]!]) : null;
    case "Det":
      return first && first.length === first[0]?.length && first.length <= maxDeterminant
        ? [[determinant(first)]]
        : null;
    default:
      return null;
  }
}

function mapped(rows: Rows, apply: (entry: Expression) => Expression): Rows {
  return rows.map((row) => row.map(apply));
}

function transposed(rows: Rows): Rows {
  return rows[0]!.map((_, column) => rows.map((row) => row[column]!));
}

function productOf([first, ...others]: readonly Rows[]): Rows | null {
  return others.reduce<Rows | null>((a, b) => a && times(a, b), first ?? null);
}

function sum(a: Rows, b: Rows): Rows | null {
  if (a.length !== b.length || a[0]?.length !== b[0]?.length) return null;
  return a.map((row, i) => row.map((entry, k): Expression => ["Add", entry, b[i]?.[k] as Expression]));
}

function times(a: Rows, b: Rows): Rows | null {
  if (a[0]?.length !== b.length) return null;
  return a.map((row) =>
    b[0]!.map((_, k): Expression => [
      "Add",
      ...row.map((entry, i): Expression => ["Multiply", entry, b[i]?.[k] as Expression]),
    ]),
  );
}

function determinant([first = [], ...others]: Rows): Expression {
  if (others.length === 0) return first[0]!;
  const terms = first.map((entry, i): Expression => {
    const term: Expression = ["Multiply", entry, determinant(others.map((row) => row.filter((_, k) => k !== i)))];
    return i % 2 === 0 ? term : ["Negate", term];
  });
  return ["Add", ...terms];
}
