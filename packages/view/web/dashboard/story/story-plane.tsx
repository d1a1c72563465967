import type { RunDetail, RunEvaluation } from "../../../src/protocol.ts";
import { formatNumber, formatPercent } from "@laconic/core/text";
import { PlaneFrame, wayPath, type PlaneScale } from "../plane/plane-frame.tsx";

interface StoryPlaneProps {
  readonly detail: RunDetail;
  /** The evaluation that the slider stands at. */
  readonly at: RunEvaluation;
}

/** Where the team began, its way to the step that is shown, and where it ended. */
export function StoryPlane({ detail: { evaluations, summary }, at }: StoryPlaneProps) {
  const [first = at, last = at] = [evaluations[0], evaluations.at(-1)];
  const before = summary.warmStart?.before ?? null;
  const way = before ? [before, ...evaluations] : evaluations;
  const gone = evaluations.slice(0, evaluations.indexOf(at) + 1);
  const counts = way.map(({ problems }) => problems);
  const { budgetTokens } = summary;
  return (
    <PlaneFrame rows={way} label={inWords(first, at, last)} n={[Math.min(...counts), Math.max(...counts)]} ratio={0.9}>
      {(scale) => (
        <>
          {budgetTokens !== null && <Budget tokens={budgetTokens} scale={scale} />}
          <path class="way hue1" d={wayPath(way, scale)} />
          <path class="way gone hue1" d={wayPath(before ? [before, ...gone] : gone, scale)} />
          {before && <Mark row={before} scale={scale} name="before the warm start" />}
          <Mark row={first} scale={scale} name="start" />
          {last !== first && last !== at && <Mark row={last} scale={scale} name="end" />}
          <g class="team hue1">
            <title>{figures(at)}</title>
            {at.interval && (
              <line
                x1={scale.x(at.tokens)}
                x2={scale.x(at.tokens)}
                y1={scale.y(at.interval[0])}
                y2={scale.y(at.interval[1])}
              />
            )}
            <circle cx={scale.x(at.tokens)} cy={scale.y(at.accuracy)} r={8} />
          </g>
        </>
      )}
    </PlaneFrame>
  );
}

interface MarkProps {
  readonly row: RunEvaluation;
  readonly scale: PlaneScale;
  readonly name: string;
}

/** A hollow point with its name on the side that has room. */
function Mark({ row, scale, name }: MarkProps) {
  const [x, y] = [scale.x(row.tokens), scale.y(row.accuracy)];
  const isRight = x > (scale.left + scale.right) / 2;
  return (
    <g class="hollow">
      <circle cx={x} cy={y} r={5} />
      <text
        class="tick"
        x={isRight ? x - 11 : x + 11}
        y={y < scale.top + 20 ? y + 18 : y - 9}
        text-anchor={isRight ? "end" : "start"}
      >
        {name}
      </text>
    </g>
  );
}

function Budget({ tokens, scale }: { readonly tokens: number; readonly scale: PlaneScale }) {
  const x = scale.x(tokens);
  if (x < scale.left || x > scale.right) return null;
  return (
    <g>
      <line class="frontier" x1={x} x2={x} y1={scale.top} y2={scale.bottom} />
      <text class="tick" x={x + 6} y={scale.bottom - 8}>
        budget {formatNumber(tokens)}
      </text>
    </g>
  );
}

function figures({ step, accuracy, tokens }: RunEvaluation): string {
  return `step ${formatNumber(step)}: ${formatPercent(accuracy)} right at ${formatNumber(tokens)} tokens per episode`;
}

function inWords(first: RunEvaluation, at: RunEvaluation, last: RunEvaluation): string {
  const shown = [...new Set([first, at, last])].map((row) => figures(row));
  return `Validation accuracy over tokens per episode, ${shown.join("; ")}`;
}
