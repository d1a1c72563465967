import type { BenchRow, BenchTable } from "../../src/protocol.ts";
import { counted, formatColumn, formatNumber } from "@laconic/core/text";
import { visibleLine } from "../parts/safe-text.ts";
import { SafeLine } from "../parts/text.tsx";
import { Empty, Interval, When } from "./parts.tsx";
import { linkTo } from "./navigation.ts";
import { useLoaded } from "./server.ts";
import { useTitle } from "./title.ts";

/** Tables of `laconic bench`. */
export function BenchesPage() {
  const loaded = useLoaded<readonly BenchTable[]>("/benches");
  useTitle("Benches");
  return (
    <main id="main" tabIndex={-1}>
      <div class="heading">
        <h1>Benches</h1>
      </div>
      <When loaded={loaded}>
        {(benches) =>
          benches.length === 0 ? (
            <Empty title="No benches here">
              <p>
                <code>laconic bench</code> compares methods on benchmarks and writes its table into a folder; tables
                below the opened folder appear here.
              </p>
            </Empty>
          ) : (
            benches.map((bench) => <Bench key={bench.id} bench={bench} />)
          )
        }
      </When>
    </main>
  );
}

function Bench({ bench }: { readonly bench: BenchTable }) {
  const benchmarks = [...new Set(bench.rows.map(({ benchmark }) => benchmark))];
  return (
    <section class="panel">
      <h2>
        <SafeLine text={bench.name} />
      </h2>
      <p>
        <a href={linkTo(["bench", bench.id])}>{counted(bench.samples, "sample")}, one by one</a>
      </p>
      {benchmarks.map((benchmark) => (
        <Methods
          key={benchmark}
          bench={bench}
          name={benchmark}
          rows={bench.rows.filter((row) => row.benchmark === benchmark)}
        />
      ))}
    </section>
  );
}

interface MethodsProps {
  readonly bench: BenchTable;
  readonly name: string;
  readonly rows: readonly BenchRow[];
}

/** The methods on one benchmark, whose figures can be laid beside each other. */
function Methods({ bench, name, rows }: MethodsProps) {
  const tokens = formatColumn(rows.map((row) => row.tokens));
  const fewest = Math.min(...rows.map(({ questions }) => questions));
  return (
    <>
      <h3>
        <SafeLine text={name} max={80} />
      </h3>
      <div class="scroll" tabIndex={0} role="region" aria-label={visibleLine(`Methods of ${bench.name} on ${name}`)}>
        <table class="stacked">
          <thead>
            <tr>
              <th scope="col">Method</th>
              <th scope="col">Accuracy (95 % interval)</th>
              <th scope="col">0 to 100 %</th>
              <th scope="col">Tokens per question</th>
              <th scope="col">Questions</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={row.method}>
                <th scope="row">
                  <a href={linkTo(["bench", bench.id], { method: [row.method], benchmark: [row.benchmark] })}>
                    <SafeLine text={row.method} max={80} />
                  </a>
                </th>
                <td data-label="Accuracy (95 % interval)">
                  <Interval value={row.accuracy} interval={row.interval} />
                </td>
                <td aria-hidden="true" data-label="0 to 100 %">
                  <IntervalBar value={row.accuracy} interval={row.interval} />
                </td>
                <td class="number" data-label="Tokens per question">
                  {tokens[i]}
                </td>
                <td class="number" data-label="Questions">
                  {formatNumber(row.questions)}
                  {row.seeds > 1 && <span class="soft small"> × {counted(row.seeds, "seed")}</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {fewest < 30 && (
        <p class="soft small">
          Of {counted(fewest, "question")} an interval is wide: a difference within it says little.
        </p>
      )}
    </>
  );
}

/** From 0 to 100 %. */
function IntervalBar({ value, interval }: { readonly value: number; readonly interval: readonly [number, number] }) {
  return (
    <svg class="interval" width="120" height="14" viewBox="0 0 120 14">
      <line class="axis" x1="0" x2="120" y1="7" y2="7" />
      <line class="span" x1={interval[0] * 120} x2={interval[1] * 120} y1="7" y2="7" />
      <circle cx={value * 120} cy="7" r="4" />
    </svg>
  );
}
