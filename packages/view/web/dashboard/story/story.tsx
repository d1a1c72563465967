import { counted, formatNumber, formatPercent } from "@laconic/core/text";
import { useMemo } from "preact/hooks";
import type { PlaneChart, PlanePoint } from "../../../src/charts/plane.ts";
import type {
  EpisodeDetail,
  EpisodeSummary,
  RunDetail,
  RunEvaluation,
  Speech,
  TellingEpisode,
} from "../../../src/protocol.ts";
import { SafeLine, SafeText } from "../../parts/text.tsx";
import { reasonOf } from "../episodes/episodes.tsx";
import { linkTo, setQuery, useQuery } from "../navigation.ts";
import { GivenText, Grade, When } from "../parts.tsx";
import { PlanePanel, problemsText } from "../plane/plane.tsx";
import { Player } from "../player.tsx";
import { useLoaded } from "../server.ts";
import { Events, placesOfEvents } from "./events.tsx";
import { StepSpeech } from "./step-speech.tsx";

/** All steps, and one frame. */
const [playedInMs, frameMs] = [15_000, 100];

export function Story({ detail }: { detail: RunDetail }) {
  const path = `/runs/${encodeURIComponent(detail.summary.id)}`;
  const speech = useLoaded<Speech>(`${path}/speech`).value;
  const [told] = useLoaded<readonly TellingEpisode[]>(detail.episodes === 0 ? null : `${path}/telling`).value ?? [];
  const { evaluations } = detail;
  const steps = useMemo(() => {
    const all = [...evaluations, ...(speech?.steps ?? [])].map(({ step }) => step);
    return [...new Set(all)].toSorted((a, b) => a - b);
  }, [evaluations, speech]);
  const asked = useQuery("step");
  const last = steps.length - 1;
  const at =
    asked === ""
      ? last
      : Math.max(
          0,
          steps.findLastIndex((step) => step <= Number(asked)),
        );
  const step = steps[at];
  if (step === undefined) return <Events detail={detail} step={detail.summary.step} />;
  const evaluation = lastUpTo(evaluations, step);
  const spoken = speech && lastUpTo(speech.steps, step);
  const show = (index: number): void => setQuery({ step: index === last ? "" : String(steps[index] ?? "") });
  return (
    <section class="story" aria-label="The run as a story">
      <Player
        verb="Play"
        {...{ at, last, show }}
        text={positionText(step, steps[last] ?? step, evaluation)}
        waitMs={Math.max(frameMs, Math.min(900, playedInMs / steps.length))}
        stride={Math.max(1, Math.round((steps.length * frameMs) / playedInMs))}
        hasSteps
        marks={placesOfEvents(detail, steps)}
      />
      <div class="columns pictures">
        {evaluation && (
          <figure>
            <figcaption>How often it is right, and what it says</figcaption>
            <PlanePanel chart={planeOf(detail, evaluation)} ratio={0.9} />
          </figure>
        )}
        {speech && spoken && (
          <figure>
            <figcaption>Who speaks to whom</figcaption>
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
  const measured = evaluation.step === step ? "" : `, measured at step ${formatNumber(evaluation.step)}`;
  return `${position}: ${formatPercent(evaluation.accuracy)} right at ${formatNumber(evaluation.tokens)} tokens per episode${measured}`;
}

/** Latest row up to a step, else the first. */
function lastUpTo<T extends { readonly step: number }>(rows: readonly T[], step: number): T | undefined {
  return rows.findLast((row) => row.step <= step) ?? rows[0];
}

function planeOf({ evaluations, summary }: RunDetail, current: RunEvaluation): PlaneChart {
  const before = summary.warmStart?.before ?? null;
  const path = before ? [before, ...evaluations] : evaluations;
  const [start = current, end = current] = [evaluations[0], evaluations.at(-1)];
  const ring = (row: RunEvaluation, label: string): PlanePoint => ({
    ...row,
    label,
    name: label,
    look: "ring",
    color: 1,
    interval: null,
  });
  const label = current === end ? "end" : current === start ? "start" : `step ${current.step}`;
  return {
    title: "Validation accuracy over tokens per episode",
    n: problemsText(evaluations),
    points: [
      ...(before ? [ring(before, "before the warm start")] : []),
      ...(start === current ? [] : [ring(start, "start")]),
      ...(end === current ? [] : [ring(end, "end")]),
      { ...current, color: 1, name: `step ${current.step}`, label },
    ],
    lines: [
      { positions: path, color: 1, look: "faint" },
      { positions: path.slice(0, path.indexOf(current) + 1), color: 1, look: "path" },
    ],
    budget: summary.budgetTokens,
    legend: [],
  };
}

interface ProblemProps {
  readonly run: string;
  readonly told: TellingEpisode;
  readonly step: number;
}

function Problem({ run, told, step }: ProblemProps) {
  const { way, before, episode } = told;
  const [first, now] = [before ?? way[0] ?? episode, lastUpTo(way, step) ?? episode];
  const shown = first.key === now.key ? [now] : [first, now];
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
