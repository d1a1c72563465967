import type { BenchRow, BenchTable } from "../../src/protocol.ts";
import { counted, formatColumn } from "@laconic/core/text";
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

/** One matrix: a row for each method, a column for each benchmark. */
function Bench({ bench }: { readonly bench: BenchTable }) {
  const { rows } = bench;
  const benchmarks = [...new Set(rows.map(({ benchmark }) => benchmark))];
  const methods = [...new Set(rows.map(({ method }) => method))];
  const tokens = formatColumn(rows.map((row) => row.tokens));
  const small = rows.filter(({ questions }) => questions < 30);
  const cells = new Map(rows.map((row, i) => [`${row.method}\n${row.benchmark}`, { row, tokens: tokens[i] ?? "" }]));
  return (
    <section class="panel">
      <h2>
        <SafeLine text={bench.name} />
      </h2>
      <p>
        <a href={linkTo(["bench", bench.id])}>{counted(bench.samples, "sample")}, one by one</a>
      </p>
      <div
        class="scroll"
        tabIndex={0}
        role="region"
        aria-label={visibleLine(`Methods and benchmarks of ${bench.name}`)}
      >
        <table class="stacked">
          <thead>
            <tr>
              <th scope="col">Method</th>
              {benchmarks.map((benchmark) => (
                <th key={benchmark} scope="col">
                  <SafeLine text={benchmark} max={80} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {methods.map((method) => (
              <tr key={method}>
                <th scope="row">
                  <a href={linkTo(["bench", bench.id], { method: [method] })}>
                    <SafeLine text={method} max={80} />
                  </a>
                </th>
                {benchmarks.map((benchmark) => (
                  <td key={benchmark} data-label={visibleLine(benchmark, 80)}>
                    <Cell bench={bench.id} cell={cells.get(`${method}\n${benchmark}`)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft small">
        Cells: accuracy with its 95 % interval, then tokens per question and the number of questions.
      </p>
      {small.length > 0 && (
        <p class="soft small">
          With {counted(Math.min(...small.map(({ questions }) => questions)), "question")} an interval is wide: a
          difference within it says little.
        </p>
      )}
    </section>
  );
}

interface CellProps {
  readonly bench: string;
  /** Absent where the method was not run on the benchmark. */
  readonly cell: { readonly row: BenchRow; readonly tokens: string } | undefined;
}

function Cell({ bench, cell }: CellProps) {
  if (cell === undefined) return <span class="soft">not run</span>;
  const { row, tokens } = cell;
  return (
    <>
      <a href={linkTo(["bench", bench], { method: [row.method], benchmark: [row.benchmark] })}>
        <Interval value={row.accuracy} interval={row.interval} />
      </a>{" "}
      <span aria-hidden="true">
        <IntervalBar value={row.accuracy} interval={row.interval} />
      </span>
      <br />
      <span class="soft small">
        {tokens} tokens, {counted(row.questions, "question")}
        {row.seeds > 1 && ` × ${counted(row.seeds, "seed")}`}
      </span>
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
