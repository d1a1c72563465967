import { compareScalars } from "./compare-scalars.ts";
import { isNumeric } from "../reading/read-scalar.ts";
import type { Precision } from "./match.ts";
import type { Relation, Scalar } from "../value.ts";

/**
 * What a chain of equations such as `m + n = 200 + 4 = 204` says of its names: its last side.
 * @returns null where its left side is no sum or product of names, or its numbers contradict each other
 */
export function valueOfChain(chain: Relation, precision: Precision): Scalar | null {
  const [first, ...others] = chain.sides;
  const last = others.at(-1);
  if (!first || !last || !chain.relators.every((each) => each === "=") || !isNumeric(last.text)) return null;
  // `100m + n = 4049` may be an equation to solve; `100m + n = 4000 + 49 = 4049` is a calculation.
  const calculation = others.length > 1 && others.every((side) => isNumeric(side.text));
  const names = calculation
    ? hasNames(first)
    : isOnlyNames(first) && others.slice(0, -1).every((side) => isOnlyNames(side) || isNumeric(side.text));
  return names && !contradicts(chain, precision) ? last : null;
}

/** Whether two sides of a chain of equations are different numbers, both written exactly. */
function contradicts({ sides, relators }: Relation, precision: Precision): boolean {
  if (!relators.every((each) => each === "=")) return false;
  const numbers = sides.filter((side) => isNumeric(side.text) && !side.decimal && side.percent === "no");
  return numbers.slice(1).some((side) => {
    const { equal, how } = compareScalars(numbers[0] as Scalar, side, precision);
    return !equal && how !== "malformed" && how !== "too large";
  });
}

function isOnlyNames({ text }: Scalar): boolean {
  return hasNames({ text }) && !/\d|\\(?!(?:cdot|times|frac|angle|alpha|beta|gamma|theta)(?![a-zA-Z]))/u.test(text);
}

function hasNames({ text }: Pick<Scalar, "text">): boolean {
  return /[a-zA-Z]/u.test(text.replaceAll(/\\[a-zA-Z]+/gu, ""));
}
