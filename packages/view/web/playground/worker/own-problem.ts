import { LaconicError, type Problem } from "@laconic/core";
import type { OwnProblem } from "./messages.ts";

/**
 * A visitor's question as a problem of the relay.
 * @throws LaconicError `input_invalid` saying which part of it is none
 */
export function problemOf({ facts, asked }: OwnProblem, holders: readonly string[]): Problem {
  const refuse = (reason: string): never => {
    throw new LaconicError("input_invalid", reason);
  };
  if (facts.length !== holders.length)
    refuse(`${holders.length} holders know one fact each; there are ${facts.length} facts`);
  const known = facts.map((fact, i) => {
    const [, key, digit] =
      /^([a-z])([0-9])$/u.exec(fact) ?? refuse(`fact ${i + 1} is a letter from a to z and a digit`);
    return { key: key as string, value: Number(digit) };
  });
  const twice = known.find(({ key }, i) => known.findIndex((other) => other.key === key) < i);
  if (twice) refuse(`two holders know ${twice.key}; give each a letter of its own`);
  const values = asked.map(
    (key) => known.find((fact) => fact.key === key)?.value ?? refuse(`nobody knows ${key || "it"}`),
  );
  if (asked[0] === asked[1]) refuse("the question adds two different letters");
  const views = known.map(({ key, value }, i) => [holders[i] as string, `${key}${value}`]);
  const question = asked.join("+");
  return {
    id: `own:${facts.join("|")}?${question}`,
    question,
    gold: String(values.reduce((sum, value) => sum + value, 0)),
    views: Object.fromEntries(views),
  };
}
