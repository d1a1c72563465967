import type { RunDetail } from "../../../src/protocol.ts";
import { counted, formatColumn, formatDuration, formatFileSize, formatNumber, formatPercent } from "@laconic/core/text";
import { SafeLine, SafeText } from "../../parts/text.tsx";
import { visibleLine } from "../../parts/safe-text.ts";
import { linkTo } from "../navigation.ts";
import { Interval } from "../parts.tsx";
import { Story } from "../story/story.tsx";
import { Families } from "./families.tsx";

/** A run as a story, then what it came to in numbers and a table of its evaluations. */
export function Overview({ detail }: { readonly detail: RunDetail }) {
  const { summary, evaluations } = detail;
  const [first, last] = [evaluations[0], evaluations.at(-1)];
  const { warmStart } = summary;
  const rows = [
    ...(warmStart ? [{ row: warmStart.before, step: `before ${visibleLine(warmStart.said, 60)}` }] : []),
    ...evaluations.map((row) => ({ row, step: formatNumber(row.step) })),
  ];
  const tokens = formatColumn(rows.map(({ row }) => row.tokens));
  const beforeWarmStart = (format: (value: number) => string, of: "accuracy" | "tokens"): string =>
    warmStart ? `${format(warmStart.before[of])} → ` : "";
  const isChanged = first !== undefined && last !== undefined && first !== last;
  const link = (tab: string): string => linkTo(["run", summary.id, tab]);
  return (
    <section aria-label="Overview">
      <Story detail={detail} />
      <h2>In numbers</h2>
      <dl class="tiles">
        {last !== undefined && (
          <>
            <Tile
              name="validation accuracy"
              value={
                isChanged
                  ? `${beforeWarmStart(formatPercent, "accuracy")}${formatPercent(first.accuracy)} → ${formatPercent(last.accuracy)}`
                  : formatPercent(last.accuracy)
              }
            />
            <Tile
              name="tokens per episode"
              value={
                isChanged
                  ? `${beforeWarmStart(formatNumber, "tokens")}${formatNumber(first.tokens)} → ${formatNumber(last.tokens)}`
                  : formatNumber(last.tokens)
              }
            />
          </>
        )}
        {detail.test !== null && (
          <Tile
            name={`accuracy on ${formatNumber(detail.test.problems)} test problems, measured once`}
            value={formatPercent(detail.test.accuracy)}
          />
        )}
        <Tile
          name="token budget per episode"
          value={summary.budgetTokens === null ? "none" : formatNumber(summary.budgetTokens)}
        />
        <Tile
          name={summary.plannedSteps === null ? "steps" : `of ${formatNumber(summary.plannedSteps)} steps`}
          value={formatNumber(summary.step)}
        />
        <Tile
          name={`of training${summary.device === null ? "" : ` on ${visibleLine(summary.device, 30)}`}`}
          value={formatDuration(summary.seconds)}
        />
        {summary.state === "running" && <Tile name="left" value={formatDuration(summary.secondsLeft)} />}
        <Tile name="on disk" value={formatFileSize(summary.bytes)} />
      </dl>
      <p>
        {detail.episodes > 0 ? (
          <>
            <a href={link("episodes")}>{counted(detail.episodes, "conversation")}</a> to read, and{" "}
          </>
        ) : null}
        <a href={link("curves")}>{counted(detail.metrics.length, "curve")}</a>.
      </p>
      {evaluations.length > 0 && (
        <div class="scroll long" tabIndex={0} role="region" aria-label="Evaluations">
          <h2>Evaluations on validation problems</h2>
          <table class="stacked">
            <thead>
              <tr>
                <th scope="col">Step</th>
                <th scope="col">Problems</th>
                <th scope="col">Accuracy (95 % interval)</th>
                <th scope="col">Tokens per episode</th>
                <th scope="col">Silent turns</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ row, step }, i) => (
                <tr key={step}>
                  <td class="number" data-label="Step">
                    {step}
                  </td>
                  <td class="number" data-label="Problems">
                    {formatNumber(row.problems)}
                  </td>
                  <td data-label="Accuracy (95 % interval)">
                    <Interval value={row.accuracy} interval={row.interval} />
                  </td>
                  <td class="number" data-label="Tokens per episode">
                    {tokens[i]}
                  </td>
                  <td class="small silences" data-label="Silent turns">
                    {Object.entries(row.silence).map(([agent, share], at) => (
                      <span key={agent}>
                        {at > 0 && ", "}
                        <SafeLine text={agent} max={30} /> {formatPercent(share)}
                      </span>
                    ))}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {detail.families !== null && <Families table={detail.families} />}
      {detail.environment !== null && (
        <details class="panel">
          <summary>Where it ran</summary>
          <pre class="mono">
            <SafeText text={JSON.stringify(detail.environment, null, 2)} />
          </pre>
        </details>
      )}
    </section>
  );
}

function Tile({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div class="tile panel">
      <dt>{name}</dt>
      <dd>{value.replaceAll(" %", "\u00A0%")}</dd>
    </div>
  );
}
