import { useMemo } from "preact/hooks";
import type { EpisodeSummary, RunDetail, RunEvaluation, Speech, TellingEpisode } from "../../../src/protocol.ts";
import { formatNumber, formatPercent } from "@laconic/core/text";
import { SafeLine } from "../../parts/text.tsx";
import { reasonOf } from "../episodes/telling.tsx";
import { linkTo, setQuery, useRoute } from "../navigation.ts";
import { Player } from "../player.tsx";
import { one } from "../route.ts";
import { useLoaded } from "../server.ts";
import { StepGraph } from "../speech/step-graph.tsx";
import { StepNumbers } from "../speech/step-numbers.tsx";
import { Events, placesOfEvents } from "./events.tsx";
import { ProblemCard } from "./problem-card.tsx";
import { StoryPlane } from "./story-plane.tsx";

/** All steps in this time, however many there are. */
const playedInMs = 15_000;
const frameMs = 100;

/** What the team learned, told by one slider over steps: accuracy and tokens, who speaks to whom, and one problem before and after. */
export function Story({ detail }: { readonly detail: RunDetail }) {
  const path = `/runs/${encodeURIComponent(detail.summary.id)}`;
  const speech = useLoaded<Speech>(`${path}/speech`).value;
  const [told] = useLoaded<readonly TellingEpisode[]>(detail.episodes === 0 ? null : `${path}/telling`).value ?? [];
  const { evaluations } = detail;
  const steps = useMemo(() => {
    const all = [...evaluations.map(({ step }) => step), ...(speech?.steps ?? []).map(({ step }) => step)];
    return [...new Set(all)].toSorted((a, b) => a - b);
  }, [evaluations, speech]);
  const asked = one(useRoute(), "step");
  const last = steps.length - 1;
  const found = asked === "" ? last : steps.findLastIndex((step) => step <= Number(asked));
  const at = Math.max(0, found);
  const step = steps[at];
  if (step === undefined) return <Events detail={detail} step={detail.summary.step} />;
  const evaluation = lastUpTo(evaluations, step);
  const show = (index: number): void => setQuery({ step: index === last ? "" : String(steps[index] ?? "") });
  return (
    <section class="story" aria-label="The run as a story">
      <Player
        verb="Play"
        {...{ at, last, show }}
        words={wordsAt(step, steps[last] ?? step, evaluation)}
        waitMs={Math.max(frameMs, Math.min(900, playedInMs / steps.length))}
        stride={Math.max(1, Math.round((steps.length * frameMs) / playedInMs))}
        hasSteps
        marks={placesOfEvents(detail, steps)}
      />
      <div class="pictures">
        {evaluation && (
          <figure>
            <figcaption>How often it is right, and what it says</figcaption>
            <StoryPlane detail={detail} current={evaluation} />
          </figure>
        )}
        {speech && speech.steps.length > 0 && (
          <figure>
            <figcaption>Who speaks to whom</figcaption>
            <StoryGraph speech={speech} step={step} />
          </figure>
        )}
      </div>
      <Events detail={detail} step={step} />
      {told && <Problem run={detail.summary.id} told={told} step={step} />}
    </section>
  );
}

function wordsAt(step: number, last: number, evaluation: RunEvaluation | undefined): string {
  const figures = evaluation
    ? `: ${formatPercent(evaluation.accuracy)} right at ${formatNumber(evaluation.tokens)} tokens per episode${evaluation.step === step ? "" : `, measured at step ${formatNumber(evaluation.step)}`}`
    : "";
  return `Step ${formatNumber(step)} of ${formatNumber(last)}${figures}`;
}

/** The latest one of a step that is not later, or else the first. */
function lastUpTo<T extends { readonly step: number }>(rows: readonly T[], step: number): T | undefined {
  return rows.findLast((row) => row.step <= step) ?? rows[0];
}

/** Steps are of training: before the first one, the first is shown, which the untrained team played. */
function StoryGraph({ speech, step }: { readonly speech: Speech; readonly step: number }) {
  const shown = lastUpTo(speech.steps, step);
  return shown ? (
    <div class="panel">
      <StepGraph speech={speech} step={shown} elsewhere="the table below" />
      <p class="soft small">
        Means of the {formatNumber(shown.episodes)} episodes of training step {formatNumber(shown.step)}.
      </p>
      <details>
        <summary>As a table</summary>
        <StepNumbers speech={speech} step={shown} />
      </details>
    </div>
  ) : null;
}

interface ProblemProps {
  readonly run: string;
  readonly told: TellingEpisode;
  readonly step: number;
}

/** The most telling problem: as it was at first, and as it went at the step that is shown. */
function Problem({ run, told, step }: ProblemProps) {
  const { way, before, episode } = told;
  const [first, now] = [before ?? way[0] ?? episode, lastUpTo(way, step) ?? episode];
  const shown: readonly EpisodeSummary[] = first.key === now.key ? [now] : [first, now];
  const title = shown.length === 2 ? "One problem, before and after" : "One problem";
  return (
    <section class="one-problem" aria-label={title}>
      <h2>
        {title}: <SafeLine text={episode.question} max={160} />
      </h2>
      <p class="soft small">
        {reasonOf(told)}{" "}
        <a href={linkTo(["run", run, "episodes"], { episode: [now.key], with: shown.length === 2 ? [first.key] : [] })}>
          Read it token by token
        </a>
      </p>
      <div class="pictures">
        {shown.map((row) => (
          <ProblemCard key={row.key} run={run} row={row} />
        ))}
      </div>
    </section>
  );
}
