import { counted, formatNumber, formatPercent } from "@laconic/core/text";
import type { JSX } from "preact";
import { Curve } from "./curve.tsx";
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
        title="Tokens per episode"
        n={episodes}
        {...curves}
        values={[null, ...points.map((point) => point.tokens)]}
        {...(settings.steering.kind === "budget" && {
          other: { name: "target", look: "dashes" as const, values: [null, ...points.map((point) => point.target)] },
        })}
        color="--c1"
        range={(_, high) => [0, Math.max(20, high * 1.05)]}
        format={formatNumber}
      />
      <Curve
        title="Right answers in training"
        n={episodes}
        {...curves}
        values={[null, ...points.map((point) => point.accuracy)]}
        other={{
          name: now ? counted(now.problems, "validation problem") : "validation problems",
          look: "dots",
          values: steps.map((each) => held.get(each) ?? null),
        }}
        color="--c3"
        range={() => [0, 1.04]}
        format={(value) => formatPercent(value, 0)}
      />
      {settings.level === "tellers" && (
        <Curve
          title="Idle tellers that say nothing"
          n={episodes}
          {...curves}
          values={[null, ...points.map(({ silent }) => silent?.idle ?? null)]}
          other={{
            name: "who knows, and says nothing",
            look: "dashes",
            values: [null, ...points.map(({ silent }) => silent?.knowing ?? null)],
          }}
          color="--c4"
          range={() => [0, 1.04]}
          format={(value) => formatPercent(value, 0)}
        />
      )}
      <Curve
        title="Price of a token, in % of a right answer"
        n={points.length === 0 ? "" : counted(points.length, "step")}
        {...curves}
        values={[null, ...points.map((point) => point.price)]}
        color="--c2"
        range={(_, high) => [0, Math.max(0.01, high * 1.1)]}
        format={(value) => formatPercent(value)}
      />
    </section>
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
