import { counted, formatNumber, formatPercent } from "@laconic/core/text";
import type { JSX } from "preact";
import { LineChart, type ChartLine } from "../parts/line-chart.tsx";
import type { Range } from "../parts/range.ts";
import { levelWords, useLevelId } from "./level.ts";
import type { PageState } from "./state.ts";

/** Where the team stands, and how it came there. */
export function Numbers({ state }: { readonly state: PageState }): JSX.Element {
  const id = useLevelId();
  const { points, evaluations, settings, step } = state;
  const [before, now] = [evaluations[0], evaluations.at(-1)];
  const last = points.at(-1);
  const price = last?.price ?? (settings.steering.kind === "price" ? settings.steering.price : 0);
  const steps = [0, ...points.map((point) => point.step)];
  const held = new Map(evaluations.map((each) => [each.step, each.accuracy]));
  const episodes = last === undefined ? "" : counted(last.episodes, "episode");
  const curves = { steps, lastStep: Math.max(settings.steps, step) };
  return (
    <section class="panel numbers" aria-labelledby={id("numbers-title")}>
      <h2 id={id("numbers-title")} class="visually-hidden">
        How it is going
      </h2>
      <dl class="tiles">
        <Tile name="Tokens per episode" value={formatNumber(last?.tokens ?? before?.tokens)}>
          {before && `${levelWords[settings.level].untrained.toLowerCase()}: ${formatNumber(before.tokens)}`}
        </Tile>
        <Tile name="Right answers" value={formatPercent(now?.accuracy)}>
          {now && `of ${now.problems} validation problems, step ${now.step}`}
        </Tile>
        <Tile name="Price of a token" value={formatPercent(price, 2)}>
          of a right answer (λ)
        </Tile>
      </dl>
      <Curve
        {...curves}
        title="Tokens per episode"
        n={episodes}
        index={0}
        values={[null, ...points.map((point) => point.tokens)]}
        {...(settings.steering.kind === "budget" && {
          other: { name: "target", look: "reference", values: [null, ...points.map((point) => point.target)] },
        })}
        least={20}
      />
      <Curve
        {...curves}
        title="Right answers in training"
        n={episodes}
        index={2}
        values={[null, ...points.map((point) => point.accuracy)]}
        other={{
          name: now ? counted(now.problems, "validation problem") : "validation problems",
          look: "dots",
          values: steps.map((each) => held.get(each) ?? null),
        }}
        unit="share"
        least={1}
      />
      {settings.level === "tellers" && (
        <Curve
          {...curves}
          title="Idle tellers that say nothing"
          n={episodes}
          index={3}
          values={[null, ...points.map(({ silent }) => silent?.idle ?? null)]}
          other={{
            name: "who knows, and says nothing",
            look: "reference",
            values: [null, ...points.map(({ silent }) => silent?.knowing ?? null)],
          }}
          unit="share"
          least={1}
        />
      )}
      <Curve
        {...curves}
        title="Price of a token, in % of a right answer"
        n={points.length === 0 ? "" : counted(points.length, "step")}
        index={1}
        values={[null, ...points.map((point) => point.price)]}
        unit="share"
        least={0.01}
      />
    </section>
  );
}

interface CurveProps {
  readonly title: string;
  /** What a point is the mean of, such as `64 episodes`. */
  readonly n: string;
  readonly steps: readonly number[];
  readonly values: readonly (number | null)[];
  /** A target, or other measurements at the same steps. */
  readonly other?: Pick<ChartLine, "values"> & { readonly name: string; readonly look: "reference" | "dots" };
  readonly index: number;
  readonly lastStep: number;
  readonly unit?: "share";
  /** The axis reaches at least up to here. */
  readonly least: number;
}

/** A line over the steps of the run. */
function Curve({ title, n, steps, values, other, index, lastStep, unit, least }: CurveProps): JSX.Element {
  const finite = (column: readonly (number | null)[]): (number | null)[] =>
    column.map((value) => (Number.isFinite(value) ? value : null));
  const known = finite(values).flatMap((value, i) =>
    value === null ? [] : [`${unit === "share" ? formatPercent(value) : formatNumber(value)} at step ${steps[i]}`],
  );
  // The first value is of step 0, before the first metrics.
  const gaps = finite(values)
    .slice(1)
    .filter((value) => value === null).length;
  const gapText = gaps > 0 ? `, ${counted(gaps, "step")} without a value` : "";
  const ends = [...new Set([known[0], known.at(-1)])].join(", ") || "nothing yet";
  const high = Math.max(least, 1.05 * Math.max(0, ...values.map((value) => value ?? 0)));
  const yRange: Range = [0, least === 1 ? 1.04 : high];
  return (
    <figure class="curve">
      <figcaption>
        <span>
          {title}
          {n !== "" && <span class="small">, n = {n}</span>}
          {gapText !== "" && <span class="small">{gapText}</span>}
        </span>
        {other && <span class={`soft small ${other.look}`}>{other.name}</span>}
      </figcaption>
      <LineChart
        lines={[
          { key: "values", label: title, index, steps, values: finite(values) },
          ...(other
            ? [{ key: "other", label: other.name, index, steps, values: finite(other.values), look: other.look }]
            : []),
        ]}
        range={[0, Math.max(10, lastStep)]}
        unit={unit ?? ""}
        height={140}
        label={`${title} by step: ${ends}${gapText}${n === "" ? "" : `; n = ${n}`}`}
        yRange={yRange}
      />
    </figure>
  );
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly children: unknown;
}

function Tile({ name, value, children }: TileProps): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <b class="number">{value}</b>
        <span class="soft small">{children as string}</span>
      </dd>
    </div>
  );
}
