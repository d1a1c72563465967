import { counted, formatNumber, formatPercent, formatColumn } from "@laconic/core/text";
import { useMemo } from "preact/hooks";
import { runPlane } from "../../../src/charts/run-plane.ts";
import type {
  EpisodeDetail,
  EpisodeSummary,
  RunDetail,
  RunEvaluation,
  Speech,
  TellingEpisode,
  SpeechStep,
} from "../../../src/protocol.ts";
import { AgentGraph } from "../../parts/agent-graph.tsx";
import { Button, Table } from "../../parts/elements.tsx";
import { tokenWord } from "../../parts/graph-labels.ts";
import { SafeLine, SafeText } from "../../parts/text.tsx";
import { reasonOf } from "../episodes/episodes.tsx";
import { answererOf } from "../episodes/spoken.ts";
import { linkTo, setQuery, useQuery } from "../navigation.ts";
import { GivenText, Grade, When, Notices } from "../parts.tsx";
import { PlanePanel } from "../plane/plane.tsx";
import { Player } from "../player.tsx";
import { useLoaded } from "../server.ts";

const [playedInMs, frameMs] = [15_000, 100];

export function Story({ detail }: { detail: RunDetail }) {
  const path = `/runs/${encodeURIComponent(detail.summary.id)}`;
  const speech = useLoaded<Speech>(`${path}/speech`).value;
  const [told] = useLoaded<readonly TellingEpisode[]>(detail.episodes === 0 ? null : `${path}/telling`).value ?? [];
  const { evaluations, summary } = detail;
  const evaluated = { evaluations, before: summary.warmStart?.before ?? null, budget: summary.budgetTokens };
  const steps = useMemo(() => {
    const all = [...evaluations, ...(speech?.steps ?? [])].map(({ step }) => step);
    return [...new Set(all)].toSorted((a, b) => a - b);
  }, [evaluations, speech]);
  const asked = useQuery("step");
  const last = steps.length - 1;
  const position =
    asked === ""
      ? last
      : Math.max(
          0,
          steps.findLastIndex((step) => step <= Number(asked)),
        );
  const step = steps[position];
  if (step === undefined) return <Events detail={detail} step={detail.summary.step} />;
  const evaluation = lastUpTo(evaluations, step);
  const spoken = speech && lastUpTo(speech.steps, step);
  const show = (index: number): void => setQuery({ step: index === last ? "" : String(steps[index] ?? "") });
  return (
    <section class="story" aria-label="Training step by step">
      <Player
        verb="Play"
        {...{ index: position, last, show }}
        text={positionText(step, steps[last] ?? step, evaluation)}
        waitMs={Math.max(frameMs, Math.min(900, playedInMs / steps.length))}
        stride={Math.max(1, Math.round((steps.length * frameMs) / playedInMs))}
        hasSteps
        marks={placesOfEvents(detail, steps)}
      />
      <div class="columns pictures">
        {evaluation && (
          <figure>
            <figcaption>Accuracy and tokens per episode</figcaption>
            <PlanePanel chart={runPlane(evaluated, evaluation)} ratio={0.9} />
          </figure>
        )}
        {speech && spoken && (
          <figure>
            <figcaption>Messages between agents</figcaption>
            <StepSpeech speech={speech} step={spoken} />
          </figure>
        )}
      </div>
      <Events detail={detail} step={step} />
      {told && <Problem run={detail.summary.id} told={told} step={step} />}
    </section>
  );
}

function positionText(step: number, last: number, evaluation: RunEvaluation | undefined): string {
  const position = `Step ${formatNumber(step)} of ${formatNumber(last)}`;
  if (!evaluation) return position;
  const measured = evaluation.step === step ? "" : ` (evaluated at step ${formatNumber(evaluation.step)})`;
  return `${position}: accuracy ${formatPercent(evaluation.accuracy)}, ${formatNumber(evaluation.tokens)} tokens per episode${measured}`;
}

function lastUpTo<T extends { readonly step: number }>(rows: readonly T[], step: number): T | undefined {
  return rows.findLast((row) => row.step <= step) ?? rows[0];
}

function Problem({ run, told, step }: { run: string; told: TellingEpisode; step: number }) {
  const { way, before, episode } = told;
  const [first, now] = [before ?? way[0] ?? episode, lastUpTo(way, step) ?? episode];
  const shown = first.key === now.key ? [now] : [first, now];
  const title = shown.length === 2 ? "One problem before and after training" : "One problem";
  return (
    <section class="one-problem" aria-label={title}>
      <h2>
        {title}: <SafeLine text={episode.question} max={160} />
      </h2>
      <p class="soft small">
        {reasonOf(told)}{" "}
        <a href={linkTo(["run", run, "episodes"], { episode: [now.key], with: shown.length === 2 ? [first.key] : [] })}>
          Episode token by token
        </a>
      </p>
      <div class="columns pictures">
        {shown.map((row) => (
          <ProblemCard key={row.key} run={run} row={row} />
        ))}
      </div>
    </section>
  );
}

