import { counted, formatNumber, formatPercent } from "@laconic/core/text";
import { LineChart, type ChartLine } from "../parts/line-chart.tsx";
import { levelTexts } from "./level.ts";
import type { PageState } from "./state.ts";
import type { StepPoint } from "./worker/messages.ts";

export function Numbers({ state }: { state: PageState }) {
  const { points, evaluations, settings, step } = state;
  const { level, steering } = settings;
  const [before, now] = [evaluations[0], evaluations.at(-1)];
  const last = points.at(-1);
  const price = last?.price ?? (steering.kind === "price" ? steering.price : 0);
  const tiles = [
    [
      "Tokens per episode",
      formatNumber(last?.tokens ?? before?.tokens),
      before && `${levelTexts[level].untrained.toLowerCase()}: ${formatNumber(before.tokens)}`,
    ],
    ["Accuracy", formatPercent(now?.accuracy), now && `${now.problems} validation problems, step ${now.step}`],
    ["Token price", formatPercent(price, 2), "of a right answer (λ)"],
  ] as const;
  // Step 0 precedes the first metrics.
  const column = (of: (point: StepPoint) => number | null | undefined): (number | null)[] => [
    null,
    ...points.map((point) => {
      const value = of(point);
      return typeof value === "number" && Number.isFinite(value) ? value : null;
    }),
  ];
  const steps = [0, ...points.map((point) => point.step)];
  const accuracies = new Map(evaluations.map((item) => [item.step, item.accuracy]));
  const lastStep = Math.max(settings.steps, step);
  const curves = { steps, lastStep, n: last === undefined ? "" : counted(last.episodes, "episode") };
  return (
    <section class="panel" aria-label="Progress">
      <dl class="tiles">
        {tiles.map(([name, value, note]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <b class="number">{value}</b>
              <span class="soft small">{note}</span>
            </dd>
          </div>
        ))}
      </dl>
      <Curve
        {...curves}
        title="Tokens per episode"
        index={0}
        values={column(({ tokens }) => tokens)}
        {...(steering.kind === "budget" && {
          other: { label: "target", look: "reference", values: column(({ target }) => target) },
        })}
        high={20}
      />
      <Curve
        {...curves}
        title="Training accuracy"
        index={2}
        values={column(({ accuracy }) => accuracy)}
        other={{
          label: now ? counted(now.problems, "validation problem") : "validation problems",
          look: "dots",
          values: steps.map((value) => accuracies.get(value) ?? null),
        }}
        unit="share"
        high={1}
      />
      {level === "tellers" && (
        <Curve
          {...curves}
          title="Silence of idle tellers"
          index={3}
          values={column(({ silent }) => silent?.idle)}
          other={{
            label: "silence of the informed teller",
            look: "reference",
            values: column(({ silent }) => silent?.knowing),
          }}
          unit="share"
          high={1}
        />
      )}
      <Curve
        {...curves}
        title="Token price in % of a right answer"
        n={points.length === 0 ? "" : counted(points.length, "step")}
        index={1}
        values={column((point) => point.price)}
        unit="share"
        high={0.01}
      />
    </section>
  );
}

const hues = { dots: "var(--ink)", reference: "var(--soft)" } as const;

interface CurveProps extends Pick<ChartLine, "index" | "steps" | "values"> {
  readonly title: string;
  readonly n: string;
  readonly other?: Pick<ChartLine, "values" | "label"> & { readonly look: "reference" | "dots" };
  readonly lastStep: number;
  readonly unit?: "share";
  readonly high: number;
}

function Curve({ title, n, steps, values, other, index, lastStep, unit, high }: CurveProps) {
  const format = unit === "share" ? formatPercent : formatNumber;
  const texts = values.flatMap((value, i) => (value === null ? [] : [`${format(value)} at step ${steps[i]}`]));
  const gaps = values.slice(1).filter((value) => value === null).length;
  const details = [n === "" ? "" : `n = ${n}`, gaps === 0 ? "" : `${counted(gaps, "step")} without a value`]
    .filter((text) => text !== "")
    .join(", ");
  const ends = [...new Set([texts[0], texts.at(-1)])].join(", ") || "no values yet";
  const top = high === 1 ? 1.04 : Math.max(high, 1.05 * Math.max(0, ...values.map((value) => value ?? 0)));
  return (
    <figure class="curve">
      <figcaption class="line soft small">
        {title}
        {details !== "" && `, ${details}`}
        {other && (
          <span class="last">
            <i class={`key ${other.look === "dots" ? "dot" : "dashed"}`} style={{ "--hue": hues[other.look] }} />
            {other.label}
          </span>
        )}
      </figcaption>
      <LineChart
        lines={[
          { key: "values", label: title, index, steps, values },
          ...(other ? [{ key: "other", index, steps, ...other }] : []),
        ]}
        range={[0, Math.max(10, lastStep)]}
        unit={unit ?? ""}
        height={140}
        label={`${title} by step: ${ends}; ${details}`}
        yRange={[0, top]}
      />
    </figure>
  );
}
