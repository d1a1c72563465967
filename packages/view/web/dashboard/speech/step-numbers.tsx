import { formatColumn, formatNumber, formatPercent } from "@laconic/core/text";
import type { Speech, SpeechStep } from "../../../src/protocol.ts";
import { tokenWord } from "../../parts/graph-words.ts";
import { SafeLine } from "../../parts/text.tsx";

/** What an episode costs beside its edges, and in all: the cost in its reward. */
function costsBeside({ end, unread, rest, total }: SpeechStep): readonly (readonly [what: string, cost: number])[] {
  const beside: readonly (readonly [string, number])[] = [
    ["end tokens", end],
    ["turns that nobody reads, as answers", unread],
    ...Object.entries(rest),
  ];
  return [...beside.filter(([, cost]) => cost > 0), ["total per episode", total]];
}

/** A step in numbers: what each edge carries and costs, and what each agent writes. */
export function StepNumbers({ speech, step }: { readonly speech: Speech; readonly step: SpeechStep }) {
  const prices = Object.entries(step.prices);
  const beside = costsBeside(step);
  const tokens = formatColumn(step.edges.map((edge) => edge.tokens));
  const costs = formatColumn([...step.edges, ...beside.map(([, cost]) => ({ cost }))].map(({ cost }) => cost));
  const written = formatColumn(speech.agents.map((agent) => step.written[agent] ?? 0));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="The step in numbers">
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">Tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {step.edges.map(({ from, to }, i) => (
            <tr key={`${from} ${to}`}>
              <td>
                <SafeLine text={from} max={40} />
              </td>
              <td>
                <SafeLine text={to} max={40} />
              </td>
              <td class="number">{tokens[i]}</td>
              <td class="number">{costs[i]}</td>
            </tr>
          ))}
          {beside.map(([what], i) => (
            <tr key={what}>
              <td colSpan={3}>
                <SafeLine text={what} max={40} />
              </td>
              <td class="number">{costs[step.edges.length + i]}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <table>
        <thead>
          <tr>
            <th scope="col">Agent</th>
            <th scope="col">Writes</th>
            <th scope="col">Silent turns</th>
          </tr>
        </thead>
        <tbody>
          {speech.agents.map((agent, i) => (
            <tr key={agent}>
              <td>
                <SafeLine text={agent} max={40} />
              </td>
              <td class="number">
                {written[i]} {tokenWord(written[i] ?? "")}
              </td>
              <td class="number">{formatPercent(step.silence[agent])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="soft small">
        Means of {formatNumber(step.episodes)} episodes.{" "}
        {prices.length === 0
          ? "Nothing had a price."
          : `Price of ${prices.map(([cost, lambda]) => `${cost}: λ ${formatNumber(lambda)}`).join(", ")}, in reward.`}
      </p>
    </div>
  );
}