function ProblemCard({ run, row }: { run: string; row: EpisodeSummary }) {
  const loaded = useLoaded<EpisodeDetail>(`/runs/${encodeURIComponent(run)}/episodes/${encodeURIComponent(row.key)}`);
  return (
    <article class="problem panel" aria-label={`Step ${row.step}`}>
      <div class="line">
        <h3>Step {formatNumber(row.step)}</h3>
        <Grade grade={row.grade} />
        <span class="number last">{counted(row.tokens, "token")}</span>
      </div>
      <When loaded={loaded}>
        {({ turns, answer }) => (
          <>
            <ol class="list">
              {turns.map(({ turn, agent, view, writtenTokens, silent, text }) => (
                <li key={turn}>
                  <div class="line small">
                    <b>
                      <SafeLine text={agent} max={40} />
                    </b>
                    {view !== null && (
                      <span class="private tone">
                        knows <SafeLine text={view} max={90} />
                      </span>
                    )}
                    <span class="soft number last">{formatNumber(writtenTokens)}</span>
                  </div>
                  {silent ? <i class="soft">silent</i> : <SafeText text={text} max={240} />}
                </li>
              ))}
            </ol>
            <p class="small">
              Answer: <GivenText text={answer} max={200} />
            </p>
          </>
        )}
      </When>
    </article>
  );
}

interface RunEvent {
  /** Null for the whole run. */
  readonly step: number | null;
  readonly text: string;
  readonly isWarning: boolean;
}

function eventsOf({ warnings, warnedAt, changes }: RunDetail): readonly RunEvent[] {
  return [
    ...warnings.map((text): RunEvent => ({ step: warnedAt[text] ?? null, text, isWarning: true })),
    ...changes.map(({ step, text }): RunEvent => ({ step, text, isWarning: false })),
  ].toSorted((a, b) => (a.step ?? -1) - (b.step ?? -1));
}

function placesOfEvents(detail: RunDetail, steps: readonly number[]): readonly number[] {
  const places = eventsOf(detail).map(({ step }) => (step === null ? -1 : steps.findIndex((value) => value >= step)));
  return [...new Set(places)].filter((position) => position >= 0);
}

function Events({ detail, step: shown }: { detail: RunDetail; step: number }) {
  const events = eventsOf(detail);
  if (events.length === 0) return null;
  return (
    <section class={`events notice ${detail.warnings.length > 0 ? "warn" : ""}`} aria-label="Warnings and changes">
      <Notices all={events}>
        {({ step, text, isWarning }) => (
          <li key={`${step} ${text}`} class={step !== null && step > shown ? "soft" : ""}>
            {step !== null && (
              <Button kind="small" onClick={() => setQuery({ step: String(step) })}>
                Step {formatNumber(step)}
              </Button>
            )}{" "}
            {isWarning ? "" : "Changed: "}
            <SafeText text={text} max={600} />
          </li>
        )}
      </Notices>
    </section>
  );
}

function StepSpeech({ speech: { agents, steps }, step }: { speech: Speech; step: SpeechStep }) {
  const edges = useMemo(() => steps.flatMap((item) => item.edges), [steps]);
  const answerer = useMemo(() => answererOf(agents, edges), [agents, edges]);
  // Shared by all steps, so that changes of width are visible.
  const widestTokens = useMemo(() => edges.reduce((max, { tokens }) => Math.max(max, tokens), 0), [edges]);
  return (
    <div class="panel">
      <AgentGraph
        {...{ agents, widestTokens }}
        speech={step}
        elsewhere="the table below"
        {...(answerer !== null && { answerer })}
      />
      <p class="soft small">
        Means of {formatNumber(step.episodes)} episodes at training step {formatNumber(step.step)}.
      </p>
      <details>
        <summary>Table</summary>
        <StepTables agents={agents} step={step} />
      </details>
    </div>
  );
}

function StepTables({ agents, step }: { agents: readonly string[]; step: SpeechStep }) {
  const { edges, end, unread, rest, total, silence, prices } = step;
  const others = [
    ["end tokens", end] as const,
    ["turns without a reader, such as answers", unread] as const,
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
        label="Tokens by agent"
        columns={[
          ["Agent", (agent) => <SafeLine text={agent} max={40} />],
          ["Written", (_, i) => `${written[i]} ${tokenWord(written[i] ?? "")}`, "number"],
          ["Silent turns", (agent) => formatPercent(silence[agent]), "number"],
        ]}
        rows={agents}
      />
      <p class="soft small">
        Means of {formatNumber(step.episodes)} episodes.{" "}
        {price.length === 0 ? "Tokens had no price." : `Price of ${price.join(", ")}, in reward.`}
      </p>
    </>
  );
}
