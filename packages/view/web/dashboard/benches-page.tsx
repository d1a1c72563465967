import type { BenchTable } from "../../src/protocol.ts";
import { counted, formatNumber } from "../parts/format.ts";
import { SaidLine } from "../parts/text.tsx";
import { Empty, Interval, When } from "./parts.tsx";
import { useLoaded } from "./server.ts";

/** Tables of `laconic bench`. */
export function BenchesPage() {
  const loaded = useLoaded<readonly BenchTable[]>("/benches");
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
  const { rows } = bench;
  return (
    <section class="panel">
      <h2>
        <SaidLine text={bench.name} />
      </h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Table of ${bench.name}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Method</th>
              <th scope="col">Benchmark</th>
              <th scope="col">Questions</th>
              <th scope="col">Accuracy (95 % interval)</th>
              <th scope="col">
                <span class="visually-hidden">Interval as a picture</span>
              </th>
              <th scope="col">Tokens a question</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.method} ${row.benchmark}`}>
                <th scope="row">
                  <SaidLine text={row.method} most={80} />
                </th>
                <td>
                  <SaidLine text={row.benchmark} most={80} />
                </td>
                <td class="number">
                  {formatNumber(row.questions)}
                  {row.seeds > 1 && <span class="soft small"> × {counted(row.seeds, "seed")}</span>}
                </td>
                <td>
                  <Interval value={row.accuracy} interval={row.interval} />
                </td>
                <td aria-hidden="true">
                  <IntervalBar value={row.accuracy} interval={row.interval} />
                </td>
                <td class="number">{formatNumber(row.tokens)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.some(({ questions }) => questions < 30) && (
        <p class="soft small">Of fewer than 30 questions an interval is wide: a difference within it says little.</p>
      )}
    </section>
  );
}

/** From 0 to 100 %. */
export function IntervalBar({
  value,
  interval,
}: {
  readonly value: number;
  readonly interval: readonly [number, number];
}) {
  return (
    <svg class="interval" width="120" height="14" viewBox="0 0 120 14">
      <line class="axis" x1="0" x2="120" y1="7" y2="7" />
      <line class="span" x1={interval[0] * 120} x2={interval[1] * 120} y1="7" y2="7" />
      <circle cx={value * 120} cy="7" r="4" />
    </svg>
  );
}
