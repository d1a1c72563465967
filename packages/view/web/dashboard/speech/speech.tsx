import type { RunSummary, Speech, SpeechStep } from "../../../src/protocol.ts";
import { formatColumn, formatNumber, formatPercent } from "@laconic/core/text";
import { tokenWord } from "../../parts/graph-words.ts";
import { SafeLine } from "../../parts/text.tsx";
import { setQuery, useRoute } from "../navigation.ts";
import { Empty, When } from "../parts.tsx";
import { Player } from "../player.tsx";
import { one } from "../route.ts";
import { useLoaded } from "../server.ts";
import { StepGraph } from "./step-graph.tsx";

/** All steps in this time, however many there are. */
const playedInMs = 20_000;
const frameMs = 80;

/** Who speaks to whom, step by step. */
export function SpeechView({ summary }: { readonly summary: RunSummary }) {
  const loaded = useLoaded<Speech>(`/runs/${encodeURIComponent(summary.id)}/speech`);
  return (
    <When loaded={loaded}>
      {(speech) => (speech.steps.length === 0 ? <Silence hasSteps={summary.step > 0} /> : <Playback speech={speech} />)}
    </When>
  );
}

function Silence({ hasSteps }: { readonly hasSteps: boolean }) {
  return hasSteps ? (
    <Empty title="This run did not store its messages">
      <p>
        It stands in <code>episodes.jsonl.gz</code>, which holds all episodes by default. This folder has only a few of
        them.
      </p>
    </Empty>
  ) : (
    <Empty title="No messages yet">
      <p>The graph appears with the first step of training.</p>
    </Empty>
  );
}

function Playback({ speech }: { readonly speech: Speech }) {
  const route = useRoute();
  const { steps } = speech;
  const last = steps.length - 1;
  const asked = one(route, "step");
  const found = asked === "" ? last : steps.findIndex(({ step }) => step >= Number(asked));
  const at = found === -1 ? last : found;
  const step = steps[at] as SpeechStep;
  const show = (index: number): void => {
    const next = steps[index];
    if (next !== undefined) setQuery({ step: String(next.step) });
  };
  return (
    <section class="speech" aria-label="Who speaks to whom">
      <p>
        A line is as wide as the tokens that one agent reads from another per episode. The number inside an agent is the
        tokens that it writes. The ring around it is the share of turns in which it writes a message.
      </p>
      <Player
        verb="Play"
        {...{ at, last, show }}
        words={`Step ${formatNumber(step.step)} of ${formatNumber(steps[last]?.step)}`}
        waitMs={Math.max(frameMs, Math.min(600, playedInMs / steps.length))}
        stride={Math.max(1, Math.round((steps.length * frameMs) / playedInMs))}
        hasSteps
      />
      <div class="split">
        <div class="panel">
          <StepGraph {...{ speech, step }} elsewhere="the table" />
        </div>
        <Numbers speech={speech} step={step} />
      </div>
    </section>
  );
}

/** What an episode costs beside its edges, and in all: the cost in its reward. */
function costsBeside({ end, unread, rest, total }: SpeechStep): readonly (readonly [what: string, cost: number])[] {
  const beside: readonly (readonly [string, number])[] = [
    ["end tokens", end],
    ["turns that nobody reads, as answers", unread],
    ...Object.entries(rest),
  ];
  return [...beside.filter(([, cost]) => cost > 0), ["total per episode", total]];
}

/** The same as a table, for those who do not see the picture. */
function Numbers({ speech, step }: { readonly speech: Speech; readonly step: SpeechStep }) {
  const prices = Object.entries(step.prices);
  const beside = costsBeside(step);
  const tokens = formatColumn(step.edges.map((edge) => edge.tokens));
  const costs = formatColumn([...step.edges, ...beside.map(([, cost]) => ({ cost }))].map(({ cost }) => cost));
  const written = formatColumn(speech.agents.map((agent) => step.written[agent] ?? 0));
  return (
    <div class="panel scroll" tabIndex={0} role="region" aria-label="The step in numbers">
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
