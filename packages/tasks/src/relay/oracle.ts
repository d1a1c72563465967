import type { LanguageModel } from "@laconic/core";
import { type RelayLevel, relaySolver } from "./levels.ts";
import { askedKeys, parseFacts } from "./problem.ts";
import { scriptedAgent } from "./scripted-agent.ts";

/**
 * Least mean tokens per episode of any team that is always right.
 *
 * Every agent writes an end token. Fix one asked value: the ten values of the other give ten different sums, so its
 * holder needs ten different messages, of which only one can be empty: 0.9 tokens each at least. A holder without an
 * asked fact needs none. The answer is the digits of a sum of two uniform digits: 1.45 on average.
 */
export function relayOracleTokens(level: RelayLevel): number {
  const values = Array.from({ length: 10 }, (_, value) => value);
  const answers = values.flatMap((a) => values.map((b) => String(a + b).length));
  const answerDigits = answers.reduce((sum, digits) => sum + digits, 0) / answers.length;
  const endTokens = level.holders + 1;
  return endTokens + 2 * (1 - 1 / values.length) + answerDigits;
}

/** A team that reaches {@link relayOracleTokens}: an asked holder writes its bare digit, silence is zero, the solver adds up. */
export function relayOracle(): LanguageModel {
  return scriptedAgent("relay-oracle", ({ agent, question, facts, messages }) => {
    if (agent === relaySolver) return String(messages.reduce((sum, message) => sum + Number(message), 0));
    const asked = askedKeys(question);
    const value = parseFacts(facts).find(({ key }) => asked.includes(key))?.value ?? 0;
    return value === 0 ? "" : String(value);
  });
}
