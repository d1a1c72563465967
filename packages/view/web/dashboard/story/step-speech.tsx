import { formatColumn, formatNumber, formatPercent } from "@laconic/core/text";
import { useMemo } from "preact/hooks";
import type { Speech, SpeechStep } from "../../../src/protocol.ts";
import { AgentGraph } from "../../parts/agent-graph.tsx";
import { Table } from "../../parts/elements.tsx";
import { tokenWord } from "../../parts/graph-labels.ts";
import { SafeLine } from "../../parts/text.tsx";
import { answererOf } from "../episodes/spoken.ts";

interface StepSpeechProps {
  readonly speech: Speech;
  readonly step: SpeechStep;
}

export function StepSpeech({ speech: { agents, steps }, step }: StepSpeechProps) {
  const edges = useMemo(() => steps.flatMap((each) => each.edges), [steps]);
  const answerer = useMemo(() => answererOf(agents, edges), [agents, edges]);
  // Shared scale of all steps, so that changes of line width are visible.
  const widestTokens = useMemo(() => edges.reduce((max, { tokens }) => Math.max(max, tokens), 0), [edges]);
  return (
    <div class="panel">
      <AgentGraph
        {...{ agents, widestTokens }}
        costs={step}
        written={step.written}
        silence={step.silence}
        elsewhere="the table below"
        {...(answerer !== null && { answerer })}
      />
      <p class="soft small">
        Means of the {formatNumber(step.episodes)} episodes of training step {formatNumber(step.step)}.
      </p>
      <details>
        <summary>As a table</summary>
        <StepTables agents={agents} step={step} />
      </details>
    </div>
  );
}

function StepTables({ agents, step }: { agents: readonly string[]; step: SpeechStep }) {
  const { edges, end, unread, rest, total, silence, prices } = step;
  const others = [
    ["end tokens", end] as const,
    ["turns that nobody reads, as answers", unread] as const,
    ...Object.entries(rest),
  ];
  const rows = [
    ...edges,
    ...others.flatMap(([from, cost]) => (cost > 0 ? [{ from, to: "", tokens: null, cost }] : [])),
    { from: "total per episode", to: "", tokens: null, cost: total },
  ];
  const tokens = formatColumn(edges.map((edge) => edge.tokens));
  const costs = formatColumn(rows.map(({ cost }) => cost));
  const written = formatColumn(agents.map((agent) => step.written[agent] ?? 0));
  const price = Object.entries(prices).map(([cost, lambda]) => `${cost}: λ ${formatNumber(lambda)}`);
  return (
    <>
      <Table
        label="Tokens and costs of the step"
        columns={[
          ["From", ({ from }) => <SafeLine text={from} max={40} />],
          ["To", ({ to }) => <SafeLine text={to} max={40} />],
          ["Tokens", (_, i) => tokens[i], "number"],
          ["Cost", (_, i) => costs[i], "number"],
        ]}
        rows={rows}
      />
      <Table
        label="What each agent writes"
        columns={[
          ["Agent", (agent) => <SafeLine text={agent} max={40} />],
          ["Writes", (_, i) => `${written[i]} ${tokenWord(written[i] ?? "")}`, "number"],
          ["Silent turns", (agent) => formatPercent(silence[agent]), "number"],
        ]}
        rows={agents}
      />
      <p class="soft small">
        Means of {formatNumber(step.episodes)} episodes.{" "}
        {price.length === 0 ? "Nothing had a price." : `Price of ${price.join(", ")}, in reward.`}
      </p>
    </>
  );
}
