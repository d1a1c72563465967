import { counted, formatColumn, formatUsd } from "@laconic/core/text";
import type { BenchTable } from "../../src/protocol.ts";
import { Table } from "../parts/elements.tsx";
import { SafeLine } from "../parts/text.tsx";
import { linkTo, useTitle } from "./navigation.ts";
import { Empty, Interval, When } from "./parts.tsx";
import { useLoaded } from "./server.ts";

export function BenchesPage() {
  const loaded = useLoaded<readonly BenchTable[]>("/benches");
  useTitle("Benches");
  return (
    <>
      <h1 class="heading">Benches</h1>
      <When loaded={loaded}>
        {(benches) =>
          benches.length === 0 ? (
            <Empty title="No benches yet">
              <p>
                <code>laconic bench</code> compares methods on benchmarks. Benches in the opened folder appear here.
              </p>
            </Empty>
          ) : (
            benches.map((bench) => <Bench key={bench.id} bench={bench} />)
          )
        }
      </When>
    </>
  );
}

function Bench({ bench: { id, name, samples, rows } }: { bench: BenchTable }) {
  const tokens = formatColumn(rows.map((row) => row.tokens));
  const fewest = Math.min(...rows.map(({ questions }) => questions));
  const cellOf = (benchmark: string) => (method: string) => {
    const index = rows.findIndex((row) => row.method === method && row.benchmark === benchmark);
    const row = rows[index];
    if (!row) return <span class="soft">not run</span>;
    const [low, high] = row.interval;
    return (
      <>
        <a href={linkTo(["bench", id], { method: [method], benchmark: [benchmark] })}>
          <Interval value={row.accuracy} interval={row.interval} />
        </a>{" "}
        <svg class="interval" width="120" height="14" viewBox="0 0 120 14" aria-hidden="true">
          <line x2="120" y1="7" y2="7" />
          <line class="span" x1={low * 120} x2={high * 120} y1="7" y2="7" />
          <circle cx={row.accuracy * 120} cy="7" r="4" />
        </svg>
        <br />
        <span class="soft small">
          {tokens[index]} tokens, {counted(row.questions, "question")}
          {row.seeds > 1 && ` × ${counted(row.seeds, "seed")}`}
          {row.usd !== null && `, ${formatUsd(row.usd)} per sample`}
        </span>
      </>
    );
  };
  return (
    <section class="panel">
      <h2>
        <SafeLine text={name} />
      </h2>
      <p>
        <a href={linkTo(["bench", id])}>All {counted(samples, "sample")}</a>
      </p>
      <Table
        label={`Methods and benchmarks of ${name}`}
        columns={[
          [
            "Method",
            (method) => (
              <a href={linkTo(["bench", id], { method: [method] })}>
                <SafeLine text={method} max={80} />
              </a>
            ),
            "name",
          ],
          ...Array.from(new Set(rows.map(({ benchmark }) => benchmark)), (text) => [text, cellOf(text)] as const),
        ]}
        rows={[...new Set(rows.map(({ method }) => method))]}
      />
      <p class="soft small">
        Cells show accuracy with its 95 % interval, tokens per question and the number of questions.
        {fewest < 30 &&
          ` Intervals of ${counted(fewest, "question")} are wide: a smaller difference is not significant.`}
      </p>
    </section>
  );
}
