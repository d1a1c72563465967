import { Decimal } from "decimal.js";
import { isCall, partsOf, substituted, type Expression, type Point } from "./expression.ts";
import { realValue } from "./real-value.ts";

/** The value of an operator's arguments at a point: the expression, the quoted name that is bound, and where. */
type Operator = (
  args: readonly Expression[],
  point: Point,
  valueOf: (each: Expression, point: Point) => number,
) => number;

const nearby = new Decimal("1e-25");
/** How far two values near the place of a limit may be apart. */
const closest = new Decimal("1e-15");

/** Operators by the head of their expression and how many arguments they have. No number where they cannot be calculated. */
export const operators: Readonly<Record<string, Operator>> = { Integrate4: integral, Limit3: limit, D2: derivative };

/** Values of an expression with other values of a name, to sixty digits; null where one of them is not known. */
function valuesAt(
  [body, quoted]: readonly Expression[],
  places: readonly Expression[],
  point: Point,
): Decimal[] | null {
  const name = (quoted as string).slice(1, -1);
  const values = places.map((place) => realValue(substituted(body as Expression, name, place), point)?.value ?? null);
  return values.every((value) => value !== null) ? values : null;
}

function beside(place: Expression, distance: Decimal): Expression {
  return ["Add", place, { num: distance.toFixed() }];
}

function derivative(args: readonly Expression[], point: Point): number {
  const name = (args[1] as string).slice(1, -1);
  const places = [nearby, nearby.neg()].map((distance) => beside(name, distance));
  const [above, below] = valuesAt(args, places, point) ?? [];
  return above && below ? above.sub(below).div(nearby.mul(2)).toNumber() : Number.NaN;
}

/** The value near a place, where it is the same at two distances on both sides. */
function limit(args: readonly Expression[], point: Point): number {
  const place = args[2] as Expression;
  const isInfinite = JSON.stringify(place).includes("Infinity");
  const far = new Decimal(1).div(nearby).mul(JSON.stringify(place).includes("Negate") ? -1 : 1);
  const places = [1, 3, ...(isInfinite ? [] : [-1, -3])].map((times) =>
    isInfinite ? { num: far.mul(times).toFixed() } : beside(place, nearby.mul(times)),
  );
  const [first, ...others] = valuesAt(args, places, point) ?? [];
  const isSame =
    first &&
    others.every((other) =>
      other
        .sub(first)
        .abs()
        .lessThan(closest.mul(first.abs().add(1))),
    );
  return first && isSame ? first.toNumber() : Number.NaN;
}

/** Halvings of the steps of an integral. */
const halvings = 9;

/** A real integral of one variable by Romberg's method; no number where its last two estimates differ. */
function integral(args: readonly Expression[], point: Point, valueOf: Parameters<Operator>[2]): number {
  const [body, quoted, ...bounds] = args as [Expression, string, ...Expression[]];
  if (partsOf(body).some((part) => isCall(part) && part[0] === "Integrate")) return Number.NaN;
  const [low, high] = bounds.map((bound) => valueOf(bound, point)) as [number, number];
  const valueAt = (place: number): number =>
    valueOf(body, (name) => (name === quoted.slice(1, -1) ? place : point(name)));
  let before = [((high - low) / 2) * (valueAt(low) + valueAt(high))];
  for (let halving = 1; halving <= halvings && Number.isFinite(before[0]); halving++) {
    const count = 2 ** (halving - 1);
    const step = (high - low) / (2 * count);
    const places = Array.from({ length: count }, (_, i) => low + (2 * i + 1) * step);
    const row = [(before[0] as number) / 2 + step * places.reduce((sum, place) => sum + valueAt(place), 0)];
    for (const [i, estimate] of before.entries())
      row.push((row[i] as number) + ((row[i] as number) - estimate) / (4 ** (i + 1) - 1));
    const [last, other] = [row.at(-1) as number, before.at(-1) as number];
    if (halving > 4 && Math.abs(last - other) <= 1e-13 * Math.max(1, Math.abs(last))) return last;
    before = row;
  }
  return Number.NaN;
}
