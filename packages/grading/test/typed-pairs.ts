import { randomFromSeed } from "@laconic/core";

export type TypedPair = readonly [left: string, right: string];

export function typedPairs(seed: string, count: number): TypedPair[] {
  const { uniform } = randomFromSeed(`typed-pairs/${seed}`);
  const below = (limit: number): number => Math.floor(uniform() * limit);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  const digit = (): string => String(1 + below(9));
  const atom = (): string =>
    pick([digit, () => String(10 + below(990)), () => pick(["x", "y", "n", "pi"]), () => `${digit()}.${digit()}`])();

  const draw = (depth: number): TypedPair => {
    if (depth === 0 || below(5) === 0) {
      const name = atom();
      return [name, name];
    }
    const [[a, a2], [b, b2]] = [draw(depth - 1), draw(depth - 1)];
    const power = pick(["^", "**"]);
    return pick<() => TypedPair>([
      () => [`${a} + ${b}`, `${b2} + ${a2}`],
      () => [`(${a}) - (${b})`, `-(${b2}) + (${a2})`],
      () => [`(${a})*(${b})`, `(${b2}) * (${a2})`],
      () => [`(${a})/(${b})`, `(${a2})*(${b2})${power}(-1)`],
      () => [`(${a})${power}${2 + below(3)}`, `(${a2})${power}(${2 + below(3)})`],
      () => [`(${a})${power}2`, `(${a2})*(${a2})`],
      () => [`abs(${a})`, `Abs(${a2})`],
      () => [`sqrt(${a})`, `(${a2})${power}(1/2)`],
      () => [`max(${a}, ${b})`, `Max(${b2}, ${a2})`],
      () => [`min(${a}, ${b})`, `(${a2}) + (${b2}) - max(${a2}, ${b2})`],
      () => [`sin(${a})`, `cos(pi/2 - (${a2}))`],
      () => [`exp(${a})`, `e${power}(${a2})`],
      () => [`atan(${a})`, `-atan(-(${a2}))`],
      () => [`${digit()}*x`, `${digit()}x`],
      () => [`2*(${a})`, `(${a2}) + (${a2})`],
      () => [`factorial(${digit()})`, `${digit()}!`],
      () => [`2${power}${below(30)}`, `2${power}${below(30)}`],
      () => [`3 + ${digit()}*I`, `${digit()}*I + 3`],
      () => [`log(${2 + below(9)})*(${a})`, `(${a2})*ln(${2 + below(9)})`],
    ])();
  };
  const changed = (text: string): string => {
    const places = [...text.matchAll(/\d|\+|(?<=\w )-|max|min|sin/gu)];
    const location = places.length === 0 ? undefined : pick(places);
    if (!location) return `${text} + 1`;
    const other =
      { "+": "-", "-": "+", max: "min", min: "max", sin: "cos" }[location[0]] ??
      String((Number(location[0]) + 1 + below(8)) % 10);
    return text.slice(0, location.index) + other + text.slice(location.index + location[0].length);
  };
  return Array.from({ length: count }, () => {
    const [left, right] = draw(1 + below(3));
    return [left, below(3) === 0 ? changed(right) : right];
  });
}
